#!/usr/bin/env python3
"""Time of a training step of ResNet-50 on an NVIDIA GPU: boostc's programs and PyTorch.

  python3 tools/bench/gpu_resnet50.py --batch N [--json FILE] PROGRAM.so...

Programs are of examples/resnet50-imagenet, compiled for batches of N and each for a precision:

  boostc examples/resnet50-imagenet/model.json --target=cuda --set batch_size=N \\
    --set optimizer.learning_rate=0.0001 [--set matmul_precision=tf32 | --set amp.level=O2]

(the learning rate, because labels are random). PyTorch runs ResNet-50 with the model file's
padding, forward, mean cross-entropy, backward, SGD with momentum, without the rest of the recipe;
with images on the device, in fp32 (row-major too), TF32 and bf16 (autocast), channels-last, eager
and as one CUDA graph of a whole step. In each round every candidate has its turn, timed step by
step; reported is the median of the medians of rounds.
"""

import argparse
import json
import pathlib
import statistics
import sys

from gpu_peers import allow_tf32, capture
from gpu_step import ROOT, Program, measure_rounds
from peer_worker import measure

WARMUP, MIN_STEPS = 5, 10
CLASSES, SIZE = 1001, 224


def make_torch(batch, precision, channels_last, is_graph):
    """A function of seconds that returns what peer_worker.measure() does."""
    import torch
    from resnet50_torch import ResNet50

    def prepare():
        allow_tf32(precision != "fp32")

    prepare()
    criterion = torch.nn.CrossEntropyLoss()
    layout = torch.channels_last if channels_last else torch.contiguous_format
    torch.manual_seed(1)
    network = ResNet50(CLASSES, "same").cuda().to(memory_format=layout)
    sgd = torch.optim.SGD(network.parameters(), lr=1e-4, momentum=0.9, fused=True)
    images = torch.randn(batch, 3, SIZE, SIZE, device="cuda").to(memory_format=layout)
    labels = torch.randint(CLASSES, (batch,), device="cuda")

    def work():
        sgd.zero_grad(set_to_none=not is_graph)
        with torch.autocast("cuda", torch.bfloat16, enabled=precision == "bf16"):
            loss = criterion(network(images), labels)
        loss.backward()
        sgd.step()

    run = capture(work)[0].replay if is_graph else work

    def step(_):
        run()

    step.prepare = prepare
    return lambda seconds: measure(step, lambda _: torch.cuda.synchronize(), seconds, calls=1,
                                   warmup=WARMUP, least=MIN_STEPS)


def torch_candidates(batch):
    import torch

    torch.backends.cudnn.benchmark = True
    candidates = {}
    for precision in ("fp32", "TF32", "bf16"):
        # Tensor cores read channels-last; row-major images are transposed for them.
        for channels_last in (False, True) if precision == "fp32" else (True,):
            for is_graph in (False, True):
                name = ", ".join(["torch", precision,
                                  "channels-last" if channels_last else "row-major",
                                  "whole-step graph" if is_graph else "eager"])
                try:
                    candidates[name] = make_torch(batch, precision, channels_last, is_graph)
                except Exception as error:  # whatever a framework raises
                    print(f"{name}: {error}", file=sys.stderr)
    return candidates, torch.__version__


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="+", metavar="PROGRAM.so")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--boost-run", type=pathlib.Path, default=ROOT / "bin/boost-run",
                        help="default: that of the bundle that this file lies in")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2,
                        help="for each candidate in each round")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    # The first run of a program measures which library calls are fastest, and keeps them.
    candidates = {f"boostc, {program.stem}":
                  Program(arguments.boost_run, program, "cuda", WARMUP, MIN_STEPS).measure
                  for program in arguments.programs}
    peers, version = torch_candidates(arguments.batch)
    results, _ = measure_rounds(candidates | peers, arguments.rounds, arguments.seconds)
    print(f"ResNet-50, batch {arguments.batch}, {SIZE} px; torch {version}")
    lines = []
    for name, rounds in results.items():
        median = statistics.median(result["median_ms"] for result in rounds)
        print(f"{name:50} {median:9.3f} ms {1e3 * arguments.batch / median:9.0f} images/s")
        lines.append({"benchmark": "resnet50-gpu", "batch": arguments.batch, "candidate": name,
                      "median_ms": round(median, 3), "torch": version})
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
