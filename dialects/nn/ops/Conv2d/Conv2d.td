#ifndef BOOSTC_NN_CONV2D
#define BOOSTC_NN_CONV2D

include "dialects/nn/NnBase.td"

def Nn_Conv2dOp : Nn_Op<"conv2d", [Nn_ComputesLow<3>, Nn_IsContraction,
    Nn_Contraction, InferTypeOpAdaptor,
    DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
    DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
    DeclareOpInterfaceMethods<LayerOpInterface>,
    DeclareOpInterfaceMethods<LibraryCallOpInterface>]> {
  let summary = "two-dimensional convolution";
  let description = [{
    `y[n, o, i, j] = sum over c, k, l of
       x[n, c, i * strides[0] + k * dilations[0] - padding[0],
               j * strides[1] + l * dilations[1] - padding[1]] * w[o, c, k, l]  (+ b[o])`,
    `x` being zero outside the input and `c` running over the channels of o's group.
    Shapes: x `[N, C, H, W]`, w `[O, C / groups, KH, KW]`, y `[N, O, OH, OW]` with
    `OH = (H + top + bottom - (KH - 1) * dilations[0] - 1) / strides[0] + 1`, rounded
    down. Padding is top, left, bottom, right.

    Constraints:
    * (conv2d_c1) shapes, strides, padding, dilations and groups fit together.
    * (conv2d_c2) `b`, when given, has O elements, of f32 or of the type of `w`.

    Example:
    ```mlir
    %y = nn.conv2d %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] groups 1
           : tensor<32x1x32x32xf32>, tensor<6x1x5x5xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$weight,
                       Optional<Nn_Bias>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
                       DenseI64ArrayAttr:$dilations, I64Attr:$groups);
  let results = (outs Nn_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $weight (`,` $bias^)? `strides` $strides `padding` $padding
    `dilations` $dilations `groups` $groups attr-dict `:`
    type($input) `,` type($weight) (`,` type($bias)^)?
  }];
  let extraClassDeclaration = [{
    int64_t getChannelGroups() { return getGroups(); }
    ::boostc::ConvolutionGeometry getGeometry();
  }];
}

// The gradients: sums over the same products, into another of the three shapes.
class Nn_Conv2dGrad_Op<string mnemonic, dag operands, list<Trait> traits = [],
                       dag more = (ins)>
    : Nn_Op<mnemonic, [
        Nn_Contraction, DeclareOpInterfaceMethods<CostOpInterface, ["getFlops"]>,
        DeclareOpInterfaceMethods<LibraryCallOpInterface>] # traits> {
  let arguments = !con(operands, (ins
      DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$padding,
      DenseI64ArrayAttr:$dilations, I64Attr:$groups), more);
  let results = (outs Nn_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::boostc::ConvolutionGeometry getGeometry();
  }];
}

def Nn_Conv2dGradInputOp : Nn_Conv2dGrad_Op<"conv2d_grad_input",
    (ins Nn_Tensor:$gradient, Nn_Tensor:$weight),
    [Nn_ComputesLow<2>,
     DeclareOpInterfaceMethods<DifferentiableOpInterface, ["savedForBackward"]>,
     DeclareOpInterfaceMethods<LayerOpInterface>]> {
  let summary = "gradient of a convolution's input, or a transposed convolution";
  let description = [{
    `dx[n, c, u, v] = sum of dy[n, o, i, j] * w[o, c, k, l]` over all (o, i, j, k, l) for
    which tap (k, l) of output pixel (i, j) sees input pixel (u, v), see `nn.conv2d`.

    As a layer, `conv2d_transpose` of the model file, it reads dy and computes dx. Backward:
    the gradient of dy is the convolution of that of dx, and the gradient of w that of
    this convolution's weight, with `transposed` set.

    Constraints:
    * (conv2d_grad_input_c1) dy has the shape of the convolution of the result's shape
      with w.

    Example:
    ```mlir
    %dx = nn.conv2d_grad_input %dy, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1]
            groups 1 : tensor<32x16x10x10xf32>, tensor<16x6x5x5xf32> -> tensor<32x6x14x14xf32>
    ```
  }];
  let assemblyFormat = [{
    $gradient `,` $weight `strides` $strides `padding` $padding `dilations` $dilations
    `groups` $groups attr-dict `:` type($gradient) `,` type($weight) `->` type($result)
  }];
}

def Nn_Conv2dGradWeightOp : Nn_Conv2dGrad_Op<"conv2d_grad_weight",
    (ins Nn_Tensor:$gradient, Nn_Tensor:$input),
    [DeclareOpInterfaceMethods<PreconditionableOpInterface, ["isPreconditionable"]>],
    (ins UnitAttr:$transposed)> {
  let summary = "gradient of a convolution's weight";
  let description = [{
    `dw[o, c, k, l] = sum over n, i, j of dy[n, o, i, j] * (the input pixel that tap (k, l)
    of output pixel (i, j) sees in channel c)`, over the whole padded batch: exact, because
    the rows of `dy` that pad the batch are zero. `transposed`, the convolution is the
    backward of a `nn.conv2d_grad_input`: `dy` is what that op reads, and `x` the gradient,
    which is why THOR does not precondition it.

    Constraints:
    * (conv2d_grad_weight_c1) dy has the shape of the convolution of x with the result's
      shape.

    Example:
    ```mlir
    %dw = nn.conv2d_grad_weight %dy, %x strides [1, 1] padding [0, 0, 0, 0]
            dilations [1, 1] groups 1
            : tensor<32x16x10x10xf32>, tensor<32x6x14x14xf32> -> tensor<16x6x5x5xf32>
    ```
  }];
  let assemblyFormat = [{
    $gradient `,` $input `strides` $strides `padding` $padding `dilations` $dilations
    `groups` $groups (`transposed` $transposed^)? attr-dict `:` type($gradient) `,`
    type($input) `->` type($result)
  }];
}

#endif // BOOSTC_NN_CONV2D
