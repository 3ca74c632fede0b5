#ifndef BOOSTC_THOR_AVERAGE_FACTOR
#define BOOSTC_THOR_AVERAGE_FACTOR

include "dialects/thor/ThorBase.td"

def Thor_AverageFactorOp : Thor_Computation<"average_factor", [
    AllTypesMatch<["average", "factor", "result"]>,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>]> {
  let summary = "a moving average of a factor";
  let description = [{
    `average + max(1 / k, 1 - decay) * (factor / n - average)`, where n is that of
    `thor.damped_inverse`, and k the number of factors that the average is of, this one counted:
    `refreshes + 1`. So the first factor is the average, and the weights of the first few are
    equal. With a `count` of 0 the result is not a number, which has no inverse. An
    element that would be subnormal is 0. Source: Martens and Grosse, ICML 2015, section 5.

    Constraints:
    * (average_factor_c1) the decay is at least 0 and below 1.
    * (average_factor_c2) numbers of rows are positive.

    Example:
    ```mlir
    %m = thor.average_factor %average, %a by %count rows 1 positions 64 after %refreshes
        decay 9.500000e-01 : tensor<2x128x128xf32>
    ```
  }];
  let arguments = (ins Thor_Blocks:$average, Thor_Blocks:$factor, Thor_Count:$count,
                       Optional<Thor_Number>:$scale, Thor_Count:$refreshes, I64Attr:$rows,
                       I64Attr:$positions, F64Attr:$decay);
  let results = (outs Thor_Blocks:$result);
  let assemblyFormat = [{
    $average `,` $factor `by` $count `rows` $rows `positions` $positions (`scale` $scale^)?
    `after` $refreshes `decay` $decay attr-dict `:` type($factor)
  }];
  let hasVerifier = 1;
}

#endif // BOOSTC_THOR_AVERAGE_FACTOR
