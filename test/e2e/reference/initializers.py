#!/usr/bin/env python3
"""Distributions of initial weights, held to those of PyTorch's initialisers.

  initializers.py golden          prints initializers.json: what PyTorch draws from
  initializers.py check FOLDER    compiles the models in FOLDER, and tests what they draw

Each initialiser of the model format draws weights of a dense layer, of convolutions with and
without groups and of an embedding, whose fans differ. PyTorch draws other numbers, so
distributions are compared. Those of PyTorch are the arguments with which its initialisers call
`uniform_` and `normal_` for parameters of `torch.nn.Linear`, `Conv2d` and `Embedding`. It lacks
`truncated_normal_fan_in`, whose formula is that of docs/model-format.md, with PyTorch's fan.

Draws depend on the seed alone. Each test of them would fail for one seed in a million, if draws
were independent and had the distribution.

`golden` needs torch (Debian: python3-torch); `check` does not.
"""

import json
import math
import pathlib
import sys

from trainings import as_float32, read_golden, read_weights, run_command, run_program
from data_files import write_npy

SEEDS = (1, 2)
# A draw of probability 1e-6: this many standard errors, or for the Kolmogorov distance, by the
# inequality of Dvoretzky, Kiefer, Wolfowitz and Massart, this many over the root of the number.
ERRORS, KOLMOGOROV = 4.9, math.sqrt(math.log(2e6) / 2)
# How many inputs and outputs a kind has; layers that follow each other go up and down.
EXTENTS = {"conv2d": (12, 32), "grouped": (32, 64), "dense": (60, 150), "embedding": (130, 60)}
KERNEL, GROUPS = [3, 5], 4

INITIALIZERS = {
    "default": None,
    "zeros": "zeros",
    "ones": "ones",
    "constant": {"type": "constant", "value": -0.375},
    "normal": {"type": "normal", "std": 0.25},
    "normal-mean": {"type": "normal", "mean": 3.0, "std": 0.5},
    "uniform": {"type": "uniform", "min": -0.25, "max": 1.5},
    "truncated": {"type": "truncated_normal", "std": 0.25},
    "truncated-mean": {"type": "truncated_normal", "mean": -2.0, "std": 0.5},
    "truncated-fan": "truncated_normal_fan_in",
    "xavier": "xavier_uniform",
    "xavier-gain": {"type": "xavier_uniform", "gain": 2.5},
    "xavier-normal": "xavier_normal",
    "xavier-normal-gain": {"type": "xavier_normal", "gain": 0.5},
    "he": "he_uniform",
    "he-out": {"type": "he_uniform", "mode": "fan_out"},
    "he-normal": "he_normal",
    "he-normal-out": {"type": "he_normal", "mode": "fan_out"},
    "fan": "uniform_fan_in",
}


def extents(kind, number):
    low, high = EXTENTS[kind]
    return (low, high) if number % 2 or kind == "embedding" else (high, low)


def layer(kind, name, op, **keys):
    init = INITIALIZERS[name]
    return {"name": f"{kind}.{name}", "op": op, **keys,
            **({"init": {"weight": init}} if init else {})}


def model(name, layers, **reads):
    return {"name": name, "seed": SEEDS[0], "epochs": 1, "batch_size": 2,
            "input": {**reads, "label": {"classes": 3}},
            "layers": [*layers, {"op": "dense", "units": 3}],
            "loss": {"op": "softmax_cross_entropy"},
            "optimizer": {"type": "sgd", "learning_rate": 0.5}}


def models():
    """Convolutions and dense layers follow each other, embeddings are added up."""
    for kind, groups in (("conv2d", 1), ("grouped", GROUPS)):
        layers = [layer(kind, name, "conv2d", filters=extents(kind, number)[1], kernel=KERNEL,
                        groups=groups, padding="same") for number, name in enumerate(INITIALIZERS)]
        yield model(kind, [*layers, {"op": "global_avg_pool"}],
                    image={"shape": [extents(kind, 0)[0], 4, 5]})
    layers = [layer("dense", name, "dense", units=extents("dense", number)[1])
              for number, name in enumerate(INITIALIZERS)]
    yield model("dense", layers, point={"shape": [extents("dense", 0)[0]]})
    (words, units), layers, total = EXTENTS["embedding"], [], None
    for name in INITIALIZERS:
        layers.append({**layer("embedding", name, "embedding", units=units), "inputs": ["token"]})
        if total:
            layers.append({"name": f"sum.{name}", "op": "add",
                           "inputs": [total, f"embedding.{name}"]})
        total = layers[-1]["name"]
    yield model("embedding", [*layers, {"op": "flatten"}], token={"shape": [2], "classes": words})


