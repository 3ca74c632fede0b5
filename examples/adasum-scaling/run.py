#!/usr/bin/env python3
"""Mean and Adasum at the same global batches: steps until a test accuracy is reached.

    DATA_PATH=MNIST_Data examples/adasum-scaling/run.py [--results FILE] [--jobs 2]
    examples/adasum-scaling/run.py --report --results FILE [--svg FILE]

Every finished training is a line of FILE; a second invocation goes on where the first one
stopped. --report makes the tables of README.md and its figure from FILE and trains nothing.
SMALL=1 trains a few runs on digits that boost-run draws itself.
"""
import argparse
import concurrent.futures
import dataclasses
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True  # nothing next to the sources
from report import write_report

HERE = pathlib.Path(__file__).resolve().parent
BIN = pathlib.Path(os.environ.get("BOOSTC_BIN", HERE.parent.parent / "build/bin"))
EVALUATION = re.compile(r"(?:epoch: \d+ step: \d+, top_1_accuracy is |result: {'top_1_accuracy': )"
                        r"([0-9.]+)")
STOPPED, NOT_FINITE = 7, 4  # exit codes of boost-run
# A run that is not better than this after so many epochs has diverged: none recovered.
HOPELESS_EPOCHS, HOPELESS = 6, 0.5


@dataclasses.dataclass(frozen=True)
class Run:
    """One training; `trace` follows Adasum's coefficients and does not stop at the target."""
    method: str  # mean or adasum
    ranks: int
    batch: int  # of all ranks together
    rate: float
    seed: int
    trace: bool = False
    warmup: int = 1  # epochs


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is compared. Rates are tuned with seeds of their own, so that no rate is chosen by
    the runs that are reported."""
    base_batch: int = 64
    rates: tuple = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28)
    first_rate: float = 0.01
    ranks: tuple = (2, 4, 8, 16)
    batches: tuple = (256, 1024, 4096)
    seeds: tuple = (1, 2, 3, 4, 5)
    tuning_seeds: tuple = (11, 12)
    traces: tuple = ((16, 256), (16, 1024), (16, 4096), (2, 1024), (4, 1024), (8, 1024))
    trace_epochs: int = 10
    epochs: int = 25
    samples: int = 60000
    target: float = 0.97
    long_warmup: int = 5

    def steps_per_epoch(self, batch):
        return -(-self.samples // batch)

    def linear_rate(self, base, batch):
        return round(base * batch / self.base_batch, 9)

    def steps_to_target(self, batch, accuracies):
        """None where it was not reached. Between two evaluations accuracy counts as linear."""
        for epoch, accuracy in enumerate(accuracies):
            if accuracy >= self.target:
                before = accuracies[epoch - 1] if epoch else accuracy
                part = (self.target - before) / (accuracy - before) if epoch else 1
                return round((epoch + part) * self.steps_per_epoch(batch))
        return None

    def score(self, runs):
        """Smaller is better: runs that failed, then steps, then what they came to."""
        steps = [self.steps_to_target(run["batch"], run["accuracies"]) for run in runs]
        reached = [number for number in steps if number]
        return (len(steps) - len(reached), sum(reached) / max(len(reached), 1),
                -sum(max(run["accuracies"], default=0) for run in runs))

    def tune(self, measure, method, ranks, batch, start, warmup=1):
        """The best rate, by steps of two from `start` as long as they help. `measure` gives the
        results of a list of runs."""
        scores = {}

        def score(index):
            if index not in scores:
                runs = [Run(method, ranks, batch, self.rates[index], seed, warmup=warmup)
                        for seed in self.tuning_seeds]
                scores[index] = self.score(measure(runs))
            return scores[index]

        best = self.rates.index(start)
        for direction in (1, -1):
            while (0 <= best + direction < len(self.rates) and self.tuning_seeds
                   and score(best + direction) < score(best)):
                best += direction
        return self.rates[best]

    def base_rate(self, measure):
        return self.tune(measure, "mean", 1, self.base_batch, self.first_rate)

    def first_runs(self):
        """What the search for the base's rate is likely to ask for."""
        at = self.rates.index(self.first_rate)
        return [Run("mean", 1, self.base_batch, rate, seed)
                for rate in self.rates[at - 1:at + 3] for seed in self.tuning_seeds]

    def mean_start(self, base, batch):
        """Where the search for the mean's rate begins: the rate scaled with the root of the
        batch, which is on the grid for batches of 4^k times the base's."""
        wanted = base * (batch / self.base_batch) ** 0.5
        return min(self.rates, key=lambda rate: abs(rate - wanted))

    def mean_on_ranks(self, base):
        """The same mean on every number of ranks."""
        batch = self.batches[len(self.batches) // 2]
        return [Run("mean", ranks, batch, self.linear_rate(base, batch), self.seeds[0])
                for ranks in self.ranks]

    def tuned_rate(self, measure, method, ranks, batch, warmup=1):
        base = self.base_rate(measure)
        start = self.mean_start(base, batch) if method == "mean" else base
        # What the mean computes depends on the batch alone, not on how many ranks share it.
        ranks = self.ranks[0] if method == "mean" else ranks
        return self.tune(measure, method, ranks, batch, start, warmup)


SMALL = Plan(base_batch=32, ranks=(2,), batches=(64,), seeds=(1,), tuning_seeds=(),
             traces=((2, 64),), trace_epochs=2, epochs=2, samples=640)


class Results:
    """The lines of a file, and how those that it lacks are measured."""

    def __init__(self, path, plan):
        self.path, self.plan, self.lock, self.lines = path, plan, threading.Lock(), {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                result = json.loads(line)
                self.lines[self.run_of(result)] = result

    @staticmethod
    def run_of(result):
        return Run(**{field.name: result[field.name] for field in dataclasses.fields(Run)
                      if field.name in result})

    def recorded(self, runs):
        """KeyError where one was not measured yet."""
        return [self.lines[run] for run in runs]

    def add(self, run, result):
        line = {**dataclasses.asdict(run), **result}
        with self.lock:
            self.lines[run] = line
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")


class Trainer:
    """Compiles and trains; safe to use from several threads."""

    def __init__(self, plan, results, folder, data):
        self.plan, self.results, self.folder, self.data = plan, results, folder, data
        self.locks, self.lock = {}, threading.Lock()

    def lock_of(self, name):
        with self.lock:
            return self.locks.setdefault(name, threading.Lock())

    def program(self, run):
        size = run.batch // run.ranks
        path = self.folder / f"{run.method}-{size}-{run.rate:g}-{run.warmup}.so"
        with self.lock_of(path):
            if not path.exists():
                subprocess.run(
                    [BIN / "boostc", HERE / "model.json", "--target", "cpu", "--threads", "1",
                     "--boost", f"adasum={'true' if run.method == 'adasum' else 'false'}",
                     "--set", f"batch_size={size}",
                     "--set", f"optimizer.learning_rate.value={run.rate}",
                     "--set", f"optimizer.learning_rate.warmup={run.warmup}", "-o", path],
                    check=True)
        return path

    def stops(self, run, accuracies):
        if run.trace:
            return False
        return accuracies[-1] >= self.plan.target or (
            len(accuracies) == HOPELESS_EPOCHS and max(accuracies) < HOPELESS)

    def train(self, run):
        metrics = self.folder / f"{threading.get_ident()}.jsonl"
        metrics.unlink(missing_ok=True)
        epochs = self.plan.trace_epochs if run.trace else self.plan.epochs
        every = max(self.plan.steps_per_epoch(run.batch) // 4, 1)
        command = [BIN / "boost-run", self.program(run), "--data", self.data, "--threads", "1",
                   "--ranks", str(run.ranks), "--comm", "local", "--no-pin", "--seed",
                   str(run.seed), "--epochs", str(epochs), "--progress", "plain"]
        if run.trace:
            command += ["--metrics", metrics, "--log-adasum", str(every)]
        accuracies, stopped = [], False
        with tempfile.TemporaryFile("w+") as errors:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors,
                                  text=True) as process:
                for line in process.stdout:
                    if (match := EVALUATION.match(line)) and not stopped:
                        accuracies.append(round(float(match[1]), 4))
                        stopped = self.stops(run, accuracies)
                        if stopped:
                            process.terminate()
            errors.seek(0)
            if process.returncode not in (0, NOT_FINITE) and not stopped:
                raise RuntimeError(f"{' '.join(map(str, command))}: {errors.read()}")
        result = {"finite": process.returncode != NOT_FINITE, "accuracies": accuracies}
        return {**result, **read_adasum(metrics)} if run.trace else result

    def measure(self, runs):
        """Their results, trained where there are none yet."""
        for run in runs:
            with self.lock_of(run):
                if run not in self.results.lines:
                    result = self.train(run)
                    self.results.add(run, result)
                    best = max(result["accuracies"], default=0)
                    print(f"{describe(run)} result: {{'top_1_accuracy': {best}, 'steps': "
                          f"{self.plan.steps_to_target(run.batch, result['accuracies'])}}}",
                          flush=True)
        return self.results.recorded(runs)

    def tasks(self):
        """What to measure, the most important first; each waits for what it builds on."""
        plan, base = self.plan, self.plan.base_rate(self.measure)
        for ranks, batch in plan.traces:
            yield lambda r=ranks, b=batch: self.measure([Run("adasum", r, b, base, 1, True)])
        cells = [(ranks, batch) for batch in reversed(plan.batches)
                 for ranks in reversed(plan.ranks)]
        yield lambda: self.measure(plan_runs(plan, "mean", 1, plan.base_batch, base))
        for batch in plan.batches:
            yield lambda b=batch: self.measure(plan_runs(
                plan, "mean", plan.ranks[0], b, plan.tuned_rate(self.measure, "mean", 0, b)))
        for ranks, batch in cells:
            yield lambda r=ranks, b=batch: self.measure(plan_runs(plan, "adasum", r, b, base))
        for batch in plan.batches:
            for rate in (base, plan.linear_rate(base, batch)):
                yield lambda b=batch, rate=rate: self.measure(
                    plan_runs(plan, "mean", plan.ranks[0], b, rate))
        for ranks, batch in sorted(cells, reverse=True):
            yield lambda r=ranks, b=batch: self.measure(plan_runs(
                plan, "adasum", r, b, plan.tuned_rate(self.measure, "adasum", r, b)))
            if ranks == plan.ranks[-1]:
                yield lambda b=batch, w=plan.long_warmup: self.measure(plan_runs(
                    plan, "mean", plan.ranks[0], b,
                    plan.tuned_rate(self.measure, "mean", 0, b, w), w))
        # The mean's longer warm-up for Adasum too, where it helped the mean.
        batch, warmup = plan.batches[-1], plan.long_warmup
        for ranks in plan.ranks:
            yield lambda r=ranks: self.measure(plan_runs(
                plan, "adasum", r, batch,
                plan.tuned_rate(self.measure, "adasum", r, batch, warmup), warmup))
        yield lambda: self.measure(plan.mean_on_ranks(base))


def plan_runs(plan, method, ranks, batch, rate, warmup=1):
    return [Run(method, ranks, batch, rate, seed, warmup=warmup) for seed in plan.seeds]


def describe(run):
    return (f"{run.method}, {run.ranks} rank{'s' if run.ranks > 1 else ''}, batch {run.batch}, "
            f"rate {run.rate:g}, warm-up {run.warmup}, seed {run.seed}"
            f"{', traced' if run.trace else ''}:")


def read_adasum(metrics):
    """Orthogonality and sum of coefficients of each parameter where they were logged."""
    events = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    steps, orthogonality, gain = [], {}, {}
    for event in events:
        if "adasum" in event:
            steps.append(event["global_step"])
            for vector in event["adasum"]:
                name = "+".join(vector["parameters"])
                orthogonality.setdefault(name, []).append(round(vector["orthogonality"], 3))
                gain.setdefault(name, []).append(round(sum(vector["coefficients"]), 2))
    return {"steps": steps, "orthogonality": orthogonality, "gain": gain}


def unpacked(source, folder):
    """MNIST's files without gzip: every run reads them anew."""
    files = [*source.glob("*-ubyte*"), *source.glob("*/*-ubyte*")]
    if len({path.name.removesuffix(".gz") for path in files}) < 4:
        sys.exit(f"run.py: error: no MNIST in '{source}': set DATA_PATH to the folder of its "
                 "four files")
    for path in files:
        data = path.read_bytes()
        (folder / path.name.removesuffix(".gz")).write_bytes(
            gzip.decompress(data) if path.suffix == ".gz" else data)
    return f"mnist:{folder}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", type=pathlib.Path,
                        default=pathlib.Path("adasum-scaling.jsonl"))
    parser.add_argument("--jobs", type=int, default=2, help="trainings at a time")
    parser.add_argument("--report", action="store_true", help="print the tables, train nothing")
    parser.add_argument("--svg", type=pathlib.Path, help="with --report: where to draw")
    arguments = parser.parse_args()
    small = bool(os.environ.get("SMALL"))
    plan = SMALL if small else Plan()
    results = Results(arguments.results, plan)
    if arguments.report:
        write_report(plan, results, Run, plan_runs, arguments.svg)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = pathlib.Path(os.environ.get("DATA_PATH", "MNIST_Data"))
        data = f"digits:train={plan.samples},test=320" if small else unpacked(source, folder)
        trainer = Trainer(plan, results, folder, data)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda run: trainer.measure([run]), plan.first_runs()))
            waiting = [pool.submit(task) for task in trainer.tasks()]
            for done in concurrent.futures.as_completed(waiting):
                if done.exception():
                    pool.shutdown(wait=False, cancel_futures=True)
                    sys.exit(f"run.py: error: {done.exception()}")


if __name__ == "__main__":
    main()
