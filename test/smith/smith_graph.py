"""The layers of a model file as a graph with shapes, and what follows from a change of one value.

`Reordering` says which parameters have their elements in another order where those of a value are,
so that the network computes the same. `Scaling` says which are multiplied where a value is. Both
are written from docs/model-format.md. Where they have no rule for a layer, the model is skipped.
"""

import math


class Inapplicable(Exception):
    """Why a model cannot be changed in this way."""


ELEMENTWISE = {"relu", "relu6", "sigmoid", "silu", "softplus", "tanh", "scale", "leaky_relu",
               "gelu", "multiplier"}
ALONG_AN_AXIS = {"softmax", "log_softmax", "l2_normalize"}
REDUCTIONS = {"reduce_sum", "reduce_mean", "reduce_max"}
POOLS = {"max_pool", "avg_pool"}
# f(c x) = c f(x) for c > 0, and for a power of two without another rounding.
HOMOGENEOUS = {"relu", "leaky_relu", "scale", "multiplier", "max_pool", "avg_pool",
               "upsample", "global_avg_pool", "flatten", "reshape", "transpose", "slice", "dropout",
               *REDUCTIONS}


def pair(value):
    return list(value) if isinstance(value, list) else [value, value]


def padding_of(layer, axis):
    """On both sides of height (axis 0) or width (axis 1); None where the output's extents say it."""
    padding = layer.get("padding", "valid")
    if padding in ("same", "same_lower"):
        return None
    sides = pair(0 if padding == "valid" else padding)  # top, left and maybe bottom, right
    sides = sides * 2 if len(sides) == 2 else sides
    return sides[axis] + sides[axis + 2]


def extent_of(layer, axis, extent):
    """Height (axis 0) or width (axis 1) of what a convolution or a pool makes."""
    kernel, dilation = (pair(layer.get(key, 1))[axis] for key in ("kernel", "dilation"))
    stride = pair(layer.get("stride", 0))[axis] or (1 if layer["op"] == "conv2d" else kernel)
    padding = padding_of(layer, axis)
    if padding is None:
        return math.ceil(extent / stride)
    return (extent + padding - (kernel - 1) * dilation - 1) // stride + 1


def grown_extent_of(layer, axis, extent):
    """The same of a transposed convolution."""
    kernel, dilation, stride = (pair(layer.get(key, 1))[axis]
                                for key in ("kernel", "dilation", "stride"))
    padding = padding_of(layer, axis)
    if padding is None:
        return extent * stride
    return ((extent - 1) * stride + (kernel - 1) * dilation + 1 - padding
            + pair(layer.get("output_padding", 0))[axis])


def shape_of(layer, shapes):
    """Without the batch."""
    op, first = layer["op"], list(shapes[0])
    axis = layer.get("axis", 0) % max(len(first), 1)
    if op in ("dense", "normalized_dense"):
        return [*first[:-1], layer["units"]]
    if op == "embedding":
        return [*first, layer["units"]]
    if op == "conv2d" or op in POOLS:
        return [layer.get("filters", first[0]),
                *(extent_of(layer, i, extent) for i, extent in enumerate(first[1:]))]
    if op == "conv2d_transpose":
        return [layer["filters"],
                *(grown_extent_of(layer, i, extent) for i, extent in enumerate(first[1:]))]
    if op == "upsample":
        return [first[0], *(extent * factor
                            for extent, factor in zip(first[1:], pair(layer["factor"])))]
    if op in ("add", "sub", "mul"):
        return [max(extents) for extents in zip(*shapes)]
    if op == "flatten":
        return [math.prod(first)]
    if op == "reshape":
        return layer["shape"]
    if op == "transpose":
        return [first[axis] for axis in layer["permutation"]]
    if op == "concat":
        first[axis] = sum(shape[axis] for shape in shapes)
    elif op == "slice":
        first[axis] = layer["size"]
    elif op == "global_avg_pool":
        return first[:1]
    elif op in REDUCTIONS:
        axes = {axis % len(first) for axis in layer["axes"]}
        return [1 if i in axes else extent for i, extent in enumerate(first)
                if i not in axes or layer.get("keep_dims", False)]
    elif op == "matmul":
        return [*first[:-2], first[-1 if layer.get("transpose_a", False) else -2],
                shapes[1][-2 if layer.get("transpose_b", False) else -1]]
    return first


