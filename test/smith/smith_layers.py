"""Relations of layers that are others, for smith_relations.py: scaled, split or replaced.

A relation makes a Twin of a case (smith_case.py), or raises Inapplicable.
"""

import math

from smith_case import Part, Twin
from smith_graph import Graph, Inapplicable, Scaling, pair
from smith_orders import first_that_works


def scale_layer(case):
    """relu(c x) = c relu(x): a layer is multiplied and those that read it are divided. With a power
    of two no product or sum is rounded in another way, so not a bit of the loss differs."""
    graph = Graph(case.model)

    def function(layer):
        name, factor = layer["name"], case.random.choice((0.125, 0.5, 4.0, 32.0))
        walk = Scaling(graph)
        walk.changes = {f"{name}.weight": factor, f"{name}.bias": factor}
        if walk.follow(name, factor):
            raise Inapplicable("a scale that reaches the output")
        return Twin(case.gradients, case.gradients, {
            part: Part(part, factor=change) for part, change in walk.changes.items()},
            is_exact=True)

    hidden = [layer for layer in graph.find("dense", "conv2d", "embedding")
              if layer["name"] != graph.output]
    return first_that_works(case, hidden, function, "no hidden layer")


def replace(model, graph, name, layers):
    """The model with `layers` in place of the layer `name`."""
    return {**model, "layers": [new for layer in graph.layers for new in (
        layers if layer["name"] == name else [layer])]}


def insert_after(model, graph, name, layers):
    """The model with `layers` after a value; what read the value reads the last of them."""
    changed = list(layers) if name == graph.sample else []
    for layer in graph.layers:
        reads = [layers[-1]["name"] if read == name else read for read in layer["inputs"]]
        changed += [{**layer, "inputs": reads}, *(layers if layer["name"] == name else [])]
    return {**model, "layers": changed}


def with_convolution(case, model, least, **keys):
    """The model with one more convolution, of one of its values of `least` channels or more. The
    value keeps its shape."""
    graph = Graph(model)
    images = [name for name, shape in graph.shapes.items() if len(shape) == 3 and
              shape[0] >= least and (name != graph.sample or "classes" not in graph.entry)]
    if not images:
        raise Inapplicable("no value of three dimensions")
    name = case.random.choice(images)
    return insert_after(model, graph, name, [{
        "op": "conv2d", "name": f"{name}.conv", "inputs": [name], "padding": "same",
        "filters": graph.shapes[name][0], **keys}])


def change_layers(case, base, name, layers, parts):
    """A twin of `base`, which is of a model and arguments."""
    model, arguments = base
    changed = replace(model, Graph(model), name, layers)
    return Twin(case.recipe(model, arguments), case.recipe(changed, arguments), parts)


def split_dense(case):
    """Two halves of a dense layer's units, concatenated."""
    graph = Graph(case.model)
    dense = [layer for layer in graph.find("dense") if layer["units"] > 1]
    if not dense:
        raise Inapplicable("no dense layer of several units")
    layer = case.random.choice(dense)
    name, units, inputs = layer["name"], layer["units"], graph.shape_read(layer)[-1]
    cut, halves, parts = case.random.randrange(1, units), [], {}
    for half, begin, end in (("low", 0, cut), ("high", cut, units)):
        own = f"{name}.{half}"
        halves.append({**layer, "name": own, "units": end - begin})
        parts[f"{own}.weight"] = Part(f"{name}.weight", range(begin * inputs, end * inputs))
        parts[f"{own}.bias"] = Part(f"{name}.bias", range(begin, end))
    joined = {"op": "concat", "name": name, "axis": -1, "inputs": [f"{name}.low", f"{name}.high"]}
    return change_layers(case, case.of_elements, name, [*halves, joined], parts)


def chain(name, inputs, layers):
    """Layers that read one another; the last one is called `name`."""
    named, last = [], inputs
    for number, layer in enumerate(layers, 1):
        last_name = name if number == len(layers) else f"{name}.{number}"
        named.append({**layer, "name": last_name, "inputs": last})
        last = [last_name]
    return named


def renamed(name, new_name):
    return {f"{new_name}.{part}": Part(f"{name}.{part}") for part in ("weight", "bias")}


def make_dense(graph, layer):
    """A convolution that reads one pixel for each of its own, or all pixels for its only one."""
    channels, *extents = graph.shape_read(layer)
    dense = {"op": "dense", "units": layer["filters"], "bias": layer.get("bias", True)}
    pixels = graph.shapes[layer["name"]][1:]
    kernel, stride, dilation = (pair(layer.get(key, 1)) for key in
                                ("kernel", "stride", "dilation"))
    if layer.get("groups", 1) > 1 or layer.get("padding", "valid") not in (
            "valid", "same", "same_lower", 0):
        return None
    if kernel == [1, 1] and stride == [1, 1]:
        return [{"op": "transpose", "permutation": [1, 2, 0]}, dense,
                {"op": "transpose", "permutation": [2, 0, 1]}], 2
    if kernel == extents and pixels == [1, 1] and (dilation == [1, 1]) and (
            layer.get("padding", "valid") in ("valid", 0)):
        return [{"op": "flatten"}, dense, {"op": "reshape", "shape": [layer["filters"], 1, 1]}], 2
    return None


