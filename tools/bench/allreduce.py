#!/usr/bin/env python3
"""All-reduce over TCP: ours beside Gloo's own algorithms, in the same processes.

    tools/bench/allreduce.py [--build build] [--ranks 4] [--megabytes 25 100] [--rounds 9]

allreduce.cpp runs local processes; in each round every algorithm runs once, in turn. Prints
medians over the rounds in milliseconds, and the ratio of each to the best of Gloo's: the median
over the rounds of the ratio of one round's times, with the best of Gloo's by its median. Needs a
C++ compiler, libgloo-dev, and the libraries of a build.
"""
import argparse
import pathlib
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def build_program(build, folder):
    program = folder / "allreduce"
    libraries = [build / "lib" / f"libboostrt_{name}.a" for name in ("comm", "support")]
    subprocess.run(["c++", "-std=c++20", "-O3", "-I", HERE.parent.parent, HERE / "allreduce.cpp",
                    *libraries, "-o", program, "-lgloo", "-lfmt", "-lnettle", "-lpthread"],
                   check=True)
    return program


def measure(program, ranks, megabytes, rounds):
    output = subprocess.run([program, str(ranks), str(megabytes), str(rounds)], check=True,
                            capture_output=True, text=True).stdout
    times = {}
    for line in output.splitlines():
        name, values = line.split(":")
        times[name] = [float(value) for value in values.split()]
    return times


def report(times, ranks, megabytes):
    medians = {name: statistics.median(values) for name, values in times.items()}
    best = min((name for name in medians if name.startswith("gloo")), key=medians.get)
    print(f"{ranks} ranks, {megabytes:g} MB; the best of Gloo's is {best}")
    for name in sorted(medians, key=medians.get):
        ratio = statistics.median(a / b for a, b in zip(times[name], times[best]))
        rate = 2 * (1 - 1 / ranks) * megabytes / 1e3 / medians[name]
        print(f"  {name:24}{medians[name] * 1e3:9.1f} ms{ratio:8.2f} x{rate:8.2f} GB/s per rank")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--megabytes", type=float, nargs="+", default=[25, 100])
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = build_program(arguments.build, pathlib.Path(folder))
        for megabytes in arguments.megabytes:
            report(measure(program, arguments.ranks, megabytes, arguments.rounds),
                   arguments.ranks, megabytes)


if __name__ == "__main__":
    main()