# --- PyTorch ------------------------------------------------------------------


def make_golden():
    import torch
    from torch.nn import init as torch_init
    calls = []

    def record(name):
        def recorded(tensor, *arguments):
            calls.append({name: [float(argument) for argument in arguments]})
            return tensor
        return recorded

    def truncated(mean, std):
        return {"truncated": [mean, std]}

    def draw(weight, init):
        fan_in, _ = torch_init._calculate_fan_in_and_fan_out(weight)
        keys = init if isinstance(init, dict) else {"type": init}
        kind, gain = keys["type"], keys.get("gain", 1.0)
        modes = {"mode": keys.get("mode", "fan_in"), "nonlinearity": "relu"}
        if kind in ("zeros", "ones", "constant"):
            return {"constant": [{"zeros": 0.0, "ones": 1.0}.get(kind, keys.get("value"))]}
        if kind == "truncated_normal":
            return truncated(keys.get("mean", 0.0), keys["std"])
        if kind == "truncated_normal_fan_in":
            return truncated(0.0, 1 / math.sqrt(fan_in) / 0.87962566)
        calls.clear()
        if kind == "normal":
            torch_init.normal_(weight, keys.get("mean", 0.0), keys["std"])
        elif kind == "uniform":
            torch_init.uniform_(weight, keys["min"], keys["max"])
        elif kind.startswith("xavier"):
            getattr(torch_init, f"{kind}_")(weight, gain)
        elif kind.startswith("he"):
            getattr(torch_init, f"kaiming_{kind[3:]}_")(weight, **modes)
        else:
            torch_init.kaiming_uniform_(weight, a=math.sqrt(5))
        return calls[0]

    found = {}
    torch.Tensor.uniform_, torch.Tensor.normal_ = record("uniform"), record("normal")
    kinds = {"conv2d": lambda ins, outs: torch.nn.Conv2d(ins, outs, KERNEL),
             "grouped": lambda ins, outs: torch.nn.Conv2d(ins, outs, KERNEL, groups=GROUPS),
             "dense": torch.nn.Linear, "embedding": torch.nn.Embedding}
    for kind, make in kinds.items():
        for number, (name, init) in enumerate(INITIALIZERS.items()):
            calls.clear()
            made = make(*extents(kind, number))
            drawn, shape = list(calls), list(made.weight.shape)
            weight = draw(made.weight, init) if init else drawn[0]
            found[f"{kind}.{name}.weight"] = {"shape": shape, **weight}
            if len(drawn) > 1:
                found[f"{kind}.{name}.bias"] = {"shape": [shape[0]], **drawn[1]}
    print("{")
    print(f' "what": "what PyTorch {torch.__version__} draws initial values from",')
    print(' "command": "python3 test/e2e/reference/initializers.py golden",')
    print(' "parameters": {\n' + ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items()) + "\n }\n}")


# --- Tests --------------------------------------------------------------------


