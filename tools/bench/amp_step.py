#!/usr/bin/env python3
"""Time of a training step in mixed precision on this CPU: boostc in f32, bf16 and f16 at level O2,
PyTorch in f32 and with autocast to bf16.

In each round every program of boostc and every variant of PyTorch (cpu_peers.py,
net_step.py) runs in turn for some seconds, as processes that sleep while another has its
turn, all with --threads threads. There are --rounds rounds. Reported are the medians of the
rounds' medians, and the median over the rounds of the ratio to boostc in f32, both from the
same round: other load on the machine slows both. The lines `torch ..., best` have the fastest of
PyTorch's variants in each round. Load that is not ours is noted as in cpu_step.py.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch numpy
  /tmp/bench-venv/bin/python tools/bench/amp_step.py --build build --json steps.jsonl

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
from net_step import measure_program
from peer_worker import Peer

HERE = pathlib.Path(__file__).resolve().parent
MODELS = {"mlp2048": HERE / "mlp2048.json",
          "lenet5-mnist": HERE.parent.parent / "examples/lenet5-mnist/model.json",
          "resnet20": HERE / "resnet20.json"}
KINDS = {"f32": ("O0", "bf16"), "bf16": ("O2", "bf16"), "f16": ("O2", "f16")}
REFERENCE = "boostc f32"


def start_peer(model, batch, dtype, threads):
    options = ("--threads", threads, "--dtype", dtype)
    if model == "resnet20":
        return Peer(f"torch {dtype}", HERE / "net_step.py", "--net", model, "--json", os.devnull,
                    "--worker", batch, *options)
    return Peer(f"torch {dtype}", HERE / "cpu_peers.py", "torch", MODELS[model], "--batch", batch,
                *options)


def measure_model(model, arguments, folder):
    """Results by system and round, and PyTorch's version."""
    batch = json.loads(MODELS[model].read_text(encoding="utf-8"))["batch_size"]
    candidates, peers = {}, []
    for kind, (level, dtype) in KINDS.items():
        program = pathlib.Path(folder) / f"{model}-{kind}.so"
        subprocess.run([arguments.build / "bin/boostc", MODELS[model], "--target=cpu",
                        f"--threads={arguments.threads}", "--set", f"amp.level={level}", "--set",
                        f"amp.dtype={dtype}", "-o", program], check=True,
                       stderr=subprocess.DEVNULL)
        candidates[f"boostc {kind}"] = lambda program=program: measure_program(
            arguments.build, program, arguments.threads, arguments.seconds)
    for dtype in ("f32", "bf16"):
        peers.append(start_peer(model, batch, dtype, arguments.threads))
        for variant in peers[-1].ready["variants"]:
            candidates[f"torch {dtype}, {variant}"] = (
                lambda peer=peers[-1], variant=variant: peer.measure(variant, arguments.seconds))
    results = {name: [] for name in candidates}
    for _ in range(arguments.rounds):
        for name, measure in candidates.items():
            results[name].append(measure_noting_load(measure, arguments.wait))
    for peer in peers:
        peer.close()
    return batch, results, peers[0].ready["versions"]


def summarise(model, batch, results):
    """One JSON object for each system; ratios are of the same round."""
    for dtype in ("f32", "bf16"):
        those = [rounds for name, rounds in results.items() if name.startswith(f"torch {dtype},")]
        results = results | {f"torch {dtype}, best": [
            min(of_round, key=lambda r: r["median_ms"]) for of_round in zip(*those)]}
    medians = {name: [r["median_ms"] for r in rounds] for name, rounds in results.items()}
    for name, rounds in results.items():
        ratios = sorted(own / f32 for own, f32 in zip(medians[name], medians[REFERENCE]))
        yield {"model": model, "batch": batch, "system": name,
               "median_ms": round(statistics.median(medians[name]), 3),
               "min_ms": round(min(r["min_ms"] for r in rounds), 3),
               "ratio": round(statistics.median(ratios), 3),
               "ratio_from": round(ratios[0], 3), "ratio_to": round(ratios[-1], 3),
               "rounds": len(rounds),
               "foreign_load": round(statistics.mean(r["foreign_load"] for r in rounds), 3)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1, help="for each system in each round")
    parser.add_argument("--wait", type=float, default=1,
                        help="seconds, for a quiet machine before each measurement")
    parser.add_argument("--json", type=pathlib.Path, help="write all systems here")
    arguments = parser.parse_args()

    lines, versions = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for model in arguments.models:
            batch, results, found = measure_model(model, arguments, folder)
            versions |= found
            for line in summarise(model, batch, results):
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
