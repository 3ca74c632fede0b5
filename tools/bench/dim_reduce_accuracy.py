#!/usr/bin/env python3
"""Trains a model by the two stages of examples/dim-reduce and plainly, and compares accuracies.

  python3 tools/bench/dim_reduce_accuracy.py --build build --data cifar10:CIFAR10_DIR \\
      --json accuracy.jsonl

For each seed there are four runs. The learning rate of plain epochs follows the curve of all 12.

  10 plain                 the first 10 of 12 epochs
  12 plain                 the other 2 as well: it goes on from the last checkpoint, and so has the
                           bits of 12 epochs that were never stopped
  10 plain, 2 dim_reduce   2 epochs of stage2.json from the last weights, between the principal
                           components of the last 40 of some 50 checkpoints
  10 plain, 2 low          2 epochs from the last weights with the model's optimizer at the rate
                           `alpha` of stage2.json: what the low rate does without a subspace

A run is one JSON line with the accuracy on the test images and the time (since it went on, where it
was stopped); lines that are there already are not computed again, so that several days can share the
runs. Checkpoints stay in the folder, where a first stage that was stopped goes on. At the end, for
each kind: mean and standard deviation over the seeds that all kinds have, the difference of the mean
from plain training's, and the standard error of that difference.
"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import sys
import time

from amp_accuracy import load_records, read_events, read_name, run_missing, summarise

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
KEPT = 40  # checkpoints, as in the tutorial


class Stages:
    def __init__(self, arguments):
        self.arguments = arguments
        self.first, self.second = arguments.first, arguments.second
        self.all = self.first + self.second
        self.name = read_name(arguments.model)
        self.folder = ((arguments.folder or arguments.build / "dim_reduce_accuracy")
                       / f"{self.name}-{self.first}-{self.second}")
        self.folder.mkdir(parents=True, exist_ok=True)
        stage2 = EXAMPLES / "dim-reduce/stage2.json"
        alpha = json.loads(stage2.read_text(encoding="utf-8"))["boost"]["dim_reduce"]["alpha"]
        self.plain = self.compile("plain.so")
        self.reduced = self.compile("reduced.so", "--overlay", stage2)
        self.low = self.compile("low.so", "--set", f"optimizer.learning_rate={alpha}")
        plan = self.call("boostc", arguments.model, "--explain", f"--samples={arguments.samples}")
        self.steps = self.first * int(re.search(r"steps per epoch +(\d+)", plan).group(1))
        self.runs = {f"{self.first} plain": self.train_first,
                     f"{self.all} plain": self.go_on,
                     f"{self.first} plain, {self.second} dim_reduce": self.search,
                     f"{self.first} plain, {self.second} low": self.go_on_low}

    def call(self, program, *flags):
        done = subprocess.run([self.arguments.build / "bin" / program, *map(str, flags)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{program} {' '.join(map(str, flags))}\n{done.stderr}")
        return done.stdout

    def compile(self, name, *flags):
        self.call("boostc", self.arguments.model, "--target=cpu",
                  f"--threads={self.arguments.threads}", *flags, "-o", self.folder / name)
        return self.folder / name

    def kept(self, seed):
        return self.folder / f"seed{seed}"

    def train(self, program, seed, epochs, *flags):
        """The evaluation at the end."""
        metrics = self.kept(seed) / "metrics.jsonl"
        metrics.unlink(missing_ok=True)
        self.call("boost-run", program, "--data", self.arguments.data, "--seed", seed, "--epochs",
                  epochs, "--eval-every", 0, "--progress", "none", "--metrics", metrics, *flags)
        return read_events(metrics, "eval")[-1]

    def train_first(self, seed):
        self.kept(seed).mkdir(exist_ok=True)
        return self.train(self.plain, seed, self.all, "--steps", self.steps, "--checkpoint-dir",
                          self.kept(seed), "--checkpoint-every", max(1, self.steps // 50),
                          "--keep-max", KEPT)

    def go_on(self, seed):
        return self.train(self.plain, seed, self.all, "--resume", self.kept(seed))

    def search(self, seed):
        basis = self.kept(seed) / "basis.npy"
        self.call("boost-run", "pca", self.reduced, "--ckpt-dir", self.kept(seed), "-o", basis)
        return self.train(self.reduced, seed, self.second, "--init", self.kept(seed), "--basis", basis)

    def go_on_low(self, seed):
        return self.train(self.low, seed, self.second, "--init", self.kept(seed))

    def run(self, kind, seed):
        begin = time.monotonic()
        tested = self.train_first(seed)  # no step is left where it is done already
        if self.runs[kind] != self.train_first:
            begin = time.monotonic()
            tested = self.runs[kind](seed)
        return {"model": self.name, "kind": kind, "seed": seed, "accuracy": tested["top_1"],
                "loss": tested["loss"], "seconds": round(time.monotonic() - begin, 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--model", default=EXAMPLES / "convnet-cifar10/model.json")
    parser.add_argument("--data", required=True)
    parser.add_argument("--samples", type=int, default=50000, help="training samples of the data")
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path,
                        help="of programs and checkpoints (default: one of the build folder)")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=10, help="epochs of the first stage")
    parser.add_argument("--second", type=int, default=2, help="epochs of the second one")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="begin no run after so many")
    arguments = parser.parse_args()
    stages = Stages(arguments)
    records = load_records(arguments.json, model=stages.name)
    run_missing(arguments, records, stages.runs, stages.run)
    first, *others = stages.runs
    summarise(records, [others[0], first, *others[1:]])


if __name__ == "__main__":
    main()
