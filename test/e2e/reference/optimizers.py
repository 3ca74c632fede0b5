#!/usr/bin/env python3
"""Each optimizer and each schedule of the model format over whole trainings, held to PyTorch.

  optimizers.py golden          prints optimizers.json: PyTorch's trainings
  optimizers.py check FOLDER    compiles and runs each case in FOLDER, and compares it

A case is Inputs/optimizers.json with other values of some keys. Optimizers, schedules, clipping
and averages are PyTorch's own where it has them. What it lacks is written down from
docs/model-format.md: LARS, momentum with decoupled decay, the curves of recipes, a polynomial
that ends above 0, what a schedule is after its end. Each group of parameters has an optimizer
and a schedule of its own, because a schedule of PyTorch changes all groups of its optimizer.

A case runs on the CPU and on the simulated GPU. Cases of EVENTFUL run again in FORMS: a step is
shared by micro-batches or by ranks, or the run stops and is resumed. A step has the same samples
in all of them, so the golden values are the same, too.

A comparison shows nothing where its bound is wide. So `golden` changes each number of a case a
little, those that the model file leaves out included, and each choice: every such training must
leave the bound by far.

`golden` needs numpy and torch (Debian: python3-torch); `check` needs neither.
"""

import copy
import fnmatch
import json
import math
import pathlib
import random
import sys

from trainings import (as_float32, compare, draw_dense, draw_weight, numbers, pair_weights,
                       print_golden, read_events, read_golden, read_model, run_command,
                       run_program, train_exactly)
from data_files import write_npy

MODEL = read_model("optimizers")
CLASSES, SAMPLES = 3, 22  # the last batch of a pass has 2 samples, the others 4
WORDS, (LENGTH,), UNITS = (MODEL["input"]["token"]["classes"], MODEL["input"]["token"]["shape"],
                           MODEL["layers"][0]["units"])
ROLES = {"table.weight": "embedding", "a.weight": "weight", "a.bias": "bias",
         "norm.gamma": "norm_scale", "norm.beta": "norm_shift", "b.weight": "weight",
         "scale.multiplier": "multiplier", "out.weight": "weight", "out.bias": "bias"}


# --- The cases ----------------------------------------------------------------


def epochs(schedule, value, **keys):
    return {"schedule": schedule, "value": value, **keys}


def steps(schedule, value, **keys):
    return {"schedule": schedule, "value": value, "unit": "steps", **keys}


def case(kind, learning_rate, keys=None, train=None, **model):
    """`micro_batches` and `steps` of `model` are options of boostc and boost-run."""
    return {"optimizer": {"type": kind, "learning_rate": learning_rate, **(keys or {})},
            "train": train or {}, **model}


