#!/usr/bin/env python3
"""Compares a step of ResNet-50 (examples/resnet50-imagenet) with PyTorch's, from the same weights.

The weights are those that the compiled program draws. Images are photographs of --images,
decoded and cropped by PyTorch's side alone and given to both as numbers. Compared are, as
resnet20_parity.py does for ResNet-20,

  - the loss and the new running statistics with PyTorch's float64 step: relative to the larger of
    1 and their size;
  - each gradient, by the L2 distance from PyTorch's float64 gradient, with the worst distance of
    PyTorch's own fp32 steps: contiguous and channels_last, one thread and two.

Both variants of the model are compared: "same" padding, and explicit padding. One JSON line each.

  python3 tools/bench/resnet50_parity.py --build build --images DIR --json parity.jsonl

DIR has train/CLASS/*.jpg. Needs numpy, Pillow and torch. Never needed to build or test.
"""

import argparse
import json
import pathlib
import tempfile

import numpy as np
import torch
from PIL import Image
from torch import nn

from resnet50_torch import ResNet50
from step_parity import SteppedProgram, compare_step, torch_step

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/resnet50-imagenet"
SMOOTHING = 0.1


def read_images(folder, count, size):
    """The first image of each class in turn, in the middle, normalised; labels are classes."""
    classes = sorted(path for path in (folder / "train").iterdir() if path.is_dir())
    mean = np.array([123.675, 116.28, 103.53], np.float32).reshape(3, 1, 1)
    deviation = np.array([58.395, 57.12, 57.375], np.float32).reshape(3, 1, 1)
    images, labels = [], []
    for i in range(count):
        label = i % len(classes)
        path = sorted(classes[label].glob("*.jpg"))[i // len(classes)]
        image = Image.open(path).convert("RGB").resize((size, size), Image.BILINEAR)
        images.append((np.asarray(image, np.float32).transpose(2, 0, 1) - mean) / deviation)
        labels.append(label)
    return np.stack(images).astype(np.float32), np.array(labels, np.int32)


def loss_of(logits, labels, others):
    """Label smoothing over the other classes, as the recipe has it, or over all."""
    if not others:
        return nn.functional.cross_entropy(logits, labels, label_smoothing=SMOOTHING)
    classes = logits.shape[1]
    target = torch.full_like(logits, SMOOTHING / (classes - 1))
    target.scatter_(1, labels[:, None], 1 - SMOOTHING)
    return -(target * torch.log_softmax(logits, 1)).sum(1).mean()


def compile_model(program, arguments, padding):
    overlays = [] if padding == "same" else ["--overlay", EXAMPLE / "explicit-padding.json"]
    size = arguments.size
    program.compile(EXAMPLE / "model.json", *overlays, "--set", f"batch_size={arguments.batch}",
                    "--set", 'input.image={"shape":[3,%d,%d]}' % (size, size), "--set",
                    "data.transforms=[]", "--set", "data.eval_transforms=null",
                    f"--winograd={arguments.winograd}")


def compare(arguments, padding):
    images, labels = read_images(arguments.images, arguments.batch, arguments.size)
    with tempfile.TemporaryDirectory() as name:
        program = SteppedProgram(arguments.build / "bin", pathlib.Path(name))
        compile_model(program, arguments, padding)
        program.write_data(images, labels)
        state = program.train("--steps", "0")
        found_loss, after = program.step(state)

    def step_of(dtype, channels_last=False, threads=2):
        targets = torch.from_numpy(labels).long()
        return torch_step(ResNet50(len(state["fc.bias"]), padding), state, images,
                          lambda logits: loss_of(logits, targets, padding == "same"), dtype,
                          channels_last, threads)

    return {"padding": padding, "batch": arguments.batch, "size": arguments.size,
            "winograd": arguments.winograd,
            **compare_step(step_of, state, found_loss, after)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--winograd", choices=["off", "auto", "always"], default="auto")
    arguments = parser.parse_args()
    for padding in ("same", "explicit"):
        record = compare(arguments, padding)
        with arguments.json.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
