"""Writes nn-group-norm.mlir, with numbers by PyTorch in double precision:

  python3 golden_group_norm.py > ../nn-group-norm.mlir
"""

import torch

# Name, shape, groups, eps, whether there are weight and bias, samples that count.
CASES = (
    ("groups", (3, 6, 2, 2), 2, 1e-5, True, 2),
    ("instance", (3, 4, 3), 4, 1e-3, True, 3),
    ("whole_sample", (2, 4, 1, 3), 1, 1e-5, False, 2),
    ("features", (3, 6), 3, 0.25, True, 1),
)

HEAD = """\
// RUN: boost-interpret %s
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \\
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg))'
// RUN: boost-interpret %s --function=drawn --tolerance=1e-12 \\
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0},boostc-fuse-elementwise))'

// nn.group_norm and its gradients against PyTorch, then on drawn numbers the ops against
// their lowerings. Written by Inputs/golden_group_norm.py. Inputs are multiples of 1/8, so
// that f32 holds them. PyTorch's numbers are rounded to f32 here, by 2^-24 of each; sums
// that are zero are near it in double precision.
train.program @group_norm batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
"""

TAIL = """\
  func.func @drawn(%x: tensor<3x6x2x3xf32>, %dy: tensor<3x6x2x3xf32>, %w: tensor<6xf32>,
      %b: tensor<6xf32>, %valid: tensor<i32> {rt.binding = #rt.binding<valid>})
      -> (tensor<3x6x2x3xf32>, tensor<3x6x2x3xf32>, tensor<3x6x2x3xf32>, tensor<3x6x2x3xf32>,
          tensor<6xf32>, tensor<6xf32>) {
    %y = nn.group_norm %x, %w, %b groups 3 epsilon 1.0e-5
        : tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>
    %z = nn.group_norm %x groups 2 epsilon 1.0e-5 : tensor<3x6x2x3xf32>
    %dx = nn.group_norm_grad_input %dy, %x, %w groups 3 epsilon 1.0e-5
        : tensor<3x6x2x3xf32>, tensor<6xf32>
    %dz = nn.group_norm_grad_input %dy, %x groups 2 epsilon 1.0e-5 : tensor<3x6x2x3xf32>
    %dw, %db = nn.group_norm_grad_parameters %dy, %x, %valid groups 3 epsilon 1.0e-5
        : tensor<3x6x2x3xf32> -> tensor<6xf32>
    return %y, %z, %dx, %dz, %dw, %db : tensor<3x6x2x3xf32>, tensor<3x6x2x3xf32>,
        tensor<3x6x2x3xf32>, tensor<3x6x2x3xf32>, tensor<6xf32>, tensor<6xf32>
  }
}
"""


def mlir_type(value):
    return f"tensor<{'x'.join(str(extent) for extent in value.shape)}xf32>"


def constant(name, value):
    def nest(part):
        if isinstance(part, list):
            return "[" + ", ".join(nest(element) for element in part) + "]"
        return f"{part:.10e}"

    print(f"    %{name} = arith.constant dense<{nest(value.tolist())}> : {mlir_type(value)}")


def expect(found, name, value):
    constant(name, value)
    print(f"    check.expect_close %{found}, %{name} atol 1.0e-14 rtol 6.0e-8 : "
          f"{mlir_type(value)}")


def main():
    draw = torch.Generator().manual_seed(1)

    def eighths(*shape):
        return torch.randint(-24, 25, shape, generator=draw).double() / 8

    print(HEAD, end="")
    print("  func.func @main() {")
    for name, shape, groups, eps, affine, valid in CASES:
        channels = shape[1]
        x, dy = eighths(*shape), eighths(*shape)
        parameters = [eighths(channels), eighths(channels)] if affine else [None, None]
        for value in [x] + [p for p in parameters if p is not None]:
            value.requires_grad_()
        y = torch.nn.functional.group_norm(x, groups, *parameters, eps=eps)
        leaves = [x] + [p for p in parameters if p is not None]
        dx = torch.autograd.grad((y * dy).sum(), x, retain_graph=True)[0]
        print(f"    // {name}")
        constant(f"{name}_x", x.detach())
        constant(f"{name}_dy", dy)
        attributes = f"groups {groups} epsilon {eps:e}"
        kind = mlir_type(x)
        operands, types, weight, weight_type = "", "", "", ""
        if affine:
            constant(f"{name}_w", parameters[0].detach())
            constant(f"{name}_b", parameters[1].detach())
            operands, weight = f", %{name}_w, %{name}_b", f", %{name}_w"
            weight_type = f", {mlir_type(parameters[0])}"
            types = weight_type * 2
        print(f"    %{name}_y = nn.group_norm %{name}_x{operands} {attributes} : {kind}{types}")
        expect(f"{name}_y", f"{name}_y_x", y.detach())
        print(f"    %{name}_dx = nn.group_norm_grad_input %{name}_dy, %{name}_x{weight} "
              f"{attributes} : {kind}{weight_type}")
        expect(f"{name}_dx", f"{name}_dx_x", dx)
        if affine:
            dw, db = torch.autograd.grad((y * dy)[:valid].sum(), leaves[1:])
            print(f"    %{name}_valid = arith.constant dense<{valid}> : tensor<i32>")
            print(f"    %{name}_dw, %{name}_db = nn.group_norm_grad_parameters %{name}_dy, "
                  f"%{name}_x, %{name}_valid {attributes} : {kind} -> {mlir_type(dw)}")
            expect(f"{name}_dw", f"{name}_dw_x", dw)
            expect(f"{name}_db", f"{name}_db_x", db)
    print("    return\n  }")
    print(TAIL, end="")


if __name__ == "__main__":
    main()