NORM = {"gradient_norm": True}
NO_DECAY = {"roles": ["bias", "norm_scale", "norm_shift", "multiplier"], "weight_decay": 0.0}
CASES = {
    "sgd": case("sgd", 0.25, train=NORM),
    "sgd-warmup": case("sgd", steps("constant", 0.25, warmup=4, initial=0.0625),
                       {"weight_decay": 0.03125}),
    "sgd-step": case("sgd", steps("step", 0.5, every=4, factor=0.5, warmup=3),
                     {"weight_decay": 0.03125, "decay": "decoupled"}, NORM),
    "sgd-clip-value": case("sgd", epochs("exponential", 0.5, factor=0.75),
                           train={"clip_value": 0.0625}),
    "momentum": case("momentum", epochs("step", 0.125, every=1, factor=0.25, warmup=0.5),
                     {"momentum": 0.75}),
    "momentum-clip-norm": case("momentum", steps("cosine", 0.125, warmup=4, initial=0.015625,
                                                 end=0.03125),
                               {"weight_decay": 0.0625}, {"clip_norm": 0.25, **NORM}),
    "momentum-decoupled": case("momentum", steps("exponential", 0.125, factor=0.875, warmup=2),
                               {"weight_decay": 0.0625, "decay": "decoupled"}),
    "momentum-ema": case("momentum", epochs("cosine", 0.125, length=2), {"momentum": 0.875},
                         {"ema": {"decay": 0.75}}),
    "momentum-groups": case("momentum", epochs("recipe_steps", 0.125, warmup=0.5), {
        "weight_decay": 0.0625,
        "groups": [{"match": "?.weight", "learning_rate": 0.03125},
                   {"roles": ["multiplier", "bias"], "weight_decay": 0.25,
                    "learning_rate": steps("polynomial", 0.25, warmup=5)}]}),
    "momentum-10-steps": case("momentum", epochs("cosine", 0.125, warmup=0.5), steps=10),
    "momentum-recipe-thor": case("momentum", epochs("recipe_thor", 0.25, power=4.5, length=2.5,
                                                    halve_at=0.75)),
    "sgd-recipe-damping": case("sgd", epochs("recipe_damping", 0.25, factor=0.5)),
    "nesterov": case("momentum", epochs("polynomial", 0.125, power=2),
                     {"weight_decay": 0.0625, "nesterov": True}),
    "nesterov-decoupled": case("momentum", epochs("exponential", 0.125, factor=0.5, warmup=1),
                               {"momentum": 0.75, "weight_decay": 0.0625, "nesterov": True,
                                "decay": "decoupled"}, {"clip_norm": 0.25}),
    "adam": case("adam", steps("cosine", 0.03125, length=10), train=NORM),
    "adam-polynomial": case("adam", epochs("polynomial", 0.0625, end=0.0078125, length=1.5,
                                           warmup=0.5, power=0.5),
                            {"weight_decay": 0.0625, "epsilon": 0.03125, "beta1": 0.75,
                             "beta2": 0.875}),
    "adam-decoupled": case("adam", epochs("recipe_cosine", 0.0625, warmup=1),
                           {"weight_decay": 0.25, "decay": "decoupled", "beta2": 0.9375},
                           {"clip_value": 0.03125, **NORM}),
    "adam-no-mean": case("adam", epochs("recipe_step", 0.03125),
                         {"beta1": 0.0, "epsilon": 0.015625}, {"clip_norm": 0.125}),
    "adamw": case("adamw", epochs("cosine", 0.0625, warmup=1, initial=0.03125, end=0.015625)),
    "adamw-coupled": case("adamw", epochs("recipe_linear", 0.0625, end=0.015625, warmup=1,
                                          initial=0.0078125),
                          {"weight_decay": 0.0625, "decay": "coupled", "epsilon": 0.03125}),
    "adamw-groups": case("adamw", steps("cosine", 0.0625, warmup=5), {
        "weight_decay": 0.25, "epsilon": 0.015625,
        "groups": [{"match": "out.*", "learning_rate": steps("step", 0.03125, every=5)},
                   NO_DECAY]},
        {"clip_norm": 0.25, "ema": {"decay": 0.875, "evaluate": False}, **NORM}),
    "adamw-clip-both": case("adamw", steps("polynomial", 0.0625, length=12),
                            {"beta1": 0.5, "epsilon": 0.03125},
                            {"clip_value": 0.125, "clip_norm": 0.25, **NORM}),
    "lars": case("lars", epochs("cosine", 0.5, warmup=1), {"trust_coefficient": 0.0625}),
    "lars-decay": case("lars", steps("recipe_poly", 1.0, warmup=4, initial=0.125),
                       {"momentum": 0.75, "weight_decay": 0.0625, "trust_coefficient": 0.03125,
                        "epsilon": 0.125, "groups": [NO_DECAY]}, {"clip_norm": 0.5, **NORM}),
    # The last dense layer and the table take AdamW.
    "muon": case("muon", epochs("cosine", 0.0625, warmup=0.5), {
        "weight_decay": 0.0625, "momentum": 0.75, "adamw_learning_rate": epochs("cosine", 0.03125),
        "epsilon": 0.015625}, {"clip_norm": 0.25, **NORM}),
    "muon-match": case("muon", 0.125, {
        "adjust_lr_fn": "match_rms_adamw", "nesterov": False, "adamw_learning_rate": 0.03125,
        "beta1": 0.75, "epsilon": 0.015625}),
    # A group's rate is that of its parameters, whether Muon or AdamW updates them.
    "muon-groups": case("muon", epochs("cosine", 0.0625, warmup=0.5), {
        "adamw_learning_rate": 0.03125, "epsilon": 0.015625,
        "groups": [{"match": "b.*", "learning_rate": steps("step", 0.125, every=5)},
                   {"match": "out.*", "learning_rate": 0.0625},
                   {"roles": ["bias"], "learning_rate": 0.0}]}),
    # An epoch without its last batch; one of two passes; windows of 3 + 3 samples, the last one
    # of a pass with 3 + 1.
    "drop-remainder": case("momentum", epochs("cosine", 0.125, warmup=0.5),
                           data={"drop_remainder": True}),
    "repeat": case("adam", epochs("step", 0.03125, every=0.5, factor=0.5), epochs=2,
                   data={"repeat": 2}),
    "windows": case("momentum", epochs("cosine", 0.125, warmup=0.5), {"nesterov": True}, NORM,
                    batch_size=3, micro_batches=2),
}

