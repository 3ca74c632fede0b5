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

import json
import math
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "test"), str(ROOT / "tools/bench")]
from data_files import read_weights, write_npy  # noqa: E402: from the folders above

MODEL = json.loads((ROOT / "test/e2e/Inputs/sample-weights.json").read_text(encoding="utf-8"))
GOLDEN = pathlib.Path(__file__).with_name("sample_weights.json")
POINT, CLASSES, WINDOW, EMPTY = 6, 3, 12, range(12, 24)
PERTURBATIONS = 8


def as_float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


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


def write_data(folder):
    pathlib.Path(folder).mkdir()
    for split in ("train", "test"):
        rows = samples(split)
        write_npy(f"{folder}/{split}_features.npy", "<f4", (len(rows), POINT),
                  [value for point, _, _ in rows for value in point])
        write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(rows),),
                  [label for _, label, _ in rows])
        write_npy(f"{folder}/{split}_weights.npy", "<f4", (len(rows),),
                  [weight for _, _, weight in rows])


def make_golden():
    import numpy as np
    import torch
    from torch.nn import functional as F
    from torch_reference import check_generator, to_text, uniform

    def tensors(split, dtype):
        points, labels, weights = zip(*samples(split))
        return (torch.tensor(points, dtype=dtype), torch.tensor(labels),
                torch.tensor(weights, dtype=dtype))

    def initial():
        drawn, columns = {}, POINT
        for layer in (layer for layer in MODEL["layers"] if layer["op"] == "dense"):
            bound = 1.0 / math.sqrt(columns)
            for part, shape in (("weight", (layer["units"], columns)), ("bias", (layer["units"],))):
                name = f"{layer['name']}.{part}"
                values = uniform(MODEL["seed"], name, math.prod(shape))
                drawn[name] = (-bound + 2 * bound * values).astype(np.float32).reshape(shape)
            columns = layer["units"]
        return drawn

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

    def numbers(run):
        losses, weights, metrics = run
        return np.array([loss for loss in losses if loss is not None] +
                        [value for values in weights.values() for value in values] +
                        list(metrics.values()))

    check_generator()
    start = initial()
    exact, runs = train(start, torch.float64), [train(start, torch.float32)]
    draw = np.random.default_rng(0)
    for _ in range(PERTURBATIONS):
        runs.append(train({name: np.nextafter(value, draw.choice(
            np.array([-np.inf, np.inf], np.float32), value.shape))
            for name, value in start.items()}, torch.float32))
    worst = max(float(np.max(np.abs(numbers(run) - numbers(exact)))) for run in runs)
    losses, weights, metrics = exact
    print(to_text({
        "what": "test/e2e/Inputs/sample-weights.json, trained by PyTorch in double precision",
        "command": "python3 test/e2e/reference/sample_weights.py golden",
        "versions": {"torch": torch.__version__, "numpy": np.__version__},
        "conditioning": {"perturbations_by_one_ulp": PERTURBATIONS,
                         "max_deviation_of_fp32": worst},
        "losses": losses, "metrics": metrics, "weights": weights}))


def check(metrics, weights):
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    with open(metrics, encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    steps = [event for event in events if event["event"] == "step"]
    tested = [event for event in events if event["event"] == "eval"][-1]
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
    for name, values in read_weights(weights).items():
        pairs += [(name, *pair) for pair in zip(values, golden["weights"][name], strict=True)]
    # A run in single precision is as far off as PyTorch's are, whose worst is a draw.
    bound = 2 * golden["conditioning"]["max_deviation_of_fp32"]
    what, found, expected = max(pairs, key=lambda pair: abs(pair[1] - pair[2]))
    print(f"{len(pairs)} numbers, largest difference {abs(found - expected):.3g}, bound {bound:.3g}")
    if not abs(found - expected) <= bound:
        sys.exit(f"{what} is {found}, expected {expected}")


def main():
    command, *arguments = sys.argv[1:]
    {"data": write_data, "golden": make_golden, "check": check}[command](*arguments)


if __name__ == "__main__":
    main()
