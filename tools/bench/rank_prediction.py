#!/usr/bin/env python3
"""A step on several ranks: predicted by `boost-run info --ranks`, and measured.

    tools/bench/rank_prediction.py [--build build] [--ranks 1 2 4 8] [--rounds 5] [--json FILE]

For the MLP and LeNet-5 of the examples, for sums, for Adasum and for sums in several buckets, which
begin beside the backward, between processes (gloo) and threads of one (local): in each round every prediction is made and every job timed once, one
right after the other, so that what else the machine does hits both. A job's time is the median
of the steps that `boost-run bench --ranks` times, on batches in memory. Prints medians over the
rounds, of the errors too, and the load of the machine at the beginning of the rounds. With more
ranks than cores, prediction and job share the cores.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODELS = {"MLP": "mlp-mnist", "LeNet-5": "lenet5-mnist"}
VARIANTS = {"sum": [], "Adasum": ["--boost", "adasum=true"],
            "buckets": ["--bucket-size", "64KiB"]}


class Job:
    def __init__(self, program, comm, ranks):
        self.program, self.comm, self.ranks = program, comm, ranks
        self.predicted, self.measured, self.predictions = [], [], []

    def predict(self, boost_run):
        output = subprocess.run([boost_run, "info", self.program, "--json", "--ranks",
                                 str(self.ranks), "--comm", self.comm],
                                check=True, capture_output=True, text=True)
        prediction = json.loads(output.stdout)["prediction"]
        self.predictions.append(prediction)
        self.predicted.append(prediction["step"])

    def measure(self, boost_run, steps):
        command = [boost_run, "bench", self.program, "--json", "--steps", str(steps)]
        if self.ranks > 1:
            command += ["--ranks", str(self.ranks), "--comm", self.comm]
        output = subprocess.run(command, check=True, capture_output=True, text=True)
        self.measured.append(json.loads(output.stdout)["median_ms"] / 1e3)

    def row(self):
        predicted, measured = statistics.median(self.predicted), statistics.median(self.measured)
        # Per round, in which the machine was the same.
        error = statistics.median(p / m for p, m in zip(self.predicted, self.measured)) - 1
        middle = sorted(self.predictions, key=lambda p: p["step"])[len(self.predictions) // 2]
        return {"ranks": self.ranks, "comm": self.comm, "predicted_ms": predicted * 1e3,
                "measured_ms": measured * 1e3, "error": error,
                "least_measured_ms": min(self.measured) * 1e3, "prediction": middle}


def compile_program(boostc, model, variant, folder):
    path = folder / f"{model}-{variant}.so"
    subprocess.run([boostc, ROOT / "examples" / MODELS[model] / "model.json", "--target=cpu",
                    "-o", path, *VARIANTS[variant]], check=True, capture_output=True)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--comm", nargs="+", default=["gloo", "local"], choices=["gloo", "local"])
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=MODELS)
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS), choices=VARIANTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--json", type=pathlib.Path, help="write all that was found to this file")
    arguments = parser.parse_args()
    boost_run = (arguments.build / "bin" / "boost-run").resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        jobs = {}
        for model in arguments.models:
            for variant in arguments.variants:
                program = compile_program(arguments.build / "bin" / "boostc", model, variant, folder)
                for comm in arguments.comm:
                    for ranks in arguments.ranks:
                        if ranks > 1 or comm == arguments.comm[0] and variant == "sum":
                            jobs[model, variant, comm, ranks] = Job(program, comm, ranks)
        loads = []
        for _ in range(arguments.rounds):
            loads.append(os.getloadavg()[0])
            for job in jobs.values():
                job.predict(boost_run)
                job.measure(boost_run, arguments.steps)
    print(f"load at the beginning of the rounds: {', '.join(f'{load:.1f}' for load in loads)}")
    print(f"{'model':8} {'':7} {'':5} {'ranks':>5} {'predicted':>10} {'measured':>10}  error")
    rows = []
    for (model, variant, comm, ranks), job in jobs.items():
        row = {"model": model, "variant": variant, **job.row()}
        rows.append(row)
        parts = row["prediction"]
        print(f"{model:8} {variant:7} {comm:5} {ranks:5} {row['predicted_ms']:7.3f} ms "
              f"{row['measured_ms']:7.3f} ms {100 * row['error']:+6.1f} %   compute "
              f"{1e3 * (parts['micro'] + parts['combine'] + parts['update']):.3f}, exchange "
              f"{1e3 * parts['exchange']:.3f} (wait {1e3 * parts['wait']:.3f}), least measured {row['least_measured_ms']:.3f}",
              flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps({"loads": loads, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
