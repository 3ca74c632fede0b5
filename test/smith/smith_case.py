"""A model of boost-smith with its weights, its programs and its runs, for smith_relations.py.

A relation makes a `Twin` of a case: a changed model, changed weights or changed data. Three recipes
are trained:

  as it is   relations of weights and data alone: the same program trains, with its boosts
  elements   without boosts, of an optimizer that knows elements alone: where layers become others
  gradients  momentum 0 at the learning rate 0: the velocity is the gradient of each step, to the
             bit. For relations that hold at the first weights, and for the other optimizers.
"""

import array
import dataclasses
import functools
import json
import math
import random

from smith_graph import Graph
from smith_models import (columns_of, compile_model, read_arguments, read_boosts, read_weights, run,
                          train_from)
from data_files import npy_file
from layers import write_weights

EPOCHS, MOVED = 2, 4
ELEMENTWISE_OPTIMIZERS = {"sgd", "momentum", "adam", "adamw"}
GRADIENTS = {"type": "momentum", "learning_rate": 0, "momentum": 0}


class NotFinite(Exception):
    """A run ends because a loss or a gradient is not finite."""


@dataclasses.dataclass(frozen=True)
class Recipe:
    """What is compiled, and on how many ranks it trains."""
    text: str  # of the model, as JSON is hashable in this form
    arguments: tuple
    ranks: int = 1


@dataclasses.dataclass
class Part:
    """A tensor of a twin: elements of one of the model's, times a factor, or values of its own.
    `source` says which element is which; -1 is a zero, None all of them in their order."""
    base: str = ""
    source: list = None
    factor: float = 1
    values: list = None


@dataclasses.dataclass
class Twin:
    """A changed model, which trains as `base` does. Tensors without a part are the model's."""
    base: Recipe
    recipe: Recipe
    parts: dict = dataclasses.field(default_factory=dict)
    change_data: object = None  # split, columns -> columns
    is_exact: bool = False  # not a bit may differ
    left_out: tuple = ()  # how names begin that are not compared


def draw_columns(model, count, random):
    """Name -> shape and numbers of so many samples."""
    columns = {}
    for name, sample, classes, low, high in columns_of(model):
        shape = (count, *sample)
        size, least = math.prod(shape), 0 if name == "weights" else low
        columns[name] = shape, array.array(
            "i", random.choices(range(classes), k=size)) if classes else array.array(
            "f", (max(least, random.uniform(low, high)) for _ in range(size)))
    if "weights" in columns and not any(columns["weights"][1]):
        columns["weights"][1][0] = 1
    return columns


def write_columns(folder, split, columns):
    for name, (shape, numbers) in columns.items():
        kind = "<i4" if numbers.typecode == "i" else "<f4"
        (folder / f"{split}_{name}.npy").write_bytes(npy_file(kind, shape, numbers.tobytes()))


def move(draw, numbers):
    """Each number by one unit in the last place, but integers."""
    if numbers.typecode == "i":
        return numbers
    bits = array.array("I", numbers.tobytes())
    moved = array.array("I", (
        bit + (1 if up & 1 else -1) if bit & 0x7FFFFFFF else 1 | (up & 1) << 31
        for bit, up in zip(bits, draw.randbytes(len(bits)))))
    return array.array("f", moved.tobytes())


def width_of(name, shapes):
    """How many inputs an output of the layer of a parameter has."""
    return math.prod(shapes.get(f"{name.rpartition('.')[0]}.weight", [1])[1:])