# Micro-batches of a step, ranks, and those of the run that goes on after a stop.
FORMS = {"micro-batches": ((2, 1),), "ranks": ((1, 2),), "resumed": ((1, 1), (1, 1)),
         "resumed-ranks": ((2, 1), (1, 2))}
EVENTFUL = ("momentum-clip-norm", "adamw-groups", "lars-decay", "muon")
STOP = 8  # in the second pass

DEFAULTS = {
    "sgd": {"weight_decay": 0.0, "decay": "coupled"},
    "momentum": {"momentum": 0.9, "weight_decay": 0.0, "decay": "coupled", "nesterov": False},
    "adam": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.0,
             "decay": "coupled"},
    "adamw": {"beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.01,
              "decay": "decoupled"},
    "lars": {"momentum": 0.9, "weight_decay": 0.0, "trust_coefficient": 0.001, "epsilon": 0.0},
    "muon": {"momentum": 0.95, "nesterov": True, "weight_decay": 0.0, "adjust_lr_fn": "original",
             "adamw_learning_rate": 0.0003, "beta1": 0.9, "beta2": 0.95, "epsilon": 1e-10},
}
SCHEDULE_DEFAULTS = {"step": {"factor": 0.1}, "polynomial": {"end": 0.0, "power": 1.0},
                     "cosine": {"end": 0.0}, "recipe_linear": {"end": 0.0}}
LENGTHS = ("warmup", "length", "every", "halve_at")
CLEAR = 4  # bounds
HIDDEN = ("a.weight", "b.weight")


class Timing:
    """How many steps a case has, and what its schedules count."""

    def __init__(self, recipe):
        self.window = recipe["batch_size"] * recipe.get("micro_batches", 1)
        data = recipe.get("data", {})
        count = SAMPLES // self.window * self.window if data.get("drop_remainder") else SAMPLES
        self.windows = [slice(first, min(first + self.window, count))
                        for first in range(0, count, self.window)]
        self.epoch = len(self.windows) * data.get("repeat", 1)
        self.total = recipe.get("steps", recipe["epochs"] * self.epoch)

    def steps(self, schedule, key):
        """A length in steps. One in epochs is rounded to whole steps, half a step up."""
        length = schedule.get(key, 0)
        return length if schedule.get("unit") == "steps" else math.floor(length * self.epoch + 0.5)


def resolve(name):
    """The case with all keys that PyTorch's training reads."""
    recipe = copy.deepcopy({**MODEL, **CASES[name]})
    recipe["optimizer"] = {**DEFAULTS[recipe["optimizer"]["type"]], **recipe["optimizer"]}
    for keys in (recipe["optimizer"], *recipe["optimizer"].get("groups", [])):
        for key in ("learning_rate", "adamw_learning_rate"):
            value = keys.get(key)
            if isinstance(value, (int, float)):
                value = keys[key] = epochs("constant", value)
            if value:
                keys[key] = {**SCHEDULE_DEFAULTS.get(value["schedule"], {}), **value}
    return recipe


# --- PyTorch ------------------------------------------------------------------


