#!/usr/bin/env python3
"""Training with THOR, held to PyTorch.

  thor.py models FOLDER                writes the models of all cases and their data
  thor.py golden                       prints thor.json: PyTorch's trainings
  thor.py check CASE METRICS WEIGHTS   compares a run with thor.json

A case is Inputs/thor.json or Inputs/thor-conv.json with other values of some keys. The step is
THOR's, written down from its definition. PyTorch gives the inputs and the gradients of the
outputs of each layer, the windows that a convolution reads (`unfold`) and the inverses.

Formulas are held to what is known from elsewhere. The rows whose products make the factors make
the gradient of the weight, too, which is PyTorch's. Where a matrix is one block, the step solves
the system with the Kronecker product of the factors. Two steps are those of published examples. A
comparison shows nothing where its bound is wide: so a training with another value of a key of the
optimizer must leave the bound by far.

`golden` needs numpy and torch (Debian: python3-torch); all else neither.
"""

import json
import math
import pathlib

from trainings import (compare, draw_points, draw_weight, numbers, pair_weights, print_golden,
                       read_events, read_golden, read_model, run_command, train_exactly,
                       write_data)

CLASSES, SAMPLES = 3, 14  # the last batch of a pass is short
DEFAULTS = {"damping": 0.03, "momentum": 0.9, "nesterov": False, "weight_decay": 0.0,
            "frequency": 100, "block_size": 128, "stagger": True, "factor_decay": 0.0,
            "damping_split": "equal", "kl_clip": 0.0, "combine": "factors",
            "refresh_above": 0.0, "stop_below": 0.0,
            "enable_clip_grad": False}
CLEAR = 4  # bounds
LARGEST = 3.4028234663852886e38  # in single precision


# --- The cases ----------------------------------------------------------------


def case(model, optimizer=None, **keys):
    model = {**read_model(model), **keys}
    model["optimizer"] = {**model["optimizer"], **(optimizer or {})}
    return model