def sample_of(model):
    """The name of the input that layers read."""
    return next(name for name, entry in model["input"].items()
                if name not in ("label", "target") and entry.get("role") != "weight")


def named_layers(model):
    """Copies of the layers, with the names of those that have none."""
    numbers = {}
    for layer in map(dict, model["layers"]):
        if "name" not in layer:
            numbers[layer["op"]] = numbers.get(layer["op"], 0) + 1
            layer["name"] = f"{layer['op']}{numbers[layer['op']]}"
        yield layer


class Graph:
    """Layers with their names and inputs, and the shape of each value."""

    def __init__(self, model, parameters=None):
        """With the names of a program's `parameters`, the network is what less_bn has left."""
        self.sample = last = sample_of(model)
        self.entry = model["input"][self.sample]
        self.shapes, self.layers = {self.sample: self.entry["shape"]}, []
        for layer in named_layers(model):
            layer.setdefault("inputs", [last])
            last = layer["name"]
            if parameters is not None and layer["op"] == "batch_norm" and (
                    f"{last}.running_mean" not in parameters):
                layer = {"op": "scale", "factor": 1, "name": last, "inputs": layer["inputs"]}
            if parameters is not None and f"{last}.multiplier" in parameters and (
                    layer["op"] == "dense"):
                layer["op"] = "normalized_dense"
            self.layers.append(layer)
            self.shapes[last] = shape_of(layer, [self.shapes[name] for name in layer["inputs"]])
        self.output = last

    def find(self, *ops):
        return [layer for layer in self.layers if layer["op"] in ops]

    def shape_read(self, layer):
        return self.shapes[layer["inputs"][0]]


def gather(shape, orders):
    """Where each element of a tensor comes from whose axes are in other orders."""
    places = [0]
    for axis, extent in enumerate(shape):
        order = orders.get(axis, range(extent))
        places = [place * extent + index for place in places for index in order]
    return places


class Walk:
    """Follows a change from one value to the output. `changes` are those of the parameters."""

    def __init__(self, graph):
        self.graph, self.changes = graph, {}

    def follow(self, start, state):
        """`start` is a layer or the sample. The state of the output."""
        states = {name: None for name in self.graph.shapes} | {start: state}
        for layer in self.graph.layers:
            inputs = [states[name] for name in layer["inputs"]]
            if layer["name"] != start and any(inputs):
                states[layer["name"]] = self.through(layer, inputs)
        return states[self.graph.output]

    def through(self, layer, states):
        raise NotImplementedError