def curve_of_recipe(schedule, timing):
    """Rate of step i: the curves of docs/model-format.md that PyTorch lacks."""
    kind, value, initial = schedule["schedule"], schedule["value"], schedule.get("initial", 0.0)
    total, rise, end = timing.total, timing.steps(schedule, "warmup"), schedule.get("end", 0.0)
    left = total - rise

    def stages(i, parts, last):
        for number, part in enumerate(parts):
            if i < part * total:
                return value * 0.1 ** number
        return last

    def curve(i):
        epoch = (i + 1) / timing.epoch
        if kind == "recipe_damping":
            return value * schedule["factor"] ** (epoch / 10)
        if kind == "recipe_thor":
            fall = max(0.0, 1 - epoch / (schedule.get("length") or total / timing.epoch))
            half = schedule["halve_at"]
            return value * fall ** schedule["power"] * 0.5 ** ((epoch >= half)
                                                               + (epoch >= half + 1))
        if i < rise:
            return initial + (value - initial) * (i + (kind == "recipe_cosine")) / rise
        if kind == "recipe_linear":
            return value - (value - end) * (i - rise) / left
        if kind == "recipe_poly":
            return value * (1 - (i - rise) / left) ** 2
        if kind == "recipe_cosine":
            return value * ((total - i) / left * (1 + math.cos(0.94 * math.pi * i / left)) / 2
                            + 1e-5)
        if kind == "recipe_steps":
            return stages(i, (0.3, 0.6, 0.8), value * 0.1 ** 3)
        return stages(i, (0.2, 0.5, 0.7, 0.9), 5e-5)

    return curve


def make_scheduler(optimizer, schedule, timing):
    from torch.optim import lr_scheduler as torch_lr
    kind, value, end = schedule["schedule"], schedule["value"], schedule.get("end", 0.0)
    if kind.startswith("recipe"):
        curve = curve_of_recipe(schedule, timing)
        return torch_lr.LambdaLR(optimizer, lambda i: curve(i) / value)
    rise = timing.steps(schedule, "warmup")
    length = timing.steps(schedule, "length") or timing.total - rise
    unit = 1 if schedule.get("unit") == "steps" else timing.epoch
    parts, milestones = [], []
    if rise:
        initial = schedule.get("initial", 0.0)
        parts.append(torch_lr.LinearLR(optimizer, (initial + (value - initial) / rise) / value,
                                       1.0, rise - 1))
        milestones.append(rise)
    if kind == "constant":
        parts.append(torch_lr.ConstantLR(optimizer, 1.0))
    elif kind == "step":
        parts.append(torch_lr.StepLR(optimizer, timing.steps(schedule, "every"),
                                     schedule["factor"]))
    elif kind == "exponential":
        parts.append(torch_lr.ExponentialLR(optimizer, schedule["factor"] ** (1 / unit)))
    elif kind == "polynomial" and not end:
        parts.append(torch_lr.PolynomialLR(optimizer, length, schedule["power"]))
    elif kind == "polynomial":
        parts.append(torch_lr.LambdaLR(optimizer, lambda i: (
            end + (value - end) * max(0, 1 - i / length) ** schedule["power"]) / value))
    elif kind == "cosine":
        # PyTorch's curve rises again after its length.
        parts += [torch_lr.CosineAnnealingLR(optimizer, length, end),
                  torch_lr.ConstantLR(optimizer, end / value, timing.total)]
        milestones.append(rise + length)
    return torch_lr.SequentialLR(optimizer, parts, milestones)


def make_optimizer(parameters, keys):
    """`parameters` are pairs of a role and a parameter."""
    import torch

    class DecoupledSGD(torch.optim.SGD):
        """`w = w - lr * (v + weight_decay * w)`: AdamW's decay, which SGD lacks."""

        def step(self):
            for group in self.param_groups:
                for value in group["params"]:
                    value.data.mul_(1 - group["lr"] * keys["weight_decay"])
            super().step()

    class LARS(torch.optim.Optimizer):
        """Momentum with a rate for each tensor (You, Gitman and Ginsburg, 2017)."""

        @torch.no_grad()
        def step(self):
            group, decay = self.param_groups[0], keys["weight_decay"]
            for role, value in parameters:
                ratio, gradient = 1.0, value.grad
                if role in ("weight", "embedding") and value.norm() and gradient.norm():
                    ratio = keys["trust_coefficient"] * value.norm() / (
                        gradient.norm() + decay * value.norm() + keys["epsilon"])
                velocity = self.state[value].setdefault("v", torch.zeros_like(value))
                velocity.mul_(keys["momentum"]).add_(ratio * (gradient + decay * value))
                value.sub_(group["lr"] * velocity)

    class Muon(torch.optim.Optimizer):
        """Muon (Jordan and others, 2024), without the rounding to bf16 that PyTorch's has."""

        @torch.no_grad()
        def step(self):
            rate, kept = self.param_groups[0]["lr"], keys["momentum"]
            for _, value in parameters:
                mean = self.state[value].setdefault("v", torch.zeros_like(value))
                mean.lerp_(value.grad, 1 - kept)
                x = value.grad.lerp(mean, kept) if keys["nesterov"] else mean.clone()
                rows, columns = x.shape
                x = x / x.norm().clamp(min=1e-7)
                x = x.T if rows > columns else x
                for _ in range(5):
                    a = x @ x.T
                    x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
                x = x.T if rows > columns else x
                scale = (math.sqrt(max(1, rows / columns)) if keys["adjust_lr_fn"] == "original"
                         else 0.2 * math.sqrt(max(rows, columns)))
                value.mul_(1 - rate * keys["weight_decay"]).sub_(rate * scale * x)

    values, kind = [value for _, value in parameters], keys["type"]
    rate, decay = keys["learning_rate"]["value"], keys["weight_decay"]
    if kind == "lars":
        return LARS(values, {"lr": rate})
    if kind == "muon":
        return Muon(values, {"lr": rate})
    if kind in ("adam", "adamw"):
        made = torch.optim.Adam if keys["decay"] == "coupled" else torch.optim.AdamW
        return made(values, rate, (keys["beta1"], keys["beta2"]), keys["epsilon"], decay)
    moments = {"momentum": keys.get("momentum", 0.0), "nesterov": keys.get("nesterov", False)}
    if keys["decay"] == "decoupled":
        return DecoupledSGD(values, rate, **moments)
    return torch.optim.SGD(values, rate, weight_decay=decay, **moments)