FLATTEN = {"op": "flatten"}
LAYERS = read_model("thor")["layers"]
TOKEN_LAYERS = read_model("thor-tokens")["layers"][:2]
CASES = {
    "dense": case("thor"),
    # The first layer has two rows a sample.
    "positions": case("thor", input={"point": {"shape": [2, 3]}, "label": {"classes": CLASSES}},
                      layers=[*LAYERS[:2], FLATTEN, *LAYERS[2:]]),
    "every": case("thor", {"learning_rate": 0.5, "frequency": 1, "damping": 0.125},
                  train={"clip_norm": 0.25, "gradient_norm": True}),
    "conv": case("thor-conv"),
    "conv-blocks": case("thor-conv", {"block_size": 5}),
    # Lines of pixels that hold whole vectors, and blocks that end inside of a channel.
    "lines": case("thor-conv", {"block_size": 7}, layers=[
        {"name": "a", "op": "conv2d", "filters": 6, "kernel": 3, "padding": 1},
        {"op": "tanh"},
        {"name": "b", "op": "conv2d", "filters": 4, "kernel": [2, 3], "dilation": [1, 2],
         "padding": [0, 2], "groups": 2},
        {"op": "tanh"}, FLATTEN, {"name": "c", "op": "dense", "units": 3}],
        input={"image": {"shape": [2, 3, 16]}, "label": {"classes": CLASSES}}),
    # A table, whose rows are inputs, and a normalisation. Row 5 is never looked up.
    "tokens": case("thor-tokens"),
    # A label for each of the three positions of a sample: where a layer has as many rows, and where
    # it has one.
    "labels": case("thor-tokens", layers=[*TOKEN_LAYERS, {"name": "c", "op": "dense", "units": 3}],
                   input={"point": {"shape": [3], "classes": 6},
                          "label": {"shape": [3], "classes": CLASSES, "role": "target"}}),
    "labels-of-row": case("thor-tokens", layers=[
        *TOKEN_LAYERS, FLATTEN, {"name": "c", "op": "dense", "units": 9},
        {"op": "reshape", "shape": [3, 3]}],
        input={"point": {"shape": [3], "classes": 6},
               "label": {"shape": [3], "classes": CLASSES, "role": "target"}}),
    # Each layer is refreshed in a step of its own, at distances of 2, 2 and 3 steps. The last one
    # costs least, and the others the same.
    "staggered": case("thor", {"frequency": 7, "learning_rate": 0.125}, epochs=3),
    "clipped": case("thor-tokens", {"enable_clip_grad": True, "learning_rate": 0.125}),
    # The third refresh is the first with the weight of a factor that all later ones have.
    "averaged": case("thor", {"frequency": 1, "factor_decay": 0.625, "learning_rate": 0.125}),
    "averaged-parts": case("thor", {"frequency": 7, "factor_decay": 0.75,
                                    "learning_rate": 0.03125}, epochs=5),
    "balanced": case("thor-conv", {"damping_split": "trace", "block_size": 5}),
    "balanced-tokens": case("thor-tokens", {"damping_split": "trace", "factor_decay": 0.5}),
    # Some steps are scaled, others are not.
    "limited": case("thor-conv", {"kl_clip": 0.03125, "factor_decay": 0.5,
                                  "damping_split": "trace"}),
    "limited-tokens": case("thor-tokens", {"kl_clip": 0.0009765625}),
    # Refreshes that invert, keep and stop: some of each.
    "changes": case("thor", {"frequency": 1, "refresh_above": 0.25, "learning_rate": 0.25},
                    epochs=3),
    "changes-parts": case("thor", {"frequency": 7, "refresh_above": 0.5, "stop_below": 0.25,
                                   "learning_rate": 0.03125}, epochs=5),
    "changes-conv": case("thor-conv", {"frequency": 1, "refresh_above": 0.0625,
                                       "stop_below": 0.015625, "factor_decay": 0.5, "damping_split": "trace"}),
    "changes-tokens": case("thor-tokens", {"frequency": 2, "refresh_above": 0.0625,
                                           "stop_below": 0.03125}),
    # Ranks, of which the last ones have no samples in the last window of a pass.
    "ranks": case("thor", {"combine": "inverses", "learning_rate": 0.125}, batch_size=2),
    "ranks-parts": case("thor", {"combine": "inverses", "frequency": 7, "learning_rate": 0.125},
                        batch_size=2, epochs=3),
    "ranks-conv": case("thor-conv", {"combine": "inverses", "damping_split": "trace"},
                       batch_size=2),
    # A factor overflows: its layer takes the plain gradient until the next refresh, and averages
    # stay what they are. It is that of one rank.
    "overflow": case("thor", {"frequency": 2, "learning_rate": 0.125}, name="thor-overflow"),
    "overflow-averaged": case("thor", {"frequency": 1, "factor_decay": 0.75,
                                       "learning_rate": 0.125}, name="thor-overflow"),
    "overflow-changes": case("thor", {"frequency": 1, "refresh_above": 0.25,
                                      "learning_rate": 0.125}, name="thor-overflow"),
    "overflow-ranks": case("thor", {"frequency": 2, "combine": "inverses",
                                    "learning_rate": 0.125}, batch_size=2, name="thor-overflow"),
}
TWICE = "dense"  # a case with data for two ranks that have the same samples
RANKS = {"ranks": 2, "ranks-parts": 2, "ranks-conv": 3, "overflow-ranks": 2}
TOKENS = 5


def input_of(model):
    return next(part for part in model["input"].values() if "shape" in part)


def shape_of(model):
    return input_of(model)["shape"]


def samples(model, split):
    """Pairs of features and a class. Features of tokens are the points' in so many steps."""
    drawn = draw_points(split, {"train": SAMPLES, "test": 10}, math.prod(shape_of(model)), CLASSES)
    if split == "train" and model["name"] == "thor-overflow":
        # Outputs of the layer saturate, so that nothing else overflows.
        drawn[2] = ([2.0**70 * value for value in drawn[2][0]], drawn[2][1])
    if "classes" not in input_of(model):
        return drawn
    drawn = [([int((value + 2) / 4 * TOKENS) for value in point], label) for point, label in drawn]
    if "shape" not in model["input"]["label"]:
        return drawn
    return [(point, [(label + token) % CLASSES for token in point]) for point, label in drawn]


