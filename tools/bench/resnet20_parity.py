#!/usr/bin/env python3
"""Compares single steps of ResNet-20 (resnet20.json) with PyTorch's.

PyTorch trains the model in fp32. Before each of its steps its weights and running statistics
are given to a compiled program, which does one step on the same batch. Compared are

  - the loss and the running statistics with PyTorch's float64 step from the same numbers:
    relative to the larger of 1 and their size;
  - each gradient, by the L2 distance from PyTorch's float64 gradient, with the worst distance
    of PyTorch's own fp32 steps: contiguous and channels_last, one thread and two.

The program has plain SGD with a learning rate of 2^30 and no decay, so that the weights after
the step are the gradients, to a rounding.

A relu whose input is 0 but for rounding passes its gradient on or not, as the rounding goes. A
step with a gradient farther than twice PyTorch's worst distance is therefore compared with the
float64 gradient of other signs too: of the relu inputs nearest to 0, those are turned that bring
it nearer. How many they are, how far from 0 they are and what distance is left is recorded.

The data are CIFAR-10's training images, normalised,
in file order. Each step is one JSON line; lines that are there already are not computed again,
but PyTorch trains through them.

  python3 tools/bench/resnet20_parity.py --build build --data CIFAR10_DIR --json parity.jsonl

Needs numpy and torch (Debian: python3-torch). Never needed to build or test.
"""

import argparse
import json
import lzma
import pathlib
import struct
import subprocess
import tempfile

import numpy as np
import torch
from torch import nn

from resnet20_torch import ResNet20

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT / "tools/bench/resnet20.json"
RATE = 2.0**30
LIMIT = 2.0        # of PyTorch's own worst distance
CANDIDATES = 48    # relu inputs nearest to 0


def normalise(pixels):
    """Bytes as images of floats, as the model file says."""
    mean = np.array([0.4914, 0.4822, 0.4465], np.float32).reshape(1, 3, 1, 1)
    deviation = np.array([0.2470, 0.2435, 0.2616], np.float32).reshape(1, 3, 1, 1)
    return (pixels.reshape(-1, 3, 32, 32).astype(np.float32) / 255 - mean) / deviation


