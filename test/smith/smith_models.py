"""Models that boost-smith writes: their runs, and how scripts go through many of them.

smith_torch.py and smith_relations.py share this. It needs neither NumPy nor PyTorch.
"""

import concurrent.futures
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / part) for part in ("test/e2e/reference", "test")]
from trainings import PERTURBATIONS, read_events, read_weights  # noqa: E402,F401: for both

# How far two runs may be apart: BEYOND times the largest deviation of runs whose numbers are moved
# by one unit in the last place, and a few units of the largest number of the tensor. So few runs
# say little of rare deviations: of 700 models that agree with PyTorch, five were beyond twice the
# largest, by up to 3.3 times. Where these runs deviate by more than CHAOTIC of a tensor, a
# comparison would show nothing.
BEYOND, FLOOR, CHAOTIC = 8, 4 * 2.0**-23, 1e-2
TEXT = 2.0**-24  # metrics have as many digits as single precision
SECONDS = 120
NOT_FINITE = 4  # exit code of boost-run


class Finding(Exception):
    """What a model shows."""


def run(*command):
    command = [str(part) for part in command]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as late:
        raise Finding(f"{command[0]} takes longer than {SECONDS} seconds") from late
    return done.returncode, done.stdout


def read_arguments(base):
    """The arguments for boostc of the model in `base`.json."""
    return base.with_suffix(".args").read_text(encoding="utf-8").split("\n")[:-1]


def read_boosts(arguments):
    """KEY=VALUE of each --boost, with the last part of the key."""
    boosts = {}
    for entry in arguments:
        if entry != "--boost":
            key, _, value = entry.partition("=")
            boosts[key.rpartition(".")[2]] = value
    return boosts


def columns_of(model):
    """(name, shape of a sample, number of classes or None, least and largest number) of the data
    of each input."""
    for name, entry in model["input"].items():
        column, low, high = "features", -2, 2
        if name == "label":
            column = "labels"
        elif name == "target":
            column, low, high = "targets", 0, 1
        elif entry.get("role") == "weight":  # what is below 0 counts as 0
            column, low, high = "weights", -0.5, 3
        yield column, tuple(entry.get("shape", ())), entry.get("classes"), low, high


def compile_model(binaries, model, program, arguments):
    code, text = run(binaries / "boostc", model, "--threads=1", "--target=cpu", *arguments, "-o",
                     program)
    if code:
        raise Finding(f"boostc ends with {code}: {text}")


def train_from(folder, binaries, program, steps, epochs, *more):
    """Trains from the weights and with the data in a folder: the exit code, what the run says, name
    -> number, and the folders of its checkpoints after each step. Code 4 has neither."""
    metrics, kept = folder / "metrics.jsonl", folder / "kept"
    code, text = run(binaries / "boost-run", program, "--data", f"npy:{folder}", "--init",
                     folder / "start.safetensors", "--epochs", epochs, "--shuffle", "off",
                     "--threads", "1", "--eval-every", "0", "--progress", "none", "--metrics",
                     metrics, "--checkpoint-dir", kept, "--checkpoint-every", "1", "--keep-max",
                     max(steps, 2), *more)
    if code == NOT_FINITE:
        return code, {}, []
    if code:
        raise Finding(f"boost-run ends with {code}: {text}")
    return code, *read_run(metrics, kept, steps, epochs)


def read_run(metrics, kept, steps, epochs):
    events, evaluation = read_events(metrics)
    found = {}
    for number, event in enumerate(events, 1):
        found[f"loss of step {number}"] = event["loss"]
        found[f"learning rate of step {number}"] = event["lr"]
        if "grad_norm" in event:
            found[f"gradient norm of step {number}"] = event["grad_norm"]
    found |= {f"evaluation {key}": evaluation.get(key) for key in ("loss", "top_1")}
    per_epoch = steps // epochs
    named = {path.name.rpartition("-")[2]: path for path in kept.iterdir()}
    return found, [named[f"{step // per_epoch + 1}_{step % per_epoch + 1}.ckpt"]
                   for step in range(steps)]


def step_of(name):
    """The step that a value is of; an evaluation comes after all."""
    return math.inf if name.startswith("evaluation") else int(name.rpartition(" ")[2])


def allow(name, worst, largest, own):
    """How far a value may be off, where moved runs are `worst` off, the largest of the numbers that
    it is made of is `largest`, and its own largest one is `own`."""
    is_text = " of step " in name or name.startswith("evaluation ")
    return BEYOND * worst + FLOOR * largest + (TEXT * own if is_text else 0)


def describe(base):
    """A model for a report of a finding."""
    return f"boostc {' '.join(read_arguments(base))}\n{base.with_suffix('.json').read_text()}"


def add_options(parser):
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder with bin/")
    parser.add_argument("--seed", type=int, default=1, help="of the first model")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for files of findings")


def examine_all(options, examine):
    """Calls examine(folder of binaries, path of a model without its ending, options.keep) for each
    model, in processes of their own: the paths and what was returned."""
    binaries = options.build.resolve() / "bin"
    with tempfile.TemporaryDirectory(prefix="smith-models-") as models, \
            concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        subprocess.run([binaries / "boost-smith", "--write", models, "--seed", str(options.seed),
                        "--count", str(options.count)], check=True)
        bases = [pathlib.Path(models) / str(options.seed + number)
                 for number in range(options.count)]
        yield from zip(bases, pool.map(examine, *zip(*(
            (binaries, base, options.keep) for base in bases))))


def count_text(counts):
    return ", ".join(f"{number} {what}" for what, number in sorted(counts.items()))
