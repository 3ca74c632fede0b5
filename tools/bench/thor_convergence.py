#!/usr/bin/env python3
"""Trains a model with its own optimizer, THOR and Muon, and compares how soon accuracies are reached.

  python3 tools/bench/thor_convergence.py --build build --data cifar10:CIFAR10_DIR \\
      --model examples/resnet20-cifar10/model.json --epochs 15 --tune-epochs 3 \\
      --json convergence.jsonl --svg convergence.svg
  ... --epochs 4 6 8 --kinds "momentum learning_rate=0.2" "muon learning_rate=0.1 weight_decay=0.02"

Each optimizer is tuned first, by six short runs with a seed of their own: the model's by its
learning rate, THOR by its learning rate and its damping, Muon by its learning rate and its weight
decay (PLAIN, THOR and MUON below); what Muon leaves to AdamW has a tenth of its rate. The best
accuracy at the end, then the lowest loss, decides what is trained with each seed. Lengths of the
model's schedule are for the model's epochs, and are scaled to those of a run.

A run is one JSON line with the accuracy and the loss on the test images after each epoch, and the
seconds of training until then: the sum of the times of steps, which have no evaluation and no
checkpoint in them. Its accuracy is null where a loss was not finite. Runs whose lines exist are not
repeated, and one that was stopped goes on from its last checkpoint in the build folder, so that
several days can share the runs. At the end, for each target: the first epoch whose evaluation has
reached it and the seconds until then, means over the seeds; then the last accuracies.

Where a rate decays, most of the accuracy comes at its end, however soon that is. So --epochs takes
several lengths of training, and the last table has the mean of the last accuracies for each of them,
and for each target the shortest length whose mean has reached it. --kinds trains these, named as
they are printed, instead of those that the tuning finds.
"""

import argparse
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

from amp_accuracy import keep_record, load_records, read_events, summarise

PLAIN = (0.25, 0.5, 1, 2, 4, 8)  # times the model's learning rate
THOR = ((0.3, 0.03), (1, 0.03), (3, 0.03), (0.3, 0.3), (1, 0.3), (3, 0.3))  # the same, damping
MUON = ((0.02, 0.02), (0.05, 0.02), (0.1, 0.02), (0.02, 0.05), (0.05, 0.05), (0.1, 0.05))  # rate, decay
TUNE_SEED = 0
NOT_FINITE = 4  # exit code of boost-run
COLOURS = ("#1b6ca8", "#c8553d", "#4b8b3b")
WIDTH, HEIGHT, LEFT, TOP = 360, 240, 50, 46  # of a panel; margins


class Kind:
    """An optimizer with the values it is tuned by; without a type the model's own."""

    def __init__(self, name, rate, optimizer=None, **keys):
        self.rate, self.optimizer = rate, optimizer
        self.text = " ".join([name, *(f"{key}={value:g}" for key, value in
                                      {"learning_rate": rate, **keys}.items())])
        self.settings = [f"optimizer.type={optimizer}"] if optimizer else []
        self.settings += [f"optimizer.{key}={value:g}" for key, value in keys.items()]


