"""Training of a model file in PyTorch, for smith_torch.py.

Written from docs/model-format.md, docs/boosts.md and docs/step.md, not from the compiler. Each
parameter has an optimizer of its own, so that a step can leave some alone. Loss scales of groups
are left out: what they multiply is divided again.
"""

import fnmatch
import math

import numpy as np
import torch
from freeze_groups import schedule as interleaved
from optimizers import DEFAULTS, make_optimizer
from smith_graph import pair
from smith_network import Network, Skip, Tensors, correct, losses
from thor import DEFAULTS as THOR
from thor import (Changes, average, factor, invert_factors, limit_steps, positions_of,
                  precondition, rows_of)


def rate_of(schedule, step):
    """The learning rate of a step, counted from 0."""
    if not isinstance(schedule, dict):
        return schedule
    kind, value, rise = schedule["schedule"], schedule["value"], schedule.get("warmup", 0)
    if schedule.get("unit") != "steps" or kind not in ("constant", "cosine"):
        raise Skip(f"schedule {kind}")
    if step < rise:
        initial = schedule.get("initial", 0.0)
        return initial + (value - initial) * (step + 1) / rise
    if kind == "constant":
        return value
    if not schedule.get("length"):
        raise Skip("schedule to the end of the run")
    end, share = schedule.get("end", 0.0), min(1.0, (step - rise) / schedule["length"])
    return end + (value - end) * (1 + math.cos(math.pi * share)) / 2


class Rule:
    """An optimizer of PyTorch for one parameter, of which it sees a matrix for Muon."""

    def __init__(self, value, role, keys):
        self.value = value
        self.seen = torch.nn.Parameter(value.data.flatten(1) if keys["type"] == "muon" else
                                       value.data)
        self.optimizer = make_optimizer([(role, self.seen)],
                                        {**keys, "learning_rate": {"value": 1.0}})

    def step(self, rate):
        self.seen.grad = self.value.grad.reshape(self.seen.shape)
        self.optimizer.param_groups[0]["lr"] = rate
        self.optimizer.step()


class Lars(Rule):
    """It jumps where a gradient is 0 but for rounding."""

    def step(self, rate):
        steepness = self.value.grad.norm()
        if steepness and self.value.dtype == torch.float64 and steepness < 1e-12:
            raise Skip("lars divides by a gradient that is 0 but for rounding")
        super().step(rate)


class Thor:
    """Momentum; what the gradient is multiplied with is in `inverses`."""

    def __init__(self, value, role, keys):
        self.value, self.keys, self.velocity = value, keys, 0.0

    @torch.no_grad()
    def step(self, rate):
        keys = self.keys
        p = self.value.grad + keys["weight_decay"] * self.value
        if keys["enable_clip_grad"]:
            p = p * min(1.0, 1.0 / (p.norm().item() + 1e-6))
        self.velocity = keys["momentum"] * self.velocity + p
        self.value -= rate * (p + keys["momentum"] * self.velocity if keys["nesterov"] else
                              self.velocity)


def center(gradient, optimizer):
    largest = gradient.abs().max().item()
    gradient -= gradient.mean(tuple(range(1, gradient.dim())), keepdim=True)
    # Where clipping has made all of them equal, say.
    is_nothing = (gradient.abs() < 1e-12 * largest).any()
    if optimizer.startswith("adam") and gradient.dtype == torch.float64 and is_nothing:
        raise Skip("adam divides by a gradient that is 0 but for rounding")


def refresh_all(products, inverses, averages, changes, damping, keys):
    """Puts into `inverses` by name what multiplies the gradient of a weight: inverses and the output
    pixels. Adds the factors to `averages`, and lets `changes` decide which stay."""
    for name, (layer, parts) in products.items():
        if name in changes.settled:
            continue
        x = torch.cat([x.detach() for x, _ in parts])
        d = torch.cat([torch.zeros_like(y) if y.grad is None else y.grad for _, y in parts])
        positions = positions_of(layer, d)
        if layer["op"] == "embedding":
            counts = x.flatten(0, -2).sum(0) / len(x)
            factors = [(torch.diag(counts), factor(d.flatten(0, -2)))]
        else:
            # The network has padded the input.
            spatial = {key: pair(layer.get(key, 1)) for key in ("kernel", "stride", "dilation")}
            factors = [tuple(map(factor, both))
                       for both in rows_of({**layer, **spatial, "padding": 0}, x, d)]
        averages[name] = average(averages.get(name), factors, keys["factor_decay"])
        if not changes.keeps(name, averages[name][0], positions, damping, name in inverses):
            inverses[name] = invert_factors(layer, averages[name][0], positions, damping,
                                            keys), positions
    if changes.margin < 1e-4:
        raise Skip("how a trace changed is next to a limit")


