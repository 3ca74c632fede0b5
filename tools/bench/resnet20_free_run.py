#!/usr/bin/env python3
"""Trains ResNet-20 (resnet20.json) on CIFAR-10 with PyTorch and with a compiled program.

For each seed PyTorch draws weights, and both train from these: fp32, the recipe of the model file
with --epochs, images in file order, only normalised. The numbers of a run are the mean loss of its
last 100 steps, and loss and accuracy on the test images. The two runs of a seed round differently
from the first step on, and a step of this net doubles what is small, so that after some hundred
steps they are as far apart as two seeds are. Hence they are compared as distributions: the
difference of the systems' means over the seeds, and PyTorch's standard deviation over them.

  python3 tools/bench/resnet20_free_run.py --build build --data CIFAR10_DIR --json free.jsonl

A run is one JSON line; lines that are there already are not computed again. Needs numpy and torch
(Debian: python3-torch). Never needed to build or test.
"""

import argparse
import json
import lzma
import math
import pathlib
import statistics
import subprocess
import tempfile

import numpy as np
import torch
from torch import nn

from resnet20_parity import MODEL, normalise, read_cifar, state_of, write_safetensors
from resnet20_torch import ResNet20

LAST = 100  # steps
NUMBERS = ("train_loss", "test_loss", "test_accuracy")


def initial_weights(seed):
    torch.manual_seed(seed)
    return ResNet20()


def train_torch(network, recipe, batch, epochs, train, test):
    images, labels = (torch.from_numpy(part) for part in train)
    labels = labels.long()
    optimizer = torch.optim.SGD(network.parameters(), 0.0, momentum=recipe["momentum"],
                                weight_decay=recipe["weight_decay"])
    steps, losses = epochs * math.ceil(len(images) / batch), []
    network.train()
    for _ in range(epochs):
        for first in range(0, len(images), batch):
            for group in optimizer.param_groups:
                group["lr"] = (recipe["learning_rate"]["value"]
                               * (1 + math.cos(math.pi * len(losses) / steps)) / 2)
            optimizer.zero_grad(set_to_none=True)
            loss = nn.functional.cross_entropy(network(images[first:first + batch]),
                                               labels[first:first + batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    network.eval()
    with torch.no_grad():
        logits = torch.cat([network(torch.from_numpy(test[0][first:first + 1000]))
                            for first in range(0, len(test[0]), 1000)])
    expected = torch.from_numpy(test[1]).long()
    return {"train_loss": statistics.mean(losses[-LAST:]),
            "test_loss": nn.functional.cross_entropy(logits, expected).item(),
            "test_accuracy": (logits.argmax(1) == expected).double().mean().item()}


class Compiled:
    def __init__(self, build, model, data, folder):
        self.build, self.data, self.folder = build, data, folder
        self.program = folder / "train.so"
        plain = [t for t in model["data"]["transforms"] if not t["op"].startswith("random")]
        subprocess.run([build / "bin/boostc", MODEL, "--target=cpu", "--set",
                        f"data.transforms={json.dumps(plain)}", "-o", self.program], check=True)

    def train(self, state, epochs):
        weights, metrics = self.folder / "weights.safetensors", self.folder / "metrics.jsonl"
        write_safetensors(weights, state)
        metrics.unlink(missing_ok=True)
        subprocess.run([self.build / "bin/boost-run", self.program, "--data",
                        f"cifar10:{self.data}", "--init", weights, "--shuffle", "off", "--epochs",
                        str(epochs), "--eval-every", "0", "--progress", "none", "--metrics",
                        metrics], check=True, capture_output=True)
        records = [json.loads(line) for line in metrics.read_text().splitlines()]
        losses = [r["loss"] for r in records if r["event"] == "step"]
        evaluation = next(r for r in records if r["event"] == "eval")
        return {"train_loss": statistics.mean(losses[-LAST:]), "test_loss": evaluation["loss"],
                "test_accuracy": evaluation["top_1"]}


def unpack(source, folder):
    """The data files as they are distributed, unpacked, and the test images."""
    for path in pathlib.Path(source).iterdir():
        name = path.name.removesuffix(".xz")
        (folder / name).write_bytes(lzma.open(path).read() if path.suffix == ".xz"
                                    else path.read_bytes())
    rows = np.frombuffer((folder / "test_batch.bin").read_bytes(), np.uint8).reshape(-1, 3073)
    return normalise(rows[:, 1:]), rows[:, 0].astype(np.int32)


def summarise(records, seeds):
    for number in NUMBERS:
        torch_runs, ours = ([records[system, seed][number] for seed in seeds]
                            for system in ("torch", "boostc"))
        difference = statistics.mean(ours) - statistics.mean(torch_runs)
        spread = statistics.stdev(torch_runs)
        print(f"{number}: PyTorch {statistics.mean(torch_runs):.5f} +- {spread:.5f}, boostc "
              f"{statistics.mean(ours):.5f} +- {statistics.stdev(ours):.5f}; difference "
              f"{difference:+.5f}, {abs(difference) / spread:.2f} deviations")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=2)
    arguments = parser.parse_args()
    model = json.loads(MODEL.read_text())
    records = {}
    if arguments.json.exists():
        for line in arguments.json.read_text().splitlines():
            record = json.loads(line)
            if record["epochs"] == arguments.epochs:
                records[record["system"], record["seed"]] = record
    seeds = range(1, arguments.seeds + 1)
    train = read_cifar(arguments.data)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = folder / "data"
        data.mkdir()
        test = unpack(arguments.data, data)
        compiled = Compiled(arguments.build, model, data, folder)
        for seed in seeds:
            for system in ("torch", "boostc"):
                if (system, seed) in records:
                    continue
                network = initial_weights(seed)
                found = (compiled.train(state_of(network), arguments.epochs)
                         if system == "boostc" else
                         train_torch(network, model["optimizer"], model["batch_size"],
                                     arguments.epochs, train, test))
                record = {"system": system, "seed": seed, "epochs": arguments.epochs} | found
                records[system, seed] = record
                with arguments.json.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(json.dumps(record), flush=True)
    summarise(records, seeds)


if __name__ == "__main__":
    main()
