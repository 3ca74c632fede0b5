#!/usr/bin/env python3
"""Trains a model in f32 and in mixed precision from the same seeds, and compares accuracies.

  python3 tools/bench/amp_accuracy.py --build build --model tools/bench/resnet20.json \\
      --data cifar10:CIFAR10_DIR --epochs 10 --json accuracy.jsonl

A kind is "LEVEL DTYPE", "O0 bf16" being f32. A run is one JSON line with the accuracy on the
test images, the time, and, with a loss scale, the skipped steps and the last scale; lines that
are there already are not computed again, so that several days can share the runs. At the end,
for each kind: mean and standard deviation over the seeds that all kinds have, the difference
of the mean from f32's, and the standard error of that difference.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import tempfile
import time

KINDS = ("O0 bf16", "O2 bf16", "O2 f16")


def read_name(model):
    return json.loads(pathlib.Path(model).read_text(encoding="utf-8"))["name"]


def load_records(path, **fields):
    """(kind, seed) -> record, of the lines that have these values."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(record["kind"], record["seed"]): record for record in map(json.loads, lines)
            if fields.items() <= record.items()}


def keep_record(record, path):
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    print(json.dumps(record), flush=True)


def read_events(metrics, kind):
    events = map(json.loads, metrics.read_text(encoding="utf-8").splitlines())
    return [event for event in events if event["event"] == kind]


def train(arguments, kind, seed, folder):
    level, dtype = kind.split()
    program, metrics = folder / f"{level}-{dtype}.so", folder / "metrics.jsonl"
    if not program.exists():
        subprocess.run([arguments.build / "bin/boostc", arguments.model, "--target=cpu",
                        f"--threads={arguments.threads}", "--set", f"amp.level={level}",
                        "--set", f"amp.dtype={dtype}", "-o", program], check=True)
    begin = time.monotonic()
    subprocess.run([arguments.build / "bin/boost-run", program, "--data", arguments.data,
                    "--seed", str(seed), "--epochs", str(arguments.epochs), "--eval-every", "0",
                    "--progress", "none", "--metrics", metrics], check=True, capture_output=True)
    last, tested = read_events(metrics, "step")[-1], read_events(metrics, "eval")[-1]
    record = {"model": read_name(arguments.model), "kind": kind, "seed": seed,
              "epochs": arguments.epochs, "accuracy": tested["top_1"], "loss": tested["loss"],
              "seconds": round(time.monotonic() - begin, 1)}
    if "loss_scale" in last:
        record |= {"skipped": last.get("skipped", 0), "loss_scale": last["loss_scale"]}
    return record


def run_missing(arguments, records, kinds, run):
    """Adds run(kind, seed) to `records` and the file, where it is not there and --minutes allow."""
    begin = time.monotonic()
    for seed in range(1, arguments.seeds + 1):
        for kind in kinds:
            if (kind, seed) in records or time.monotonic() - begin > 60 * arguments.minutes:
                continue
            records[kind, seed] = run(kind, seed)
            keep_record(records[kind, seed], arguments.json)


def summarise(records, kinds):
    seeds = set.intersection(*({seed for of, seed in records if of == kind} for kind in kinds))
    if len(seeds) < 2:
        print(f"{len(seeds)} seeds that all kinds have: too few to compare")
        return
    of = {kind: [records[kind, seed]["accuracy"] for seed in sorted(seeds)] for kind in kinds}
    plain = of[kinds[0]]
    for kind, accuracies in of.items():
        spread = statistics.stdev(accuracies)
        error = math.sqrt((spread ** 2 + statistics.stdev(plain) ** 2) / len(seeds))
        difference = statistics.mean(accuracies) - statistics.mean(plain)
        print(f"{kind}: {statistics.mean(accuracies):.4f} +- {spread:.4f} over {len(seeds)} seeds, "
              f"{difference:+.4f} from {kinds[0]}, standard error {error:.4f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=math.inf,
                        help="begin no run after so many")
    arguments = parser.parse_args()
    records = load_records(arguments.json, model=read_name(arguments.model),
                           epochs=arguments.epochs)
    with tempfile.TemporaryDirectory() as folder:
        run_missing(arguments, records, arguments.kinds,
                    lambda kind, seed: train(arguments, kind, seed, pathlib.Path(folder)))
    summarise(records, list(arguments.kinds))


if __name__ == "__main__":
    main()
