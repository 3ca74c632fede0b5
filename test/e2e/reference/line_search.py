#!/usr/bin/env python3
"""Gradient descent with a backtracking line search, in double precision and from its
definition alone: what test-line-search of test/passes makes of Inputs/line-search.json.

  line_search.py data FOLDER [--huge SAMPLE]   writes the data set
  line_search.py check INITIAL METRICS FINAL [--window SAMPLES]
      trains from the weights in INITIAL on the samples in their order, and compares the
      losses in METRICS and the weights and counts in FINAL

A step on the samples of a window has the mean loss f, its gradient g and the step size t,
at first twice that of the step before. Until f(w - t g) <= f(w) - t |g|^2 / 2, t is halved,
at most 11 times, and is 0 when that is not enough. Then w becomes w - t g.
(Nocedal and Wright, Numerical Optimization, 2nd edition, algorithm 3.1, c = 1/2.)
"""

import argparse
import json
import math
import pathlib
import random
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from data_files import read_header, write_npy

POINT, HIDDEN, CLASSES, SAMPLES = 6, 5, 3, 27
SUFFICIENT, TRIALS = 0.5, 12
# A step rounds fewer than 60 times on the way to a number, each to 2^-24 of it; 24 steps.
BOUND = 60 * 24 * 2.0 ** -24


def draw_data(huge):
    draw = random.Random(11)
    samples = []
    for number in range(SAMPLES):
        point = [struct.unpack("f", struct.pack("f", draw.uniform(-2, 2)))[0]
                 for _ in range(POINT)]
        label = max(range(CLASSES), key=lambda c: point[c] * (c + 1) + draw.gauss(0, 1))
        if number == huge:
            point = [3e38] * POINT  # twice that is infinite
        samples.append((point, label))
    return samples


def write_data(folder, huge):
    pathlib.Path(folder).mkdir()
    for split, samples in (("train", draw_data(huge)), ("test", draw_data(None)[:4])):
        write_npy(f"{folder}/{split}_features.npy", "<f4", (len(samples), POINT),
                  [value for point, _ in samples for value in point])
        write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(samples),),
                  [label for _, label in samples])


def read_tensors(path):
    header, data = read_header(path)
    header.pop("__metadata__", None)
    content = pathlib.Path(path).read_bytes()
    codes = {"F32": ("f", 4), "I64": ("q", 8)}
    tensors = {}
    for name, entry in header.items():
        code, size = codes[entry["dtype"]]
        begin, end = entry["data_offsets"]
        tensors[name] = list(struct.unpack_from(f"<{(end - begin) // size}{code}", content,
                                                data + begin))
    return tensors


def evaluate(w, samples):
    """The mean loss and its gradient, by parameter as in the file."""
    gradient = {name: [0.0] * len(values) for name, values in w.items()}
    total = 0.0
    for x, label in samples:
        hidden = [math.tanh(w["a.bias"][j] + sum(w["a.weight"][j * POINT + i] * x[i]
                                                 for i in range(POINT)))
                  for j in range(HIDDEN)]
        logits = [w["b.bias"][c] + sum(w["b.weight"][c * HIDDEN + j] * hidden[j]
                                       for j in range(HIDDEN)) for c in range(CLASSES)]
        largest = max(logits)
        powers = [math.exp(value - largest) for value in logits]
        total += largest + math.log(sum(powers)) - logits[label]
        d_logits = [power / sum(powers) - (c == label) for c, power in enumerate(powers)]
        for c in range(CLASSES):
            gradient["b.bias"][c] += d_logits[c]
            for j in range(HIDDEN):
                gradient["b.weight"][c * HIDDEN + j] += d_logits[c] * hidden[j]
        for j in range(HIDDEN):
            d_hidden = sum(d_logits[c] * w["b.weight"][c * HIDDEN + j] for c in range(CLASSES))
            d_sum = d_hidden * (1 - hidden[j] ** 2)
            gradient["a.bias"][j] += d_sum
            for i in range(POINT):
                gradient["a.weight"][j * POINT + i] += d_sum * x[i]
    count = len(samples)
    return total / count, {name: [value / count for value in values]
                           for name, values in gradient.items()}


def move(w, gradient, step):
    return {name: [a - step * b for a, b in zip(values, gradient[name])]
            for name, values in w.items()}


def train(w, samples, window, steps):
    """Losses, tries of each step, the last weights, and the closest decision."""
    losses, tries, rate, closest, at = [], [], 1.0, math.inf, 0
    for _ in range(steps):
        part = samples[at:at + window]
        at = 0 if at + window >= len(samples) else at + window
        loss, gradient = evaluate(w, part)
        slope = sum(value * value for values in gradient.values() for value in values)
        step, halved = 2 * rate, 0
        while True:
            found, _ = evaluate(move(w, gradient, step), part)
            limit = loss - SUFFICIENT * step * slope
            closest = min(closest, abs(found - limit) / loss)
            if found <= limit:
                rate = step
                break
            if halved == TRIALS - 1:
                step, rate = 0.0, rate / 4
                break
            step, halved = step / 2, halved + 1
        w = move(w, gradient, step)
        losses.append(loss)
        tries.append(halved)
    return losses, tries, w, closest


def check(arguments):
    initial, final = read_tensors(arguments.initial), read_tensors(arguments.final)
    initial = {name: values for name, values in initial.items() if name in
               ("a.weight", "a.bias", "b.weight", "b.bias")}
    with open(arguments.metrics, encoding="utf-8") as lines:
        found = [event["loss"] for event in map(json.loads, lines)
                 if event["event"] == "step"]
    losses, tries, w, closest = train(initial, draw_data(None), arguments.window, len(found))
    print(f"tries {tries}, closest decision {closest:.2g} of the loss")
    problems = []
    if closest < BOUND:
        problems.append("a decision is closer than rounding")
    if not {0, 1} < set(tries):
        problems.append("searches do not differ enough to show anything")
    worst = max(abs(a - b) / b for a, b in zip(found, losses))
    print(f"losses: largest relative difference {worst:.2g}, bound {BOUND:.2g}")
    if not worst <= BOUND:
        problems.append("other losses")
    for name, values in w.items():
        largest = max(map(abs, values))
        worst = max(abs(a - b) for a, b in zip(final[name], values)) / largest
        print(f"{name}: largest difference {worst:.2g} of its largest number")
        if not worst <= BOUND:
            problems.append(f"other {name}")
    counts = {"search.total": sum(tries), "search.most": max(tries),
              "search.first": tries.count(0)}
    for name, expected in counts.items():
        if final[name] != [expected]:
            problems.append(f"{name} is {final[name]}, expected {expected}")
    if problems:
        sys.exit("; ".join(problems))


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    data = commands.add_parser("data")
    data.add_argument("folder")
    data.add_argument("--huge", type=int)
    data.set_defaults(run=lambda given: write_data(given.folder, given.huge))
    checked = commands.add_parser("check")
    for name in ("initial", "metrics", "final"):
        checked.add_argument(name)
    checked.add_argument("--window", type=int, default=8)
    checked.set_defaults(run=check)
    arguments = parser.parse_args()
    arguments.run(arguments)


main()
