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
import subprocess
import tempfile

import numpy as np
import torch
from PIL import Image
from torch import nn

from resnet20_parity import RATE, distances, off, read_safetensors, write_safetensors
from resnet50_torch import ResNet50

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


def step_of(state, images, labels, padding, dtype, channels_last=False, threads=2):
    """Loss, gradients and running statistics of one step from `state`, in float64."""
    torch.set_num_threads(threads)
    network = ResNet50(len(state["fc.bias"]), padding)
    missing = network.load_state_dict(
        {name: torch.from_numpy(value.copy()) for name, value in state.items()}, strict=False)
    assert not missing.unexpected_keys, missing
    assert all(name.endswith("num_batches_tracked") for name in missing.missing_keys), missing
    layout = torch.channels_last if channels_last else torch.contiguous_format
    network = network.to(dtype).to(memory_format=layout)
    x = torch.from_numpy(images).to(dtype).to(memory_format=layout)
    loss = loss_of(network(x), torch.from_numpy(labels).long(), padding == "same")
    loss.backward()
    gradients = {name: p.grad.double().contiguous().numpy()
                 for name, p in network.named_parameters()}
    statistics = {name: value.double().numpy() for name, value in network.named_buffers()
                  if not name.endswith("num_batches_tracked")}
    return loss.item(), gradients, statistics


def compile_model(arguments, padding, folder):
    program = folder / "train.so"
    optimizer = {"type": "sgd", "learning_rate": RATE}
    size = arguments.size
    overlays = [] if padding == "same" else ["--overlay", EXAMPLE / "explicit-padding.json"]
    subprocess.run(
        [arguments.build / "bin/boostc", EXAMPLE / "model.json", *overlays, "--target=cpu",
         "--set", f"batch_size={arguments.batch}", "--set", f"optimizer={json.dumps(optimizer)}",
         "--set", 'input.image={"shape":[3,%d,%d]}' % (size, size), "--set", "data.transforms=[]",
         "--set", "data.eval_transforms=null", "-o", program], check=True)
    return program


def train(arguments, program, folder, *more):
    """Runs the program, and returns the file of weights that it saves."""
    saved = folder / "saved.safetensors"
    subprocess.run([arguments.build / "bin/boost-run", program, "--device", "cpu", "--data",
                    f"npy:{folder}", "--shuffle", "off", "--epochs", "1", "--no-eval", "--progress",
                    "none", "--save", saved, *more], check=True, capture_output=True)
    return read_safetensors(saved)


def compare(arguments, padding):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        images, labels = read_images(arguments.images, arguments.batch, arguments.size)
        for split, part in (("train", slice(None)), ("test", slice(1))):
            np.save(folder / f"{split}_features.npy", images[part])
            np.save(folder / f"{split}_labels.npy", labels[part])
        program = compile_model(arguments, padding, folder)
        state = train(arguments, program, folder, "--steps", "0")
        metrics = folder / "metrics.jsonl"
        weights = folder / "weights.safetensors"
        write_safetensors(weights, state)
        after = train(arguments, program, folder, "--init", weights, "--steps", "1", "--metrics",
                      metrics)
        found_loss = next(record["loss"] for record in map(json.loads, metrics.open())
                          if record["event"] == "step")
    loss, exact, statistics = step_of(state, images, labels, padding, torch.float64)
    own, own_loss, own_statistics = {name: 0.0 for name in exact}, 0.0, 0.0
    for channels_last in (False, True):
        for threads in (1, 2):
            torch_loss, found, moved = step_of(state, images, labels, padding, torch.float32,
                                               channels_last, threads)
            own_loss = max(own_loss, abs(torch_loss - loss))
            own_statistics = max(own_statistics,
                                 *(off(moved[name], value) for name, value in statistics.items()))
            for name, value in distances(found, exact).items():
                own[name] = max(own[name], value)
    found = {name: (state[name].astype(np.float64) - after[name]) / RATE for name in exact}
    ours = distances(found, exact)
    ratio, worst = max((ours[name] / own[name], name) for name in exact)
    statistics_error, statistic = max((off(after[name].astype(np.float64), value), name)
                                      for name, value in statistics.items())
    return {"padding": padding, "batch": arguments.batch, "size": arguments.size,
            "parameters": len(exact), "torch": torch.__version__, "loss": loss,
            "loss_error": abs(found_loss - loss) / max(1.0, abs(loss)),
            "torch_loss_error": own_loss / max(1.0, abs(loss)),
            "statistics_error": statistics_error, "statistics": statistic,
            "torch_statistics_error": own_statistics,
            "gradient_ratio": ratio, "gradient": worst,
            "gradient_ratio_median": float(np.median([ours[name] / own[name] for name in exact]))}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--images", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--size", type=int, default=224)
    arguments = parser.parse_args()
    for padding in ("same", "explicit"):
        record = compare(arguments, padding)
        with arguments.json.open("a") as file:
            file.write(json.dumps(record) + "\n")
        print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
