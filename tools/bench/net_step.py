#!/usr/bin/env python3
"""Time of a training step of nets on this CPU: boostc and PyTorch.

For each net and batch size, in each round, the programs of boostc (one for each --build and
--winograd) and every variant of PyTorch (eager, compiled in two ways, contiguous and channels-last)
run in turn for some seconds, as processes that sleep while another has its turn, all with --threads
threads. Reported are the medians of the rounds' medians and the median over the rounds of the ratio
to the first program, both of the same round. The line `torch, best` has the fastest of PyTorch's
variants in each round. Results that --json has already are not measured again. Load that is not
ours is noted as in cpu_step.py.

  python3 -m venv /tmp/bench-venv
  /tmp/bench-venv/bin/pip install torch numpy
  /tmp/bench-venv/bin/python tools/bench/net_step.py --build build --net vgg --batches 1 8 32 \\
      --json steps.jsonl

Nets: vgg (seven convolutions of 3x3 at 32 pixels), resnet20 (tools/bench/resnet20.json), resnet50
(examples/resnet50-imagenet with explicit padding, 224 pixels), others of examples/, and those of
nets.py, with --variants fewer of PyTorch's.
Needs a C++ compiler, for torch.compile. Never needed to build or test.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence

import nets
from cpu_step import identify_build, measure_noting_load, processor
from peer_worker import BATCHES, Peer, serve

HERE = pathlib.Path(__file__).resolve().parent
RESNET50 = HERE.parent.parent / "examples/resnet50-imagenet"


def make_vgg():
    from torch import nn
    layers, channels = [], 3
    for filters, is_pooled in ((64, False), (64, True), (128, False), (128, True), (256, False),
                               (256, True), (512, True)):
        layers += [nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if is_pooled else []
        channels = filters
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(2048, 256), nn.ReLU(),
                         nn.Linear(256, 10))


def make_resnet20():
    from resnet20_torch import ResNet20
    return ResNet20()


def make_resnet50():
    from resnet50_torch import ResNet50
    return ResNet50(1000)


def merge(base, patch):
    """RFC 7396."""
    if not isinstance(patch, dict):
        return patch
    base = dict(base) if isinstance(base, dict) else {}
    for key, value in patch.items():
        if value is None:
            base.pop(key, None)
        else:
            base[key] = merge(base.get(key), value)
    return base


@dataclasses.dataclass
class Net:
    """A model file, or what it says; its overlays; PyTorch's module."""
    model: pathlib.Path | dict
    make: Callable
    overlays: Sequence[pathlib.Path] = ()

    def read(self):
        """With what overlays change."""
        if isinstance(self.model, dict):
            return self.model
        merged = None
        for path in (self.model, *self.overlays):
            merged = merge(merged, json.loads(path.read_text(encoding="utf-8")))
        return merged

    def path(self, folder):
        """Of a model file."""
        if not isinstance(self.model, dict):
            return self.model
        path = pathlib.Path(folder) / f"{self.model['name']}.json"
        path.write_text(json.dumps(self.model, indent=2), encoding="utf-8")
        return path


def on_cifar10(name):
    """The network of an example."""
    def make():
        from cifar_torch import NETWORKS
        return NETWORKS[f"{name}-cifar10"]()

    return Net(HERE.parent.parent / f"examples/{name}-cifar10/model.json", make)


def of_layers(model):
    """What nets.py makes, or a model file without blocks."""
    def make():
        from torch_layers import LayerNet
        return LayerNet(net.read())

    net = Net(model, make)
    return net


LEVELS = {"f32": "O0", "bf16": "O2"}

NETS = {
    "vgg": Net(HERE / "vgg.json", make_vgg),
    "resnet20": Net(HERE / "resnet20.json", make_resnet20),
    "resnet50": Net(RESNET50 / "model.json", make_resnet50, [RESNET50 / "explicit-padding.json"]),
    **{name: on_cifar10(name) for name in ("resnet18", "mobilenetv2", "densenet")},
    "lenet5": of_layers(HERE.parent.parent / "examples/lenet5-mnist/model.json"),
    "mlp": of_layers(HERE.parent.parent / "examples/mlp-mnist/model.json"),
    **{name: of_layers(make()) for name, make in nets.NETS.items()},
}


def torch_variants(name, batch, threads, dtype="f32"):
    """Nearly the same step: momentum and weight decay of the model file, but on all parameters,
    batches in memory; with bf16, the forward under autocast. What a model file has besides, such as
    normalisation of bytes and averages of weights, boostc alone computes."""
    import torch
    from torch_layers import draw_batches, loss_of

    net, model = NETS[name], NETS[name].read()
    torch.set_num_threads(threads)
    recipe, criterion = model["optimizer"], loss_of(model)
    batches = draw_batches(model, batch, BATCHES)

    def variant(last, compiled=None):
        torch.manual_seed(1)
        layout = torch.channels_last if last else torch.contiguous_format

        def laid_out(tensor):
            return tensor.to(memory_format=layout) if tensor.dim() == 4 else tensor

        network = net.make().to(memory_format=layout)
        data = [tuple(map(laid_out, pair)) for pair in batches]
        optimizer = torch.optim.SGD(network.parameters(), lr=1e-3,
                                    momentum=recipe.get("momentum", 0.0),
                                    nesterov=recipe.get("nesterov", False),
                                    weight_decay=recipe.get("weight_decay", 0.0), fused=True)

        def forward(features, compared):
            with torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
                return criterion(network(features), compared)

        forward = forward if compiled is None else torch.compile(forward, **compiled)

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