def keys_of(name, keys):
    """A parameter's keys: those of the first group that has it, over the optimizer's."""
    role = ROLES[name]
    for number, group in enumerate(keys.get("groups", [])):
        if fnmatch.fnmatchcase(name, group.get("match", "*")) and role in (
                group.get("roles") or [role]):
            return number, {**keys, **group, "adamw_learning_rate": group.get(
                "learning_rate", keys.get("adamw_learning_rate"))}
    return -1, keys


def train_in_torch(recipe, start, dtype):
    """Rates, and what is compared within the bound: losses, norms of the gradients, weights."""
    import torch
    from torch.nn import functional as F

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for name, value in start.items():  # a name of PyTorch's has no dot
                self.register_parameter(name.replace(".", "_"), torch.nn.Parameter(
                    torch.tensor(value).to(dtype)))

        def forward(self, x):
            x = F.linear(F.embedding(x, self.table_weight).flatten(1), self.a_weight, self.a_bias)
            x = torch.tanh(F.layer_norm(x, x.shape[1:], self.norm_gamma, self.norm_beta, 1e-5))
            x = torch.tanh(F.linear(x, self.b_weight) * self.scale_multiplier)
            return F.linear(x, self.out_weight, self.out_bias)

    timing, train = Timing(recipe), recipe["train"]
    x, t = map(torch.tensor, zip(*samples("train")))
    network, groups = Network(), {}
    for name, value in zip(start, network.parameters(), strict=True):
        number, keys = keys_of(name, recipe["optimizer"])
        if keys["type"] == "muon" and name not in HIDDEN:
            number, keys = (number, "adamw"), {**keys, "type": "adamw", "decay": "decoupled",
                                               "learning_rate": keys["adamw_learning_rate"]}
        groups.setdefault(number, (keys, []))[1].append((ROLES[name], value))
    optimizers, schedulers = [], []
    for keys, parameters in groups.values():
        optimizers.append(make_optimizer(parameters, keys))
        schedulers.append(make_scheduler(optimizers[-1], keys["learning_rate"], timing))
    averages = None
    if "ema" in train:
        decay = train["ema"]["decay"]
        averages = torch.optim.swa_utils.AveragedModel(
            network, avg_fn=lambda average, value, _: decay * average + (1 - decay) * value)
        averages.update_parameters(network)  # the first one copies

    # The rate that metrics report is the optimizer's, of which a case with groups may have no
    # parameter left.
    reported = torch.optim.SGD([torch.zeros(1)], recipe["optimizer"]["learning_rate"]["value"])
    reporter = make_scheduler(reported, recipe["optimizer"]["learning_rate"], timing)
    rates, losses, norms = [], [], []
    for step in range(timing.total):
        part = timing.windows[step % len(timing.windows)]
        network.zero_grad()
        loss = F.cross_entropy(network(x[part]), t[part])
        loss.backward()
        losses.append(loss.item())
        if train.get("gradient_norm"):  # before clipping of either kind
            norms.append(torch.nn.utils.clip_grad_norm_(network.parameters(), math.inf).item())
        if "clip_value" in train:
            torch.nn.utils.clip_grad_value_(network.parameters(), train["clip_value"])
        if "clip_norm" in train:
            torch.nn.utils.clip_grad_norm_(network.parameters(), train["clip_norm"])
        rates.append(reported.param_groups[0]["lr"])
        for optimizer in optimizers + [reported]:
            optimizer.step()
        for scheduler in schedulers + [reporter]:
            scheduler.step()
        if averages:
            averages.update_parameters(network)

    def flat(parameters, suffix=""):
        return {name + suffix: value.detach().flatten().tolist()
                for name, value in zip(start, parameters, strict=True)}

    weights = flat(network.parameters())
    if averages:
        weights |= flat(averages.module.parameters(), ".ema")
    return rates, (losses, norms, weights)


