#!/usr/bin/env python3
"""Compares a step of a network of examples/*-cifar10 with PyTorch's, from the same weights.

The weights are those that the compiled program draws. It writes them with `boost-run export --names
torchvision`, and the PyTorch module loads that file with no name missing or left over. The data are
CIFAR-10's first training images. Compared are, as resnet20_parity.py does,

  - the loss and the new running statistics with PyTorch's float64 step: relative to the larger of
    1 and their size;
  - each gradient, by the L2 distance from PyTorch's float64 gradient, with the worst distance of
    PyTorch's own fp32 steps: contiguous and channels_last, one thread and two.

One JSON line for each EXAMPLE; by default all four. The exit code is 1 when a number is beyond its limit: 1e-5
for loss and statistics, twice PyTorch's worst distance for gradients.

  python3 tools/bench/cifar_parity.py --build build --data CIFAR10_DIR --json parity.jsonl

Needs numpy and torch (Debian: python3-torch). Never needed to build or test.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import torch
from torch import nn

from cifar_torch import NETWORKS
from resnet20_parity import (LIMIT, RATE, distances, off, read_cifar, read_safetensors,
                             write_safetensors)

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLOSE = 1e-5  # loss and statistics, relative to the larger of 1 and their size
COUNTS = "num_batches_tracked"


def step_of(example, state, images, labels, dtype, channels_last=False, threads=2):
    """Loss, gradients and running statistics of one step from `state`, in float64."""
    torch.set_num_threads(threads)
    network = NETWORKS[example]()
    network.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in state.items()})
    layout = torch.channels_last if channels_last else torch.contiguous_format
    network = network.to(dtype).to(memory_format=layout)
    x = torch.from_numpy(images).to(dtype).to(memory_format=layout)
    loss = nn.functional.cross_entropy(network(x), torch.from_numpy(labels).long())
    loss.backward()
    gradients = {name: p.grad.double().contiguous().numpy()
                 for name, p in network.named_parameters()}
    statistics = {name: value.double().numpy() for name, value in network.named_buffers()
                  if not name.endswith(COUNTS)}
    return loss.item(), gradients, statistics


class Compiled:
    """The program of an example: floats instead of bytes, no dropout, and plain SGD with a rate so
    large that the weights after a step are the gradients, to a rounding."""

    def __init__(self, example, arguments, folder):
        self.bin, self.folder = arguments.build / "bin", folder
        self.program = folder / "train.so"
        model = ROOT / "examples" / example / "model.json"
        settings = {"batch_size": arguments.batch,
                    "optimizer": {"type": "sgd", "learning_rate": RATE},
                    "input.image.dtype": "f32", "data.transforms": []}
        for layer in json.loads(model.read_text())["layers"]:
            if layer.get("op") == "dropout":
                settings[f"layers.{layer['name']}.rate"] = 0
        overrides = [text for key, value in settings.items()
                     for text in ("--set", f"{key}={json.dumps(value)}")]
        subprocess.run([self.bin / "boostc", model, "--target=cpu", *overrides, "-o",
                        self.program], check=True)

    def write_data(self, images, labels):
        for split, part in (("train", slice(None)), ("test", slice(2))):
            np.save(self.folder / f"{split}_features.npy", images[part])
            np.save(self.folder / f"{split}_labels.npy", labels[part])

    def train(self, *more):
        """Runs the program, and returns the weights that it saves."""
        saved = self.folder / "saved.safetensors"
        subprocess.run([self.bin / "boost-run", self.program, "--device", "cpu", "--data",
                        f"npy:{self.folder}", "--shuffle", "off", "--epochs", "1", "--no-eval",
                        "--progress", "none", "--save", saved, *more], check=True,
                       capture_output=True)
        return read_safetensors(saved)

    def export(self):
        """The weights that were saved last, as a state dict of PyTorch's."""
        exported = self.folder / "exported.safetensors"
        subprocess.run([self.bin / "boost-run", "export", self.program, "--ckpt",
                        self.folder / "saved.safetensors", "--names", "torchvision", "-o",
                        exported], check=True, capture_output=True)
        return exported

    def step(self, state):
        """Loss and weights after a step from `state`."""
        weights, metrics = self.folder / "weights.safetensors", self.folder / "metrics.jsonl"
        write_safetensors(weights, state)
        after = self.train("--init", weights, "--steps", "1", "--metrics", metrics)
        loss = next(record["loss"] for record in map(json.loads, metrics.open())
                    if record["event"] == "step")
        return loss, after


def compare(example, arguments, images, labels):
    with tempfile.TemporaryDirectory() as name:
        compiled = Compiled(example, arguments, pathlib.Path(name))
        compiled.write_data(images, labels)
        state = compiled.train("--steps", "0")
        exported = read_safetensors(compiled.export())
        found_loss, after = compiled.step(state)
    loss, exact, statistics = step_of(example, exported, images, labels, torch.float64)
    own, own_loss, own_statistics = {name: 0.0 for name in exact}, 0.0, 0.0
    for channels_last in (False, True):
        for threads in (1, 2):
            torch_loss, found, moved = step_of(example, exported, images, labels, torch.float32,
                                               channels_last, threads)
            own_loss = max(own_loss, abs(torch_loss - loss))
            own_statistics = max(own_statistics,
                                 *(off(moved[name], value) for name, value in statistics.items()))
            for name, value in distances(found, exact).items():
                own[name] = max(own[name], value)
    found = {name: (state[name].astype(np.float64) - after[name]) / RATE for name in exact}
    ours = distances(found, exact)
    ratios = {name: ours[name] / own[name] for name in exact}
    worst = max(ratios, key=ratios.get)
    statistics_error, statistic = max((off(after[name].astype(np.float64), value), name)
                                      for name, value in statistics.items())
    scale = max(1.0, abs(loss))
    return {"example": example, "batch": arguments.batch, "torch": torch.__version__,
            "gradients": len(exact), "loss": loss, "loss_error": abs(found_loss - loss) / scale,
            "torch_loss_error": own_loss / scale, "statistics_error": statistics_error,
            "statistics": statistic, "torch_statistics_error": own_statistics,
            "gradient_ratio": ratios[worst], "gradient": worst,
            "gradient_ratio_median": float(np.median(list(ratios.values())))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("examples", metavar="EXAMPLE", nargs="*", default=list(NETWORKS))
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--first", type=int, default=0, help="number of the first image, from 0")
    arguments = parser.parse_args()
    for example in arguments.examples:
        if example not in NETWORKS:
            parser.error(f"found '{example}', expected one of {', '.join(NETWORKS)}")
    part = slice(arguments.first, arguments.first + arguments.batch)
    images, labels = (values[part] for values in read_cifar(arguments.data))
    is_close = True
    for example in arguments.examples:
        record = compare(example, arguments, images, labels)
        is_close &= (record["loss_error"] <= CLOSE and record["statistics_error"] <= CLOSE
                     and record["gradient_ratio"] <= LIMIT)
        with arguments.json.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)
    return 0 if is_close else 1


if __name__ == "__main__":
    sys.exit(main())
