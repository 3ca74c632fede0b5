#!/usr/bin/env python3
"""A step on ranks whose exchange begins while the backward runs, beside one where it does not.

    tools/bench/overlap.py [--build build] [--ranks 2] [--units 2048] [--rounds 7] [--rate 10gbit]

The model is the example's MLP with wider layers, as the same program with buckets of 4 MiB,
which overlap, and with one bucket, which cannot. In each round both are timed once, in turn
(`boost-run bench`), over gloo with one thread a rank. Prints medians over the rounds of the median
step, and of the ratios of a round. `--rate` gives the ranks a loopback of their own that carries
no more than that in both directions together; it takes root, unshare and tc (iproute2).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STEPS = 25


def build_program(boostc, units, bucket, output):
    subprocess.run([boostc, ROOT / "examples" / "mlp-mnist" / "model.json", "--threads", "1",
                    "--target", "cpu", "--set", f"layers.fc1.units={units}", "--set",
                    f"layers.fc2.units={units}", "--bucket-size", bucket, "-o", output],
                   check=True)


def limited(command, rate):
    if rate is None:
        return command
    setup = ("ip link set lo up && tc qdisc add dev lo root tbf rate $0 burst 8mb latency 1s && "
             'exec "$@"')
    return ["unshare", "-n", "sh", "-c", setup, rate, *command]


def measure(boost_run, program, ranks, rate):
    command = [boost_run, "bench", program, "--steps", str(STEPS), "--warmup", "5", "--json",
               "--threads", "1", "--ranks", str(ranks), "--comm", "gloo"]
    output = subprocess.run(limited(command, rate), check=True, capture_output=True, text=True)
    return json.loads(output.stdout)["median_ms"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--units", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--rate")
    args = parser.parse_args()
    boost_run = args.build / "bin" / "boost-run"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs = {"overlapped": folder / "early.so", "one bucket": folder / "late.so"}
        for program, bucket in zip(programs.values(), ("4MiB", "1GiB")):
            build_program(args.build / "bin" / "boostc", args.units, bucket, program)
        times = {kind: [] for kind in programs}
        for _ in range(args.rounds):
            for kind, program in programs.items():
                times[kind].append(measure(boost_run, program, args.ranks, args.rate))
    ratio = statistics.median(a / b for a, b in zip(*times.values()))
    parameters = 784 * args.units + args.units ** 2 + 12 * args.units + 10
    print(f"{args.ranks} ranks, {parameters * 4e-6:.1f} MB of gradients, "
          f"{args.rate or 'no limit'}: "
          + ", ".join(f"{kind} {statistics.median(each):.1f} ms" for kind, each in times.items())
          + f", ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