class Reordering(Walk):
    """The state of a value is an axis and the order of its elements along it; a change of a
    parameter is an order for each axis."""

    def change(self, layer, part, axis, order):
        self.changes.setdefault(f"{layer['name']}.{part}", {})[axis] = order

    def through(self, layer, states):
        op, shape = layer["op"], self.graph.shape_read(layer)
        if op in ("add", "sub", "mul"):
            return self.through_pair(layer, states)
        if op == "concat":
            return self.through_concat(layer, states)
        if op == "matmul":
            return self.through_matmul(layer, states)
        axis, order = states[0]
        if op in ELEMENTWISE or op in ALONG_AN_AXIS or op == "embedding":
            return axis, order
        if op == "flatten" or op == "reshape":
            return reshaped(shape, axis, order, self.graph.shapes[layer["name"]])
        if op == "transpose":
            return layer["permutation"].index(axis), order
        if op == "slice":
            return self.through_slice(layer, axis, order)
        if op in REDUCTIONS:
            axes = {axis % len(shape) for axis in layer["axes"]}
            if axis in axes:
                return None
            return axis - (0 if layer.get("keep_dims", False) else sum(a < axis for a in axes)), \
                order
        if op in ("dense", "normalized_dense"):
            if axis < len(shape) - 1:
                return axis, order
            return self.change(layer, "weight", 1, order)
        if op in POOLS or op in ("upsample", "conv2d"):
            if axis:
                raise Inapplicable(f"{op} reads neighbours")
            if op == "conv2d":
                return self.through_convolution(layer, shape, order)
            return axis, order
        if op == "global_avg_pool":
            return None if axis else (axis, order)
        if op == "dropout":
            raise Inapplicable("what a dropout drops is the element's")
        return self.through_parameters(layer, shape, axis, order)

    def through_parameters(self, layer, shape, axis, order):
        """Layers with parameters along an axis."""
        op = layer["op"]
        parts, first = ("weight", "bias"), 0
        if op == "batch_norm":
            parts += ("running_mean", "running_var")
        elif op == "group_norm":
            if axis == 0 and layer["groups"] not in (1, shape[0]):
                raise Inapplicable("group_norm groups neighbours")
        elif op == "layer_norm":
            parts, first = ("gamma", "beta"), len(shape) - layer.get("dimensions", 1)
        elif op == "bias":
            parts, first = ("bias",), layer.get("axis", 0) % len(shape)
        else:
            raise Inapplicable(f"{op} has no rule")
        if op == "layer_norm" and axis >= first or axis == first:
            for part in parts:
                self.change(layer, part, axis - first, order)
        return axis, order

    def through_pair(self, layer, states):
        shapes = [self.graph.shapes[name] for name in layer["inputs"]]
        if states[0] != states[1] or shapes[0] != shapes[1]:
            raise Inapplicable(f"{layer['op']} reads values in two orders")
        return states[0]

    def through_concat(self, layer, states):
        shapes = [self.graph.shapes[name] for name in layer["inputs"]]
        at, joined = layer.get("axis", 0) % len(shapes[0]), []
        if all(state == states[0] for state in states) and states[0][0] != at:
            return states[0]
        for state, shape in zip(states, shapes):
            axis, order = state or (at, range(shape[at]))
            if axis != at:
                raise Inapplicable("concat reads values in two orders")
            joined += [len(joined) + index for index in order]
        return at, joined

    def through_slice(self, layer, axis, order):
        at = layer.get("axis", 0) % len(self.graph.shape_read(layer))
        if at != axis:
            return axis, order
        first, size = layer.get("start", 0), layer["size"]
        part = [index - first for index in order[first:first + size]]
        if not all(0 <= index < size for index in part):
            raise Inapplicable("slice takes neighbours")
        return axis, part

    def through_matmul(self, layer, states):
        """The state of an operand is that of its rows, of its columns or of matrices."""
        rank, moved = len(self.graph.shape_read(layer)), []
        for state, key in zip(states, ("transpose_a", "transpose_b")):
            if state and state[0] >= rank - 2 and layer.get(key, False):
                state = 2 * rank - 3 - state[0], state[1]
            moved.append(state)
        a, b = moved
        if a and b and a[0] == rank - 1 and b == (rank - 2, a[1]):
            return None
        if a and not b and a[0] == rank - 2 or b and not a and b[0] == rank - 1:
            return a or b
        if a and a == b and a[0] < rank - 2:
            return a
        raise Inapplicable("matmul reads values in two orders")

    def through_convolution(self, layer, shape, order):
        groups = layer.get("groups", 1)
        if groups == 1:
            return self.change(layer, "weight", 1, order)
        if groups != shape[0]:
            raise Inapplicable("conv2d groups neighbours")
        each = layer["filters"] // groups
        order = [channel * each + i for channel in order for i in range(each)]
        for part in ("weight", "bias"):
            self.change(layer, part, 0, order)
        return 0, order


def reshaped(shape, axis, order, new_shape):
    """The axis and order of the same elements in another shape."""
    places, step = gather(shape, {axis: order}), math.prod(new_shape)
    for new_axis, extent in enumerate(new_shape):
        step //= extent
        found = [places[index * step] // step % extent for index in range(extent)]
        if gather(new_shape, {new_axis: found}) == places:
            return new_axis, found
    raise Inapplicable("reshape tears the axis apart")


class Scaling(Walk):
    """The state of a value is its factor; a change of a parameter is a factor, too."""

    def through(self, layer, states):
        op, name = layer["op"], layer["name"]
        factor = next(filter(None, states))
        if op in ("add", "sub", "concat"):
            if not all(states):
                raise Inapplicable(f"{op} reads a value that is not scaled")
        elif op in ("mul", "matmul"):
            if all(states):
                raise Inapplicable(f"{op} multiplies two factors")
        elif op in ("dense", "conv2d"):
            self.changes[f"{name}.weight"] = 1 / factor
            return None
        elif op == "bias":
            self.changes[f"{name}.bias"] = factor
        elif op not in HOMOGENEOUS:
            raise Inapplicable(f"{op} is not homogeneous")
        return factor
