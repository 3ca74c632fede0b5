#!/usr/bin/env python3
"""What grad_freeze and less_bn save of a step, compared with what the work of the kernels predicts.

  python3 tools/bench/boost_savings.py --build build --threads 1 --json savings.jsonl \\
      examples/resnet18-cifar10/model.json examples/lenet5-mnist/model.json

Predicted is the least time of a step by the profile's own numbers: of each call the larger of its
operations by the peak of multiply-adds, and of its bytes by that of the memory.

grad_freeze: a program whose groups take turns (`freeze_type` 0). Steps are told apart by the functions
that they call in the trace. For each variant: predicted and measured saving (median of its steps
compared with that of the steps that train everything). Then the mean of these steps, and that of as many
which are not profiled, by the mean of the variants' medians, each as often as it occurs.

less_bn: steps with and without, in turn, medians of the rounds' medians.
"""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import tempfile

from amp_accuracy import keep_record, read_name
from cpu_step import identify_build, processor


def compile_model(arguments, model, program, *flags):
    subprocess.run([arguments.build / "bin/boostc", model, "--target=cpu", "-O0",
                    f"--threads={arguments.threads}", *flags,
                    *(flag for key in arguments.set for flag in ("--set", key)), "-o", program],
                   check=True, capture_output=True)


def bench(arguments, program, steps, trace):
    done = subprocess.run([arguments.build / "bin/boost-run", "bench", program, "--json",
                           "--steps", str(steps), f"--profile={trace}",
                           "--profile-steps", str(steps)],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def read_steps(trace, peaks):
    """(functions, seconds, predicted seconds) of each step."""
    events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    spans = [event for event in events if event["ph"] == "X"]
    steps = [event for event in spans if event["cat"] == "step"]
    for step in steps:
        step["functions"], step["least"] = set(), 0.0
    at = 0
    for event in sorted(spans, key=lambda event: event["ts"]):
        if event["cat"] == "step":
            continue
        while at + 1 < len(steps) and event["ts"] >= steps[at + 1]["ts"]:
            at += 1
        if event["cat"] == "function":
            steps[at]["functions"].add(event["name"])
        else:
            work = event["args"]
            moved = work["bytes_read"] + work["bytes_written"]
            steps[at]["least"] += max(work["flops"] / peaks["flops_per_s"],
                                      moved / peaks["bytes_per_s"])
    return [(frozenset(step["functions"]), step["dur"] * 1e-6, step["least"]) for step in steps]


def measure_freeze(arguments, model, folder):
    program, trace = folder / "freeze.so", folder / "trace.json"
    compile_model(arguments, model, program, "--boost", "grad_freeze=true", "--boost",
                  f"param_groups={arguments.groups}", "--boost", "freeze_type=0", "--boost",
                  "freeze_p=0.5", "--set", "optimizer.learning_rate=0.00001")
    result = bench(arguments, program, arguments.steps, trace)
    kinds = collections.defaultdict(list)
    steps = read_steps(trace, result["profile"]["peaks"])
    for functions, seconds, least in steps:
        kinds[functions].append((seconds, least))
    # Steps that train everything have most to do.
    order = sorted(kinds, key=lambda kind: -kinds[kind][0][1])
    medians = [statistics.median(seconds for seconds, _ in kinds[kind]) for kind in order]
    least = [kinds[kind][0][1] for kind in order]
    counts = [len(kinds[kind]) for kind in order]
    weighted = sum(n * t for n, t in zip(counts, medians)) / sum(counts)
    variants = [{"steps": n, "ms": round(t * 1e3, 4), "predicted": round(1 - p / least[0], 4),
                 "saved": round(1 - t / medians[0], 4)}
                for n, t, p in zip(counts, medians, least)]
    return {"boost": "grad_freeze", "groups": arguments.groups, "variants": variants,
            "weighted_ms": round(weighted * 1e3, 4),
            "mean_by_weighted": round(statistics.mean(t for _, t, _ in steps) / weighted, 4),
            "unprofiled_by_weighted": round(result["mean_ms"] * 1e-3 / weighted, 4)}


def measure_norms(arguments, model, folder):
    programs = {"plain": folder / "plain.so", "less_bn": folder / "less_bn.so"}
    compile_model(arguments, model, programs["plain"], "--set", "optimizer.learning_rate=0.00001")
    compile_model(arguments, model, programs["less_bn"], "--boost", "less_bn=true",
                  "--set", "optimizer.learning_rate=0.00001")
    times, results = collections.defaultdict(list), {}
    for _ in range(arguments.rounds):
        for kind, program in programs.items():
            results[kind] = bench(arguments, program, max(20, arguments.steps // 10),
                                  folder / f"{kind}.json")
            times[kind].append(results[kind]["median_ms"])
    # Peaks differ from one measurement to the next.
    peaks = results["plain"]["profile"]["peaks"]
    least = {kind: read_steps(folder / f"{kind}.json", peaks)[0][2] for kind in programs}
    medians = {kind: statistics.median(of) for kind, of in times.items()}
    return {"boost": "less_bn", "ms": {kind: round(ms, 4) for kind, ms in medians.items()},
            "predicted": round(1 - least["less_bn"] / least["plain"], 4),
            "saved": round(1 - medians["less_bn"] / medians["plain"], 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--boosts", nargs="+", choices=["grad_freeze", "less_bn"],
                        default=["grad_freeze", "less_bn"])
    parser.add_argument("--groups", type=int, default=4)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE",
                        help="of boostc, for all programs")
    arguments = parser.parse_args()
    common = {"cpu": processor(), "build": identify_build(arguments.build),
              "threads": arguments.threads}
    for model in arguments.models:
        for boost in arguments.boosts:
            measure = measure_freeze if boost == "grad_freeze" else measure_norms
            with tempfile.TemporaryDirectory() as folder:
                found = measure(arguments, model, pathlib.Path(folder))
            keep_record({"model": read_name(model), **common, **found}, arguments.json)


if __name__ == "__main__":
    main()
