#!/usr/bin/env python3
"""Training with grad_freeze, held to PyTorch.

  grad_freeze.py data FOLDER                       writes the data set of Inputs/grad-freeze.json
  grad_freeze.py golden                            prints grad_freeze.json: PyTorch's training
  grad_freeze.py check SCHEDULE METRICS WEIGHTS    compares a run with grad_freeze.json

In PyTorch a step freezes a parameter by leaving its gradient None: then the optimizer touches
neither it nor its state, does not decay it and does not count the step for it, and the norm of
all gradients is without it. SCHEDULE is `interleaved` or `continuous`.

`golden` needs numpy and torch (Debian: python3-torch); `data` and `check` need neither.
"""

import sys

from trainings import (ROOT, compare, draw_dense, draw_points, pair_weights, print_golden,
                       read_events, read_golden, read_model, run_command, train_exactly,
                       write_data)

sys.path.append(str(ROOT / "test/compiler/reference/Inputs"))
from freeze_groups import schedule as interleaved  # noqa: E402: from the folder above

MODEL = read_model("grad-freeze")
POINT, CLASSES, SAMPLES, BATCH = 6, 3, 32, MODEL["batch_size"]
STEPS = MODEL["epochs"] * SAMPLES // BATCH
LAYERS = [layer for layer in MODEL["layers"] if layer["op"] == "dense"]


def groups_of_steps(kind):
    recipe = MODEL["boost"]["grad_freeze"]
    groups, share = recipe["param_groups"], recipe["freeze_p"]
    if kind == "interleaved":
        return interleaved(groups, share, MODEL["seed"], STEPS)
    whole = int(share * (groups - 1) // (1 - share) + 0.5)
    return (([0] * whole + list(range(1, groups))) * STEPS)[:STEPS]


def learning_rate(step):
    recipe = MODEL["optimizer"]["learning_rate"]
    warmup, value = recipe["warmup"], recipe["value"]
    if step < warmup:
        return value * (step + 1) / warmup
    return value * (1 - (step - warmup) / (STEPS - warmup))


def samples(split):
    return draw_points(split, {"train": SAMPLES, "test": 10}, POINT, CLASSES)


def make_golden():
    import numpy as np
    import torch
    from torch.nn import functional as F

    def initial():
        """Parameters in the order of the layers, with the number of their layer."""
        numbers = {layer["name"]: number for number, layer in enumerate(LAYERS)}
        drawn = {}
        for name, value in draw_dense(MODEL, POINT).items():
            layer = name.split(".")[0]
            drawn[name] = (numbers[layer], value)
            if name == "b.weight":
                drawn["norm.gamma"] = (numbers[layer], np.ones(len(value), np.float32))
                drawn["norm.beta"] = (numbers[layer], np.zeros(len(value), np.float32))
        return drawn

    def forward(w, x):
        for layer in LAYERS:
            name = layer["name"]
            x = F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))
            if name == "b":
                x = F.layer_norm(x, x.shape[1:], w["norm.gamma"], w["norm.beta"], 1e-5)
            if name != LAYERS[-1]["name"]:
                x = torch.tanh(x)
        return x

    def train(start, layers, groups, dtype):
        """Losses, norms of the gradients, weights."""
        points, labels = zip(*samples("train"))
        x, t = torch.tensor(points, dtype=dtype), torch.tensor(labels)
        w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
        recipe, losses, norms = MODEL["optimizer"], [], []
        optimizer = torch.optim.Adam(w.values(), 1.0, (0.9, 0.999), recipe["epsilon"],
                                     recipe["weight_decay"])
        stride = len(LAYERS) // MODEL["boost"]["grad_freeze"]["param_groups"]
        for step, group in enumerate(groups):
            first = step * BATCH % SAMPLES
            part = slice(first, first + BATCH)
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(forward(w, x[part]), t[part])
            loss.backward()
            for name, value in w.items():
                if layers[name] < group * stride:
                    value.grad = None
            trained = [value for value in w.values() if value.grad is not None]
            norms.append(torch.nn.utils.clip_grad_norm_(
                trained, MODEL["train"]["clip_norm"]).item())
            optimizer.param_groups[0]["lr"] = learning_rate(step)
            optimizer.step()
            losses.append(loss.item())
        return losses, norms, {name: value.detach().flatten().tolist()
                               for name, value in w.items()}

    drawn = initial()
    layers = {name: layer for name, (layer, _) in drawn.items()}
    start = {name: value for name, (_, value) in drawn.items()}
    kinds = {}
    for kind in ("interleaved", "continuous"):
        groups = groups_of_steps(kind)
        (losses, norms, weights), conditioning = train_exactly(
            lambda weights, dtype: train(weights, layers, groups, dtype), start)
        kinds[kind] = {"conditioning": conditioning, "groups": groups, "losses": losses,
                       "norms": norms, "weights": weights}
    print_golden("grad_freeze", "grad-freeze", **kinds)


def check(kind, metrics, weights):
    golden = read_golden("grad_freeze")[kind]
    steps, _ = read_events(metrics)
    pairs = []
    for number, (step, loss, norm) in enumerate(
            zip(steps, golden["losses"], golden["norms"], strict=True)):
        pairs += [(f"loss of step {number + 1}", step["loss"], loss),
                  (f"gradient norm of step {number + 1}", step["grad_norm"], norm),
                  (f"rate of step {number + 1}", step["lr"], learning_rate(number))]
    compare(pairs + pair_weights(weights, golden["weights"]), golden["conditioning"])


if __name__ == "__main__":
    run_command(data=lambda folder: write_data(folder, samples, (POINT,)), golden=make_golden,
                check=check)
