#!/usr/bin/env python3
"""Time of a training step of ResNet-50 on an NVIDIA GPU: boostc's programs and PyTorch.

  python3 tools/bench/gpu_resnet50.py [--json FILE] PROGRAM.so...

Programs are of examples/resnet50-imagenet, compiled for one batch size and each for a
precision, such as

  boostc examples/resnet50-imagenet/model.json --target=cuda --set batch_size=64 \\
    --set optimizer.learning_rate=0.0001 [--set matmul_precision=tf32 | --set amp.level=O2]

(the learning rate, because labels are random). PyTorch runs ResNet-50 with the model file's
padding, forward, mean cross-entropy, backward, SGD with momentum, without the rest of the recipe;
with images on the device, in fp32 (row-major too), TF32 and bf16 (autocast), channels-last, eager
and as one CUDA graph of a whole step. In each round every candidate has its turn; reported is
the median of the medians of rounds.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WARMUP = 5
CLASSES, SIZE = 1001, 224


def find_boost_run(build):
    for folder in (ROOT, build):  # of a bundle, or of a build folder
        if (folder / "bin/boost-run").exists():
            return folder / "bin/boost-run"
    sys.exit(f"gpu_resnet50: there is no boost-run in {build}; name the build folder with --build")


def bench(boost_run, program, steps):
    done = subprocess.run([boost_run, "bench", program, "--device=cuda", "--json",
                           f"--steps={steps}", f"--warmup={WARMUP}"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"gpu_resnet50: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout)


def make_torch(batch):
    """Name -> function of a number of steps that returns the milliseconds of one."""
    import torch
    from gpu_peers import allow_tf32, capture
    from resnet50_torch import ResNet50

    criterion = torch.nn.CrossEntropyLoss()
    torch.backends.cudnn.benchmark = True

    def make(precision, channels_last, is_graph):
        allow_tf32(precision != "fp32")
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

        def measure(steps):
            allow_tf32(precision != "fp32")
            for _ in range(WARMUP):
                run()
            torch.cuda.synchronize()
            times = []
            for _ in range(steps):
                begin = time.perf_counter()
                run()
                torch.cuda.synchronize()
                times.append(1e3 * (time.perf_counter() - begin))
            return statistics.median(times)

        return measure

    made = {}
    for precision in ("fp32", "TF32", "bf16"):
        # Tensor cores read channels-last; row-major images are transposed for them.
        for channels_last in (False, True) if precision == "fp32" else (True,):
            for is_graph in (False, True):
                name = ", ".join([precision, "channels-last" if channels_last else "row-major",
                                  "whole-step graph" if is_graph else "eager"])
                made[name] = lambda a=(precision, channels_last, is_graph): make(*a)
    return made, torch.__version__


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path, nargs="+", metavar="PROGRAM.so")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    boost_run = find_boost_run(arguments.build)
    # Where a program is new, this measures what its libraries are best at, and keeps it.
    batches = {bench(boost_run, program, 5)["batch_size"] for program in arguments.programs}
    if len(batches) != 1:
        sys.exit(f"gpu_resnet50: programs of batch sizes {sorted(batches)}; name those of one")
    batch = batches.pop()
    variants, version = make_torch(batch)
    candidates = {f"boostc, {program.stem}":
                  lambda steps, program=program: bench(boost_run, program, steps)["median_ms"]
                  for program in arguments.programs}
    for name, make in variants.items():
        try:
            candidates[f"torch, {name}"] = make()
        except Exception as error:  # whatever a framework raises
            print(f"torch, {name}: {error}", file=sys.stderr)
    times = {name: [] for name in candidates}
    for _ in range(arguments.rounds):
        for name, measure in candidates.items():
            times[name].append(measure(arguments.steps))
    print(f"ResNet-50, batch {batch}, {SIZE} px; torch {version}")
    lines = [{"benchmark": "resnet50-gpu", "batch": batch, "candidate": name,
              "median_ms": round(statistics.median(values), 3), "torch": version}
             for name, values in times.items()]
    for line in lines:
        print(f"{line['candidate']:50} {line['median_ms']:9.3f} ms "
              f"{1e3 * batch / line['median_ms']:9.0f} images/s")
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
