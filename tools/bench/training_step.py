#!/usr/bin/env python3
"""What a step costs in training, next to `boost-run bench`, which has its batches in memory.

For each model, batch size and number of threads of the program, --rounds rounds, in each of them
`bench` and then training with its data, as long as one another. A time of training is the mean over
the steps of an epoch (the line `Train epoch time`), the median of the epochs but the first; that of
bench is its mean over as many steps. Training sets are the first images of MNIST and CIFAR-10, so that
an epoch takes about --seconds. Reported are the medians over the rounds, the median of the ratios
within a round, and the ratio of the minima, which other load on the machine changes least; and the
CPU time of all threads per step, of training and of bench.

Each run is one JSON line in --json, and a run that it has is not repeated.

  python3 tools/bench/training_step.py --build build --mnist MNIST_DIR --cifar10 CIFAR10_DIR \\
      --json training_steps.jsonl

With --torch PYTHON, a Python that has PyTorch, whole epochs of LeNet-5 on MNIST follow, of boostc and
of PyTorch with its batches from a DataLoader, and made by hand from one tensor of all images.
"""

import argparse
import gzip
import json
import lzma
import os
import pathlib
import re
import resource
import statistics
import struct
import subprocess
import tempfile

from cpu_step import identify_build

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
MODELS = {
    "lenet5": (EXAMPLES / "lenet5-mnist/model.json", "mnist", (32, 1, 8, 17)),
    "mlp": (EXAMPLES / "mlp-mnist/model.json", "mnist", (32, 1, 8, 17)),
    "resnet20": (HERE / "resnet20.json", "cifar10", (128, 8)),
}
SIZES = {"mnist": 60000, "cifar10": 50000}
EPOCHS = 3                # of a run; the first one is not counted
RECORD = 1 + 3 * 32 * 32  # of CIFAR-10's binary version


def read_packed(path):
    """The bytes of a file that may be compressed, as `path` or with a suffix."""
    for suffix, read in (("", open), (".gz", gzip.open), (".xz", lzma.open)):
        if (found := path.with_name(path.name + suffix)).exists():
            with read(found, "rb") as file:
                return file.read()
    raise SystemExit(f"{path}: not found, plain, .gz or .xz")


def write_subset(kind, source, target, samples):
    """The first images of a data set as one of its own; the held-out ones stay few."""
    target.mkdir(parents=True)
    if kind == "mnist":
        for split, count in (("train", samples), ("t10k", 1)):
            images = read_packed(source / f"{split}-images-idx3-ubyte")
            labels = read_packed(source / f"{split}-labels-idx1-ubyte")
            (target / f"{split}-images-idx3-ubyte").write_bytes(
                images[:4] + struct.pack(">I", count) + images[8:16 + count * 28 * 28])
            (target / f"{split}-labels-idx1-ubyte").write_bytes(
                labels[:4] + struct.pack(">I", count) + labels[8:8 + count])
        return
    for number in range(1, 6):
        records = read_packed(source / f"data_batch_{number}.bin")
        count = samples // 5 + (samples % 5 >= number)
        (target / f"data_batch_{number}.bin").write_bytes(records[:count * RECORD])
    (target / "test_batch.bin").write_bytes(read_packed(source / "test_batch.bin")[:RECORD])