class Case:
    """A model of boost-smith with its data, weights, programs and runs."""

    def __init__(self, binaries, folder, base):
        self.binaries, self.folder, self.seed = binaries, folder, base.name
        self.model = json.loads(base.with_suffix(".json").read_text(encoding="utf-8"))
        self.arguments = read_arguments(base)
        boosts = read_boosts(self.arguments)
        self.batch = self.model["batch_size"]
        self.window = self.batch * int(boosts.get("grad_accumulation_step", 1))
        self.random = random.Random(self.seed)
        self.programs, self.runs = {}, {}
        self.data, self.tensor = functools.cache(self.draw_data), functools.cache(self.draw_tensor)
        accumulation = ["--boost", f"grad_accumulation_step={self.window // self.batch}"] \
            if "grad_accumulation_step" in boosts else []
        self.of_gradients = {**self.model, "optimizer": GRADIENTS, "train": {}}, accumulation
        self.of_elements = (self.model, accumulation) if (
            self.model["optimizer"]["type"] in ELEMENTWISE_OPTIMIZERS) else self.of_gradients
        self.as_it_is = self.recipe(self.model, self.arguments)
        self.gradients = self.recipe(*self.of_gradients)

    @staticmethod
    def recipe(model, arguments, ranks=1):
        return Recipe(json.dumps(model), tuple(arguments), ranks)

    def draw(self, count):
        """Weights that the model lacks."""
        return array.array("f", (self.random.uniform(-0.5, 0.5) for _ in range(count)))

    def graph(self):
        """The network that is trained."""
        return Graph(self.model, self.shapes)

    @property
    def shapes(self):
        return self.shapes_of(self.as_it_is)

    def shapes_of(self, recipe):
        """Of parameters and running statistics."""
        return self.program(recipe)[1]

    def program(self, recipe):
        """Its file, and the shapes."""
        key = recipe.text, recipe.arguments
        if key not in self.programs:
            path = self.folder / f"{len(self.programs)}.so"
            path.with_suffix(".json").write_text(recipe.text, encoding="utf-8")
            compile_model(self.binaries, path.with_suffix(".json"), path, recipe.arguments)
            _, text = run(self.binaries / "boost-run", "info", path, "--json")
            tables = json.loads(text)
            shapes = {entry["name"]: entry["shape"] for entry in tables["parameters"]}
            shapes |= {entry["name"]: entry["shape"] for entry in tables["states"]
                       if entry["saved"] == "with_weights"}
            self.programs[key] = path, shapes
        return self.programs[key]

    def count_samples(self, ranks=1):
        """An epoch ends with a window that is not full, but with ranks, which then would have
        different numbers of samples."""
        draw = random.Random(f"{self.seed} samples")
        more = self.window if ranks > 1 else draw.randint(1, self.window)
        return {"train": ranks * (2 * self.window + more),
                "test": self.batch + draw.randint(1, self.batch)}

    def draw_data(self, ranks, number):
        """Split -> columns. Those with a number are moved."""
        if number:
            random_of = random.Random(number)
            return {split: columns | {"features": (
                columns["features"][0], move(random_of, columns["features"][1]))}
                for split, columns in self.data(ranks, 0).items()}
        draw = random.Random(f"{self.seed} data {ranks}")
        return {split: draw_columns(self.model, count, draw)
                for split, count in self.count_samples(ranks).items()}

    def draw_tensor(self, name, size, low, high, number):
        """The first values of one of the model, moved where there is a number."""
        if number:
            return move(random.Random(f"{number} {name}"), self.tensor(name, size, low, high, 0))
        draw = random.Random(f"{self.seed} {name}")
        return array.array("f", (draw.uniform(low, high) for _ in range(size)))

    def start(self, shapes, number):
        """The first weights. A tensor of the same name and shape is the same in all models."""
        weights = {}
        for name, shape in shapes.items():
            part, bound = name.rpartition(".")[2], 1 / math.sqrt(width_of(name, shapes))
            # Scales and variances are near 1, as are those of norms, whose weight is a vector.
            low, high = (0.5, 1.5) if part in ("gamma", "multiplier", "running_var") or (
                part == "weight" and len(shape) == 1) else (-bound, bound)
            weights[name] = self.tensor(name, math.prod(shape), low, high, number)
        return weights

    def train(self, recipe, weights, data, label):
        """What a run finds: name -> numbers, and after each step name of a tensor -> numbers."""
        folder = self.folder / label
        folder.mkdir()
        for split, columns in data.items():
            write_columns(folder, split, columns)
        program, shapes = self.program(recipe)
        write_weights(folder / "start.safetensors", {
            name: (shapes[name], values) for name, values in weights.items()})
        is_gradient = json.loads(recipe.text)["optimizer"] == GRADIENTS
        epochs = 1 if is_gradient else EPOCHS
        count = data["train"]["labels"][0][0]
        steps = epochs * math.ceil(count / (self.window * recipe.ranks))
        ranks = ["--ranks", recipe.ranks, "--comm=local"] if recipe.ranks > 1 else []
        code, found, checkpoints = train_from(folder, self.binaries, program, steps, epochs, *ranks)
        if code:
            raise NotFinite
        tensors = []
        for path in checkpoints:
            kept = read_weights(path / "weights.safetensors")
            if is_gradient:
                velocities = {name.removesuffix(".momentum"): values for name, values in
                              read_weights(path / "state.safetensors").items()
                              if name.endswith(".momentum")}
                # All that moves besides are running statistics.
                kept = {name: values for name, values in kept.items() if name not in velocities}
                kept |= {f"gradient of {name}": values for name, values in velocities.items()}
            tensors.append(kept)
        return found, tensors

    def run_all(self, twin, is_changed, label):
        """The runs of a model, or of the changed one, from moved numbers too: flattened, in the
        order of the model. None where one is not finite."""
        recipe, base_shapes = (twin.recipe if is_changed else twin.base), self.shapes_of(twin.base)
        # A program that is that of the base rounds as it does.
        moved = 0 if is_changed and twin.recipe == twin.base else MOVED
        results = []
        for number in range(1 + moved):
            weights, data = self.start(base_shapes, number), self.data(recipe.ranks, number)
            if is_changed:
                weights = {name: change(twin.parts.get(name, Part(name)), weights)
                           for name in self.shapes_of(recipe)}
                if twin.change_data:
                    data = {split: twin.change_data(split, columns)
                            for split, columns in data.items()}
            try:
                found, tensors = self.train(recipe, weights, data, f"{label}-{number}")
            except NotFinite:
                results.append(None)
                continue
            if is_changed:
                tensors = [change_back(twin.parts, base_shapes, kept) for kept in tensors]
            flat = {name: (math.nan if value is None else value,)
                    for name, value in found.items()}
            for step, kept in enumerate(tensors, 1):
                flat |= {f"{name} after step {step}": values for name, values in kept.items()}
            results.append(flat)
        return results

    def base_runs(self, twin):
        if twin.base not in self.runs:
            self.runs[twin.base] = self.run_all(twin, False, f"base-{len(self.runs)}")
        return self.runs[twin.base]


def change(part, weights):
    """The numbers of a tensor of the changed model."""
    if part.values is not None:
        return part.values
    values = weights[part.base]
    if part.source is not None:
        values = [values[place] if place >= 0 else 0.0 for place in part.source]
    return [part.factor * value for value in values] if part.factor != 1 else values


def change_back(parts, shapes, found):
    """The tensors of the model, of those of the changed one."""
    changed = {}
    for name, values in found.items():
        start, own = ("gradient of ", name[12:]) if name.startswith("gradient of ") else ("", name)
        part = parts.get(own, Part(own))
        if part.values is not None:
            continue
        # What grows when a tensor shrinks is its gradient.
        factor = part.factor if start else 1 / part.factor
        if factor != 1:
            values = [factor * value for value in values]
        if part.source is not None:
            whole = changed.setdefault(start + part.base,
                                       [math.nan] * math.prod(shapes[part.base]))
            for place, value in zip(part.source, values):
                if place >= 0:
                    whole[place] = value
            continue
        changed[start + part.base] = values
    return changed
