#!/usr/bin/env python3
"""What second-order steps cost on this CPU: THOR of boostc, and K-FAC of a PyTorch library.

Each system takes three kinds of steps: with momentum alone, with the inverses there are, and with
inverses that are computed anew. boostc has two more: THOR in whole matrices, as K-FAC has them, and
steps of which every second one refreshes a part of the layers. PyTorch runs contiguous and
channels-last; what counts for each kind is the faster one. The nets are those of net_step.py.

In each round all candidates run in turn, as processes that sleep while another has its turn.
Reported are medians of the rounds' medians, and for each system what a step takes on average at a
refresh in every 100th step, compared with its own step with momentum.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch asdfghjkl
  /tmp/bench-venv/bin/python tools/bench/thor_step.py --net resnet20 --batch 128 \\
      --build build --json thor_steps.jsonl

asdfghjkl is ASDL, whose KfacGradientMaker takes the same Fisher matrix (fisher_emp, of samples'
gradients). Never needed to build or test.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

from cpu_step import identify_build, measure_noting_load, processor
from net_step import NETS, measure_program
from peer_worker import BATCHES, Peer, serve

FREQUENCY, NEVER = 100, 1 << 20
THOR = {"type": "thor", "learning_rate": 1e-3, "damping": 0.03}
# By system, the kinds of steps. `staggered` has a refresh of a part in every second step.
PROGRAMS = {
    "boostc": {"momentum": {},
               "between": {**THOR, "frequency": NEVER},
               "refresh": {**THOR, "frequency": 1},
               "staggered": {**THOR, "frequency": 32}},
    "boostc, whole matrices": {"momentum": {},
                               "between": {**THOR, "frequency": NEVER, "block_size": 2048},
                               "refresh": {**THOR, "frequency": 1, "block_size": 2048}},
}
PEER = "ASDL"
KINDS = {"momentum": None, "between": NEVER, "refresh": 1}


def torch_variants(net, batch, threads):
    from importlib.metadata import version

    import torch
    from asdl.precondition import KfacGradientMaker, PreconditioningConfig
    from torch_layers import draw_batches

    make = NETS[net].make
    torch.set_num_threads(threads)
    batches = draw_batches(NETS[net].read(), batch, BATCHES)

    def variant(last, interval):
        torch.manual_seed(1)
        layout = torch.channels_last if last else torch.contiguous_format
        network = make().to(memory_format=layout)
        data = [(images.to(memory_format=layout), labels) for images, labels in batches]
        optimizer = torch.optim.SGD(network.parameters(), lr=1e-3, momentum=0.9, fused=True)
        maker = interval and KfacGradientMaker(
            network, PreconditioningConfig(data_size=batch, damping=0.03,
                                           curvature_upd_interval=interval,
                                           preconditioner_upd_interval=interval),
            fisher_type="fisher_emp")

        def step(index):
            images, labels = data[index % BATCHES]
            optimizer.zero_grad(set_to_none=True)
            if maker:
                outputs = maker.setup_model_call(network, images)
                maker.setup_loss_call(torch.nn.functional.cross_entropy, outputs, labels)
                _, loss = maker.forward_and_backward()
            else:
                loss = torch.nn.functional.cross_entropy(network(images), labels)
                loss.backward()
            optimizer.step()
            return loss

        return step, lambda loss: None  # PyTorch computes at once

    made = {}
    for kind, interval in KINDS.items():
        for text, last in (("", False), (", channels-last", True)):
            made[kind + text] = lambda last=last, interval=interval: variant(last, interval)
    return made, {"torch": torch.__version__, "asdfghjkl": version("asdfghjkl")}


def compile_program(arguments, optimizer, program):
    net = NETS[arguments.net]
    flags = [f"--overlay={overlay}" for overlay in net.overlays]
    flags += [f"--set=optimizer.{key}={value}" for key, value in optimizer.items()]
    subprocess.run([arguments.build / "bin/boostc", net.path(program.parent), "--target=cpu",
                    f"--threads={arguments.threads}", f"--set=batch_size={arguments.batch}",
                    *flags, "-o", program], check=True, stderr=subprocess.DEVNULL)


def measure(arguments, folder):
    """Results by system, kind and round, and versions."""
    runs = {}
    for system, kinds in PROGRAMS.items():
        if system not in arguments.systems:
            continue
        for kind, optimizer in kinds.items():
            program = pathlib.Path(folder) / f"{len(runs)}.so"
            compile_program(arguments, optimizer, program)
            runs[system, kind] = lambda program=program: measure_program(
                arguments.build, program, arguments.threads, arguments.seconds)
    peer = None
    if PEER in arguments.systems:
        peer = Peer("torch", pathlib.Path(__file__).resolve(), "--worker", "--net",
                    arguments.net, "--batch", arguments.batch, "--threads", arguments.threads)
        for name in peer.ready["variants"]:
            runs[PEER, name] = lambda name=name: peer.measure(name, arguments.seconds)
    results = {key: [] for key in runs}
    for _ in range(arguments.rounds):
        for key, run in runs.items():
            results[key].append(measure_noting_load(run, arguments.wait))
    if not peer:
        return results, {}
    peer.close()
    return results, peer.ready["versions"]


def summarise(results):
    """Milliseconds by system and kind."""
    found = {}
    for (system, name), rounds in results.items():
        kind = name.split(",")[0]
        median = statistics.median(result["median_ms"] for result in rounds)
        kinds = found.setdefault(system, {})
        kinds[kind] = min(median, kinds.get(kind, median))
    for kinds in found.values():
        average = kinds["between"] + (kinds["refresh"] - kinds["between"]) / FREQUENCY
        kinds["overhead_ms"] = average - kinds["momentum"]
        kinds["overhead_percent"] = 100 * kinds["overhead_ms"] / kinds["momentum"]
        kinds["refresh_ratio"] = kinds["refresh"] / kinds["momentum"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    systems = [*PROGRAMS, PEER]
    parser.add_argument("--systems", nargs="+", choices=systems, default=systems)
    parser.add_argument("--net", default="resnet20",
                        choices=("vgg", "resnet20", "resnet18", "resnet50", "lenet5"))
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4, help="for each candidate in each round")
    parser.add_argument("--wait", type=float, default=1,
                        help="seconds, for a quiet machine before each measurement")
    parser.add_argument("--json", type=pathlib.Path, help="results, line by line")
    parser.add_argument("--worker", action="store_true", help="be PyTorch's worker")
    arguments = parser.parse_args()
    if arguments.worker:
        serve(lambda: torch_variants(arguments.net, arguments.batch, arguments.threads), 1)
        return
    with tempfile.TemporaryDirectory() as folder:
        results, versions = measure(arguments, folder)
    about = {"net": arguments.net, "batch": arguments.batch, "threads": arguments.threads, "rounds": arguments.rounds,
             "build": identify_build(arguments.build), "date": time.strftime("%Y-%m-%d"),
             "cpu": processor(), "cpus": os.cpu_count(), "versions": versions}
    for system, kinds in summarise(results).items():
        line = {"system": system, **{kind: round(value, 2) for kind, value in kinds.items()}}
        print(json.dumps(line), flush=True)
        if arguments.json:
            with arguments.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line | about) + "\n")


if __name__ == "__main__":
    main()
