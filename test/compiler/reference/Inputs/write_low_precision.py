#!/usr/bin/env python3
"""Writes nn-low-precision.mlir: ops on bf16 and f16, with what PyTorch makes of the same tensors.

  python3 test/compiler/reference/Inputs/write_low_precision.py > test/compiler/reference/nn-low-precision.mlir

PyTorch computes each op in the low type itself, on the CPU, as torch.autocast has it do.
Operands have few bits, so that every sum is exact in f32, in any order: both sides round one
number once, and results are equal to the last bit. Gradients of parameters are of f32 here;
PyTorch rounds them, so they are compared with its gradients in f32. Softmax and normalisation
are not exact; PyTorch's value in double precision is rounded, and so it is with a bias, which
PyTorch's kernels may add after a rounding.
Needs torch 2 (the Python registry has it).
"""

import torch
from torch.nn import functional as F

LOWERINGS = ("boostc-lower-to-linalg{use-library=0}",
             "boostc-lower-to-linalg,boostc-fuse-elementwise")
RUNS = "".join(
    f"// RUN: boost-interpret %s --function={function}\n" + "".join(
        f"// RUN: boost-interpret %s --function={function} \\\n"
        f"// RUN:   --compare-after='builtin.module(train.program({passes}))'\n"
        for passes in LOWERINGS) for function in ("bf16", "f16"))
HEAD = RUNS + """
// Written by Inputs/write_low_precision.py: values are PyTorch's.
train.program @low_precision batch_size(2) micro_batches(1) epochs(1) seed(1) recipe("{}") {
"""
TYPES = {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.int32: "i32"}
torch.manual_seed(1)
lines, names = [], 0


def tensor_type(value):
    return "tensor<" + "".join(f"{n}x" for n in value.shape) + TYPES[value.dtype] + ">"


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    if isinstance(value, int):
        return str(value)
    if value in (float("inf"), float("-inf")):
        return {"f32": "0x7F800000", "bf16": "0x7F80", "f16": "0x7C00"}[special]
    return f"{value:.17e}"


def name_new():
    global names
    names += 1
    return f"%v{names}"


def constant(value):
    global special
    special = TYPES[value.dtype]
    name = name_new()
    lines.append(f"    {name} = arith.constant dense<{literal(value.tolist())}> : "
                 f"{tensor_type(value)}\n")
    return name


def op(text, results):
    """Appends `text` with the names of its results, and expects these values."""
    new = [name_new() for _ in results]
    lines.append(f"    {', '.join(new)} = {text}\n")
    for name, value in zip(new, results):
        if value is not None:
            lines.append(f"    check.expect_eq {name}, {constant(value)} : {tensor_type(value)}\n")


def drawn(low, *shape):
    """Multiples of 1/8 up to 2: products of two are multiples of 1/64 up to 4."""
    return (torch.randint(-16, 17, shape) / 8.0).to(low)


def cast(low):
    if low is torch.bfloat16:  # ties, the smallest numbers, the largest
        numbers = [1.0, 1.00390625, 1.01171875, 3.14159265, -1e-40, 4.6e-41, 3.3895e38, 3.4e38, -0.0]
    else:
        numbers = [1.0, 1.00048828125, 1.00146484375, 3.14159265, -3e-6, 2.98023224e-08, 6e-8,
                   65519.0, 65520.0]
    x = torch.tensor([numbers])
    y = x.to(low)
    op(f"nn.cast {constant(x)} : {tensor_type(x)} to {tensor_type(y)}", [y])
    op(f"nn.cast {constant(y)} : {tensor_type(y)} to {tensor_type(x)}", [y.float()])


def gradients(function, operands, dy):
    """Those of `operands` in their own type, as autograd has them."""
    leaves = [operand.detach().clone().requires_grad_() for operand in operands]
    function(*leaves).backward(dy)
    return [leaf.grad for leaf in leaves]


def contraction(low, forward, grad_input, grad_weight, function, x, w, attributes=""):
    y = function(x, w)
    dy = drawn(low, *y.shape)
    tx, tw, ty = map(tensor_type, (x, w, y))
    cx, cw, cdy = map(constant, (x, w, dy))
    suffix = f" {attributes}" if attributes else ""
    op(f"{forward} {cx}, {cw}{suffix} : {tx}, {tw}", [y])
    dx, _ = gradients(function, (x, w), dy)
    to = (lambda t: f" -> {t}") if attributes else (lambda t: "")
    op(f"{grad_input} {cdy}, {cw}{suffix} : {ty}, {tw}{to(tx)}", [dx])
    _, dw = gradients(function, (x.float(), w.float()), dy.float())
    op(f"{grad_weight} {cdy}, {cx}{suffix} : {ty}, {tx}{to(tensor_type(dw))}", [dw])


