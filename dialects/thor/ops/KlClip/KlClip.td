#ifndef BOOSTC_THOR_KL_CLIP
#define BOOSTC_THOR_KL_CLIP

include "dialects/thor/ThorBase.td"

def Thor_KlDivergenceOp : Thor_Computation<"kl_divergence", [
    AllTypesMatch<["preconditioned", "gradient"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "how far a step along a preconditioned gradient moves the predictions";
  let description = [{
    `rate^2 * sum(p * g)`, for the gradient g and the preconditioned one p: with F the Fisher
    matrix that p is the product of the inverse of and g, this is `(rate p)^t F (rate p)`, twice
    the Kullback-Leibler divergence of the predictions after the step from those before it, to
    second order. Source: Ba, Grosse and Martens, ICLR 2017.

    Example:
    ```mlir
    %d = thor.kl_divergence %p, %g rate %lr : tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Thor_Tensor:$preconditioned, Thor_Tensor:$gradient, Thor_Number:$rate);
  let results = (outs Thor_Number:$result);
  let assemblyFormat = [{
    $preconditioned `,` $gradient `rate` $rate attr-dict `:` type($gradient)
  }];
}

def Thor_KlFactorOp : Thor_Computation<"kl_factor"> {
  let summary = "what steps are scaled by to move the predictions no farther than a limit";
  let description = [{
    `min(1, sqrt(limit / sum))` for the sum of the divergences; 1 where it is not positive.

    Constraints:
    * (kl_factor_c1) the limit is positive.

    Example:
    ```mlir
    %factor = thor.kl_factor %d0, %d1 limit 1.000000e-03
    ```
  }];
  let arguments = (ins Variadic<Thor_Number>:$divergences, F64Attr:$limit);
  let results = (outs Thor_Number:$result);
  let assemblyFormat = "$divergences `limit` $limit attr-dict";
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_KL_CLIP
