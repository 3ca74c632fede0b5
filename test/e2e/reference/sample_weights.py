#!/usr/bin/env python3
"""Training on weighted samples, held to PyTorch.

  sample_weights.py data FOLDER             writes the data set of Inputs/sample-weights.json
  sample_weights.py golden                  prints sample_weights.json: PyTorch's training
  sample_weights.py check METRICS WEIGHTS   compares a run with sample_weights.json

A step has 12 samples. Its loss is the sum of weight * loss over the sum of the weights, in
PyTorch with the loss of each sample (`reduction="none"`). The weights of samples 12 to 23
are 0: in their order the second of three steps of an epoch has none, and is left out.

`golden` needs numpy and torch (Debian: python3-torch); `data` and `check` need neither.
"""

import random
import sys

from trainings import (as_float32, compare, draw_dense, pair_weights, print_golden, read_events,
                       read_golden, read_model, run_command, train_exactly, write_data)

MODEL = read_model("sample-weights")
POINT, CLASSES, WINDOW, EMPTY = 6, 3, 12, range(12, 24)


def samples(split):
    """Triples of a point, its class and its weight."""
    draw, drawn = random.Random(split), []
    for number in range({"train": 27, "test": 10}[split]):
        point = [as_float32(draw.uniform(-2, 2)) for _ in range(POINT)]
        label = max(range(CLASSES), key=lambda c: point[c] * (c + 1) + draw.gauss(0, 1))
        weight = max(0.0, as_float32(draw.uniform(-0.5, 3)))
        none = split == "train" and number in EMPTY
        drawn.append((point, label, 0.0 if none else weight))
    return drawn


def make_golden():
    import torch
    from torch.nn import functional as F

    def tensors(split, dtype):
        points, labels, weights = zip(*samples(split))
        return (torch.tensor(points, dtype=dtype), torch.tensor(labels),
                torch.tensor(weights, dtype=dtype))

    def forward(w, x):
        hidden = torch.tanh(F.linear(x, w["hidden.weight"], w["hidden.bias"]))
        return F.linear(hidden, w["out.weight"], w["out.bias"])

    def train(start, dtype):
        """Losses, None where no sample counts; weights; loss and top_1 on the test split."""
        x, t, weight = tensors("train", dtype)
        w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
        recipe, losses = MODEL["optimizer"], []
        optimizer = torch.optim.SGD(w.values(), recipe["learning_rate"], recipe["momentum"])
        for _ in range(MODEL["epochs"]):
            for first in range(0, len(x), WINDOW):
                part = slice(first, first + WINDOW)
                if weight[part].sum() == 0:
                    losses.append(None)
                    continue
                optimizer.zero_grad()
                terms = F.cross_entropy(forward(w, x[part]), t[part], reduction="none")
                loss = (weight[part] * terms).sum() / weight[part].sum()
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
        x, t, weight = tensors("test", dtype)
        logits = forward(w, x).detach()
        share = weight / weight.sum()
        return losses, {name: value.detach().flatten().tolist() for name, value in w.items()}, {
            "loss": (share * F.cross_entropy(logits, t, reduction="none")).sum().item(),
            "top_1": (share * (logits.argmax(1) == t)).sum().item()}

    (losses, weights, metrics), conditioning = train_exactly(train, draw_dense(MODEL, POINT))
    print_golden("sample_weights", "sample-weights", conditioning=conditioning, losses=losses,
                 metrics=metrics, weights=weights)


def check(metrics, weights):
    golden = read_golden("sample_weights")
    steps, tested = read_events(metrics)
    losses = [step["loss"] for step in steps]
    if [loss is None for loss in losses] != [loss is None for loss in golden["losses"]]:
        sys.exit(f"losses are {losses}, expected {golden['losses']}")
    without = golden["losses"].count(None)
    if steps[-1]["skipped"] != without:
        sys.exit(f"{steps[-1]['skipped']} steps skipped, expected {without}")
    pairs = [(f"loss of step {i + 1}", *pair)
             for i, pair in enumerate(zip(losses, golden["losses"])) if pair[0] is not None]
    pairs += [("test loss", tested["loss"], golden["metrics"]["loss"]),
              ("test top_1", tested["top_1"], golden["metrics"]["top_1"])]
    compare(pairs + pair_weights(weights, golden["weights"]), golden["conditioning"])


if __name__ == "__main__":
    run_command(data=lambda folder: write_data(folder, samples, (POINT,)), golden=make_golden,
                check=check)