def biased(low):
    """A bias is rounded, too, and added before the one rounding of the result."""
    x, w, b = drawn(low, 2, 24), drawn(low, 5, 24), drawn(low, 5) / 8
    op(f"nn.dense {constant(x)}, {constant(w)}, {constant(b)} : "
       f"{', '.join(map(tensor_type, (x, w, b)))}",
       [F.linear(x.double(), w.double(), b.double()).to(low)])
    x, w, b = drawn(low, 2, 3, 4, 4), drawn(low, 4, 3, 2, 2), drawn(low, 4) / 8
    op(f"nn.conv2d {constant(x)}, {constant(w)}, {constant(b)} strides [1, 1] "
       "padding [0, 0, 0, 0] dilations [1, 1] groups 1 : "
       f"{', '.join(map(tensor_type, (x, w, b)))}",
       [F.conv2d(x.double(), w.double(), b.double()).to(low)])


def elementwise(low):
    x, z, dy = (drawn(low, 2, 12) for _ in range(3))
    of = tensor_type(x)
    cx, cz, cdy = map(constant, (x, z, dy))
    op(f"nn.add {cx}, {cz} : {of}", [x + z])
    op(f"nn.mul {cx}, {cz} : {of}", [x * z])
    y = F.relu(x)
    op(f"nn.relu {cx} : {of}", [y])
    (dx,) = gradients(F.relu, (x,), dy)
    op(f"nn.elementwise_grad {cdy}, {constant(y)} of nn.relu : {of}", [dx])
    # Rounded once from double precision.
    op(f"nn.gelu {cx} : {of}", [F.gelu(x.double()).to(low)])
    op(f"nn.softmax {cx} axis 1 : {of}", [F.softmax(x.double(), 1).to(low)])


def bias(low):
    x, b = drawn(low, 2, 6), drawn(torch.float32, 6)
    dy = drawn(low, 2, 6)
    op(f"nn.bias {constant(x)}, {constant(b)} axis 1 : {tensor_type(x)}, {tensor_type(b)}",
       [(x.float() + b).to(low)])
    valid = constant(torch.tensor(1, dtype=torch.int32))
    op(f"nn.bias_grad {constant(dy)}, {valid} axis 1 : {tensor_type(dy)}", [dy[:1].float().sum(0)])


def pools(low):
    x = drawn(low, 2, 3, 4, 4)
    y, indices = F.max_pool2d(x.float(), 2, return_indices=True)
    row, column = indices // 4 % 2, indices % 2
    tap = (row * 2 + column).to(torch.int32)
    window = "kernel [2, 2] strides [2, 2] padding [0, 0, 0, 0]"
    cx, of = constant(x), tensor_type(x)
    op(f"nn.max_pool {cx} {window} : {of} -> {tensor_type(y.to(low))}, {tensor_type(tap)}",
       [y.to(low), tap])
    mean = F.avg_pool2d(x.float(), 2).to(low)
    op(f"nn.avg_pool {cx} {window} : {of} -> {tensor_type(mean)}", [mean])


def norm(low):
    x, dy = drawn(low, 4, 3, 2, 2), drawn(low, 4, 3, 2, 2)
    w, b = drawn(torch.float32, 3), drawn(torch.float32, 3)
    mean, variance = drawn(torch.float32, 3), drawn(torch.float32, 3) ** 2 + 1
    y = F.batch_norm(x.double(), mean.double(), variance.double(), w.double(), b.double(),
                     training=False, eps=1e-5).to(low)
    cx, cw, cb = map(constant, (x, w, b))
    op(f"nn.batch_norm_inference {cx}, {cw}, {cb}, {constant(mean)}, {constant(variance)} "
       f"epsilon 1.0e-5 : {tensor_type(x)}, {tensor_type(w)}", [y])
    y = F.batch_norm(x.double(), None, None, w.double(), b.double(), training=True).to(low)
    valid = constant(torch.tensor(4, dtype=torch.int32))
    op(f"nn.batch_norm {cx}, {cw}, {cb}, {valid} epsilon 1.0e-5 : {tensor_type(x)}, "
       f"{tensor_type(w)}", [y, None, None])


for low in (torch.bfloat16, torch.float16):
    lines.append(f"  func.func @{TYPES[low]}() {{\n")
    cast(low)
    contraction(low, "nn.dense", "nn.dense_grad_input", "nn.dense_grad_weight", F.linear,
                drawn(low, 2, 24), drawn(low, 5, 24))
    contraction(low, "nn.conv2d", "nn.conv2d_grad_input", "nn.conv2d_grad_weight",
                lambda x, w: F.conv2d(x, w, stride=2, padding=1),
                drawn(low, 2, 3, 6, 6), drawn(low, 4, 3, 3, 3),
                "strides [2, 2] padding [1, 1, 1, 1] dilations [1, 1] groups 1")
    a, b = drawn(low, 2, 3, 20), drawn(low, 2, 20, 4)
    op(f"nn.matmul {constant(a)}, {constant(b)} : {tensor_type(a)}, {tensor_type(b)}", [a @ b])
    elementwise(low)
    bias(low)
    pools(low)
    norm(low)
    biased(low)
    lines.append("    return\n  }\n")
print(HEAD + "".join(lines) + "}")