class Experiment:
    def __init__(self, arguments):
        self.arguments = arguments
        self.deadline = time.monotonic() + 60 * arguments.minutes
        self.model = json.loads(arguments.model.read_text(encoding="utf-8"))
        self.rate = self.model["optimizer"]["learning_rate"]
        value = self.rate["value"] if isinstance(self.rate, dict) else self.rate
        own = self.model["optimizer"]["type"]
        self.grids = ([Kind(own, value * times) for times in PLAIN],
                      [Kind("thor", value * times, "thor", damping=damping)
                       for times, damping in THOR],
                      [Kind("muon", rate, "muon", weight_decay=decay) for rate, decay in MUON])

    def call(self, program, *flags):
        command = [str(self.arguments.build / "bin" / program), *map(str, flags)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, NOT_FINITE):
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        return done.returncode

    def settings(self, kind, epochs):
        common, has_schedule = [f"epochs={epochs}", *kind.settings], isinstance(self.rate, dict)
        lengths = {key: self.rate[key] * epochs / self.model["epochs"]
                   for key in ("warmup", "length", "every") if has_schedule and
                   key in self.rate and self.rate.get("unit", "epochs") == "epochs"}
        rates = {".value": kind.rate, **{f".{key}": length for key, length in lengths.items()}} \
            if has_schedule else {"": kind.rate}
        common += [f"optimizer.learning_rate{key}={value:g}" for key, value in rates.items()]
        if kind.optimizer == "muon":
            others = kind.rate / 10
            common.append("optimizer.adamw_learning_rate=" + json.dumps(
                {**self.rate, **lengths, "value": others} if has_schedule else others))
        return common

    def train(self, kind, epochs, seed):
        threads, settings = self.arguments.threads, self.settings(kind, epochs)
        name = f"{self.model['name']} {kind.text} {epochs} epochs {threads} threads seed {seed}"
        folder = self.arguments.build / "thor_convergence" / name.replace(" ", "-")
        folder.mkdir(parents=True, exist_ok=True)
        program, metrics = folder / "train.so", folder / "metrics.jsonl"
        self.call("boostc", self.arguments.model, "--target=cpu", f"--threads={threads}",
                  *(flag for setting in settings for flag in ("--set", setting)), "-o", program)
        code = self.call("boost-run", program, "--data", self.arguments.data, "--seed", seed,
                         "--eval-every", 1, "--progress", "none", "--metrics", metrics,
                         "--checkpoint-dir", folder / "checkpoints", "--keep-max", 2)
        # Where it went on from a checkpoint, the last lines of a step and of an epoch count.
        steps = {event["global_step"]: event for event in read_events(metrics, "step")}
        tested = {event["epoch"]: event for event in read_events(metrics, "eval")}
        shutil.rmtree(folder)
        if code == 0 and len(tested) < epochs:  # stopped between a checkpoint and its evaluation
            return self.train(kind, epochs, seed)
        last = tested[epochs] if code == 0 else {"top_1": None, "loss": None}
        # The last step of an epoch may have fewer samples: it counts as a whole one. A step in
        # which the process was stopped may have a rate that is rounded to 0.
        seconds = [sum(self.model["batch_size"] / (event["samples_per_s"] or 0.001)
                       for event in steps.values() if event["epoch"] <= epoch) for epoch in tested]
        return {"model": self.model["name"], "kind": kind.text, "seed": seed, "epochs": epochs,
                "threads": threads, "settings": settings, "accuracy": last["top_1"],
                "loss": last["loss"], "accuracies": [event["top_1"] for event in tested.values()],
                "losses": [event["loss"] for event in tested.values()],
                "train_seconds": [round(second, 2) for second in seconds]}

    def measure(self, runs, epochs):
        """(text of the kind, seed) -> record; what the file lacks is trained while there is time."""
        found = {}
        for kind, seed in runs:
            same = {"model": self.model["name"], "settings": self.settings(kind, epochs)}
            records = load_records(self.arguments.json, threads=self.arguments.threads, **same)
            if self.arguments.tuned and seed == TUNE_SEED:
                records = load_records(self.arguments.tuned, **same) | records
            record = records.get((kind.text, seed))
            if record is None and time.monotonic() < self.deadline:
                record = self.train(kind, epochs, seed)
                keep_record(record, self.arguments.json)
            if record:
                found[kind.text, seed] = record
        return found

    def tune(self, grid):
        """The best kind, None where runs are missing."""
        records = self.measure([(kind, TUNE_SEED) for kind in grid], self.arguments.tune_epochs)
        if len(records) < len(grid):
            return None

        def score(kind):
            record = records[kind.text, TUNE_SEED]
            return record["accuracy"] or 0, -math.inf if record["loss"] is None else -record["loss"]

        best = max(grid, key=score)
        for kind in grid:
            print(f"tuning, {kind.text}: {score(kind)[0]:.4f}, loss {-score(kind)[1]:.4f}"
                  f"{', the best' if kind == best else ''}")
        return best


