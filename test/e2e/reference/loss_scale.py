#!/usr/bin/env python3
"""A dynamic loss scale on steps of which some are not finite.

  loss_scale.py data FOLDER [--good]   writes the data set of Inputs/loss-scale.json
  loss_scale.py check METRICS STATE    compares the scales and the count of skipped steps

A step has 8 samples. One sample of steps 5 and 10 to 14 is infinite when the model has
rescaled it, each time another one of the 8, so another micro-batch or rank has it; --good
leaves these steps out. From 8, with factor 2 and a window of 3, the scale after each step
is that of MindSpore's DynamicLossScaleManager: GOLDEN.
"""

import json
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from data_files import read_header, write_npy

POINT, CLASSES, WINDOW, STEPS = 6, 3, 8, 14
BAD = {5: 0, 10: 7, 11: 2, 12: 5, 13: 4, 14: 3}
GOLDEN = [8, 8, 16, 16, 8, 8, 8, 16, 16, 8, 4, 2, 1, 1]


def write_data(folder, good):
    pathlib.Path(folder).mkdir()
    for split, steps in (("train", STEPS), ("test", 1)):
        draw, points, labels = random.Random(split), [], []
        for step in range(1, steps + 1):
            for sample in range(WINDOW):
                point = [draw.uniform(-2, 2) for _ in range(POINT)]
                label = max(range(CLASSES), key=lambda c: point[c] * (c + 1) + draw.gauss(0, 1))
                if split == "train" and good and step in BAD:
                    continue
                is_bad = split == "train" and BAD.get(step) == sample
                points += [3e38] * POINT if is_bad else [value * 1e-10 for value in point]
                labels.append(label)
        write_npy(f"{folder}/{split}_features.npy", "<f4", (len(labels), POINT), points)
        write_npy(f"{folder}/{split}_labels.npy", "<i4", (len(labels),), labels)


def read_state(path, name, code, size):
    import struct
    header, data = read_header(path)
    begin = data + header[name]["data_offsets"][0]
    return struct.unpack(f"<{code}", pathlib.Path(path).read_bytes()[begin:begin + size])[0]


def check(metrics, state):
    with open(metrics, encoding="utf-8") as file:
        steps = [event for event in map(json.loads, file) if event["event"] == "step"]
    used = [step["loss_scale"] for step in steps]
    if used != [8, *GOLDEN[:-1]]:
        sys.exit(f"scales are {used}, expected {[8, *GOLDEN[:-1]]}")
    bad = [step["step"] for step in steps if step["loss"] is None]
    if bad != list(BAD) or steps[-1]["skipped"] != len(BAD):
        sys.exit(f"steps {bad} are not finite and {steps[-1]['skipped']} skipped")
    last = read_state(state, "loss_scale", "f", 4), read_state(state, "loss_scale.steps", "q", 8)
    if last != (GOLDEN[-1], 0):
        sys.exit(f"the state is {last}, expected {(GOLDEN[-1], 0)}")


def main():
    command, *arguments = sys.argv[1:]
    if command == "data":
        write_data(arguments[0], "--good" in arguments)
    else:
        check(*arguments)


if __name__ == "__main__":
    main()
