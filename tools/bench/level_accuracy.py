#!/usr/bin/env python3
"""Trains a model with the boosts of each level from the same seeds, and compares accuracies.

  python3 tools/bench/level_accuracy.py --build build --data cifar10:CIFAR10_DIR \\
      --json levels.jsonl

For each seed there are four runs, all with as many samples in a step:

  -O0       the model as it is
  less_bn   that boost alone
  -O1       less_bn and grad_freeze
  -O2       these, and Adasum over RANKS ranks that share the model's batch

A run is one JSON line with the accuracy on the test images after each epoch and the time; lines that
are there already are not computed again, so that several days can share the runs. At the end, for
each kind: mean and standard deviation of the last accuracy over the seeds that all kinds have, the
difference of the mean from -O0's, the standard error of that difference, and in which epoch of each
seed the accuracy has first reached the targets.
"""

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

from amp_accuracy import load_records, read_events, read_name, run_missing, summarise

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
KINDS = {"-O0": ["-O0"], "less_bn": ["-O0", "--boost", "less_bn=true"], "-O1": ["-O1"],
         "-O2": ["-O2"]}


def train(arguments, kind, seed, folder):
    ranks = arguments.ranks if kind == "-O2" else 1
    batch = json.loads(arguments.model.read_text(encoding="utf-8"))["batch_size"]
    program, metrics = folder / f"{kind}.so", folder / "metrics.jsonl"
    metrics.unlink(missing_ok=True)
    if not program.exists():
        subprocess.run([arguments.build / "bin/boostc", arguments.model, "--target=cpu",
                        f"--threads={arguments.threads}", *KINDS[kind], "--set",
                        f"batch_size={batch // ranks}", "--set", f"epochs={arguments.epochs}",
                        "--set", f"amp.level={arguments.amp}", "--set", "amp.dtype=bf16",
                        "-o", program], check=True, capture_output=True)
    begin = time.monotonic()
    subprocess.run([arguments.build / "bin/boost-run", program, "--data", arguments.data,
                    "--seed", str(seed), "--eval-every", "1", "--progress", "none",
                    "--metrics", metrics, "--ranks", str(ranks)],
                   check=True, capture_output=True)
    accuracies = [event["top_1"] for event in read_events(metrics, "eval")]
    return {"model": read_name(arguments.model), "amp": arguments.amp, "epochs": arguments.epochs,
            "kind": kind, "ranks": ranks, "seed": seed, "accuracy": accuracies[-1],
            "accuracies": accuracies, "seconds": round(time.monotonic() - begin, 1)}


def read_kinds(text):
    kinds = text.split(",")
    if not set(kinds) <= set(KINDS):
        raise argparse.ArgumentTypeError(f"expected some of {', '.join(KINDS)}, found {text}")
    return kinds


def say_epochs(records, targets):
    for kind in KINDS:
        own = [records[of] for of in sorted(records) if of[0] == kind]
        for target in targets if own else ():
            first = [next((str(epoch) for epoch, accuracy in enumerate(record["accuracies"], 1)
                           if accuracy >= target), "none") for record in own]
            print(f"{kind}: {target:.0%} first after epoch {', '.join(first)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--model", type=pathlib.Path,
                        default=EXAMPLES / "resnet20-cifar10/model.json")
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--kinds", type=read_kinds, default=list(KINDS), metavar="KIND,...",
                        help="such as --kinds=-O0,less_bn")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--amp", choices=["O0", "O2"], default="O2", help="O0: f32, O2: bf16")
    parser.add_argument("--targets", type=float, nargs="+", default=[0.80, 0.85])
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="begin no run after so many")
    arguments = parser.parse_args()
    records = load_records(arguments.json, model=read_name(arguments.model), amp=arguments.amp,
                           epochs=arguments.epochs)
    with tempfile.TemporaryDirectory() as folder:
        run_missing(arguments, records, arguments.kinds,
                    lambda kind, seed: train(arguments, kind, seed, pathlib.Path(folder)))
    summarise(records, arguments.kinds)
    say_epochs(records, arguments.targets)


if __name__ == "__main__":
    main()
