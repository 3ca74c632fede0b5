#!/usr/bin/env python3
"""Time of a training step of ResNet-20 (resnet20.json) on this CPU: boostc and PyTorch.

For each batch size, in each round, boostc's program and every variant of PyTorch (eager and
compiled, contiguous and channels-last) run in turn for some seconds, as processes that sleep
while another has its turn, all with --threads threads. There are --rounds rounds. Reported are
the medians of the rounds' medians, and the median over the rounds of the ratio to boostc, both
from the same round: other load on the machine slows both. The line `torch, best` has the fastest
of PyTorch's variants in each round. Load that is not ours is noted as in cpu_step.py.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch numpy
  /tmp/bench-venv/bin/python tools/bench/resnet20_step.py --build build --json steps.jsonl

Needs a C++ compiler, for torch.compile. Never needed to build or test.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from cpu_step import measure_noting_load, processor
from peer_worker import BATCHES, Peer, serve

HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE / "resnet20.json"


def torch_variants(batch, threads, dtype="f32"):
    """The same step as boostc's: momentum and weight decay of the model file; with bf16, the
    forward under autocast."""
    import torch
    from resnet20_torch import ResNet20

    torch.set_num_threads(threads)
    recipe = json.loads(MODEL.read_text())["optimizer"]
    criterion = torch.nn.CrossEntropyLoss()
    generator = torch.Generator().manual_seed(1)
    batches = [(torch.randn(batch, 3, 32, 32, generator=generator),
                torch.randint(10, (batch,), generator=generator)) for _ in range(BATCHES)]

    def variant(last, compiled=None):
        torch.manual_seed(1)
        layout = torch.channels_last if last else torch.contiguous_format
        network = ResNet20().to(memory_format=layout)
        data = [(images.to(memory_format=layout), labels) for images, labels in batches]
        optimizer = torch.optim.SGD(
            network.parameters(), lr=recipe["learning_rate"]["value"],
            momentum=recipe["momentum"], weight_decay=recipe["weight_decay"], fused=True)

        def loss_of(images, labels):
            with torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
                return criterion(network(images), labels)

        forward = loss_of if compiled is None else torch.compile(loss_of, **compiled)

        def step(index):
            loss = forward(*data[index % BATCHES])
            loss.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            return loss

        return step, lambda loss: None  # PyTorch computes at once

    made = {}
    for text, last in (("", False), (", channels-last", True)):
        made[f"eager{text}"] = lambda last=last: variant(last)
        made[f"compile{text}"] = lambda last=last: variant(last, {})
        made[f"compile, max-autotune{text}"] = lambda last=last: variant(
            last, {"mode": "max-autotune"})
    return made, {"torch": torch.__version__}


def measure_program(build, program, threads, seconds):
    def bench(steps):
        done = subprocess.run(
            [build / "bin/boost-run", "bench", program, "--json", "--device", "cpu", "--threads",
             str(threads), "--steps", str(steps), "--warmup", "3"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return json.loads(done.stdout)

    return bench(max(3, int(seconds * 1e3 / bench(3)["median_ms"])))


def measure_batch(batch, arguments, folder):
    """Results by system and round, and PyTorch's version."""
    program = pathlib.Path(folder) / f"{batch}.so"
    subprocess.run([arguments.build / "bin/boostc", MODEL, "--target=cpu",
                    f"--threads={arguments.threads}", "--set", f"batch_size={batch}", "-o",
                    program], check=True)
    peer = Peer("torch", pathlib.Path(__file__).resolve(), "--worker", batch, "--threads",
                arguments.threads)
    results = {name: [] for name in ("boostc", *peer.ready["variants"])}
    for _ in range(arguments.rounds):
        for name, rounds in results.items():
            rounds.append(measure_noting_load(
                (lambda: measure_program(arguments.build, program, arguments.threads,
                                         arguments.seconds)) if name == "boostc" else
                (lambda name=name: peer.measure(name, arguments.seconds)), arguments.wait))
    peer.close()
    return results, peer.ready["versions"]


def summarise(batch, results):
    """One JSON object for each system; ratios are of the same round."""
    peers = [rounds for name, rounds in results.items() if name != "boostc"]
    results = results | {"torch, best": [min(round_of, key=lambda r: r["median_ms"])
                                         for round_of in zip(*peers)]}
    medians = {name: [r["median_ms"] for r in rounds] for name, rounds in results.items()}
    lines = []
    for name, rounds in results.items():
        ratios = sorted(theirs / ours for theirs, ours in zip(medians[name], medians["boostc"]))
        lines.append({
            "batch": batch, "system": name, "median_ms": round(statistics.median(medians[name]), 3),
            "min_ms": round(min(r["min_ms"] for r in rounds), 3),
            "ratio": round(statistics.median(ratios), 3),
            "ratio_from": round(ratios[0], 3), "ratio_to": round(ratios[-1], 3),
            "rounds": len(rounds),
            "foreign_load": round(statistics.mean(r["foreign_load"] for r in rounds), 3)})
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batches", type=int, nargs="+", default=[128, 32, 8])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2, help="for each system in each round")
    parser.add_argument("--wait", type=float, default=1,
                        help="seconds, for a quiet machine before each measurement")
    parser.add_argument("--json", type=pathlib.Path, help="write all systems here")
    parser.add_argument("--worker", type=int, metavar="BATCH", help="be PyTorch's worker")
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32", help="the worker's")
    arguments = parser.parse_args()
    if arguments.worker:
        serve(lambda: torch_variants(arguments.worker, arguments.threads, arguments.dtype), 1)
        return

    lines, versions = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for batch in arguments.batches:
            results, found = measure_batch(batch, arguments, folder)
            versions |= found
            for line in summarise(batch, results):
                lines.append(line)
                print(json.dumps(line), flush=True)
    run = {"date": time.strftime("%Y-%m-%d"), "cpu": processor(), "cpus": os.cpu_count(),
           "threads": arguments.threads, "versions": versions,
           "load_average": [round(l, 2) for l in os.getloadavg()]}
    print(json.dumps(run))
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(l) + "\n" for l in [run, *lines]))


if __name__ == "__main__":
    main()
