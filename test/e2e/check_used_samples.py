#!/usr/bin/env python3
"""Counts how often a run uses each sample when its ranks change.

  check_used_samples.py WORK_DIR MODEL

The model has a weight for each sample, and sample i is 1 in place i and 0 elsewhere. Its
outputs stay above their targets, so the gradient of the l1 loss is 1 for the weight of each
sample in a step and 0 for others, and with gradients that are summed in micro-batches of
one sample a rate of 1 makes the weights count, exactly: weight i is minus the number of
times that sample i was used. A run is stopped on 4 ranks, at the end of an epoch or inside
one, and goes on with the same program on 1, 2, 3 and 8, or on one number after the other;
also with two micro-batches a rank. After each epoch every sample was used once more.
"""

import json
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_weights, write_npy

work, model = map(pathlib.Path, sys.argv[1:])
SAMPLES, EPOCHS = 101, 3  # a prime number: no window fits

work.mkdir()
for split, count in (("train", SAMPLES), ("test", 1)):
    rows = [float(place == i) for i in range(count) for place in range(SAMPLES)]
    write_npy(work / f"{split}_features.npy", "<f4", (count, SAMPLES), rows)
    write_npy(work / f"{split}_targets.npy", "<f4", (count, 1), [-1e6] * count)


def program(micros):
    path = work / f"{micros}.so"
    if not path.exists():
        subprocess.run(
            ["boostc", model, "--target", "cpu", "--threads", "1", "--boost",
             f"grad_accumulation_step={micros}", "-o", path], check=True)
    return path


def train(folder, ranks, micros, *more):
    """Returns what the run says on standard error."""
    run = subprocess.run(
        ["boost-run", program(micros), "--data", f"npy:{work}", "--no-eval",
         "--progress", "none", "--device", "cpu", "--comm", "local", "--ranks",
         str(ranks), "--checkpoint-dir", folder, *more],
        stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{folder.name}: exit code {run.returncode} on {ranks} ranks\n{run.stderr}")
    return run.stderr


def uses(checkpoint):
    """How often each sample was used."""
    return [-weight for weight in read_weights(checkpoint / "weights.safetensors")["used.weight"]]


def check(name, pieces):
    """Trains in pieces (ranks, micro-batches, global step to stop at or None)."""
    folder = work / name
    step = used = 0  # in the epoch
    total, epoch = 0, 1
    for ranks, micros, stop in pieces:
        error = train(folder, ranks, micros,
                      *([] if stop is None else ["--steps", str(stop), "--epochs", str(EPOCHS)]))
        # The steps by their definition, so that names of checkpoints are known.
        while (stop is None or total < stop) and (epoch, used) != (EPOCHS, SAMPLES):
            if used == SAMPLES:
                epoch, step, used = epoch + 1, 0, 0
            used = min(SAMPLES, used + ranks * micros)
            step, total = step + 1, total + 1
            if used == SAMPLES:
                found = uses(folder / f"count-{epoch}_{step}.ckpt")
                if found != [epoch] * SAMPLES:
                    sys.exit(f"{name}: after epoch {epoch} samples were used {found} times")
        manifest = json.loads((folder / f"count-{epoch}_{step}.ckpt/manifest.json").read_text())
        found = [manifest[key] for key in ("epoch", "step", "samples", "global_step", "ranks",
                                           "micro_batches")]
        if found != [epoch, step, used, total, ranks, micros]:
            sys.exit(f"{name}: the manifest says {found}, expected "
                     f"{[epoch, step, used, total, ranks, micros]}")
    if (epoch, used) != (EPOCHS, SAMPLES):
        sys.exit(f"{name}: the last piece ends in epoch {epoch} after {used} samples")
    return error


# Can the count be wrong at all? In the middle of an epoch it is not the same for all.
check("whole", [(4, 1, None)])
train(work / "half", 4, 1, "--steps", "7", "--epochs", "3")
if sorted(uses(work / "half/count-1_7.ckpt")) != [0] * 73 + [1] * 28:
    sys.exit("7 steps of 4 samples did not use 28 of them")

# 26 steps an epoch, the last of one sample.
for stop in (26, 7, 31):
    for ranks in (1, 2, 3, 8):
        error = check(f"{stop}-{ranks}", [(4, 1, stop), (ranks, 1, None)])
        plural = "s" * (ranks > 1)
        said = (f"boost-run: {ranks} rank{plural} x 1 micro-batch now, 4 ranks x 1 micro-batch "
                f"before: a step takes {ranks} sample{plural}, not 4, and an epoch "
                f"{-(-SAMPLES // ranks)} steps, not 26; schedules follow the epochs; weights "
                f"have other bits than on 4 ranks x 1 micro-batch\n")
        if error.count(said) != 1:
            sys.exit(f"{stop}, {ranks} ranks: expected {said}{error}")
check("chain", [(4, 1, 5), (3, 1, 11), (8, 1, 13), (1, 1, 20), (2, 1, 30), (8, 1, 33),
                (5, 1, None)])
check("micros", [(4, 1, 3), (2, 3, 7), (1, 2, 9), (3, 2, 20), (1, 1, None)])
print("every sample is used once an epoch")
