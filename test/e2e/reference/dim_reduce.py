#!/usr/bin/env python3
"""Training with dim_reduce, held to PyTorch.

  dim_reduce.py data FOLDER            writes the data set of Inputs/dim-reduce.json
  dim_reduce.py basis FILE.npy         writes the basis that its steps are searched in
  dim_reduce.py golden                 prints dim_reduce.json: PyTorch's training
  dim_reduce.py check METRICS WEIGHTS  compares a run with dim_reduce.json
  dim_reduce.py components FILE.npy WEIGHTS...
                                       checks a basis of principal components of checkpoints

The step is that of MindSpore's dim_reduce for one rank, written down from its definition: a
BFGS direction in the coordinates of the subspace, two trials on the same batch, momentum for what
the gradient has outside.

`golden` needs numpy and torch (Debian: python3-torch); all else neither.
"""

import json
import math
import pathlib
import random
import struct
import sys

from trainings import (as_float32, compare, dense_shapes, draw_dense, draw_points, pair_weights,
                       print_golden, read_events, read_golden, read_model, read_weights,
                       run_command, train_exactly, write_data)
from data_files import write_npy

MODEL = read_model("dim-reduce")
POINT, CLASSES, SAMPLES, BATCH = 6, 3, 16, MODEL["batch_size"]
STEPS = MODEL["epochs"] * SAMPLES // BATCH
KEYS = MODEL["boost"]["dim_reduce"]
SHAPES = {name: shape for name, (shape, _) in dense_shapes(MODEL, POINT).items()}


def samples(split):
    return draw_points(split, {"train": SAMPLES, "test": 10}, POINT, CLASSES)


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def basis():
    """Random vectors made orthonormal, and rounded."""
    draw, rows = random.Random("basis"), []
    columns = sum(math.prod(shape) for shape in SHAPES.values())
    for _ in range(KEYS["n_components"]):
        row = [draw.gauss(0, 1) for _ in range(columns)]
        for other in rows * 2:
            part = dot(row, other)
            row = [x - part * y for x, y in zip(row, other)]
        norm = math.sqrt(dot(row, row))
        rows.append([x / norm for x in row])
    return [[as_float32(x) for x in row] for row in rows]


def write_basis(path):
    rows, parts, offset = basis(), [], 0
    for name, shape in SHAPES.items():
        parts.append({"name": name, "offset": offset, "shape": list(shape)})
        offset += math.prod(shape)
    write_npy(path, "<f4", (len(rows), offset), [x for row in rows for x in row])
    pathlib.Path(path).with_suffix(".json").write_text(json.dumps(
        {"format": "boostc-basis-1", "components": len(rows), "columns": offset,
         "parameters": parts}), encoding="utf-8")


