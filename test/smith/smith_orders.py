"""Relations of orders, for smith_relations.py: of samples, ranks, units, features and classes.

A relation makes a Twin of a case (smith_case.py), or raises Inapplicable.
"""

import math

from smith_case import Part, Twin
from smith_graph import Inapplicable, Reordering, gather


def take(columns, rows):
    """These samples, of all columns."""
    taken = {}
    for name, (shape, numbers) in columns.items():
        width = math.prod(shape[1:])
        picked = numbers[:0]
        for row in rows:
            picked += numbers[row * width:(row + 1) * width]
        taken[name] = (len(rows), *shape[1:]), picked
    return taken


def shuffled(random, rows, size):
    """Rows in another order within each `size` of them."""
    return [row for begin in range(0, len(rows), size)
            for row in random.sample(rows[begin:begin + size], len(rows[begin:begin + size]))]


def refuse_dropout(graph, reason):
    if graph.find("dropout"):
        raise Inapplicable(reason)


def permute_samples(case):
    """A step does not depend on the order of its samples; with batch norms, of its micro-batches'
    samples."""
    graph = case.graph()
    refuse_dropout(graph, "what a dropout drops is the sample's")
    size = case.batch if graph.find("batch_norm") else case.window
    if size == 1:
        raise Inapplicable("steps of one sample")
    # Each epoch begins with a window, which is whole micro-batches.
    rows = {split: shuffled(case.random, list(range(count)), size if split == "train" else count)
            for split, count in case.count_samples().items()}
    return Twin(case.as_it_is, case.as_it_is,
                change_data=lambda split, columns: take(columns, rows[split]))


