#!/usr/bin/env python3
"""Makes encoder.json here: what PyTorch makes of test/e2e/Inputs/encoder.json.

  python3 test/e2e/reference/encoder_reference.py > test/e2e/reference/encoder.json

The model is trained for 30 steps on the data of encoder_data.py in their order, in fp32 and
in fp64, and in fp32 from weights that were moved by one unit in the last place. Weights are
drawn as boost-run draws them (tools/bench/torch_reference.py says why and how). The last
batch of an epoch has one sequence, whose 128 tags are the mean's denominator.

Needs numpy and torch (Debian: python3-torch). Never needed to build or test.
"""

import sys

import numpy as np
import torch
from torch.nn import functional as F

from trainings import ROOT, draw_weight, read_model, run_in_fp32

sys.path.append(str(ROOT / "test/e2e/Inputs"))
import encoder_data  # noqa: E402: from the folder above
from torch_reference import check_generator, to_text  # noqa: E402: trainings.py knows its folder

MODEL = read_model("encoder")
STEPS, PERTURBATIONS, WIDTH = 30, 4, encoder_data.WIDTH


def initial_weights():
    """Name -> fp32 array: uniform_fan_in for dense, ones and zeros for layer_norm."""
    weights, columns = {}, WIDTH
    for layer in MODEL["layers"]:
        name = layer.get("name")
        if layer["op"] == "layer_norm":
            weights[f"{name}.gamma"] = np.ones(WIDTH, np.float32)
            weights[f"{name}.beta"] = np.zeros(WIDTH, np.float32)
        if layer["op"] != "dense":
            continue
        columns = 512 if name == "narrow" else WIDTH
        for part, shape in (("weight", (layer["units"], columns)), ("bias", (layer["units"],))):
            weights[f"{name}.{part}"] = draw_weight(
                MODEL["seed"], f"{name}.{part}", shape, columns)
    return weights


def forward(w, x):
    def dense(name, value):
        return F.linear(value, w[f"{name}.weight"], w[f"{name}.bias"])

    def heads(name):
        return dense(name, x).reshape(-1, 128, 4, 64).transpose(1, 2)

    def norm(name, value):
        return F.layer_norm(value, (WIDTH,), w[f"{name}.gamma"], w[f"{name}.beta"], 1e-5)

    scores = heads("query") @ heads("key").transpose(2, 3) * 0.125
    context = torch.softmax(scores, -1) @ heads("value")
    joined = context.transpose(1, 2).reshape(-1, 128, WIDTH)
    first = norm("norm1", x + dense("project", joined))
    second = norm("norm2", first + dense("narrow", F.gelu(dense("wide", first))))
    return dense("tags", second)


def train(weights, dtype):
    """Losses of every step."""
    values, tags = encoder_data.samples("train")
    x = torch.tensor(np.array(values, np.float32).reshape(-1, 128, WIDTH)).to(dtype)
    t = torch.tensor(np.array(tags).reshape(-1, 128))
    w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in weights.items()}
    recipe = MODEL["optimizer"]
    optimizer = torch.optim.SGD(w.values(), recipe["learning_rate"], recipe["momentum"])
    losses, batch = [], MODEL["batch_size"]
    while len(losses) < STEPS:
        for first in range(0, len(x), batch):
            optimizer.zero_grad()
            logits = forward(w, x[first:first + batch])
            loss = F.cross_entropy(logits.reshape(-1, 9), t[first:first + batch].reshape(-1))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return losses[:STEPS]


def main():
    check_generator()
    torch.use_deterministic_algorithms(True)
    weights = initial_weights()
    runs, fp64 = run_in_fp32(train, weights, PERTURBATIONS), train(weights, torch.float64)
    worst = max(float(np.max(np.abs(np.subtract(run, fp64)) / fp64)) for run in runs)
    print(to_text({
        "what": "test/e2e/Inputs/encoder.json on the data of encoder_data.py",
        "command": "python3 test/e2e/reference/encoder_reference.py",
        "versions": {"torch": torch.__version__, "numpy": np.__version__},
        "recipe": {"steps": STEPS, "batch_size": MODEL["batch_size"], **MODEL["optimizer"]},
        "conditioning": {"perturbations_by_one_ulp": PERTURBATIONS,
                         "max_relative_loss_deviation": worst},
        "losses_fp32": runs[0],
        "losses_fp64": fp64}))


if __name__ == "__main__":
    main()