def make_golden():
    import numpy as np
    import torch
    from torch.nn import functional as F

    def train(start, dtype):
        """Losses, norms of the gradients, accepted parts of the steps, weights."""
        points, labels = zip(*samples("train"))
        x, t = torch.tensor(points, dtype=dtype), torch.tensor(labels)
        w = {name: torch.tensor(value).to(dtype).requires_grad_()
             for name, value in start.items()}
        sizes = [value.numel() for value in w.values()]
        p = torch.tensor(basis(), dtype=dtype)
        k = len(p)
        hessian, step, last = torch.eye(k, dtype=dtype), torch.zeros(k, dtype=dtype), None
        velocity = torch.zeros(sum(sizes), dtype=dtype)

        def loss_of(flat, part):
            parts = dict(zip(w, flat.split(sizes)))
            v = {name: parts[name].reshape(w[name].shape) for name in w}
            h = torch.tanh(F.linear(x[part], v["a.weight"], v["a.bias"]))
            h = torch.tanh(F.linear(h, v["b.weight"]))
            return F.cross_entropy(F.linear(h, v["c.weight"], v["c.bias"]), t[part])

        flat = torch.cat([value.detach().flatten() for value in w.values()])
        losses, norms, parts = [], [], []
        for number in range(STEPS):
            first = number * BATCH % SAMPLES
            part = slice(first, first + BATCH)
            point = flat.clone().requires_grad_()
            loss = loss_of(point, part)
            loss.backward()
            norm = point.grad.norm()
            g = point.grad * min(1.0, MODEL["train"]["clip_norm"] / (norm.item() + 1e-6))
            c = p @ g
            tried = hessian
            if last is not None:
                y = c - last
                curvature = y @ step
                if curvature > 1e-20:
                    rho = 1 / curvature
                    turn = torch.eye(k, dtype=dtype) - rho * torch.outer(y, step)
                    tried = turn.T @ hessian @ turn + rho * torch.outer(step, step)
            direction = -(tried @ c)
            wanted = loss.item()
            accepted = 0.0
            for factor in (1.0, KEYS["rho"]):
                with torch.no_grad():
                    trial = loss_of(flat + factor * (p.T @ direction), part).item()
                if wanted + KEYS["sigma"] * factor * (c @ direction).item() > trial:
                    accepted = factor
                    break
            if accepted > 0:
                hessian, last, step = tried, c, accepted * direction
            elif last is None:
                last = torch.zeros(k, dtype=dtype)
            velocity = KEYS["gamma"] * velocity + g - p.T @ c
            flat = flat - (KEYS["alpha"] * velocity - accepted * (p.T @ direction))
            losses.append(wanted)
            norms.append(norm.item())
            parts.append(accepted)
        return losses, norms, parts, dict(zip(w, [v.tolist() for v in flat.split(sizes)]))

    (losses, norms, parts, weights), conditioning = train_exactly(train, draw_dense(MODEL, POINT))
    assert set(parts) == {0.0, KEYS["rho"], 1.0}, f"only {parts}: change the keys"
    print_golden("dim_reduce", "dim-reduce", conditioning=conditioning, losses=losses,
                 norms=norms, parts=parts, weights=weights)


def check(metrics, weights):
    golden = read_golden("dim_reduce")
    steps, _ = read_events(metrics)
    pairs = []
    for number, (step, loss, norm) in enumerate(
            zip(steps, golden["losses"], golden["norms"], strict=True)):
        pairs += [(f"loss of step {number + 1}", step["loss"], loss),
                  (f"gradient norm of step {number + 1}", step["grad_norm"], norm)]
    compare(pairs + pair_weights(weights, golden["weights"]), golden["conditioning"])


def read_basis(path):
    raw = pathlib.Path(path).read_bytes()
    begin = 10 + struct.unpack("<H", raw[8:10])[0]
    description = json.loads(pathlib.Path(path).with_suffix(".json").read_text(encoding="utf-8"))
    columns = description["columns"]
    values = struct.unpack(f"<{(len(raw) - begin) // 4}f", raw[begin:])
    return [values[i:i + columns] for i in range(0, len(values), columns)], description


def check_components(path, *checkpoints):
    """A vector v of principal components has norm 1, X^t X v = l v, and they are in order."""
    rows, description = read_basis(path)
    names = [part["name"] for part in description["parameters"]]
    matrix = [[x for name in names for x in saved[name]]
              for saved in map(read_weights, checkpoints)]
    means = [math.fsum(column) / len(matrix) for column in zip(*matrix)]
    matrix = [[x - m for x, m in zip(row, means)] for row in matrix]
    total = math.fsum(dot(row, row) for row in matrix)
    previous = math.inf
    for number, row in enumerate(rows):
        coordinates = [dot(x, row) for x in matrix]
        image = [math.fsum(c * x[i] for c, x in zip(coordinates, matrix))
                 for i in range(len(row))]
        value = dot(image, row)
        # Elements are rounded to f32, so a vector is off by 2^-24 at most.
        off = max(abs(x - value * y) for x, y in zip(image, row))
        others = max((abs(dot(row, other)) for other in rows[:number]), default=0.0)
        sign = max(row, key=abs) > 0
        share = description["variance"][number]
        if not (off <= 1e-6 * total and abs(dot(row, row) - 1) <= 1e-6 and others <= 1e-6
                and sign and value <= previous and abs(share - value / total) <= 1e-6):
            sys.exit(f"vector {number}: off by {off:.3g} of {value:.3g}, products up to "
                     f"{others:.3g}, share {share}, expected {value / total}")
        previous = value
    print(f"{len(rows)} components of {len(matrix)} checkpoints")


if __name__ == "__main__":
    run_command(data=lambda folder: write_data(folder, samples, (POINT,)), basis=write_basis,
                golden=make_golden, check=check, components=check_components)