def exchange_ranks(case):
    """Adasum of two ranks, or of two pairs, does not depend on which is first."""
    refuse_dropout(case.graph(), "what a dropout drops is the sample's")
    is_thor = case.model["optimizer"]["type"] == "thor"
    mode = "gradient" if is_thor else case.random.choice(("delta", "gradient"))
    granularity = case.random.choice(("per_tensor", "per_group", "whole"))
    recipe = case.recipe(case.model, [
        *case.arguments, "--boost", "adasum=true", "--boost", f"adasum.mode={mode}", "--boost",
        f"adasum.granularity={granularity}", "--boost", "adasum.across=ranks"],
        ranks=case.random.choice((2, 4)))
    distance = 1 << case.random.randrange(recipe.ranks // 2)

    # A rank has case.window samples of a step, also of the last one.
    rows = [(row // case.window ^ distance) * case.window + row % case.window
            for row in range(case.count_samples(recipe.ranks)["train"])]
    # The norm that metrics have is of the gradient of rank 0 where ranks move by themselves.
    return Twin(recipe, recipe, change_data=lambda split, columns: take(columns, rows)
                if split == "train" else columns,
                left_out=("gradient norm",) if mode == "delta" else ())


# --- Orders of elements --------------------------------------------------------


def keeps_blocks(order, block):
    """Whether each block of so many rows becomes a block, in any order."""
    parts = [order[begin:begin + block] for begin in range(0, len(order), block)]
    return all(len({index // block for index in part}) == 1
               and len(part) == len(parts[part[0] // block]) for part in parts)


def check_thor(case, graph, changes):
    """Blocks on the diagonals of THOR's factors have to stay blocks."""
    optimizer = case.model["optimizer"]
    if optimizer["type"] != "thor":
        return
    block = optimizer.get("block_size", 128)
    for layer in graph.find("dense", "conv2d", "embedding"):
        shape = case.shapes[f"{layer['name']}.weight"]
        orders = changes.get(f"{layer['name']}.weight", {})
        rows = orders.get(0, range(shape[0]))
        if layer["op"] == "embedding":
            rows = []  # a diagonal
        groups = layer.get("groups", 1)
        each = len(rows) // groups or 1
        columns = gather(shape[1:], {0: orders[1]}) if 1 in orders else []
        if not keeps_blocks(columns, block) or not all(
                keeps_blocks([row % each for row in rows[begin:begin + each]], block)
                for begin in range(0, len(rows), each)):
            raise Inapplicable("an order tears blocks of thor apart")


def orders_of(case, extent, groups=1):
    """Orders of an axis, the most general one first. With groups, each keeps its elements."""
    each = extent // groups
    block = case.model["optimizer"].get("block_size", 128)
    for size in (each, min(block, each), 2):
        order = [row for begin in range(0, extent, each)
                 for row in shuffled(case.random, list(range(begin, begin + each)), size)]
        if order != list(range(extent)):
            yield order


def reorder(case, graph, start, axis, orders, changes=None):
    """The parameters for the first of the orders that the layers after `start` can follow, and
    that order. `changes` says what the order itself does to parameters."""
    reason = Inapplicable("one element")
    for order in orders:
        try:
            walk = Reordering(graph)
            walk.changes = {} if changes is None else changes(order)
            if walk.follow(start, (axis, order)):
                raise Inapplicable("an order that reaches the output")
            check_thor(case, graph, walk.changes)
            return parts_of(case, walk.changes), order
        except Inapplicable as inapplicable:
            reason = inapplicable
    raise reason


def parts_of(case, changes):
    return {name: Part(name, gather(case.shapes[name], orders))
            for name, orders in changes.items() if name in case.shapes}


def first_that_works(case, candidates, function, nothing):
    """The function of one of the candidates, in a random order."""
    reason = Inapplicable(nothing)
    for candidate in case.random.sample(candidates, len(candidates)):
        try:
            return function(candidate)
        except Inapplicable as inapplicable:
            reason = inapplicable
    raise reason


def permute_units(case):
    """The units of a hidden layer have no order."""
    graph = case.graph()

    def function(layer):
        name = layer["name"]
        axis = 0 if layer["op"] == "conv2d" else len(graph.shapes[name]) - 1
        rows = 1 if layer["op"] == "embedding" else 0
        parts, _ = reorder(
            case, graph, name, axis,
            orders_of(case, graph.shapes[name][axis], layer.get("groups", 1)),
            lambda order: {f"{name}.weight": {rows: order}, f"{name}.bias": {0: order}})
        return Twin(case.as_it_is, case.as_it_is, parts)

    hidden = [layer for layer in graph.find("dense", "normalized_dense", "conv2d", "embedding")
              if layer["name"] != graph.output]
    return first_that_works(case, hidden, function, "no hidden layer")


def reorder_column(columns, name, axis, order):
    shape, numbers = columns[name]
    places = gather(shape, {axis: order})
    return columns | {name: (shape, type(numbers)(numbers.typecode,
                                                  [numbers[place] for place in places]))}


def permute_features(case):
    """Neither have the features, where the first layer sees no neighbours."""
    graph = case.graph()
    shape = graph.shapes[graph.sample]

    def function(axis):
        parts, order = reorder(case, graph, graph.sample, axis, orders_of(case, shape[axis]))
        return Twin(case.as_it_is, case.as_it_is, parts, lambda split, columns: reorder_column(
            columns, "features", axis + 1, order))

    return first_that_works(case, list(range(len(shape))), function, "no features")


def permute_vocabulary(case):
    """The integers that an embedding reads are names."""
    graph = case.graph()
    count = graph.entry.get("classes")
    if not count:
        raise Inapplicable("no integers")
    order = case.random.sample(range(count), count)
    parts = parts_of(case, {f"{layer['name']}.weight": {0: order}
                            for layer in graph.find("embedding")})

    def change(split, columns):
        shape, numbers = columns["features"]
        return columns | {"features": (shape, type(numbers)("i", map(order.index, numbers)))}

    return Twin(case.as_it_is, case.as_it_is, parts, change)


def permute_classes(case):
    """Neither have the classes an order; where outputs are equal, the lower class counts as the
    largest, so top_1 is left out."""
    graph = case.graph()
    head = graph.layers[-1]
    for order in orders_of(case, head["units"]):
        changes = {f"{head['name']}.{part}": {0: order} for part in ("weight", "bias")}
        try:
            check_thor(case, graph, changes)
            break
        except Inapplicable as inapplicable:
            reason = inapplicable
    else:
        raise reason

    def change(split, columns):
        shape, labels = columns["labels"]
        changed = columns | {"labels": (shape, type(labels)("i", map(order.index, labels)))}
        if "targets" in columns:
            changed = reorder_column(changed, "targets", len(columns["targets"][0]) - 1, order)
        return changed

    return Twin(case.as_it_is, case.as_it_is, parts_of(case, changes), change,
                left_out=("evaluation top_1",))