# --- Golden values ------------------------------------------------------------


def samples(split):
    """Pairs of tokens and a class."""
    draw, drawn = random.Random(split), []
    for _ in range({"train": SAMPLES, "test": 10}[split]):
        tokens = [draw.randrange(WORDS) for _ in range(LENGTH)]
        drawn.append((tokens, sum(tokens) % CLASSES))
    return drawn


def write_tokens(folder):
    folder.mkdir()
    for split in ("train", "test"):
        tokens, labels = zip(*samples(split))
        write_npy(folder / f"{split}_features.npy", "<i4", (len(tokens), LENGTH),
                  [token for sample in tokens for token in sample])
        write_npy(folder / f"{split}_labels.npy", "<i4", (len(labels),), labels)


def initial():
    """In the order of ROLES, which is that of the layers."""
    import numpy as np
    start = draw_dense(MODEL, LENGTH * UNITS)
    units = len(start["a.bias"])
    start |= {"table.weight": draw_weight(MODEL["seed"], "table.weight", (WORDS, UNITS), 1),
              "norm.gamma": np.ones(units, np.float32), "norm.beta": np.zeros(units, np.float32),
              "scale.multiplier": np.ones(1, np.float32)}
    return {name: start[name] for name in ROLES}


def changes(value, path=()):
    """Paths to the keys of a case with another value of each."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from changes(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from changes(inner, (*path, number))
    elif isinstance(value, bool):
        if path[-1] not in ("gradient_norm", "evaluate"):
            yield path, not value
    elif isinstance(value, (int, float)):
        yield path, value + 1 if path[-1] in LENGTHS else value * 31 / 32 if value else 1 / 32
    elif path[-1] == "decay":
        yield path, "decoupled" if value == "coupled" else "coupled"


def distance(found, expected):
    return max(abs(a - b) for a, b in zip(numbers(found), numbers(expected), strict=True))


def is_unseen(recipe, path):
    """Both kinds of decay are the same where nothing decays, and without momentum. Adam's 1e-8 is
    below rounding: cases with larger epsilons tell where it is added."""
    keys = recipe["optimizer"]
    if path == ("optimizer", "decay"):
        return keys["type"] == "sgd" or not keys["weight_decay"]
    return path == ("optimizer", "epsilon") and keys["type"] != "lars" and keys["epsilon"] == 1e-8


def check_sensitivity(name, recipe, start, golden, bound):
    """Trainings with a key changed must leave the bound."""
    import torch
    for part in ("optimizer", "train"):
        for path, value in changes(recipe[part], (part,)):
            other = copy.deepcopy(recipe)
            inner = other
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = value
            found = distance(train_in_torch(other, start, torch.float64)[1], golden) / bound
            if found < CLEAR and not is_unseen(recipe, path):
                sys.exit(f"{name}: {'.'.join(map(str, path))} {value} is {found:.3g} bounds away")


def make_golden():
    import torch
    start, found = initial(), {}
    for name in CASES:
        recipe = resolve(name)
        rates, _ = train_in_torch(recipe, start, torch.float64)
        exact, conditioning = train_exactly(
            lambda weights, dtype: train_in_torch(recipe, weights, dtype)[1], start)
        check_sensitivity(name, recipe, start, exact, 2 * conditioning["max_deviation_of_fp32"])
        losses, norms, weights = exact
        found[name] = rounded({"conditioning": conditioning, "rates": rates, "losses": losses,
                               "norms": norms, "weights": weights})
    print_golden("optimizers", "optimizers", **found)


def rounded(value):
    """To ten digits, where single precision has seven."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.10g}") if isinstance(value, float) else value