def first_reached(record, target):
    """(epoch, seconds) of the first evaluation that has the accuracy, None where none has."""
    reached = [at for at, accuracy in enumerate(record["accuracies"]) if accuracy >= target]
    return (reached[0] + 1, record["train_seconds"][reached[0]]) if reached else None


def print_targets(records, kinds, targets):
    """Means over the seeds that all kinds have, where all of these seeds have reached the target."""
    seeds = sorted(seed for kind, seed in records
                   if kind == kinds[0] and all((other, seed) in records for other in kinds))
    print(f"\nmeans over seeds {seeds}\n| target | optimizer | epochs | seconds |\n|---|---|---|---|")
    for target in targets if seeds else ():
        means = {}
        for kind in kinds:
            reached = [first_reached(records[kind, seed], target) for seed in seeds]
            cells = f"not reached by {reached.count(None)} of {len(seeds)} seeds | "
            if None not in reached:
                epochs, seconds = zip(*reached)
                means[kind] = statistics.mean(epochs), statistics.mean(seconds)
                cells = f"{means[kind][0]:.2f} ({', '.join(map(str, epochs))}) | {means[kind][1]:.1f}"
            print(f"| {100 * target:g} % | {kind} | {cells} |")
        for kind in kinds[1:]:
            if kind in means and kinds[0] in means:
                epochs, seconds = (other / plain for plain, other in
                                   zip(means[kinds[0]], means[kind]))
                print(f"| {100 * target:g} % | {kind}, divided by the first | {epochs:.2f} | "
                      f"{seconds:.2f} |")
    for kind, seed in (key for key, record in records.items() if record["accuracy"] is None):
        print(f"{kind}, seed {seed}: stopped, the loss or a gradient was not finite")


def ticks_of(least, most):
    """Up to nine round numbers from below the one to above the other."""
    size = next(size for size in (by * 10.0 ** power for power in range(-4, 7) for by in (1, 2, 5))
                if most - least < 7 * size)
    return [at * size for at in range(math.floor(least / size), math.floor(most / size) + 2)]


def panel(x0, label, curves, ticks, targets):
    """Accuracies over x, without those below the axis. A curve is (colour, width, xs, ys)."""
    last, low, high = max(xs[-1] for _, _, xs, _ in curves), ticks[0], ticks[-1]

    def point(x, y):
        return f"{x0 + WIDTH * x / last:.1f},{TOP + HEIGHT * (high - y) / (high - low):.1f}"

    def text(x, y, anchor, content):
        return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{content}</text>'

    def line(points, colour, width, dash="none"):
        return (f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
                f'stroke-width="{width}" stroke-dasharray="{dash}"/>')

    corners = ((0, low), (last, low), (last, high), (0, high), (0, low))
    return [line([point(*corner) for corner in corners], "#888", 1),
            *(text(x0 - 4, TOP + HEIGHT * (high - tick) / (high - low) + 4, "end", f"{100 * tick:.4g}")
              for tick in ticks),
            *(text(x0 + WIDTH * tick / last, TOP + HEIGHT + 14, "middle", f"{tick:.6g}")
              for tick in ticks_of(0, last) if tick <= last),
            text(x0 + WIDTH / 2, TOP + HEIGHT + 30, "middle", label),
            *(line([point(0, target), point(last, target)], "#888", 1, "2 3")
              for target in targets if low < target < high),
            *(line((point(x, y) for x, y in zip(xs, ys) if y >= low), colour, width)
              for colour, width, xs, ys in curves)]


