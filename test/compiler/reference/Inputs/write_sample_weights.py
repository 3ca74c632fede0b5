#!/usr/bin/env python3
"""Writes nn-sample-weights.mlir: weighted losses and metrics, with PyTorch's values in fp64.

  python3 test/compiler/reference/Inputs/write_sample_weights.py \
      > test/compiler/reference/nn-sample-weights.mlir

A weighted loss is the sum of weight * loss, with PyTorch's loss under `reduction="none"`; what
it is divided by is the sum of the weights. The last sample pads the batch: it counts nowhere.
Operands are multiples of 1/64, which f32 holds. Results are f32 constants of the IR, so each
is compared to within two roundings of f32. Needs torch (Debian: python3-torch).
"""

import torch
from torch.nn import functional as F

HEAD = """\
// RUN: boost-interpret %s
// RUN: boost-interpret %s \\
// RUN:   --compare-after='builtin.module(train.program(boostc-lower-to-linalg{use-library=0}))'

// Written by Inputs/write_sample_weights.py: values are PyTorch's, in double precision.
train.program @sample_weights batch_size(4) micro_batches(1) epochs(1) seed(1) recipe("{}") {
"""
BATCH, REAL = 4, 3
torch.manual_seed(1)
lines, names = [], 0


def tensor_type(value):
    kind = {torch.float64: "f32", torch.int64: "i32"}[value.dtype]
    return "tensor<" + "".join(f"{extent}x" for extent in value.shape) + kind + ">"


def literal(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(literal, value)) + "]"
    return str(value) if isinstance(value, int) else f"{value:.17e}"


def new_name():
    global names
    names += 1
    return str(names)


def constant(value):
    """The name of `value` in the IR."""
    name = "%c" + new_name()
    value = value.detach()
    lines.append(f"    {name} = arith.constant dense<{literal(value.tolist())}> : "
                 f"{tensor_type(value)}\n")
    return name


def expect(name, value):
    of, expected = tensor_type(value), constant(value)
    lines.append(f"    check.expect_close {name}, {expected} atol 1.0e-7 rtol 2.4e-7 : {of}\n")


def drawn(*shape):
    return (torch.randint(-128, 129, shape) / 64.0).double().requires_grad_()


def drawn_weights(*shape):
    """Weights of 0 are among them."""
    weights = (torch.randint(0, 129, shape) / 64.0).double()
    weights.view(-1)[1] = 0.0
    return weights


def loss(op, grad_op, x, target, weights, terms, upstream):
    """`terms`: the losses that `weights` are of, one for each."""
    types = ", ".join(map(tensor_type, (x.detach(), target, weights)))
    cx, ct, cw, name = constant(x), constant(target), constant(weights), new_name()
    lines.append(f"    %sum{name}, %count{name} = nn.{op[0]} {cx}, {ct}, %real weights {cw}"
                 f"{op[1]} : {types}\n")
    total = (weights * terms)[:REAL].sum()
    expect(f"%sum{name}", total.detach())
    (upstream * total).backward()
    cu = constant(torch.tensor(upstream, dtype=torch.float64))
    if op[0] == "cross_entropy":  # its gradient needs the targets alone
        types, cx = ", ".join(map(tensor_type, (target, weights))), None
    operands = ", ".join(name for name in (cu, cx, ct) if name)
    lines.append(f"    %d{name} = nn.{grad_op[0]} {operands}, %real weights {cw}{grad_op[1]} : "
                 f"{types}\n")
    expect(f"%d{name}", x.grad)


def classes():
    for positions in ((), (5,), (2, 3)):
        for smoothing in (0.0, 0.125):
            x = drawn(BATCH, *positions, 7)
            labels = torch.randint(0, 7, (BATCH, *positions))
            weights = drawn_weights(BATCH, *positions)
            terms = F.cross_entropy(x.movedim(-1, 1), labels, reduction="none",
                                    label_smoothing=smoothing)
            attribute = f" smoothing {smoothing}" if smoothing else ""
            loss(("softmax_cross_entropy", attribute),
                 ("softmax_cross_entropy_grad", attribute), x, labels, weights, terms, 0.75)


def soft_targets():
    for positions in ((), (5,)):
        x, target = drawn(BATCH, *positions, 7), drawn(BATCH, *positions, 7).detach().abs()
        weights = drawn_weights(BATCH, *positions)
        loss(("cross_entropy", ""), ("cross_entropy_grad", ""), x, target, weights,
             (-target * x).sum(-1), 0.75)


def pointwise():
    for name, function in (("mse", F.mse_loss), ("l1", F.l1_loss),
                           ("binary_cross_entropy", F.binary_cross_entropy_with_logits)):
        x, target = drawn(BATCH, 3, 5), drawn(BATCH, 3, 5).detach()
        terms = function(x, target, reduction="none").mean((1, 2))
        loss((name, ""), ("pointwise_loss_grad", f" of nn.{name}"), x, target,
             drawn_weights(BATCH), terms, 0.75)


def metrics():
    for positions in ((), (5,)):
        for k in (1, 3):
            x, labels = drawn(BATCH, *positions, 7), torch.randint(0, 7, (BATCH, *positions))
            weights = drawn_weights(BATCH, *positions)
            best = x.topk(k, dim=-1).indices
            hits = (best == labels.unsqueeze(-1)).any(-1)
            types = ", ".join(map(tensor_type, (x.detach(), labels, weights)))
            cx, ct, cw, name = constant(x), constant(labels), constant(weights), new_name()
            lines.append(f"    %sum{name}, %count{name} = nn.top_k {k}, {cx}, {ct}, %real "
                         f"weights {cw} : {types}\n")
            expect(f"%sum{name}", (weights * hits)[:REAL].sum())
            lines.append(f"    %w{name} = nn.weight_sum {cw}, %real : {tensor_type(weights)}\n")
            expect(f"%w{name}", weights[:REAL].sum())


lines.append("  func.func @main() {\n")
lines.append(f"    %real = arith.constant dense<{REAL}> : tensor<i32>\n")
for part in (classes, soft_targets, pointwise, metrics):
    part()
lines.append("    return\n  }\n")
print(HEAD + "".join(lines) + "}")