# --- Our runs -----------------------------------------------------------------


class Case:
    def __init__(self, folder, name):
        self.folder, self.name, self.programs = folder / name, name, {}
        self.recipe = {**MODEL, **CASES[name]}
        self.own = self.recipe.pop("micro_batches", 1)
        self.limit = self.recipe.pop("steps", None)
        self.folder.mkdir()

    def program(self, micro_batches, ranks):
        """A step of its samples, shared."""
        key = micro_batches, ranks
        if key not in self.programs:
            model = {**self.recipe, "name": self.name,
                     "batch_size": self.recipe["batch_size"] * self.own // (micro_batches * ranks)}
            base = self.folder / f"{micro_batches}x{ranks}"
            base.with_suffix(".json").write_text(json.dumps(model), encoding="utf-8")
            run_program("boostc", base.with_suffix(".json"), "--threads=1", "--target=cpu,cuda",
                        "--boost", f"grad_accumulation_step={micro_batches}",
                        "-o", base.with_suffix(".so"))
            self.programs[key] = base.with_suffix(".so")
        return self.programs[key]

    def train(self, form, parts, device):
        """Trains in one run or, with a stop, in two; where the results are."""
        base = self.folder / f"{form}-{device}"
        for number, (micro_batches, ranks) in enumerate(parts, 1):
            limit = ["--steps", self.limit] if self.limit else []
            if number < len(parts):
                limit = ["--steps", STOP, "--epochs", self.recipe["epochs"]]
            run_program("boost-run", self.program(micro_batches, ranks), "--data",
                        f"npy:{self.folder.parent / 'data'}", "--threads=1", "--progress=none",
                        "--no-eval", "--shuffle=off", "--device", device, "--ranks", ranks,
                        "--comm=local", "--metrics", base.with_suffix(".jsonl"),
                        "--checkpoint-dir", base, "--save", base.with_suffix(".safetensors"),
                        *limit)
        return base

    def compare(self, base, golden):
        events, _ = read_events(base.with_suffix(".jsonl"))
        pairs = []
        for number, (event, rate, loss) in enumerate(
                zip(events, golden["rates"], golden["losses"], strict=True)):
            # The text has as many digits as single precision needs.
            if not abs(as_float32(event["lr"]) - rate) <= 2 ** -24 * rate * 1.001 + 1e-15:
                sys.exit(f"rate of step {number + 1} is {event['lr']}, expected {rate}")
            pairs.append((f"loss of step {number + 1}", event["loss"], loss))
            if golden["norms"]:
                pairs.append((f"gradient norm of step {number + 1}", event["grad_norm"],
                              golden["norms"][number]))
        # A checkpoint has weights and averages, a file what evaluations read of them.
        weights, averages = golden["weights"], self.recipe["train"].get("ema")
        if averages:
            timing = Timing({**MODEL, **CASES[self.name]})
            kept = base / f"{self.name}-{self.recipe['epochs']}_{timing.epoch}.ckpt"
            pairs += pair_weights(kept / "weights.safetensors", weights)
        suffix = ".ema" if averages and averages.get("evaluate", True) else ""
        pairs += pair_weights(base.with_suffix(".safetensors"), {
            name: weights[name + suffix] for name in weights if not name.endswith(".ema")})
        compare(pairs, golden["conditioning"])


def check(folder):
    folder, golden = pathlib.Path(folder), read_golden("optimizers")
    folder.mkdir()
    write_tokens(folder / "data")
    failed = []
    for name in CASES:
        one = Case(folder, name)
        forms = FORMS if name in EVENTFUL else {}
        for form, parts in {"plain": ((one.own, 1),), **forms}.items():
            for device in ("cpu", "sim"):
                print(f"{name}, {form}, {device}: ", end="")
                try:
                    one.compare(one.train(form, parts, device), golden[name])
                except SystemExit as error:
                    print(error)
                    failed.append(f"{name}, {form}, {device}")
    if failed:
        sys.exit("not as in PyTorch: " + "; ".join(failed))


if __name__ == "__main__":
    run_command(golden=make_golden, check=check)
