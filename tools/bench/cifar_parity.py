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
import sys
import tempfile

import torch
from torch import nn

from cifar_torch import NETWORKS
from resnet20_parity import LIMIT, read_cifar
from step_parity import SteppedProgram, compare_step, torch_step

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLOSE = 1e-5  # loss and statistics, relative to the larger of 1 and their size


def compile_example(program, example, batch):
    """Floats instead of bytes, and no dropout."""
    model = ROOT / "examples" / example / "model.json"
    settings = {"batch_size": batch, "input.image.dtype": "f32", "data.transforms": []}
    for layer in json.loads(model.read_text())["layers"]:
        if layer.get("op") == "dropout":
            settings[f"layers.{layer['name']}.rate"] = 0
    program.compile(model, *[text for key, value in settings.items()
                             for text in ("--set", f"{key}={json.dumps(value)}")])


def compare(example, arguments, images, labels):
    with tempfile.TemporaryDirectory() as name:
        program = SteppedProgram(arguments.build / "bin", pathlib.Path(name))
        compile_example(program, example, arguments.batch)
        program.write_data(images, labels)
        state = program.train("--steps", "0")
        exported = program.export()
        found_loss, after = program.step(state)

    def step_of(dtype, channels_last=False, threads=2):
        targets = torch.from_numpy(labels).long()
        return torch_step(NETWORKS[example](), exported, images,
                          lambda logits: nn.functional.cross_entropy(logits, targets), dtype,
                          channels_last, threads)

    return {"example": example, "batch": arguments.batch,
            **compare_step(step_of, state, found_loss, after)}


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