def density(x):
    return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def below(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


INSIDE = below(2) - below(-2)


class Distribution:
    """Mean, deviation, kurtosis, share below a number, and limits."""

    def __init__(self, kind, first, second):
        if kind == "uniform":
            self.low, self.high = first, second
            self.mean, self.std = (first + second) / 2, (second - first) / math.sqrt(12)
            self.kurtosis, self.share = 1.8, lambda x: (x - first) / (second - first)
            return
        self.mean, self.std, self.kurtosis = first, second, 3.0
        self.low, self.high = -math.inf, math.inf
        self.share = lambda x: below((x - first) / second)
        if kind == "truncated":  # at two deviations
            self.low, self.high = first - 2 * second, first + 2 * second
            square = 1 - 4 * density(2) / INSIDE
            self.std = second * math.sqrt(square)
            self.kurtosis = (3 * square - 16 * density(2) / INSIDE) / square ** 2
            self.share = lambda x: (below((x - first) / second) - below(-2)) / INSIDE


def problems(values, kind, arguments):
    count = len(values)
    if kind == "constant":
        return [] if set(values) == {as_float32(arguments[0])} else [f"not all are {arguments[0]}"]
    d, found = Distribution(kind, *arguments), []

    def test(what, value, expected, error):
        if not abs(value - expected) <= error:
            found.append(f"{what} is {value:.6g}, expected {expected:.6g} within {error:.2g}")

    mean = math.fsum(values) / count
    test("mean", mean, d.mean, ERRORS * d.std / math.sqrt(count))
    square = math.fsum((value - d.mean) ** 2 for value in values) / count / d.std ** 2
    test("variance over the expected one", square, 1,
         ERRORS * math.sqrt((d.kurtosis - 1) / count))
    neighbours = math.fsum((a - d.mean) * (b - d.mean) for a, b in zip(values, values[1:]))
    test("correlation of neighbours", neighbours / count / d.std ** 2, 0,
         ERRORS / math.sqrt(count))
    values = sorted(values)
    shares = [d.share(value) for value in values]
    test("distance of the distributions", max(max((n + 1) / count - share, share - n / count)
                                              for n, share in enumerate(shares)),
         0, KOLMOGOROV / math.sqrt(count))
    if not as_float32(d.low) <= values[0] <= values[-1] <= as_float32(d.high):
        found.append(f"{values[0]} to {values[-1]}, expected {d.low} to {d.high}")
    # The outermost part where none of them is: of probability 1e-6 as well.
    test("share below the first", shares[0], 0, math.log(1e6) / count)
    test("share above the last", 1 - shares[-1], 0, math.log(1e6) / count)
    return found


def write_samples(folder, inputs):
    """Two samples: a program draws nothing before it has its data."""
    folder.mkdir()
    reads = next(iter(inputs.values()))
    kind = "<i4" if "classes" in reads else "<f4"
    for split in ("train", "test"):
        write_npy(folder / f"{split}_features.npy", kind, (2, *reads["shape"]),
                  [0] * (2 * math.prod(reads["shape"])))
        write_npy(folder / f"{split}_labels.npy", "<i4", (2,), [0, 2])


def draw_weights(folder, seed):
    """The weights of all models that a run of no step saves."""
    drawn = {}
    for made in models():
        base = folder / made["name"]
        run_program("boost-run", base.with_suffix(".so"), "--data", f"npy:{base}", "--threads=1",
                    "--progress=none", "--no-eval", "--steps=0", "--seed", seed, "--device=cpu",
                    "--save", base.with_suffix(".safetensors"))
        drawn |= read_weights(base.with_suffix(".safetensors"))
    return drawn


def correlation(a, b):
    mean_a, mean_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    products = math.fsum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    return products / math.sqrt(math.fsum((x - mean_a) ** 2 for x in a)
                                * math.fsum((y - mean_b) ** 2 for y in b))


def check(folder):
    folder, golden = pathlib.Path(folder), read_golden("initializers")["parameters"]
    folder.mkdir()
    for made in models():
        base = folder / made["name"]
        base.with_suffix(".json").write_text(json.dumps(made), encoding="utf-8")
        write_samples(base, made["input"])
        run_program("boostc", base.with_suffix(".json"), "--threads=1", "--target=cpu",
                    "-o", base.with_suffix(".so"))
    seeds, failed = [draw_weights(folder, seed) for seed in SEEDS], []
    for name, expected in golden.items():
        (kind, arguments), shape = list(expected.items())[1], expected["shape"]
        for drawn in seeds:
            values = drawn[name]
            if len(values) != math.prod(shape):
                sys.exit(f"{name} has {len(values)} values, expected {shape}")
            failed += [f"{name}: {text}" for text in problems(values, kind, arguments)]
        # The same parameter of another seed, and all others as large.
        others = {"other seed": seeds[1][name]} | {
            other: seeds[0][other] for other, value in golden.items()
            if value["shape"] == shape and other > name and "constant" not in value}
        for other, values in others.items() if kind != "constant" else ():
            if not abs(correlation(seeds[0][name], values)) <= ERRORS / math.sqrt(len(values)):
                failed.append(f"{name} is correlated with {other}")
    if failed:
        sys.exit("\n".join(failed))
    print(f"{len(golden)} parameters, of {len(SEEDS)} seeds")


if __name__ == "__main__":
    run_command(golden=make_golden, check=check)
