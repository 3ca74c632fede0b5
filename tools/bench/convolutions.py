#!/usr/bin/env python3
"""Convolutions one by one: what boostc generates beside oneDNN.

    tools/bench/convolutions.py [--build build] [--threads 2] [--rounds 1]

In each round and for each shape first oneDNN runs (convolutions.cpp: its own layouts, reorders
not counted), then `boostc --tune`, which measures every plan that boostc has for it; the plan
with the least median counts. Prints medians over the rounds in microseconds, their ratio, and
the rate of boostc's, counted with the products that padding leaves out. A round takes three
minutes. Needs a C++ compiler and oneDNN's headers (libdnnl-dev).
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

from conv_grid import Layer

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("forward", "data gradient", "weight gradient")
# batch, channels, filters, size, kernel, stride, padding
SHAPES = [
    (32, 1, 6, 32, 5, 1, 0), (32, 6, 16, 14, 5, 1, 0),  # LeNet-5
    (32, 3, 32, 32, 3, 1, 1), (32, 32, 32, 16, 3, 1, 1), (32, 32, 64, 8, 3, 1, 1),
    (32, 64, 64, 16, 3, 1, 1), (32, 128, 128, 8, 3, 1, 1),
    (32, 64, 256, 16, 1, 1, 0), (32, 256, 64, 16, 1, 1, 0), (32, 64, 128, 16, 3, 2, 1),
]


def measure_library(binary, shape, threads):
    output = subprocess.run([binary, *map(str, shape)], check=True, capture_output=True, text=True,
                            env={"OMP_NUM_THREADS": str(threads)}).stdout
    return [float(word) for word in output.split()]


def measure_generated(boostc, folder, shape, threads):
    batch, channels, filters, size, kernel, stride, padding = shape
    model = Layer("", channels, filters, kernel, stride, padding, size).get_model(batch)
    path, tuning = folder / "model.json", folder / "tuning.json"
    path.write_text(json.dumps(model))
    tuning.unlink(missing_ok=True)
    subprocess.run([boostc, path, f"--threads={threads}", f"--tune={tuning}", "-o",
                    folder / "train.so"], check=True, capture_output=True)
    weights = f"memref<{filters}x{channels}x{kernel}x{kernel}xf32"
    times = {}
    for choice in json.loads(tuning.read_text())["choices"]:
        kind = re.search(r"kind = (\d)", choice["operation"])
        if kind and weights in choice["operation"]:
            times[int(kind[1])] = min(choice["microseconds"].values())
    return [times[kind] for kind in range(3)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    boostc = arguments.build / "bin/boostc"
    measured = {shape: ([], []) for shape in SHAPES}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        binary = folder / "convolutions"
        subprocess.run(["c++", "-std=c++20", "-O2", HERE / "convolutions.cpp", "-o", binary,
                        "-ldnnl"], check=True)
        for _ in range(arguments.rounds):
            for shape, (library, generated) in measured.items():
                library.append(measure_library(binary, shape, arguments.threads))
                generated.append(measure_generated(boostc, folder, shape, arguments.threads))
    print("batch, channels -> filters, size, kernel, stride | what | oneDNN us | boostc us | "
          "oneDNN / boostc | GFLOP/s")
    for shape, (library, generated) in measured.items():
        batch, channels, filters, size, kernel, stride, padding = shape
        out = (size + 2 * padding - kernel) // stride + 1
        flops = 2 * batch * filters * out * out * channels * kernel * kernel
        for number, kind in enumerate(KINDS):
            theirs, ours = (statistics.median(round_[number] for round_ in rounds)
                            for rounds in (library, generated))
            print(f"{batch}, {channels} -> {filters}, {size}x{size}, {kernel}x{kernel}, /{stride} | "
                  f"{kind} | {theirs:.0f} | {ours:.0f} | {theirs / ours:.2f} | "
                  f"{flops / ours / 1e3:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