def twice(model, split):
    """The samples with each batch repeated."""
    own, batch = samples(model, split), model["batch_size"]
    return [sample for first in range(0, len(own), batch)
            for sample in 2 * own[first:first + batch]]


def write_models(folder):
    folder = pathlib.Path(folder)
    folder.mkdir()
    write_data(folder / "twice", lambda split: twice(CASES[TWICE], split), shape_of(CASES[TWICE]))
    for name, model in CASES.items():
        (folder / f"{name}.json").write_text(json.dumps(model, indent=1), encoding="utf-8")
        write_data(folder / name, lambda split: samples(model, split), shape_of(model),
                   "<i4" if "classes" in input_of(model) else "<f4")


def pair(value):
    return tuple(value) if isinstance(value, list) else (value, value)


def window(layer):
    """Kernel, stride, padding and dilation: height and width."""
    return [pair(layer.get(key, default))
            for key, default in (("kernel", 1), ("stride", 1), ("padding", 0), ("dilation", 1))]


def output_extents(layer, extents):
    """Height and width of what a convolution computes."""
    return [(extent + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
            for extent, kernel, stride, padding, dilation in zip(extents, *window(layer))]


def parameter_shapes(model):
    """Shapes of weights and biases, and how many values an output reads; nothing for those of a
    normalisation."""
    shapes, values = {}, shape_of(model)
    for layer in model["layers"]:
        if layer["op"] == "flatten":
            values = [math.prod(values)]
        elif layer["op"] == "embedding":
            values = [*values, layer["units"]]
            shapes[f"{layer['name']}.weight"] = (input_of(model)["classes"], layer["units"]), 4
        elif layer["op"] == "layer_norm":
            for part in ("gamma", "beta"):
                shapes[f"{layer['name']}.{part}"] = values[-1:], None
        elif layer["op"] in ("dense", "conv2d"):
            if layer["op"] == "dense":
                weight = (layer["units"], values[-1])
                values = [*values[:-1], layer["units"]]
            else:
                weight = (layer["filters"], values[0] // layer.get("groups", 1), *window(layer)[0])
                values = [layer["filters"], *output_extents(layer, values[1:])]
            fan_in = math.prod(weight[1:])
            shapes[f"{layer['name']}.weight"] = weight, fan_in
            if layer.get("bias", True):
                shapes[f"{layer['name']}.bias"] = weight[:1], fan_in
    return shapes


def initial_weight(model, name, shape, fan_in):
    import numpy as np
    if fan_in is None:
        return (np.ones if name.endswith(".gamma") else np.zeros)(shape, np.float32)
    return draw_weight(model["seed"], name, shape, fan_in)


def value_of(schedule, step):
    """A schedule is a number, or falls by a factor each step; steps count from 0."""
    if not isinstance(schedule, dict):
        return schedule
    assert schedule["schedule"] == "exponential" and schedule["unit"] == "steps", schedule
    return schedule["value"] * schedule["factor"] ** step


# --- What PyTorch computes ----------------------------------------------------


def rows_of(layer, x, d):
    """The rows of inputs and of gradients of outputs, as matrices, of each group of channels."""
    from torch.nn import functional as F
    if layer["op"] == "embedding":
        x = F.one_hot(x, TOKENS + 1).to(d.dtype)
    if layer["op"] in ("dense", "embedding"):
        return [(x.reshape(-1, x.shape[-1]), d.reshape(-1, d.shape[-1]))]
    kernel, stride, padding, dilation = window(layer)
    groups, rows = layer.get("groups", 1), []
    for part, gradient in zip(x.chunk(groups, 1), d.chunk(groups, 1), strict=True):
        windows = F.unfold(part, kernel, dilation, padding, stride)
        rows.append((windows.movedim(1, -1).flatten(0, 1),
                     gradient.flatten(2).movedim(1, -1).flatten(0, 1)))
    return rows


def is_due(keys, step, number, count):
    """Whether a step refreshes the layer that is `number` of `count` by what it costs."""
    frequency = keys["frequency"]
    parts = max(1, min(16, count, frequency // 2)) if keys["stagger"] else 1
    # A layer is a part: else the parts would depend on what layers cost.
    assert parts in (1, count), keys
    return step == 0 or step % frequency == (number + 1) * frequency // parts % frequency


def positions_of(layer, d):
    """The number of output pixels of a convolution, else 1."""
    return d.shape[2] * d.shape[3] if layer["op"] == "conv2d" else 1


def factor(rows):
    return rows.T @ rows / len(rows)


def invert(matrix, shift, block_size):
    """The inverses of the blocks on the diagonal of matrix + shift * I, and zeros elsewhere."""
    import torch
    result = torch.zeros_like(matrix)
    for first in range(0, len(matrix), block_size):
        block = slice(first, first + block_size)
        unit = torch.eye(len(matrix[block, block]), dtype=matrix.dtype)
        result[block, block] = torch.linalg.inv(matrix[block, block] + shift * unit)
    return result


def factors_of(layer, x, d):
    """A and G of each group."""
    if layer["op"] != "embedding":
        return [tuple(map(factor, both)) for both in rows_of(layer, x, d)]
    # Rows are counted for each sample.
    ((lookups, gradients),) = rows_of(layer, x, d)
    return [(lookups.T @ lookups / len(x), factor(gradients))]


def average(before, factors, decay):
    """The moving average, after `before` or None, and of how many factors it is."""
    if not decay:
        return factors, 1
    if before is None:
        before = [tuple(0 * side for side in both) for both in factors], 0
    averages, count = before
    share = max(1 / (count + 1), 1 - decay)
    return [tuple(old + share * (new - old) for old, new in zip(*both, strict=True))
            for both in zip(averages, factors, strict=True)], count + 1


def share_of_a(factors):
    """What damping of A is multiplied with, and that of G divided by, for balance."""
    a, g = (sum(side.trace() for side in sides) / sum(map(len, sides))
            for sides in zip(*factors, strict=True))
    share = (a / g).item() if g else 0.0
    return math.sqrt(share) if 0 < share <= LARGEST else 1.0


def shifts_of(factors, positions, damping, keys):
    """What is added to the diagonals of A and of G."""
    shift = math.sqrt(damping / positions)
    share = share_of_a(factors) if keys["damping_split"] == "trace" else 1.0
    return shift * share, shift / share


def invert_factors(layer, factors, positions, damping, keys):
    """The inverses of A and G of each group."""
    shift_a, shift_g = shifts_of(factors, positions, damping, keys)
    block_size = keys["block_size"]
    if layer["op"] == "embedding":
        # The rows of a table are inputs, and lie where outputs do elsewhere.
        ((counts, g),) = factors
        return [(invert(g, shift_g, block_size), invert(counts, shift_a, len(counts)))]
    return [(invert(a, shift_a, block_size), invert(g, shift_g, block_size)) for a, g in factors]


class Changes:
    """The traces of the factors that were inverted, by layer, and what they decide."""

    def __init__(self, keys):
        self.above, self.below = keys["refresh_above"], keys["stop_below"]
        self.keys, self.traces, self.settled = keys, {}, set()
        self.margin = math.inf  # relative distance of a change from a limit
        self.kinds = set()

    def keeps(self, name, factors, positions, damping, has_inverses):
        """Whether a refresh of `name` leaves the inverses there are."""
        if not self.above:
            return False
        shifts = shifts_of(factors, positions, damping, self.keys)
        trace = math.prod(sum((side.trace() + shift * len(side)).item() for side in sides)
                          for sides, shift in zip(zip(*factors, strict=True), shifts, strict=True))
        if has_inverses:
            change = abs(trace / self.traces[name] - 1)
            for limit in filter(None, (self.above, self.below)):
                self.margin = min(self.margin, abs(change / limit - 1))
            if change <= self.above:
                self.kinds.add("kept")
                if change < self.below:
                    self.kinds.add("settled")
                    self.settled.add(name)
                return True
            self.kinds.add("inverted")
        self.traces[name] = trace
        return False


def mean_of_ranks(inverses):
    """The means of the inverses of several ranks."""
    return [tuple(sum(side) / len(side) for side in zip(*groups, strict=True))
            for groups in zip(*inverses, strict=True)]


def limit_steps(steps, limit):
    """What preconditioned gradients are scaled by; `steps` are these, gradients and rates."""
    moved = sum(rate**2 * (p * g).sum().item() for p, g, rate in steps)
    return min(1.0, math.sqrt(limit / moved)) if limit and moved > 0 else 1.0


def precondition(gradient, inverses, positions):
    """The groups of the gradient lie one below the other."""
    import torch
    matrices = gradient.flatten(1).chunk(len(inverses))
    return torch.cat([g @ matrix @ a / positions
                      for matrix, (a, g) in zip(matrices, inverses, strict=True)]
                     ).reshape(gradient.shape)


def forward(model, w, x):
    """The outputs, and of each layer with a weight its input and its output."""
    import torch
    from torch.nn import functional as F
    seen = {}
    for layer in model["layers"]:
        name, before = layer.get("name"), x
        if layer["op"] == "embedding":
            x = F.embedding(x, w[f"{name}.weight"])
        elif layer["op"] == "layer_norm":
            x = F.layer_norm(x, x.shape[-1:], w[f"{name}.gamma"], w[f"{name}.beta"], 1e-5)
        elif layer["op"] == "dense":
            x = F.linear(x, w[f"{name}.weight"], w.get(f"{name}.bias"))
        elif layer["op"] == "conv2d":
            _, stride, padding, dilation = window(layer)
            x = F.conv2d(x, w[f"{name}.weight"], w.get(f"{name}.bias"), stride, padding, dilation,
                         layer.get("groups", 1))
        else:
            x = {"tanh": torch.tanh, "flatten": lambda value: value.flatten(1),
                 "reshape": lambda value: value.reshape(-1, *layer["shape"])}[layer["op"]](x)
        if f"{name}.weight" in w:
            x.retain_grad()
            seen[f"{name}.weight"] = layer, before.detach(), x
    return x, seen


def check_rows(layer, gradient, rows):
    """The gradient of a weight is the sum of the products of its rows."""
    import torch
    sums = torch.cat([d.T @ x for x, d in rows])
    if layer["op"] == "embedding":
        sums = sums.T
    assert torch.allclose(sums, gradient.flatten(1), 1e-12, 1e-12), (sums, gradient)


def train(model, start, dtype, watch=None, ranks=1, note=None):
    """Losses, norms of the gradients, weights. `watch` sees each weight of a refresh, `note` what
    traces decided and how many layers each step inverted."""
    import torch
    from torch.nn import functional as F
    keys, clip = {**DEFAULTS, **model["optimizer"]}, model.get("train", {}).get("clip_norm")
    points, labels = zip(*samples(model, "train"))
    features = torch.long if "classes" in input_of(model) else dtype
    x, t = torch.tensor(points, dtype=features).reshape(-1, *shape_of(model)), torch.tensor(labels)
    w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
    velocity = {name: torch.zeros_like(value) for name, value in w.items()}
    batch = model["batch_size"]
    firsts = list(range(0, SAMPLES, batch * ranks)) * model["epochs"]
    inverses, averages, losses, norms, inverted = {}, {}, [], [], []
    changes = Changes(keys)
    for step, first in enumerate(firsts):
        part = slice(first, first + batch * ranks)
        for value in w.values():
            value.grad = None
        outputs, seen = forward(model, w, x[part])
        # With a sum the gradients of the layers' outputs are those of single samples.
        loss = F.cross_entropy(outputs.reshape(-1, CLASSES), t[part].flatten(), reduction="sum")
        loss.backward()
        count, terms = len(outputs), t[part].numel()
        gradients = {name: value.grad / terms for name, value in w.items()}
        norm = torch.cat([g.flatten() for g in gradients.values()]).norm().item()
        if clip:
            gradients = {name: g * min(1.0, clip / (norm + 1e-6)) for name, g in gradients.items()}
        losses.append(loss.item() / terms)
        norms.append(norm)
        rate = value_of(keys["learning_rate"], step)
        damping = value_of(keys["damping"], step)
        steps = dict(gradients)
        inverted.append(0)
        for number, (name, (layer, inputs, output)) in enumerate(seen.items()):
            refreshes, positions = (is_due(keys, step, number, len(seen)),
                                    positions_of(layer, output.grad))
            if dtype == torch.float64:
                check_rows(layer, w[name].grad, rows_of(layer, inputs, output.grad))
            if refreshes and name not in changes.settled:
                # Each rank inverts what it has, or one inverts all.
                own = batch if keys["combine"] == "inverses" else count
                found = []
                for row in range(0, count, own):
                    rows = slice(row, row + own)
                    factors = factors_of(layer, inputs[rows], output.grad[rows])
                    if any(side.abs().max() > LARGEST for both in factors for side in both):
                        found.append(None)
                        continue
                    averages[name] = average(averages.get(name), factors, keys["factor_decay"])
                    if changes.keeps(name, averages[name][0], positions, damping,
                                     inverses.get(name)):
                        continue
                    found.append(invert_factors(layer, averages[name][0], positions, damping,
                                                keys))
                if found:
                    inverted[-1] += 1
                    inverses[name] = None if None in found else mean_of_ranks(found)
            if inverses[name]:
                steps[name] = precondition(gradients[name], inverses[name], positions)
            if refreshes and watch:
                watch(layer, inputs, output.grad, gradients[name], damping, steps[name])
        limit = limit_steps([(steps[name], gradients[name], rate) for name in seen],
                            keys["kl_clip"])
        for name, value in w.items():
            p = steps[name] * limit if name in seen else steps[name]
            if name.endswith((".gamma", ".beta")):
                p = p / (p * p / count + math.sqrt(damping))
            with torch.no_grad():
                p = p + keys["weight_decay"] * value
                if keys["enable_clip_grad"]:
                    p = p * min(1.0, 1.0 / (p.norm().item() + 1e-6))
                velocity[name] = keys["momentum"] * velocity[name] + p
                value -= rate * (p + keys["momentum"] * velocity[name] if keys["nesterov"]
                                 else velocity[name])
    if not model.get("train", {}).get("gradient_norm"):
        norms = []
    if note:
        note(changes, inverted)
    return losses, norms, {name: value.detach().flatten().tolist() for name, value in w.items()}


# --- Golden values ------------------------------------------------------------


def check_published():
    """Steps of published examples. Their gradients are those of a mean."""
    import torch
    double = torch.float64
    for layer, x, d, damping, expected in (
            ({"op": "dense"}, torch.tensor([[1, 2], [3, 4], [0, 1], [1, 0]], dtype=double),
             torch.tensor([[.5], [-.25], [.125], [.25]], dtype=double), .04,
             [-.06485355, .05466228]),
            ({"op": "conv2d"}, torch.tensor([[1, 2, 3, 4], [0, 1, 1, 0]], dtype=double),
             torch.tensor([[.1, 0, .2, .1], [.3, .1, 0, 0]], dtype=double), .04,
             [.4065040650])):
        if layer["op"] == "conv2d":
            x, d = x.reshape(2, 1, 2, 2), d.reshape(2, 1, 2, 2)
        ((rows, gradients),) = rows_of(layer, x, d)
        inverses = invert_factors(layer, factors_of(layer, x, d * len(x)), positions_of(layer, d),
                                  damping, DEFAULTS)
        found = precondition(gradients.T @ rows, inverses, positions_of(layer, d))
        assert torch.allclose(found.flatten(), torch.tensor(expected, dtype=double), 0, 1e-8), found


def check_kronecker(start):
    """A dense layer's step solves a system of all of its weights."""
    import torch
    seen = []

    def solve(layer, x, d, gradient, damping, found):
        shift = math.sqrt(damping)
        ((rows, gradients),) = rows_of(layer, x, d)
        a, g = (factor(matrix) + shift * torch.eye(matrix.shape[1], dtype=matrix.dtype)
                for matrix in (rows, gradients))
        # Columns below each other.
        expected = torch.linalg.solve(torch.kron(a, g), gradient.T.flatten())
        assert torch.allclose(found.T.flatten(), expected, 1e-10, 1e-12), (found, expected)
        seen.append(layer["name"])

    train(case("thor", {"block_size": 128}), start, torch.float64, solve)
    assert set(seen) == {"a", "b", "c"}, seen


def count_inverted(name, start):
    """How many layers each step inverts, where traces decide: each way, and nowhere by so little
    that rounding does."""
    import torch
    counts = []

    def check(changes, inverted):
        expected = {"inverted", "kept", *(["settled"] if changes.below else [])}
        assert changes.kinds == expected, f"{name}: {changes.kinds}"
        assert changes.margin > 1e-3, f"{name}: a change is {changes.margin:.3g} from a limit"
        counts.extend(inverted)

    train(CASES[name], start, torch.float64, note=check)
    return counts


def check_sensitivity(name, start, exact, bound):
    """Trainings with a key changed leave the bound."""
    import torch
    ranks = RANKS.get(name, 1)
    keys = {**DEFAULTS, **CASES[name]["optimizer"]}
    changes = [(key, keys[key] * 31 / 32) for key in ("momentum", "weight_decay")]
    changes += [(key, {**keys[key], "value": keys[key]["value"] * 31 / 32}
                 if isinstance(keys[key], dict) else keys[key] * 31 / 32)
                for key in ("learning_rate", "damping")]
    changes += [("nesterov", not keys["nesterov"]), ("frequency", keys["frequency"] + 1),
                ("block_size", 3)]
    changes += [(key, keys[key] * 31 / 32) for key in ("factor_decay", "kl_clip") if keys[key]]
    changes += [(key, 0.0) for key in ("refresh_above", "stop_below") if keys[key]]
    if keys["damping_split"] == "trace":
        changes.append(("damping_split", "equal"))
    if ranks > 1:
        changes.append(("combine", "factors"))
    if keys["enable_clip_grad"]:
        changes.append(("enable_clip_grad", False))
    if keys["frequency"] > 3:
        changes.append(("stagger", False))
    # A frequency that is one higher would divide the layers, which would be seen, too.
    keys["stagger"] = keys["frequency"] > 3
    for key, value in changes:
        other = dict(CASES[name], optimizer={**keys, key: value})
        found = max(abs(a - b) for a, b in zip(
            numbers(train(other, start, torch.float64, ranks=ranks)), numbers(exact), strict=True))
        assert found >= CLEAR * bound, f"{name}: {key} {value} is {found / bound:.3g} bounds away"


def make_golden():
    check_published()
    found = {}
    for name, model in CASES.items():
        start = {parameter: initial_weight(model, parameter, shape, fan_in)
                 for parameter, (shape, fan_in) in parameter_shapes(model).items()}
        if name == "dense":
            check_kronecker(start)
        exact, conditioning = train_exactly(
            lambda weights, dtype: train(model, weights, dtype, ranks=RANKS.get(name, 1)), start)
        check_sensitivity(name, start, exact, 2 * conditioning["max_deviation_of_fp32"])
        losses, norms, weights = exact
        found[name] = {"conditioning": conditioning, "losses": losses, "norms": norms,
                       "weights": weights}
        if model["optimizer"].get("refresh_above"):
            found[name]["inverted"] = count_inverted(name, start)
    print_golden("thor", "thor", **found)


def check(name, metrics, weights=None):
    """Without weights, of a training that may have ended early."""
    golden = read_golden("thor")[name]
    steps, _ = read_events(metrics)
    losses = golden["losses"] if weights else golden["losses"][:len(steps)]
    pairs = []
    for number, (step, loss) in enumerate(zip(steps, losses, strict=True), 1):
        pairs.append((f"loss of step {number}", step["loss"], loss))
        if golden["norms"]:
            pairs.append((f"gradient norm of step {number}", step["grad_norm"],
                          golden["norms"][number - 1]))
        if "inverted" in golden:
            pairs.append((f"layers inverted by step {number}", step["thor_inverted_layers"],
                          golden["inverted"][number - 1]))
    if weights:
        pairs += pair_weights(weights, golden["weights"])
    compare(pairs, golden["conditioning"])


if __name__ == "__main__":
    run_command(models=write_models, golden=make_golden, check=check)
