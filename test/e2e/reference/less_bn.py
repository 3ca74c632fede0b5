#!/usr/bin/env python3
"""Training with less_bn, held to PyTorch.

  less_bn.py data FOLDER             writes the data set of Inputs/less-bn.json
  less_bn.py golden                  prints less_bn.json: PyTorch's training
  less_bn.py check METRICS WEIGHTS   compares a run with less_bn.json

The network that PyTorch trains is the one of Inputs/less-bn.json as less_bn leaves it,
written down here by hand: without norms bn1 and bn3, with the normalised head
m * cosine(x, w), and with centralised gradients for all weights but the grouped
convolution's and the head's. Weight decay is added after the gradient is centralised.

`golden` needs numpy and torch (Debian: python3-torch); `data` and `check` need neither.
"""

import math
import random

from trainings import (as_float32, compare, draw_weight, pair_weights, print_golden, read_events,
                       read_golden, read_model, run_command, train_exactly, write_data)

MODEL = read_model("less-bn")
SHAPE, CLASSES, BATCH = (3, 6, 6), 4, MODEL["batch_size"]
# Output channels or units, inputs of each, extent of the kernel.
WEIGHTS = {"conv0": (6, 3, 3), "conv1": (8, 6, 3), "conv2": (8, 4, 3), "project": (8, 6, 1),
           "hidden": (9, 72, 0), "head": (4, 9, 0)}
CENTERED = ("conv0", "conv1", "project", "hidden")


def samples(split):
    """Pairs of an image and its class: the brightest quarter of its first channel."""
    draw, drawn = random.Random(split), []
    for _ in range({"train": 32, "test": 11}[split]):
        image = [as_float32(draw.uniform(-1, 1)) for _ in range(math.prod(SHAPE))]
        quarters = [sum(image[row * 6 + column] for row in range(top, top + 3)
                        for column in range(left, left + 3))
                    for top in (0, 3) for left in (0, 3)]
        drawn.append((image, quarters.index(max(quarters))))
    return drawn


def make_golden():
    import numpy as np
    import torch
    from torch.nn import functional as F

    def tensors(split, dtype):
        images, labels = zip(*samples(split))
        return torch.tensor(images, dtype=dtype).reshape(-1, *SHAPE), torch.tensor(labels)

    def initial():
        drawn = {}
        for layer, (outputs, inputs, kernel) in WEIGHTS.items():
            shape = (outputs, inputs) + ((kernel, kernel) if kernel else ())
            parts = {"weight": shape}
            if layer == "hidden":
                parts["bias"] = (outputs,)
            for part, extents in parts.items():
                name = f"{layer}.{part}"
                drawn[name] = draw_weight(MODEL["seed"], name, extents, math.prod(shape[1:]))
        for norm, channels in (("bn0", 6), ("bn2", 8)):
            drawn[f"{norm}.weight"] = np.ones(channels, np.float32)
            drawn[f"{norm}.bias"] = np.zeros(channels, np.float32)
        drawn["head.multiplier"] = np.ones(1, np.float32)
        return drawn

    def forward(w, statistics, x, training):
        def norm(value, name):
            return F.batch_norm(value, *statistics[name], w[f"{name}.weight"], w[f"{name}.bias"],
                                training, 0.1, 1e-5)

        def unit(value):
            return value / value.square().sum(-1, keepdim=True).clamp_min(1e-4).sqrt()

        stem = F.silu(norm(F.conv2d(x, w["conv0.weight"], padding=1), "bn0"))
        main = F.silu(F.conv2d(stem, w["conv1.weight"], stride=2, padding=1))
        main = norm(F.conv2d(main, w["conv2.weight"], padding=1, groups=2), "bn2")
        block = F.silu(main + F.conv2d(stem, w["project.weight"], stride=2))
        hidden = torch.tanh(F.linear(block.flatten(1), w["hidden.weight"], w["hidden.bias"]))
        return w["head.multiplier"] * F.linear(unit(hidden), unit(w["head.weight"]))

    def train(start, dtype):
        """Losses, weights with statistics, and loss and top_1 on the test split."""
        x, t = tensors("train", dtype)
        w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
        statistics = {name: (torch.zeros(size, dtype=dtype), torch.ones(size, dtype=dtype))
                      for name, size in (("bn0", 6), ("bn2", 8))}
        recipe, losses = MODEL["optimizer"], []
        decayed = [w[f"{layer}.weight"] for layer in WEIGHTS]
        others = [value for value in w.values() if all(value is not other for other in decayed)]
        optimizer = torch.optim.SGD(
            [{"params": decayed, "weight_decay": recipe["weight_decay"]}, {"params": others}],
            recipe["learning_rate"], recipe["momentum"])
        for _ in range(MODEL["epochs"]):
            for first in range(0, len(x), BATCH):
                part = slice(first, first + BATCH)
                optimizer.zero_grad()
                loss = F.cross_entropy(forward(w, statistics, x[part], True), t[part])
                loss.backward()
                for layer in CENTERED:
                    gradient = w[f"{layer}.weight"].grad
                    gradient -= gradient.mean(tuple(range(1, gradient.dim())), keepdim=True)
                optimizer.step()
                losses.append(loss.item())
        x, t = tensors("test", dtype)
        logits = forward(w, statistics, x, False).detach()
        saved = {name: value.detach() for name, value in w.items()}
        for name, (mean, variance) in statistics.items():
            saved |= {f"{name}.running_mean": mean, f"{name}.running_var": variance}
        return losses, {name: value.flatten().tolist() for name, value in saved.items()}, {
            "loss": F.cross_entropy(logits, t).item(),
            "top_1": (logits.argmax(1) == t).to(dtype).mean().item()}

    (losses, weights, metrics), conditioning = train_exactly(train, initial())
    print_golden("less_bn", "less-bn", conditioning=conditioning, losses=losses,
                 metrics=metrics, weights=weights)


def check(metrics, weights):
    golden = read_golden("less_bn")
    steps, tested = read_events(metrics)
    pairs = [(f"loss of step {i + 1}", step["loss"], loss)
             for i, (step, loss) in enumerate(zip(steps, golden["losses"], strict=True))]
    pairs += [("test loss", tested["loss"], golden["metrics"]["loss"]),
              ("test top_1", tested["top_1"], golden["metrics"]["top_1"])]
    compare(pairs + pair_weights(weights, golden["weights"]), golden["conditioning"])


if __name__ == "__main__":
    run_command(data=lambda folder: write_data(folder, samples, SHAPE), golden=make_golden,
                check=check)
