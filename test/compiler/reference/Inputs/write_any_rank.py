#!/usr/bin/env python3
"""Writes nn-any-rank.mlir: ops on more than two dimensions, with PyTorch's values in fp64.

  python3 test/compiler/reference/Inputs/write_any_rank.py > test/compiler/reference/nn-any-rank.mlir

Operands are multiples of 1/64, which f32 holds. Results are f32 constants of the IR, so each
is compared to within two roundings of f32. Needs torch (Debian: python3-torch).
"""

import torch
from torch.nn import functional as F

HEAD = """\
// RUN: boost-interpret %s
// RUN: boost-interpret %s \\
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0}))'

// Written by Inputs/write_any_rank.py: values are PyTorch's, in double precision.
train.program @any_rank batch_size(3) micro_batches(1) epochs(1) seed(1) recipe("{}") {
"""
torch.manual_seed(1)
lines, names = [], 0


def tensor_type(value):
    kind = {torch.float64: "f32", torch.int64: "i32"}[value.dtype]
    return "tensor<" + "".join(f"{extent}x" for extent in value.shape) + kind + ">"


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return str(value) if isinstance(value, int) else f"{value:.17e}"


def constant(value):
    """The name of `value` in the IR."""
    global names
    names += 1
    lines.append(f"    %c{names} = arith.constant dense<{literal(value.tolist())}> : "
                 f"{tensor_type(value)}\n")
    return f"%c{names}"


def expect(name, value):
    of, expected = tensor_type(value), constant(value)
    lines.append(f"    check.expect_close {name}, {expected} atol 1.0e-7 rtol 1.2e-7 : {of}\n")


def expect_count(name, count):
    lines.append(f"    {name}_x = arith.constant dense<{count}> : tensor<i64>\n"
                 f"    check.expect_eq {name}, {name}_x : tensor<i64>\n")


def drawn(*shape):
    return (torch.randint(-128, 129, shape) / 64.0).double().requires_grad_()


def dense():
    for shape in ((3, 2, 5), (3, 2, 2, 4)):
        x, w, b = drawn(*shape), drawn(4, shape[-1]), drawn(4)
        y = F.linear(x, w, b)
        dy = drawn(*y.shape).detach()
        y.backward(dy)
        tx, tw, tb, ty = (tensor_type(v.detach()) for v in (x, w, b, y))
        rank = len(shape)
        cx, cw, cb, cdy = (constant(v.detach()) for v in (x, w, b, dy))
        lines.append(f"    %y{rank} = nn.dense {cx}, {cw}, {cb} : {tx}, {tw}, {tb}\n")
        expect(f"%y{rank}", y.detach())
        lines.append(f"    %dx{rank} = nn.dense_grad_input {cdy}, {cw} : {ty}, {tw}\n")
        expect(f"%dx{rank}", x.grad)
        lines.append(f"    %dw{rank} = nn.dense_grad_weight {cdy}, {cx} : {ty}, {tx}\n")
        expect(f"%dw{rank}", w.grad)
        lines.append(f"    %db{rank} = nn.bias_grad {cdy}, %all axis {rank - 1} : {ty}\n")
        expect(f"%db{rank}", b.grad)


def matmul():
    for a, b, flags in (((3, 2, 4, 5), (3, 2, 5, 3), ""),
                        ((3, 2, 4, 5), (3, 2, 3, 5), " transpose_b"),
                        ((3, 2, 5, 4), (3, 2, 5, 3), " transpose_a"),
                        ((3, 2, 5, 4), (3, 2, 3, 5), " transpose_a transpose_b")):
        x, z = drawn(*a).detach(), drawn(*b).detach()
        y = ((x.transpose(-1, -2) if "_a" in flags else x)
             @ (z.transpose(-1, -2) if "_b" in flags else z))
        cx, cz = constant(x), constant(z)
        name = f"%m{len(lines)}"
        lines.append(f"    {name} = nn.matmul {cx}, {cz}{flags} : {tensor_type(x)}, {tensor_type(z)}\n")
        expect(name, y)


def losses():
    for smoothing in (0.0, 0.25):
        logits = drawn(3, 4, 5)
        labels = torch.randint(0, 5, (3, 4))
        # Two of three samples are real: eight labels.
        F.cross_entropy(logits[:2].reshape(-1, 5), labels[:2].reshape(-1), reduction="sum",
                        label_smoothing=smoothing).backward()
        total = F.cross_entropy(logits[:2].detach().reshape(-1, 5), labels[:2].reshape(-1),
                                reduction="sum", label_smoothing=smoothing)
        cl, ct = constant(logits.detach()), constant(labels)
        types = f"{tensor_type(logits.detach())}, {tensor_type(labels)}"
        key = f"{'plain' if smoothing == 0.0 else 'smooth'}"
        attribute = f" smoothing {smoothing}" if smoothing else ""
        lines.append(f"    %sum_{key}, %count_{key} = nn.softmax_cross_entropy {cl}, {ct}, %two"
                     f"{attribute} : {types}\n")
        expect(f"%sum_{key}", total)
        expect_count(f"%count_{key}", 8)
        lines.append(f"    %dl_{key} = nn.softmax_cross_entropy_grad %one, {cl}, {ct}, %two"
                     f"{attribute} : {types}\n")
        expect(f"%dl_{key}", logits.grad)
        for k in (1, 3):
            top = logits.detach()[:2].topk(k, dim=-1).indices
            right = (top == labels[:2].unsqueeze(-1)).any(-1).sum().double()
            lines.append(f"    %top{k}_{key}, %tops{k}_{key} = nn.top_k {k}, {cl}, {ct}, %two "
                         f": {types}\n")
            expect(f"%top{k}_{key}", right)
            expect_count(f"%tops{k}_{key}", 8)
        one_hot = F.one_hot(labels, 5).double()
        lines.append(f"    %hot_{key} = nn.one_hot {ct} : {tensor_type(labels)} -> "
                     f"{tensor_type(one_hot)}\n")
        expect(f"%hot_{key}", one_hot)


def bias():
    for axis in (1, 2, 3):
        x = drawn(3, 4, 2, 5)
        b = drawn(x.shape[axis])
        y = x + b.reshape([-1 if dim == axis else 1 for dim in range(4)])
        dy = drawn(*y.shape).detach()
        y[:2].backward(dy[:2])  # two of three samples are real
        tx, tb = tensor_type(x.detach()), tensor_type(b.detach())
        cx, cb, cdy = (constant(v.detach()) for v in (x, b, dy))
        lines.append(f"    %biased{axis} = nn.bias {cx}, {cb} axis {axis} : {tx}, {tb}\n")
        expect(f"%biased{axis}", y.detach())
        lines.append(f"    %dbias{axis} = nn.bias_grad {cdy}, %two axis {axis} : {tx}\n")
        expect(f"%dbias{axis}", b.grad)


lines.append("  func.func @main() {\n")
lines.append("    %all = arith.constant dense<3> : tensor<i32>\n")
lines.append("    %two = arith.constant dense<2> : tensor<i32>\n")
lines.append("    %one = arith.constant dense<1.0> : tensor<f32>\n")
for part in (dense, matmul, losses, bias):
    part()
lines.append("    return\n  }\n")
print(HEAD + "".join(lines) + "}")