def figure(name, records, kinds, targets, epochs_only=False):
    """Thick: means over seeds; thin: single seeds."""
    curves = []
    for colour, kind in zip(COLOURS, kinds):
        runs = [(record["train_seconds"], record["accuracies"]) for (of, _), record in records.items()
                if of == kind]
        means = [list(map(statistics.mean, zip(*values))) for values in zip(*runs)]
        curves += [(colour, width, *run) for width, run in [(0.5, run) for run in runs] + [(2, means)]]
    # Not from the first evaluation on, which would leave the others little room.
    ticks = ticks_of(min(min(ys[1:] or ys) for *_, ys in curves), max(max(ys) for *_, ys in curves))
    by_epoch = [(colour, width, range(1, len(ys) + 1), ys) for colour, width, _, ys in curves]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" '
        f'width="{(1 if epochs_only else 2) * (LEFT + WIDTH) + 20}" '
        f'height="{TOP + HEIGHT + 40}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        f'<text x="{LEFT}" y="18">{name}: accuracy in %, mean and seeds</text>',
        *(f'<text x="{LEFT + (130 if epochs_only else 250) * at}" y="36" fill="{colour}">'
          f'{kind.split()[0] if epochs_only else kind}</text>'
          for at, (colour, kind) in enumerate(zip(COLOURS, kinds))),
        *panel(LEFT, "epochs", by_epoch, ticks, targets),
        *([] if epochs_only else
          panel(2 * LEFT + WIDTH, "seconds of training", curves, ticks, targets)), "</svg>\n"])


def print_lengths(by_length, kinds, targets):
    """Last accuracies by length: the mean of the seeds there are, and the lowest and the highest."""
    print("\n| epochs | " + " | ".join(kinds) + " |\n|" + "---|" * (1 + len(kinds)))
    means = {kind: {} for kind in kinds}
    for epochs, records in by_length.items():
        cells = []
        for kind in kinds:
            last = [record["accuracy"] or 0 for (of, _), record in records.items() if of == kind]
            if last:
                means[kind][epochs] = statistics.mean(last)
            cells.append(f"{100 * means[kind][epochs]:.2f} % of {len(last)} "
                         f"({100 * min(last):.2f} to {100 * max(last):.2f})" if last else "not run")
        print(f"| {epochs} | " + " | ".join(cells) + " |")
    for target in targets:
        for kind in kinds:
            enough = [epochs for epochs, mean in means[kind].items() if mean >= target]
            print(f"{100 * target:g} %, {kind}: " + (f"{min(enough)} epochs" if enough else
                                                     "reached by no length"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--svg", type=pathlib.Path, help="of curves: accuracy over epochs and seconds")
    parser.add_argument("--epochs-only", action="store_true", help="curves over epochs alone, where "
                        "other work shared the cores")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, nargs="+", default=[15], help="lengths of training")
    parser.add_argument("--kinds", nargs="+", metavar="KIND", help="trained instead of the tuned ones")
    parser.add_argument("--tune-epochs", type=int, default=3)
    parser.add_argument("--targets", type=float, nargs="+", default=[0.85, 0.88])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tuned", type=pathlib.Path, help="lines whose tuning runs count, too, of a "
                        "model of this name with any number of threads")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no run after so many")
    experiment = Experiment(arguments := parser.parse_args())
    if arguments.kinds:
        known = {kind.text: kind for grid in experiment.grids for kind in grid}
        if unknown := [text for text in arguments.kinds if text not in known]:
            parser.error(f"unknown kinds {', '.join(unknown)}; known are {', '.join(known)}")
        tuned = [known[text] for text in arguments.kinds]
    else:
        tuned = [experiment.tune(grid) for grid in experiment.grids]
    if None in tuned:
        sys.exit("not tuned yet: the same command goes on")
    kinds = [kind.text for kind in tuned]
    runs = [(kind, seed) for seed in arguments.seeds for kind in tuned]
    by_length = {}
    for epochs in sorted(arguments.epochs):
        records = by_length[epochs] = experiment.measure(runs, epochs)
        print(f"\n{epochs} epochs")
        print_targets(records, kinds, arguments.targets)
        finite = {key: record for key, record in records.items() if record["accuracy"] is not None}
        summarise(finite, kinds)
        if arguments.svg and {kind for kind, _ in finite} == set(kinds):
            name = arguments.svg if len(arguments.epochs) == 1 else \
                arguments.svg.with_stem(f"{arguments.svg.stem}-{epochs}")
            name.write_text(figure(experiment.model["name"], finite, kinds, arguments.targets,
                                   arguments.epochs_only), encoding="utf-8")
    if len(by_length) > 1:
        print_lengths(by_length, kinds, arguments.targets)


if __name__ == "__main__":
    main()