def run(command):
    """Standard output, and the CPU time of all threads in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


class Results:
    """JSON lines, found again by what was run."""

    KEYS = ("what", "model", "batch", "threads", "round", "boostc")

    def __init__(self, path, build):
        self.boostc = identify_build(build)
        self.path, self.lines = path, []
        if path and path.exists():
            self.lines = [json.loads(line) for line in path.read_text().splitlines() if line]

    def get(self, key, measure):
        key = key | {"boostc": self.boostc}
        for line in self.lines:
            if all(line.get(name) == key.get(name) for name in self.KEYS):
                return line
        line = key | measure()
        self.lines.append(line)
        if self.path:
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
        return line


class Case:
    """A program and its data, compiled and written when first needed."""

    def __init__(self, arguments, folder, model, batch, threads):
        self.arguments, self.model, self.batch, self.threads = arguments, model, batch, threads
        self.boost_run = arguments.build / "bin/boost-run"
        self.folder = pathlib.Path(folder) / f"{model}-{batch}-{threads}"
        self.program = self.folder / "train.so"
        self.steps = 0

    def prepare(self):
        if self.steps:
            return
        self.folder.mkdir(parents=True)
        path, kind, _ = MODELS[self.model]
        run([self.arguments.build / "bin/boostc", path, "--target=cpu",
             f"--threads={self.threads}", "--set", f"batch_size={self.batch}", "-o", self.program])
        wanted = self.arguments.seconds * 1e3 / self.bench(30)["mean_ms"]
        self.steps = max(5, min(int(wanted), SIZES[kind] // self.batch))
        source = self.arguments.mnist if kind == "mnist" else self.arguments.cifar10
        write_subset(kind, source, self.folder / "data", self.steps * self.batch)
        self.data = f"{kind}:{self.folder / 'data'}"

    def bench(self, steps):
        output, _ = run([self.boost_run, "bench", self.program, "--json", "--device", "cpu",
                         "--steps", steps, "--warmup", max(3, min(50, steps // 10))])
        return json.loads(output)

    def measure_bench(self):
        self.prepare()
        _, short = run(self.bench_command(1))
        output, cpu = run(self.bench_command(1 + self.steps))
        return {"ms": json.loads(output)["mean_ms"], "median_ms": json.loads(output)["median_ms"],
                "min_ms": json.loads(output)["min_ms"], "cpu_ms": (cpu - short) * 1e3 / self.steps}

    def bench_command(self, steps):
        return [self.boost_run, "bench", self.program, "--json", "--device", "cpu",
                "--steps", steps, "--warmup", self.steps // 10]

    def measure_training(self):
        self.prepare()
        output, cpu = self.train(EPOCHS)
        _, short = self.train(1)
        epochs = [float(ms) for ms in re.findall(r"per step time: ([0-9.]+) ms", output)]
        return {"ms": statistics.median(epochs[1:]), "min_ms": min(epochs),
                "cpu_ms": (cpu - short) * 1e3 / (self.steps * (EPOCHS - 1))}

    def train(self, epochs):
        return run([self.boost_run, self.program, "--device", "cpu", "--data", self.data,
                    "--epochs", epochs, "--no-eval", "--progress", "plain"])


def measure_steps(arguments, results, folder):
    for model in arguments.models:
        for batch in arguments.batches or MODELS[model][2]:
            for threads in arguments.threads:
                case = Case(arguments, folder, model, batch, threads)
                pairs = []
                for number in range(arguments.rounds):
                    key = {"model": model, "batch": batch, "threads": threads, "round": number}
                    pairs.append((
                        results.get({"what": "bench"} | key, case.measure_bench),
                        results.get({"what": "training"} | key, case.measure_training)))
                report(f"{model}, batch {batch}, {threads} threads", pairs)


def report(name, pairs):
    bench, training = zip(*pairs)

    def median(runs, key):
        return statistics.median(run_[key] for run_ in runs)

    ratios = [after["ms"] / before["ms"] for before, after in pairs]
    least = min(run_["ms"] for run_ in training) / min(run_["ms"] for run_ in bench)
    print(f"{name}: bench {median(bench, 'ms'):.4f} ms, training {median(training, 'ms'):.4f} ms, "
          f"ratio {statistics.median(ratios):.3f}, of the minima {least:.3f}; CPU time of a step "
          f"{median(bench, 'cpu_ms'):.4f} and {median(training, 'cpu_ms'):.4f} ms", flush=True)


TORCH = '''
import json, sys, time
import numpy, torch
import torch.nn.functional as F
folder, threads, loader, epochs = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
torch.set_num_threads(threads)
torch.manual_seed(1)
images = numpy.fromfile(folder + "/train-images-idx3-ubyte", numpy.uint8)[16:].reshape(-1, 1, 28, 28)
labels = torch.from_numpy(
    numpy.fromfile(folder + "/train-labels-idx1-ubyte", numpy.uint8)[8:].astype(numpy.int64))
numbers = F.interpolate(torch.from_numpy(images).float(), size=(32, 32), mode="bilinear",
                        align_corners=False).div_(255).sub_(0.1307).div_(0.3081)
network = torch.nn.Sequential(
    torch.nn.Conv2d(1, 6, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
    torch.nn.Conv2d(6, 16, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(),
    torch.nn.Linear(400, 120), torch.nn.ReLU(), torch.nn.Linear(120, 84), torch.nn.ReLU(),
    torch.nn.Linear(84, 10))
optimizer = torch.optim.SGD(network.parameters(), lr=0.01, momentum=0.9)
data = torch.utils.data.TensorDataset(numbers, labels)
workers = {"workers": 1, "loader": 0}.get(loader)
batches = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True, num_workers=workers,
                                      persistent_workers=workers > 0) if workers is not None else None

def by_hand():
    for indices in torch.randperm(len(labels)).split(32):
        yield numbers[indices], labels[indices]

seconds = []
for _ in range(epochs):
    begin = time.perf_counter()
    for inputs, wanted in batches if batches is not None else by_hand():
        loss = F.cross_entropy(network(inputs), wanted)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    seconds.append(time.perf_counter() - begin)
print(json.dumps({"seconds": seconds, "torch": torch.__version__}))
'''


def measure_epochs(arguments, results, folder):
    """Epochs of LeNet-5 on all of MNIST at batch 32."""
    folder = pathlib.Path(folder) / "epochs"
    folder.mkdir()
    write_subset("mnist", arguments.mnist, folder / "data", SIZES["mnist"])
    threads = max(arguments.threads)
    program = folder / "train.so"
    run([arguments.build / "bin/boostc", MODELS["lenet5"][0], "--target=cpu",
         f"--threads={threads}", "-o", program])

    def boostc():
        output, _ = run([arguments.build / "bin/boost-run", program, "--device", "cpu", "--data",
                         f"mnist:{folder / 'data'}", "--epochs", EPOCHS, "--no-eval"])
        times = [float(ms) / 1e3 for ms in re.findall(r"Train epoch time: ([0-9.]+) ms", output)]
        return {"s": statistics.median(times[1:])}

    def torch(loader, count):
        output, _ = run([arguments.torch, "-c", TORCH, folder / "data", count, loader, EPOCHS])
        answer = json.loads(output)
        return {"s": statistics.median(answer["seconds"][1:]), "torch": answer["torch"]}

    systems = {"boostc": boostc}
    for loader in ("hand", "loader", "workers"):
        for count in sorted({1, threads}):
            systems[f"torch, {loader}, {count} threads"] = (
                lambda loader=loader, count=count: torch(loader, count))
    times = {name: [] for name in systems}
    for number in range(arguments.rounds):
        for name, measure in systems.items():
            key = {"what": name, "model": "lenet5", "batch": 32, "threads": threads,
                   "round": number}
            times[name].append(results.get(key, measure)["s"])
    for name, seconds in times.items():
        print(f"epoch of LeNet-5, {name}: {statistics.median(seconds):.3f} s "
              f"(minimum {min(seconds):.3f})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--mnist", type=pathlib.Path, required=True)
    parser.add_argument("--cifar10", type=pathlib.Path)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--batches", nargs="+", type=int, help="default: the model's, and others")
    parser.add_argument("--threads", nargs="+", type=int, default=[os.cpu_count(), 1])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.5, help="of an epoch")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--torch", help="a Python that has PyTorch: epochs of LeNet-5, too")
    arguments = parser.parse_args()
    if "resnet20" in arguments.models and not arguments.cifar10:
        parser.error("resnet20 needs --cifar10")
    results = Results(arguments.json, arguments.build)
    with tempfile.TemporaryDirectory() as folder:
        measure_steps(arguments, results, folder)
        if arguments.torch:
            measure_epochs(arguments, results, folder)


if __name__ == "__main__":
    main()