def make_convolution(graph, layer):
    """A dense layer on a pixel for each of the vectors that it reads."""
    *rows, inputs = graph.shape_read(layer)
    rows = math.prod(rows)
    return [{"op": "reshape", "shape": [rows, inputs]},
            {"op": "transpose", "permutation": [1, 0]},
            {"op": "reshape", "shape": [inputs, rows, 1]},
            {"op": "conv2d", "filters": layer["units"], "kernel": 1,
             "bias": layer.get("bias", True)},
            {"op": "reshape", "shape": [layer["units"], rows]},
            {"op": "transpose", "permutation": [1, 0]},
            {"op": "reshape", "shape": graph.shapes[layer["name"]]}], 4


def exchange_layer(case, base, op, make):
    graph = Graph(base[0])
    found = [(layer, made) for layer in graph.find(op) for made in [make(graph, layer)] if made]
    if not found:
        raise Inapplicable(f"no {op} that can be another layer")
    layer, (layers, number) = case.random.choice(found)
    name = layer["name"]
    return change_layers(case, base, name, chain(name, layer["inputs"], layers),
                         renamed(name, f"{name}.{number}"))


def convolution_as_dense(case):
    """A 1x1 convolution is a dense layer on the channels. A model without one gets one first."""
    model, arguments = case.of_elements
    graph = Graph(model)
    if not any(make_dense(graph, layer) for layer in graph.find("conv2d")):
        model = with_convolution(case, model, 1, kernel=1)
    return exchange_layer(case, (model, arguments), "conv2d", make_dense)


def dense_as_convolution(case):
    """A dense layer is a 1x1 convolution."""
    return exchange_layer(case, case.of_elements, "dense", make_convolution)


def with_groups(model):
    """Convolutions of the model that have groups, or may have some: layer, number of groups."""
    graph = Graph(model)
    return [(layer, number) for layer in graph.find("conv2d")
            for channels in [graph.shape_read(layer)[0]] for number in range(2, channels + 1)
            if not (channels % number or layer["filters"] % number)
            and layer.get("groups", 1) in (1, number)]


def join_groups(case):
    """A convolution in groups has a weight whose blocks off the diagonal are zero. A model without
    one gets groups first, or the convolution."""
    model, arguments = case.of_gradients
    if not with_groups(model):
        model = with_convolution(case, model, 2, kernel=case.random.choice((1, 2, 3)))
    graph = Graph(model)
    layer, groups = case.random.choice(with_groups(model))
    name, channels = layer["name"], graph.shape_read(layer)[0]
    grouped = replace(model, graph, name, [{**layer, "groups": groups}])
    taps, each = math.prod(pair(layer["kernel"])), channels // groups
    source = [(row * each + channel % each) * taps + tap
              if row // (layer["filters"] // groups) == channel // each else -1
              for row in range(layer["filters"]) for channel in range(channels)
              for tap in range(taps)]
    return change_layers(case, (grouped, arguments), name, [{**layer, "groups": 1}],
                         {f"{name}.weight": Part(f"{name}.weight", source)})


def add_zero_branch(case):
    """A branch whose last weights are zero adds nothing, and has no gradient before them."""
    model, arguments = case.of_gradients
    graph = Graph(model)
    name = case.random.choice(graph.layers)["name"]
    shape = graph.shapes[name]
    if not shape:
        raise Inapplicable("a value without a dimension")
    units = case.random.randrange(1, 6)
    if len(shape) == 3 and case.random.random() < 0.75:
        last, kernel = shape[0], case.random.choice((1, 3))
        grow = {"op": "conv2d", "filters": units, "kernel": kernel, "padding": "same"}
        shrink = {"op": "conv2d", "filters": last, "kernel": 1}
        grown = units * last * kernel * kernel
    else:
        last = shape[-1]
        grow, shrink = ({"op": "dense", "units": count} for count in (units, last))
        grown = units * last
    branch = [{**grow, "name": f"{name}.grow", "inputs": [name]},
              {"op": "relu", "name": f"{name}.relu", "inputs": [f"{name}.grow"]},
              {**shrink, "name": f"{name}.shrink", "inputs": [f"{name}.relu"]},
              {"op": "add", "name": f"{name}.sum", "inputs": [name, f"{name}.shrink"]}]
    parts = {f"{name}.grow.weight": Part(values=case.draw(grown)),
             f"{name}.grow.bias": Part(values=case.draw(units)),
             f"{name}.shrink.weight": Part(values=[0.0] * (units * last)),
             f"{name}.shrink.bias": Part(values=[0.0] * last)}
    changed = insert_after(model, graph, name, branch)
    return Twin(case.gradients, case.recipe(changed, arguments), parts)
