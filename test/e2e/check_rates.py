#!/usr/bin/env python3
"""Compares the learning rate of every step with a table.

  check_rates.py WORK_DIR MODEL

The data are those that check_used_samples.py has written next to WORK_DIR: 101 samples. A
warm-up of half an epoch from 0 to 1, then a cosine to 0.1 at the end of the third epoch.
"""

import json
import math
import pathlib
import subprocess
import sys

work, model = map(pathlib.Path, sys.argv[1:])
work.mkdir()
program = work / "rates.so"
SCHEDULE = {"schedule": "cosine", "value": 1.0, "end": 0.1, "warmup": 0.5}
subprocess.run(["boostc", model, "--target", "cpu", "--threads", "1", "--set",
                f"optimizer.learning_rate={json.dumps(SCHEDULE)}", "-o", program], check=True)


def rates(name, ranks, *more):
    metrics = work / f"{name}.jsonl"
    subprocess.run(
        ["boost-run", program, "--data", f"npy:{work.parent / 'used'}", "--no-eval", "--progress",
         "none", "--device", "cpu", "--comm", "local", "--ranks", str(ranks), "--metrics", metrics,
         *more], check=True)
    events = [json.loads(line) for line in metrics.read_text().splitlines()]
    return [event["lr"] for event in events if event["event"] == "step"]


def rise(step, steps):
    return step / steps


def cosine(part):
    """`part` of the time between warm-up and the end is over."""
    return 0.1 + 0.45 * (1 + math.cos(math.pi * part))


def compare(name, found, expected):
    if len(found) != len(expected) or any(
            abs(a - b) > 1e-6 for a, b in zip(found, expected)):
        sys.exit(f"{name}: {found}\nexpected {expected}")


# Steps of 4 samples: 26 an epoch, the last of one sample; 13 of 78 rise.
four = [rise(i + 1, 13) for i in range(13)] + [cosine(i / 65) for i in range(65)]
compare("4 ranks", rates("four", 4), four)
again = ["--checkpoint-dir", work / "again"]
compare("stopped", rates("again", 4, "--steps", "31", "--epochs", "3", *again), four[:31])
compare("resumed", rates("again", 4, *again), four)

# Steps of 3: 34 an epoch, 17 of 102 rise. Two epochs are done after 52 steps of 4 or 68 of 3,
# 39 of 65 and 51 of 85 after the warm-up: 0.6 of the time in both.
three = [cosine(i / 85) for i in range(51, 85)]
ends = ["--checkpoint-dir", work / "ends"]
compare("2 epochs", rates("ends", 4, "--steps", "52", "--epochs", "3", *ends), four[:52])
compare("3 ranks", rates("ends", 3, *ends), four[:52] + three)
assert abs(three[0] - four[52]) < 1e-12

# Inside the second epoch: 35 samples of it are 9 steps of 4 (36, then), or 12 of 3.
inside = ["--checkpoint-dir", work / "inside"]
compare("inside", rates("inside", 4, "--steps", "35", "--epochs", "3", *inside), four[:35])
compare("1 rank", rates("inside", 1, *inside),
        # 101 an epoch; half an epoch is 50.5 steps, the nearest is 51.
        four[:35] + [cosine((101 + i - 51) / 252) for i in range(36, 202)])
print("rates are those of the table")
