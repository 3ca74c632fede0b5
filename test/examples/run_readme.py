#!/usr/bin/env python3
"""Runs every command that an example's README shows, and compares what it prints.

  run_readme.py SOURCE_DIR BUILD_DIR EXAMPLE WORK_DIR

EXAMPLE is a folder of examples/, or `.` for README.md itself. Commands are the lines
that begin with "$ " in console blocks without a marker `<!-- check -->`, whose blocks
tools/dev/check-docs runs. They run in WORK_DIR as a reader would type them, but on small
data sets in the same files (make_data.py), so what they print is what the README shows
with other numbers:

  - Text must be the same, line by line. A line `[...]` stands for any lines, `[...]`
    inside a line for any text.
  - A number stands for any number: losses, accuracies, steps and times are those of the
    full data, on the machine that the README names.
  - But planned memory, which follows from the model and the data, may differ by 10 %, because
    the kernels depend on the instructions of the CPU, and the accuracy must reach the FLOORS
    below: data this easy are learnt.

Programs are compiled for two threads, as those of the READMEs, and no GPU is visible: the
READMEs show runs on a machine without one.

Each command also runs with SMALL=1, as the READMEs offer: it must end well, with a result, and the
losses that it prints must fall where FALLS says so.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import make_data
from free_port import free_port

source, build, example, work = sys.argv[1:]
work = pathlib.Path(work)

# What boost-run gets after the flags of the script, where steps are slow: ranks share this
# machine.
FLAGS = {"convnet-cifar10": "--epochs 3", "data-parallel-mnist": "--epochs 2",
         "adasum-mnist": "--epochs 5"}
# Samples, where they must be enough for 50 steps of all ranks, after which a line is printed, or
# too many to be kept in memory after the transforms (data.cache), as those of MNIST are.
SAMPLES = {"data-parallel-mnist": 51 * 8 * 32, "adasum-mnist": 51 * 16 * 32,
           "lenet5-mnist": 33000, "gradient-accumulation-lenet5": 33000}
# Accuracy on the small data; a tenth is chance. data-parallel-mnist's rate and weights are
# those of a tutorial, and after 100 steps they have hardly begun to learn.
FLOORS = {".": 0.9, "mlp-mnist": 0.9, "lenet5-mnist": 0.9, "convnet-cifar10": 0.6,
          "gradient-accumulation-lenet5": 0.9, "data-parallel-mnist": 0, "adasum-mnist": 0.5}
# Its full run takes hours; with SMALL=1 it prints the same lines.
ONLY_SMALL = {"adasum-scaling", "resnet50-imagenet", "resnet50-boost", "adasum-resnet50",
              "resnet20-cifar10", "resnet18-cifar10", "mobilenetv2-cifar10", "densenet-cifar10",
              "dim-reduce", "thor-resnet50"}
# The last loss of a training, as a part of its first, where a small run is long enough to learn.
FALLS = {"thor-resnet50": 0.75}

LIMIT = 900  # seconds a command may take
THREADS = min(2, len(os.sched_getaffinity(0)))

NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
PLANNED = re.compile(rf"planned ({NUMBER}) MiB")


def load_check_docs():
    path = f"{source}/tools/dev/check-docs"
    loader = importlib.machinery.SourceFileLoader("check_docs", path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader("check_docs", loader))
    loader.exec_module(module)
    return module


def is_near(expected, found):
    plans = [PLANNED.search(line) for line in (expected, found)]
    if not all(plans):
        return True
    one, other = (float(plan.group(1)) for plan in plans)
    return abs(one - other) <= 0.1 * one


def line_matches(expected, found):
    """As check-docs asks: `...` is any text. Numbers are any numbers."""
    def pattern(text):
        text = re.sub(r"\b1 thread\b", "1 threads", text)
        return re.sub(rf"(?<![\w.])(?:{NUMBER}|None)", "#", text)

    parts = (re.escape(pattern(part)) for part in expected.split("..."))
    return (re.fullmatch(".*".join(parts), pattern(found)) is not None
            and is_near(expected, found))


def sessions(text):
    """(command, lines that follow) of the blocks that check-docs does not run."""
    for marker, block in re.findall(r"^(<!-- check -->\n)?```console\n(.*?)^```", text,
                                    re.S | re.M):
        if marker:
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, expected = part.partition("\n")
            yield command, expected.replace("[...]", "...")


def make_program(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def make_place():
    work.mkdir(parents=True)
    (work / "examples").symlink_to(f"{source}/examples")
    if example == "convnet-cifar10":
        make_data.write_cifar10(work / "CIFAR10_Data")
    else:
        make_data.write_mnist(work / "MNIST_Data", SAMPLES.get(example, make_data.TRAIN))
    programs = work / "build" / "bin"
    programs.mkdir(parents=True)
    # First, so that a script's own --threads wins.
    make_program(programs / "boostc",
                 f'exec python3 "{pathlib.Path(__file__).parent}/compile_once.py" '
                 f'"{build}/bin/boostc" "{programs}" --threads={THREADS} "$@"\n')
    make_program(programs / "boost-run",
                 f'[ "$1" = eval ] || set -- "$@" {FLAGS.get(example, "")}\n'
                 f'exec "{build}/bin/boost-run" "$@"\n')
    return programs


def run(command, programs, **variables):
    # Where ranks of several servers meet; the default port may be another test's.
    environment = {**os.environ, "MASTER_PORT": str(free_port()), "BOOSTC_BIN": str(programs),
                   "CUDA_VISIBLE_DEVICES": "", **variables}
    environment.pop("DATA_PATH", None)
    print(" ".join([*(f"{name}={value}" for name, value in variables.items()),
                    f"$ {command}"]), flush=True)
    # timeout(1) ends what the command has started, too.
    done = subprocess.run(["timeout", "--kill-after=30", str(LIMIT), "bash", "-c", command],
                          cwd=work, text=True, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    print(done.stdout, flush=True)
    if done.returncode != 0:
        late = f" (not done after {LIMIT} s)" if done.returncode == 124 else ""
        sys.exit(f"exit code {done.returncode}{late}: {command}")
    return done.stdout


def check(command, expected, output):
    problem = check_docs.mismatch(check_docs.normalize(expected),
                                  check_docs.normalize(output), whole=True)
    if problem:
        sys.exit(f"{example}: {command}\n{problem}")


check_docs = load_check_docs()
check_docs.line_matches = line_matches
page = pathlib.Path(source, "examples" if example != "." else ".", example, "README.md")
shown = list(sessions(page.read_text(encoding="utf-8")))
if not shown:
    sys.exit(f"{page} shows no command")
place = make_place()
accuracies = []
for command, expected in shown:
    if example not in ONLY_SMALL:
        output = run(command, place)
        check(command, expected, output)
        accuracies += re.findall(rf"result: {{'top_1_accuracy': ({NUMBER})", output)
for command, expected in shown if example != "." else []:
    output = run(command, place, SMALL="1")
    if "result: {" not in output:
        sys.exit(f"no result: {command}")
    if example in ONLY_SMALL:
        check(command, expected, output)
    losses = [float(loss) for loss in re.findall(rf"^epoch: .*, loss is ({NUMBER})$", output, re.M)]
    if example in FALLS and losses and losses[-1] > FALLS[example] * losses[0]:
        sys.exit(f"{example}: losses {losses}, expected a fall to {FALLS[example]} of the first")
if example not in ONLY_SMALL:
    if not accuracies or min(map(float, accuracies)) < FLOORS[example]:
        sys.exit(f"{example}: accuracies {accuracies}, expected {FLOORS[example]} or more")