class Recipe:
    """What a model file and the boosts on a command line say of a training."""

    def __init__(self, model, boosts):
        self.model, self.boosts = model, boosts
        known = {"less_bn", "fn_flag", "grad_freeze", "param_groups", "freeze_type", "freeze_p",
                 "loss_scale_group", "initial", "groups", "grad_accumulation_step"}
        for key in sorted(set(self.boosts) - known):
            raise Skip(f"boost {key}")
        for key in sorted(set(model) - {"name", "seed", "epochs", "batch_size", "input", "layers",
                                        "loss", "metrics", "train", "optimizer"}):
            raise Skip(f"key {key}")
        self.train = model["train"]
        for key in sorted(set(self.train) - {"clip_norm", "clip_value", "gradient_norm"}):
            raise Skip(f"train.{key}")
        kind, defaults = model["optimizer"]["type"], {**DEFAULTS, "thor": THOR}
        if kind not in defaults:
            raise Skip(f"optimizer {kind}")
        # Only Muon's rate has a default.
        self.optimizer = {"learning_rate": 0.02, **defaults[kind], **model["optimizer"]}
        self.batch = model["batch_size"]
        self.window = self.batch * int(self.boosts.get("grad_accumulation_step", 1))
        self.centers = self.boosts.get("less_bn") == "true"
        # A classifier is told by its loss, which compares classes.
        self.head = (self.centers and self.boosts.get("fn_flag", "true") == "true"
                     and model["loss"]["op"] == "softmax_cross_entropy")

    def network(self, gone):
        return Network(self.model, self.head, gone)

    def keys_of(self, name, role):
        """Of the first group that matches, over the optimizer's."""
        for group in self.optimizer.get("groups", []):
            if fnmatch.fnmatchcase(name, group.get("match", "*")) and role in (
                    group.get("roles") or [role]):
                return {**self.optimizer, **group}
        return self.optimizer

    def hidden(self, network):
        """Weights that Muon takes: not the first convolution and the last dense layer."""
        convolutions = [layer for layer in network.layers
                        if layer["op"] in ("conv2d", "conv2d_transpose")]
        dense = [layer for layer in network.layers
                 if layer["op"] in ("dense", "normalized_dense")]
        others = {layer["name"] for layer in convolutions[:1] + dense[-1:]}
        return {layer["name"] + ".weight" for layer in convolutions + dense
                if layer["name"] not in others}

    def rules(self, network, roles, values):
        """Name -> rule and schedule of each parameter."""
        hidden, rules = self.hidden(network), {}
        for name, role in roles.items():
            keys = self.keys_of(name, role)
            if keys["type"] == "muon" and name not in hidden:
                keys = {**keys, "type": "adamw", "decay": "decoupled",
                        "learning_rate": keys["adamw_learning_rate"]}
            made = {"lars": Lars, "thor": Thor}.get(keys["type"], Rule)
            rules[name] = made(values[name], role, keys), keys["learning_rate"]
        return rules

    def centered(self, network):
        """Weights whose gradients less_bn centralises."""
        return {layer["name"] + ".weight" for layer in network.layers if self.centers and (
            layer["op"] == "dense" or layer["op"] == "conv2d" and layer.get("groups", 1) == 1)}

    def refreshes(self, network, groups):
        """In which steps THOR inverts factors: of all layers, or the model is skipped."""
        keys, steps = self.optimizer, len(groups)
        if keys["type"] != "thor":
            return [False] * steps
        frequency = keys["frequency"]
        layers = sum(layer["op"] in ("dense", "conv2d", "embedding") for layer in network.layers)
        parts = max(1, min(16, layers, frequency // 2)) if keys["stagger"] else 1
        if parts > 1 and frequency // parts < steps:
            raise Skip("thor refreshes layers one by one")
        due = [step % frequency == 0 for step in range(steps)]
        if any(groups[step] for step in range(steps) if due[step]):
            raise Skip("grad_freeze postpones a refresh of thor")
        return due

    def freeze_groups(self, steps):
        """The group of each step."""
        if self.boosts.get("grad_freeze") != "true":
            return [0] * steps
        count, share = int(self.boosts["param_groups"]), float(self.boosts["freeze_p"])
        if self.boosts["freeze_type"] == "1":
            return interleaved(count, share, self.model["seed"], steps)
        whole = math.floor(share * (count - 1) / (1 - share))
        return (([0] * whole + list(range(1, count))) * steps)[:steps]

    def frozen(self, roles, group):
        """Parameters that a step of a group leaves alone. A layer is a weight and what follows."""
        if group == 0:
            return set()
        layers, number = {}, -1
        for name, role in roles.items():
            number += role in ("weight", "embedding")
            layers[name] = max(number, 0)
        first = group * ((number + 1) // int(self.boosts["param_groups"]))
        return {name for name, layer in layers.items() if layer < first}


def move_statistics(seen, values):
    """As train.running_statistics says, single precision included."""
    for name, (layer, parts) in seen.items():
        x, momentum = torch.cat(parts, 1), layer.get("momentum", 0.1)
        mean, variance = values[f"{name}.running_mean"], values[f"{name}.running_var"]
        distances, n = x - mean[:, None], x.shape[1]
        d = distances.sum(1) / n
        v = (distances.square().sum(1) / n - d * d).clamp_min(0)
        if layer.get("running_variance", "unbiased") == "unbiased":
            v = v * n / max(n - 1, 1)
        values[f"{name}.running_mean"] = mean + momentum * d
        values[f"{name}.running_var"] = variance + momentum * (v - variance)


def precondition_all(network, values, rates, inverses, damping, count, limit):
    """THOR's p in the place of the gradients of a step of `count` samples, for what trains. `rates`
    are these parameters' own."""
    norms = {f"{layer['name']}.{part}" for layer in network.layers if layer["op"] == "layer_norm"
             for part in ("gamma", "beta")}
    steps = {}
    for name in rates:
        g = values[name].grad
        if name in norms:
            values[name].grad = g / (g * g / count + math.sqrt(damping))
        if name in inverses:
            steps[name] = precondition(g, *inverses[name])
    share = limit_steps([(p, values[name].grad, rates[name]) for name, p in steps.items()], limit)
    for name, p in steps.items():
        values[name].grad = p * share


def spread_of(loss, y, parameters, products, random):
    """How large the terms are that are added up to each element of a gradient, which may cancel:
    the gradient with random signs in the output's."""
    (arriving,) = torch.autograd.grad(loss, y, retain_graph=True)
    signs = torch.tensor(random.choice([-1.0, 1.0], y.shape)).to(y.dtype)
    found = torch.autograd.grad(y, parameters, arriving * signs, retain_graph=True,
                                allow_unused=True)
    for _, parts in products.values():
        parts[-1][1].grad = None  # which both calls have left there
    return [0.0 if part is None else part.abs() for part in found]


def train(recipe, roles, gone, start, data, steps, dtype, random=None):
    """What is compared, name -> numbers, and the sizes of numbers that these are made of. `roles`
    are those of the parameters. With `random`, each gradient is moved by a unit in the last place
    of the terms that it is a sum of."""
    network, rules_of = recipe.network(gone), recipe.model["train"]
    values = {name: torch.tensor(value).to(dtype) for name, value in start.items()}
    for name in roles:
        values[name] = values[name].clone().requires_grad_()
    tensors, rules = Tensors(values), recipe.rules(network, roles, values)
    columns = {split: {name: torch.tensor(column).to(dtype) if column.dtype == np.float32 else
                       torch.tensor(column).long() for name, column in part.items()}
               for split, part in data.items()}
    sizes = {name: abs(value).max(initial=0) for name, value in start.items()}
    compared = "targets" if "target" in recipe.model["loss"] else "labels"
    count, found = len(columns["train"]["labels"]), {}
    windows = [(first, min(first + recipe.window, count))
               for first in range(0, count, recipe.window)]

    def loss_of(split, rows, training, epoch, seen=None, products=None):
        """Sums of the losses and of the weights, and the output."""
        part = {name: column[rows] for name, column in columns[split].items()}
        y = network(part["features"], tensors, training, epoch, np.arange(rows.start, rows.stop),
                    seen, products)
        terms = losses(recipe.model["loss"], y, part[compared])
        weights = part.get("weights", torch.ones_like(terms))
        return (weights * terms).sum(), weights.sum(), y

    centered, groups = recipe.centered(network), recipe.freeze_groups(steps)
    due, parameters = recipe.refreshes(network, groups), [values[name] for name in roles]
    inverses, averages, changes = {}, {}, Changes({**THOR, **recipe.optimizer})
    for step in range(steps):
        (begin, end), seen, products = windows[step % len(windows)], {}, {}
        for name in roles:
            values[name].grad = torch.zeros_like(values[name])
        total, weight, size, spread = 0.0, 0.0, 0.0, [0.0] * len(parameters)
        for first in range(begin, end, recipe.batch):
            rows = slice(first, min(first + recipe.batch, end))
            part, part_weight, y = loss_of("train", rows, True, 1 + step // len(windows), seen,
                                           products if due[step] else None)
            if random:
                spread = [a + b for a, b in zip(
                    spread, spread_of(part, y, parameters, products, random))]
            part.backward()
            size = max(size, y.detach().abs().max().item())
            total, weight = total + part.detach(), weight + part_weight
        if weight == 0:  # not applied
            continue
        found[f"loss of step {step + 1}"] = total / weight
        sizes[f"loss of step {step + 1}"] = size
        found[f"learning rate of step {step + 1}"] = torch.tensor(
            rate_of(recipe.optimizer["learning_rate"], step), dtype=dtype)
        frozen = recipe.frozen(roles, groups[step])
        trained = [name for name in roles if name not in frozen]
        if random:
            for value, part in zip(parameters, spread):
                signs = torch.tensor(random.choice([-1.0, 1.0], value.shape)).to(dtype)
                value.grad += 2.0**-23 * part * signs
        gradients = [values[name].grad for name in trained]
        for gradient in gradients:
            gradient /= weight
        if rules_of.get("gradient_norm"):
            found[f"gradient norm of step {step + 1}"] = torch.cat(
                [gradient.flatten() for gradient in gradients]).norm()
        if "clip_value" in rules_of:
            torch.nn.utils.clip_grad_value_([values[name] for name in trained],
                                            rules_of["clip_value"])
        if "clip_norm" in rules_of:
            torch.nn.utils.clip_grad_norm_([values[name] for name in trained],
                                           rules_of["clip_norm"])
        for name in trained:
            if name in centered:
                center(values[name].grad, recipe.optimizer["type"])
        if recipe.optimizer["type"] == "thor":
            keys, damping = recipe.optimizer, rate_of(recipe.optimizer["damping"], step)
            if due[step]:
                refresh_all(products, inverses, averages, changes, damping, keys)
            rates = {name: rate_of(rules[name][1], step) for name in trained}
            precondition_all(network, values, rates, inverses, damping, end - begin,
                             keys["kl_clip"])
        for name in trained:
            rule, schedule = rules[name]
            rule.step(rate_of(schedule, step))
        move_statistics(seen, values)
        for name in start:
            found[f"{name} after step {step + 1}"] = values[name].detach().clone()
            sizes[f"{name} after step {step + 1}"] = sizes[name]
    with torch.no_grad():
        tested = len(columns["test"]["labels"])
        total, weight, y = loss_of("test", slice(0, tested), False, 0)
        if weight:
            found["evaluation loss"] = total / weight
            sizes["evaluation loss"] = y.abs().max().item()
            right, margin = correct(y, columns["test"]["labels"])
            weights = columns["test"].get("weights", torch.ones(tested)).to(dtype)
            if margin > 1e-4:
                found["evaluation top_1"] = (right[:, 0] * weights).sum() / weight
    return {name: value.double().numpy() for name, value in found.items()}, sizes
