#!/usr/bin/env python3
"""Convolutions of known nets, pass by pass: what a thread reaches of its peak, and PyTorch.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch numpy
  /tmp/bench-venv/bin/python tools/bench/conv_grid.py --build build --json grid.jsonl

A cell is a layer at a batch size. boostc compiles a small net around it, and `boost-run bench
--profile` times its kernels in place: the forward, the gradient of the data and that of the weights,
each with the copies of weights into the order that its kernel reads and back. PyTorch calls conv2d and
convolution_backward with one output, with images as they are and channels-last, of which the faster
counts. In each round both are measured in turn; medians over the rounds. Rates count the products that
padding leaves out, as PyTorch's do; the peak is boost-run's own measurement in f32.

A pass of a cell is one JSON line, and cells whose lines exist are not measured again. At the end: for
each batch size the medians over the layers, the cells far below, and how much faster than PyTorch.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

from cpu_step import processor
from net_step import LEVELS

PASSES = ("forward", "data gradient", "weight gradient")
FAR_BELOW = 0.55
BYTES = {"f32": 4, "bf16": 2}  # of an element of an image; gradients of weights are f32
# Net, channels, filters, kernel, stride, padding, size; depthwise ones have as many groups as filters.
LAYERS = [
    ("vgg", 3, 64, 3, 1, 1, 32), ("vgg", 64, 64, 3, 1, 1, 32), ("vgg", 64, 128, 3, 1, 1, 16),
    ("vgg", 128, 128, 3, 1, 1, 16), ("vgg", 128, 256, 3, 1, 1, 8), ("vgg", 256, 256, 3, 1, 1, 8),
    ("vgg", 512, 512, 3, 1, 1, 4), ("resnet", 64, 64, 3, 1, 1, 56), ("resnet", 128, 128, 3, 1, 1, 28),
    ("resnet", 256, 256, 3, 1, 1, 14), ("resnet", 512, 512, 3, 1, 1, 7),
    ("resnet", 64, 128, 3, 2, 1, 56), ("resnet", 3, 64, 7, 2, 3, 224), ("resnet", 64, 256, 1, 1, 0, 56),
    ("resnet", 256, 64, 1, 1, 0, 56), ("resnet", 256, 1024, 1, 1, 0, 14),
    ("resnet", 512, 2048, 1, 1, 0, 7), ("resnet", 2048, 512, 1, 1, 0, 7),
    ("resnet", 256, 512, 1, 2, 0, 56), ("mobilenet", 24, 144, 1, 1, 0, 56),
    ("depthwise", 96, 96, 3, 2, 1, 112), ("depthwise", 144, 144, 3, 1, 1, 56),
    ("depthwise", 384, 384, 3, 1, 1, 14), ("depthwise", 960, 960, 3, 1, 1, 7),
    ("depthwise", 64, 64, 3, 1, 1, 32), ("depthwise", 128, 128, 3, 1, 1, 16),
]


class Layer:
    def __init__(self, net, channels, filters, kernel, stride, padding, size):
        self.channels, self.filters, self.kernel = channels, filters, kernel
        self.stride, self.padding, self.size = stride, padding, size
        self.groups = filters if net == "depthwise" else 1
        self.name = f"{net} {channels}>{filters} k{kernel} s{stride} @{size}"
        self.out = (size + 2 * padding - kernel) // stride + 1
        self.weights = filters * channels // self.groups * kernel * kernel

    def count_flops(self, batch):
        return 2 * batch * self.out * self.out * self.weights

    def get_model(self, batch):
        convolution = {"name": "layer", "op": "conv2d", "filters": self.filters,
                       "kernel": self.kernel, "stride": self.stride, "padding": self.padding,
                       "groups": self.groups, "bias": False}
        return {  # something trained in front, so that there is a gradient of the data
            "name": "cell", "batch_size": batch, "epochs": 1,
            "input": {"image": {"shape": [self.channels, self.size, self.size]},
                      "label": {"dtype": "i32", "classes": 2}},
            "layers": [{"op": "bias"}, convolution, {"op": "global_avg_pool"},
                       {"op": "dense", "units": 2}],
            "loss": {"op": "softmax_cross_entropy"},
            "optimizer": {"type": "sgd", "learning_rate": 0.1}}


def read_trace(path, layer, batch, dtype):
    """Microseconds of each pass, medians over the steps."""
    flops = layer.count_flops(batch)
    size = BYTES[dtype] * batch * layer.channels * layer.size * layer.size
    events = json.loads(path.read_text(encoding="utf-8"))["traceEvents"]
    steps, times, waiting, last = [], {}, 0.0, None
    for event in sorted((e for e in events if e["ph"] == "X"), key=lambda e: e["ts"]):
        arguments = event.get("args", {})
        if event["cat"] == "step":
            times, waiting, last = dict.fromkeys(PASSES, 0.0), 0.0, None
            steps.append(times)
        elif 0 < arguments.get("flops", 0) < flops / 2:
            continue  # of the layer before, which rounds what this one reads
        elif arguments.get("layers") == "layer":
            times["forward"] += event["dur"]
        elif arguments.get("layers") == "backward of layer":
            waiting += event["dur"]
            if arguments["flops"]:
                written = arguments["bytes_written"]
                is_data = abs(written - size) < abs(written - 4 * layer.weights)
                last = PASSES[1] if is_data else PASSES[2]
            # Copies into another order come before a kernel, those out of it after it.
            if last:
                times[last] += waiting
                waiting = 0.0
    return {name: statistics.median(step[name] for step in steps) for name in PASSES}


class Program:
    def __init__(self, arguments, layer, batch, folder):
        self.arguments, self.layer, self.batch, self.folder = arguments, layer, batch, folder
        (folder / "cell.json").write_text(json.dumps(layer.get_model(batch)), encoding="utf-8")
        subprocess.run([arguments.build / "bin/boostc", folder / "cell.json", "--target=cpu",
                        f"--threads={arguments.threads}", "--set", f"amp.level={LEVELS[arguments.dtype]}", "-o",
                        folder / "cell.so"], check=True, stderr=subprocess.DEVNULL)

    def measure(self):
        """Microseconds of each pass, and the peak of the threads in GFLOP/s."""
        flops = 3 * self.layer.count_flops(self.batch)
        steps = max(3, min(200, int(self.arguments.seconds * 5e10 / flops)))
        done = subprocess.run(
            [self.arguments.build / "bin/boost-run", "bench", self.folder / "cell.so", "--threads",
             str(self.arguments.threads), "--warmup", "2", "--steps", str(steps),
             f"--profile={self.folder / 'trace.json'}"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        peak = re.search(r"^peaks of .*?: ([\d.]+) GFLOP/s", done.stdout, re.MULTILINE)
        return read_trace(self.folder / "trace.json", self.layer, self.batch,
                          self.arguments.dtype), float(peak[1])


class Peer:
    """PyTorch's kernels."""

    def __init__(self, arguments, layer, batch):
        import torch

        torch.set_num_threads(arguments.threads)
        dtype = {"f32": torch.float32, "bf16": torch.bfloat16}[arguments.dtype]
        self.seconds, self.variants = arguments.seconds, []
        for layout in (torch.contiguous_format, torch.channels_last):
            x, w, d = (torch.randn(shape).to(dtype).to(memory_format=layout) for shape in (
                (batch, layer.channels, layer.size, layer.size),
                (layer.filters, layer.channels // layer.groups, layer.kernel, layer.kernel),
                (batch, layer.filters, layer.out, layer.out)))

            def forward(x=x, w=w):
                torch.nn.functional.conv2d(x, w, None, layer.stride, layer.padding, 1, layer.groups)

            def backward(mask, x=x, w=w, d=d):
                torch.ops.aten.convolution_backward(
                    d, x, w, None, [layer.stride] * 2, [layer.padding] * 2, [1, 1], False, [0, 0],
                    layer.groups, mask)

            self.variants.append([forward, lambda b=backward: b([True, False, False]),
                                  lambda b=backward: b([False, True, False])])

    def measure(self):
        """Microseconds of each pass in the faster layout."""
        best = []
        for calls in zip(*self.variants):
            medians = []
            for call in calls:
                call()
                times, end = [], time.perf_counter() + self.seconds / 4
                while len(times) < 3 or time.perf_counter() < end:
                    begin = time.perf_counter()
                    call()
                    times.append(1e6 * (time.perf_counter() - begin))
                medians.append(statistics.median(times))
            best.append(min(medians))
        return dict(zip(PASSES, best))


def measure_cell(arguments, layer, batch):
    """Lines of the cell."""
    with tempfile.TemporaryDirectory() as folder:
        program, peer = Program(arguments, layer, batch, pathlib.Path(folder)), None
        if not arguments.alone:
            peer = Peer(arguments, layer, batch)
        rounds = []
        for _ in range(arguments.rounds):
            times, peak = program.measure()
            rounds.append((times, peak, peer.measure() if peer else {}))
    lines = []
    for name in PASSES:
        own = statistics.median(times[name] for times, _, _ in rounds)
        peak = statistics.median(peak for _, peak, _ in rounds)
        rate = layer.count_flops(batch) / own / 1e3
        line = {"layer": layer.name, "batch": batch, "pass": name, "us": round(own, 1),
                "gflops": round(rate, 1), "share": round(rate / peak, 3)}
        if peer:
            line["torch_us"] = round(statistics.median(theirs[name] for *_, theirs in rounds), 1)
            line["ratio"] = round(line["torch_us"] / own, 3)
        lines.append(line)
    return lines


def summarise(records):
    for batch in sorted({record["batch"] for record in records}):
        own = [r for r in records if r["batch"] == batch]
        parts = []
        for name in PASSES:
            shares = [r["share"] for r in own
                      if r["pass"] == name and not r["layer"].startswith("depthwise")]
            if shares:
                parts.append(f"{name} {100 * statistics.median(shares):.0f} %")
        ratios = [r["ratio"] for r in own if "ratio" in r]
        compared = (f"; {math.exp(statistics.fmean(map(math.log, ratios))):.2f} times PyTorch's rate"
                    if ratios else "")
        print(f"batch {batch}: medians without depthwise: {', '.join(parts)}{compared}")
    for r in sorted(records, key=lambda r: r["share"]):
        if r["share"] < FAR_BELOW and not r["layer"].startswith("depthwise"):
            print(f"{100 * r['share']:.0f} %: {r['layer']}, batch {r['batch']}, {r['pass']}"
                  + (f", {r['ratio']:.2f} times PyTorch's rate" if "ratio" in r else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--layers", default="", help="those whose names contain this")
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 17, 32, 64])
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=0.4, help="for a system in a round")
    parser.add_argument("--alone", action="store_true", help="without PyTorch")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="results, line by line")
    arguments = parser.parse_args()
    about = {"dtype": arguments.dtype, "threads": arguments.threads, "alone": arguments.alone,
             "cpu": processor(), "date": time.strftime("%Y-%m-%d")}
    if not arguments.alone:
        import torch
        about["torch"] = torch.__version__
    records = []
    if arguments.json.exists():
        records = [json.loads(line)
                   for line in arguments.json.read_text(encoding="utf-8").splitlines()]
        records = [r for r in records
                   if all(r[key] == about[key] for key in ("dtype", "threads", "alone"))]
    known = {(record["layer"], record["batch"]) for record in records}
    for batch in arguments.batches:
        for layer in map(lambda entry: Layer(*entry), LAYERS):
            if arguments.layers not in layer.name or (layer.name, batch) in known:
                continue
            lines = measure_cell(arguments, layer, batch)
            with arguments.json.open("a", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps(line | about) + "\n")
                    print(json.dumps(line), flush=True)
            records += lines
    summarise([r for r in records
               if arguments.layers in r["layer"] and r["batch"] in arguments.batches])


if __name__ == "__main__":
    main()