def read_cifar(folder):
    """Images as floats, normalised as the model file says, and labels; files plain or as .xz."""
    images, labels = [], []
    for number in range(1, 6):
        path = pathlib.Path(folder) / f"data_batch_{number}.bin"
        raw = path.read_bytes() if path.exists() else lzma.open(f"{path}.xz").read()
        rows = np.frombuffer(raw, np.uint8).reshape(-1, 3073)
        labels.append(rows[:, 0])
        images.append(rows[:, 1:])
    return normalise(np.concatenate(images)), np.concatenate(labels).astype(np.int32)


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, value in tensors.items():
        raw = np.ascontiguousarray(value, np.float32).tobytes()
        header[name] = {"dtype": "F32", "shape": list(value.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    types = {"F32": np.float32, "I64": np.int64}
    raw = path.read_bytes()
    size, = struct.unpack("<Q", raw[:8])
    tensors = {}
    for name, entry in json.loads(raw[8:8 + size]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(raw[8 + size + begin:8 + size + end],
                                          types[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def state_of(network):
    return {name: value.detach().numpy().copy() for name, value in network.state_dict().items()
            if not name.endswith("num_batches_tracked")}


class TurnedRelu(torch.autograd.Function):
    """relu with some elements, by index, on the other side."""

    @staticmethod
    def forward(context, x, turned):
        passes = x > 0
        passes.view(-1)[turned] ^= True
        context.save_for_backward(passes)
        return x * passes

    @staticmethod
    def backward(context, gradient):
        passes, = context.saved_tensors
        return gradient * passes, None


class Relus:
    """The relus of a network in their order: `turned` are (relu, element) on the other side;
    `inputs` are those of the last forward."""

    def __init__(self, turned=()):
        self.turned, self.inputs = turned, []

    def __call__(self, x):
        number = len(self.inputs)
        self.inputs.append(x.detach())
        mine = torch.tensor([element for relu, element in self.turned if relu == number],
                            dtype=torch.long)
        return TurnedRelu.apply(x.contiguous(), mine)

    def nearest(self, count):
        """(distance from 0, (relu, element)) of the inputs nearest to 0; those that are exactly
        0 have a sign."""
        found = []
        for number, x in enumerate(self.inputs):
            size = x.abs().reshape(-1)
            size[size == 0] = torch.inf
            values, elements = size.topk(count, largest=False)
            found += [(value, (number, element))
                      for value, element in zip(values.tolist(), elements.tolist())]
        return sorted(found)[:count]


def step_of(state, images, labels, dtype, channels_last=False, threads=2, relu=torch.relu):
    """Loss, gradients and running statistics of one step from `state`, in float64."""
    torch.set_num_threads(threads)
    network = ResNet20(relu)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()},
                            strict=False)
    network.to(dtype)
    x = torch.from_numpy(images).to(dtype)
    if channels_last:
        network, x = network.to(memory_format=torch.channels_last), x.to(
            memory_format=torch.channels_last)
    loss = nn.functional.cross_entropy(network(x), torch.from_numpy(labels).long())
    loss.backward()
    gradients = {name: p.grad.double().contiguous().numpy()
                 for name, p in network.named_parameters()}
    statistics = {name: value.double().numpy() for name, value in network.named_buffers()
                  if not name.endswith("num_batches_tracked")}
    return loss.item(), gradients, statistics


class Compiled:
    def __init__(self, build, batch, folder):
        self.build, self.folder = build, folder
        self.program = folder / "train.so"
        optimizer = {"type": "sgd", "learning_rate": RATE}
        subprocess.run([build / "bin/boostc", MODEL, "--target=cpu", "--set", f"batch_size={batch}",
                        "--set", f"optimizer={json.dumps(optimizer)}", "--set",
                        "data.transforms=[]", "-o", self.program], check=True)

    def step(self, state, images, labels):
        data, weights = self.folder / "data", self.folder / "weights.safetensors"
        data.mkdir(exist_ok=True)
        np.save(data / "train_features.npy", images)
        np.save(data / "train_labels.npy", labels)
        np.save(data / "test_features.npy", images[:2])
        np.save(data / "test_labels.npy", labels[:2])
        write_safetensors(weights, state)
        metrics, saved = self.folder / "metrics.jsonl", self.folder / "after.safetensors"
        metrics.unlink(missing_ok=True)
        subprocess.run([self.build / "bin/boost-run", self.program, "--data", f"npy:{data}",
                        "--init", weights, "--shuffle", "off", "--steps", "1", "--epochs", "1",
                        "--no-eval", "--progress", "none", "--metrics", metrics, "--save", saved],
                       check=True, capture_output=True)
        after = read_safetensors(saved)
        loss = next(json.loads(line)["loss"] for line in metrics.read_text().splitlines()
                    if "loss" in json.loads(line))
        gradients, statistics = {}, {}
        for name, value in after.items():
            if name.endswith(("running_mean", "running_var")):
                statistics[name] = value.astype(np.float64)
            else:
                gradients[name] = (state[name].astype(np.float64) - value) / RATE
        return loss, gradients, statistics


def distances(gradients, exact):
    return {name: float(np.linalg.norm(gradients[name] - exact[name])) for name in exact}


def off(value, exact):
    return float(np.max(np.abs(value - exact) / np.maximum(1.0, np.abs(exact))))


def turn_signs(state, images, labels, found, exact, own):
    """What of the distance of `found` is left where relus have the signs that suit it best:
    one sign after the other, nearest to 0 first, is kept where it brings the sum of squares of
    the distances down."""
    relus = Relus()
    step_of(state, images, labels, torch.float64, relu=relus)
    candidates = relus.nearest(CANDIDATES)

    def total(gradients):
        return sum((distance / own[name]) ** 2
                   for name, distance in distances(found, gradients).items())

    turned, farthest, best = [], 0.0, exact
    for value, place in candidates:
        _, gradients, _ = step_of(state, images, labels, torch.float64,
                                  relu=Relus([*turned, place]))
        if total(gradients) < 0.99 * total(best):
            turned, farthest, best = [*turned, place], value, gradients
    left = distances(found, best)
    return {"turned_relus": len(turned), "turned_from_0": farthest,
            "gradient_ratio_left": max(left[name] / own[name] for name in left)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--batch", type=int, default=32)
    arguments = parser.parse_args()
    known = {}
    if arguments.json.exists():
        for line in arguments.json.read_text().splitlines():
            record = json.loads(line)
            known[record["step"]] = record
    images, labels = read_cifar(arguments.data)
    torch.manual_seed(1)
    network = ResNet20()
    optimizer = torch.optim.SGD(network.parameters(), 0.1, momentum=0.9, weight_decay=1e-4)
    with tempfile.TemporaryDirectory() as folder:
        compiled = Compiled(arguments.build, arguments.batch, pathlib.Path(folder))
        for step in range(1, arguments.steps + 1):
            part = slice((step - 1) * arguments.batch, step * arguments.batch)
            x, y = images[part], labels[part]
            if step not in known:
                state = state_of(network)
                loss, exact, statistics = step_of(state, x, y, torch.float64)
                own = {name: 0.0 for name in exact}
                own_loss = 0.0
                for channels_last in (False, True):
                    for threads in (1, 2):
                        found_loss, found, _ = step_of(state, x, y, torch.float32, channels_last,
                                                       threads)
                        own_loss = max(own_loss, abs(found_loss - loss))
                        for name, value in distances(found, exact).items():
                            own[name] = max(own[name], value)
                found_loss, found, found_statistics = compiled.step(state, x, y)
                ours = distances(found, exact)
                ratio, worst = max((ours[name] / own[name], name) for name in exact)
                record = {"step": step, "loss": loss, "loss_error": abs(found_loss - loss),
                          "torch_loss_error": own_loss,
                          "statistics_error": max(off(found_statistics[name], value)
                                                  for name, value in statistics.items()),
                          "gradient_ratio": ratio, "gradient": worst,
                          "gradient_ratio_median": float(np.median(
                              [ours[name] / own[name] for name in exact]))}
                if ratio > LIMIT:
                    record |= turn_signs(state, x, y, found, exact, own)
                known[step] = record
                with arguments.json.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print(json.dumps(record), flush=True)
            torch.set_num_threads(1)  # the same weights in every run
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(torch.from_numpy(x)),
                                        torch.from_numpy(y).long()).backward()
            optimizer.step()
    records = [known[step] for step in range(1, arguments.steps + 1)]
    for key in ("loss_error", "torch_loss_error", "statistics_error", "gradient_ratio"):
        print(f"worst {key} of {len(records)} steps: {max(r[key] for r in records):.3g}")


if __name__ == "__main__":
    main()
