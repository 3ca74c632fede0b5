#ifndef BOOSTC_THOR_FACTOR
#define BOOSTC_THOR_FACTOR

include "dialects/thor/ThorBase.td"

/// A kernel reads operands of any element type, so they are not converted: it is a call in any
/// case.
class Thor_FactorOp<string mnemonic> : Thor_Op<mnemonic, [
    Pure, InferTypeOpAdaptor, BatchReducingOpInterface,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<ErrorBoundOpInterface>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>,
    DeclareOpInterfaceMethods<ReferenceOpInterface>]> {
  let results = (outs Thor_Blocks:$result);
}

def Thor_FactorAOp : Thor_FactorOp<"factor_a"> {
  let summary = "sums of outer products of a layer's inputs";
  let description = [{
    `a[b, i, j] = sum over r of x[r, b, i] * x[r, b, j]` over the rows r of the first `valid`
    samples. Without `windows`, x is `[batch, ..., inputs]` with a row for each index of all
    dimensions but the last. With it, x is `[batch, channels, height, width]` with a row for
    each window, its taps by channel, row and column; taps outside of the input are zeros. Both
    are those of the layer's weight gradient.

    With `if` it is zeros where the flag is 0, and costs next to nothing.

    The inputs of each of the `groups` of channels are cut into blocks of `block_size`, or one
    block where there are no more; the last has zeros for those it lacks. What is between blocks
    is not computed. The result is `[groups * blocks, size, size]`.

    Constraints:
    * (factor_a_c1) windows and groups match the input, see `nn.conv2d`.

    Example:
    ```mlir
    %a = thor.factor_a %x, %valid windows [3, 3] strides [1, 1] padding [1, 1, 1, 1]
           dilations [1, 1] groups 1 block_size 128 : tensor<32x16x8x8xf32>
    ```
  }];
  let arguments = (ins Thor_Values:$input, Thor_Valid:$valid, Optional<Thor_Flag>:$due,
                       OptionalAttr<DenseI64ArrayAttr>:$kernel,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<DenseI64ArrayAttr>:$padding,
                       OptionalAttr<DenseI64ArrayAttr>:$dilations,
                       I64Attr:$groups, I64Attr:$block_size);
  let assemblyFormat = [{
    $input `,` $valid (`if` $due^)? (`windows` $kernel^ `strides` $strides `padding` $padding
    `dilations` $dilations)? `groups` $groups `block_size` $block_size attr-dict
    `:` type($input)
  }];
}

def Thor_FactorGOp : Thor_FactorOp<"factor_g"> {
  let summary = "sums of outer products of the gradients of a layer's outputs";
  let description = [{
    `g[b, i, j] = sum over r of d[r, b, i] * d[r, b, j]` over the rows r of the first `valid`
    samples, blocks, groups and flag as for `thor.factor_a`. d is `[batch, ..., outputs]`, or with
    `spatial` `[batch, outputs, height, width]` with a row for each pixel.

    Constraints:
    * (factor_g_c1) groups divide the outputs.

    Example:
    ```mlir
    %g = thor.factor_g %dy, %valid spatial groups 1 block_size 128 : tensor<32x16x8x8xf32>
    ```
  }];
  let arguments = (ins Thor_Values:$gradient, Thor_Valid:$valid, Optional<Thor_Flag>:$due,
                       UnitAttr:$spatial, I64Attr:$groups, I64Attr:$block_size);
  let assemblyFormat = [{
    $gradient `,` $valid (`if` $due^)? (`spatial` $spatial^)? `groups` $groups `block_size` $block_size
    attr-dict `:` type($gradient)
  }];
}

#endif // BOOSTC_THOR_FACTOR