def compile_program(build, net, batch, threads, program, dtype="f32", winograd=None):
    flags = [flag for overlay in NETS[net].overlays for flag in ("--overlay", overlay)]
    if winograd:
        flags.append(f"--winograd={winograd}")
    subprocess.run([build / "bin/boostc", NETS[net].path(program.parent), *flags, "--target=cpu",
                    f"--threads={threads}", "--set", f"batch_size={batch}", "--set",
                    f"amp.level={LEVELS[dtype]}", "-o", program], check=True)


def pick(made, names):
    """Of variants and versions those with these names."""
    variants, versions = made
    return {name: variants[name] for name in names or variants}, versions


def measure_program(build, program, threads, seconds):
    def bench(steps):
        done = subprocess.run(
            [build / "bin/boost-run", "bench", program, "--json", "--device", "cpu", "--threads",
             str(threads), "--steps", str(steps), "--warmup", "3"],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return json.loads(done.stdout)

    return bench(max(3, int(seconds * 1e3 / bench(3)["median_ms"])))


def measure(net, batch, arguments, folder):
    """Results by system and round, and PyTorch's version."""
    runs = {}
    ways = [(build, winograd) for build in arguments.build for winograd in arguments.winograd or [None]]
    for number, (build, winograd) in enumerate(ways):
        program = pathlib.Path(folder) / f"{net}-{batch}-{number}.so"
        compile_program(build, net, batch, arguments.threads, program, arguments.dtype, winograd)
        name = f"boostc {build}" + (f" --winograd={winograd}" if winograd else "")
        runs[name] = lambda build=build, program=program: measure_program(
            build, program, arguments.threads, arguments.seconds)
    if arguments.alone:
        return measure_rounds(runs, arguments), {}
    peer = Peer("torch", pathlib.Path(__file__).resolve(), "--worker", batch, "--net", net, "--json",
                os.devnull, "--threads", arguments.threads, "--dtype", arguments.dtype,
                *(["--variants", *arguments.variants] if arguments.variants else []))
    for name in peer.ready["variants"]:
        runs[name] = lambda name=name: peer.measure(name, arguments.seconds)
    results = measure_rounds(runs, arguments)
    peer.close()
    return results, peer.ready["versions"]


def measure_rounds(runs, arguments):
    results = {name: [] for name in runs}
    for _ in range(arguments.rounds):
        for name, run in runs.items():
            results[name].append(measure_noting_load(run, arguments.wait))
    return results


def summarise(net, batch, threads, results):
    """One JSON object for each system; ratios are of the same round."""
    ours = [name for name in results if name.startswith("boostc")]
    peers = [rounds for name, rounds in results.items() if name not in ours]
    if peers:
        results = results | {"torch, best": [min(round_of, key=lambda r: r["median_ms"])
                                             for round_of in zip(*peers)]}
    medians = {name: [r["median_ms"] for r in rounds] for name, rounds in results.items()}
    lines = []
    for name, rounds in results.items():
        ratios = sorted(theirs / own for theirs, own in zip(medians[name], medians[ours[0]]))
        lines.append({
            "net": net, "batch": batch, "threads": threads, "system": name,
            "median_ms": round(statistics.median(medians[name]), 3),
            "min_ms": round(min(r["min_ms"] for r in rounds), 3),
            "ratio": round(statistics.median(ratios), 3),
            "ratio_from": round(ratios[0], 3), "ratio_to": round(ratios[-1], 3),
            "rounds": len(rounds),
            "foreign_load": round(statistics.mean(r["foreign_load"] for r in rounds), 3)})
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, nargs="+", default=[pathlib.Path("build")])
    parser.add_argument("--net", nargs="+", choices=NETS, default=list(NETS))
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2, help="for each system in each round")
    parser.add_argument("--wait", type=float, default=1,
                        help="seconds, for a quiet machine before each measurement")
    parser.add_argument("--json", type=pathlib.Path, required=True, help="results, line by line")
    parser.add_argument("--variants", nargs="+", help="of PyTorch, such as eager (default: all)")
    parser.add_argument("--alone", action="store_true", help="without PyTorch")
    parser.add_argument("--winograd", nargs="+", choices=["off", "auto", "always"],
                        help="a program of each build for each of them (default: as boostc does)")
    parser.add_argument("--worker", type=int, metavar="BATCH", help="be PyTorch's worker")
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32",
                        help="bf16: mixed precision, level O2 and autocast")
    arguments = parser.parse_args()
    if arguments.worker:
        serve(lambda: pick(torch_variants(arguments.net[0], arguments.worker, arguments.threads,
                                          arguments.dtype), arguments.variants), 1)
        return

    known = set()
    if arguments.json.exists():
        for line in arguments.json.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            known.add((record["net"], record["batch"], record["threads"], record["builds"],
                       record.get("dtype", "f32"), tuple(record.get("variants") or ()),
                       tuple(record.get("winograd") or ())))
    with tempfile.TemporaryDirectory() as folder:
        for net in arguments.net:
            for batch in arguments.batches:
                builds = " ".join(map(identify_build, arguments.build))
                if (net, batch, arguments.threads, builds, arguments.dtype,
                        tuple(arguments.variants or ()), tuple(arguments.winograd or ())) in known:
                    continue
                results, versions = measure(net, batch, arguments, folder)
                about = {"dtype": arguments.dtype, "variants": arguments.variants, "builds": builds,
                         "date": time.strftime("%Y-%m-%d"), "cpu": processor(),
                         "cpus": os.cpu_count(), "versions": versions,
                         "winograd": arguments.winograd}
                with arguments.json.open("a", encoding="utf-8") as file:
                    for line in summarise(net, batch, arguments.threads, results):
                        file.write(json.dumps(line | about) + "\n")
                        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
