"""What layers and losses of a model file are in PyTorch, for smith_torch.py.

Written from docs/model-format.md and docs/boosts.md, not from the compiler. Where PyTorch has
another convention or none, functions are written with simpler ones; layers.py of
test/e2e/reference lists these places.
"""

import math

import numpy as np
import torch
from torch.nn import functional as F
from smith_graph import named_layers, pair, sample_of
from torch_layers import sides
from torch_reference import philox, stream_of

# boostc computes tanh with an error of up to so much (see test/e2e/reference/layer_cases.py).
TANH_ERROR = 8 * 2.0**-24
ROLES = {"batch_norm": ("norm_scale", "norm_shift"), "group_norm": ("norm_scale", "norm_shift"),
         "layer_norm": ("norm_scale", "norm_shift")}


class Skip(Exception):
    """Why a model is not compared."""


class RoundedTanh(torch.autograd.Function):
    """In single precision tanh has a random error of the size that is documented."""

    @staticmethod
    def forward(context, x):
        y = torch.tanh(x)
        if x.dtype == torch.float32:
            y = y + (2 * torch.rand_like(y) - 1) * TANH_ERROR
        context.save_for_backward(y)
        return y

    @staticmethod
    def backward(context, gradient):
        (y,) = context.saved_tensors
        return gradient * (1 - y * y)


class Tensors:
    """Parameters and running statistics: declared when the network is first computed, in the order
    of the layers, and given by name from then on."""

    def __init__(self, values=None):
        self.values, self.draw = {} if values is None else values, values is None
        self.roles, self.starts = {}, {}
        self.random = np.random.default_rng(0)

    def get(self, name, role, shape, low, high):
        if self.draw:
            assert name not in self.values, name
            self.roles[name] = role
            drawn = self.random.uniform(low, high, shape).astype(np.float32)
            self.values[name] = torch.tensor(drawn).double()
        value = self.values[name]
        assert value.shape == torch.Size(shape), (name, value.shape, shape)
        return value


def pad(x, layer, kernel, stride, dilation, value):
    top, left, bottom, right = sides(layer.get("padding", "valid"), x.shape[2:], kernel, stride,
                                     dilation)
    return F.pad(x, (left, right, top, bottom), value=value)


def axis_of(x, axis):
    return axis % (x.dim() - 1) + 1


def unit(x):
    """Vectors over their lengths, of which 0.01 is the least."""
    return x * x.square().sum(-1, keepdim=True).clamp_min(1e-4).rsqrt()


def mix32(x):
    mask = np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    x = x * np.uint64(0x7feb352d) & mask
    x ^= x >> np.uint64(15)
    x = x * np.uint64(0x846ca68b) & mask
    return x ^ x >> np.uint64(16)


def kept_elements(seed, epoch, rows, name, shape, rate):
    """Which elements a dropout keeps: the random bits of runtime/abi/boost_random.h."""
    keys = philox(seed, 0x73616d706c652d6b + epoch, np.asarray(rows))[0]
    stream, elements = stream_of(name), np.arange(math.prod(shape[1:]), dtype=np.uint64)
    mixed = mix32(elements ^ np.uint64(stream & 0xFFFFFFFF))
    mixed = mixed + np.uint64(stream >> 32) & np.uint64(0xFFFFFFFF)
    bits = mix32(mixed[None, :] ^ keys[:, None])
    return torch.tensor(bits.astype(np.float64) < 2.0**32 * (1 - rate)).reshape(shape)


class Network:
    """The layers of a model. `head` is whether less_bn normalises the last one, `gone` are the
    norms that it removes."""

    def __init__(self, model, head=False, gone=()):
        self.layers = list(named_layers(model))
        self.classes = {name: entry["classes"] for name, entry in model["input"].items()
                        if "classes" in entry}
        self.seed, self.gone, self.head = model["seed"], gone, None
        self.sample = sample_of(model)
        if head:
            self.head = self.layers[-1]
            self.layers[-1] = {**self.head, "op": "normalized_dense"}

    def __call__(self, x, tensors, training, epoch=0, rows=(), seen=None, products=None):
        """The output. `seen` collects what each batch norm normalises, `products` what layers that
        THOR has factors of read and compute."""
        self.training, self.epoch, self.rows, self.seen = training, epoch, rows, seen
        self.products = products
        values, last = {self.sample: x}, self.sample
        for layer in self.layers:
            inputs = [values[name] for name in layer.get("inputs", [last])]
            function = getattr(self, layer["op"], None)
            if not function:
                raise Skip(f"layer {layer['op']}")
            self.tensors, last = tensors, layer["name"]
            values[last] = function(layer, *inputs)
        return values[last]

    def parameter(self, layer, part, role, shape, low, high):
        return self.tensors.get(f"{layer['name']}.{part}", role, shape, low, high)

    def weights(self, layer, shape, outputs, fan_in, role="weight"):
        bound = 1 / math.sqrt(fan_in)
        weight = self.parameter(layer, "weight", role, shape, -bound, bound)
        has_bias = outputs and layer.get("bias", True)
        return weight, self.parameter(layer, "bias", "bias", (outputs,), -bound,
                                      bound) if has_bias else None

    def scales(self, layer, shape, names=("weight", "bias")):
        scale, shift = ROLES[layer["op"]]
        return (self.parameter(layer, names[0], scale, shape, 0.5, 1.5),
                self.parameter(layer, names[1], shift, shape, -0.5, 0.5))

    # Elementwise.
    relu = staticmethod(lambda layer, x: F.relu(x))
    relu6 = staticmethod(lambda layer, x: F.relu6(x))
    sigmoid = staticmethod(lambda layer, x: torch.sigmoid(x))
    silu = staticmethod(lambda layer, x: F.silu(x))
    softplus = staticmethod(lambda layer, x: torch.logaddexp(x, torch.zeros_like(x)))
    tanh = staticmethod(lambda layer, x: RoundedTanh.apply(x))
    scale = staticmethod(lambda layer, x: layer["factor"] * x)
    leaky_relu = staticmethod(
        lambda layer, x: F.leaky_relu(x, layer.get("negative_slope", 0.01)))
    add = staticmethod(lambda layer, a, b: a + b)
    sub = staticmethod(lambda layer, a, b: a - b)
    mul = staticmethod(lambda layer, a, b: a * b)

    def gelu(self, layer, x):
        if layer.get("approximate", "none") == "none":
            return F.gelu(x)
        return x / 2 * (1 + RoundedTanh.apply(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    def multiplier(self, layer, x):
        return self.parameter(layer, "multiplier", "multiplier", (1,), 0.5, 1.5) * x

    def bias(self, layer, x):
        axis = axis_of(x, layer.get("axis", 0))
        value = self.parameter(layer, "bias", "bias", (x.shape[axis],), -0.5, 0.5)
        return x + value.reshape((-1,) + (1,) * (x.dim() - axis - 1))

    def dropout(self, layer, x):
        rate = layer.get("rate", 0.5)
        if not self.training:
            return x
        kept = kept_elements(self.seed, self.epoch, self.rows, layer["name"], x.shape, rate)
        return torch.where(kept, x / (1 - rate), torch.zeros_like(x))

    # Shapes and reductions.
    flatten = staticmethod(lambda layer, x: x.flatten(1))
    reshape = staticmethod(lambda layer, x: x.reshape(-1, *layer["shape"]))
    transpose = staticmethod(
        lambda layer, x: x.permute(0, *(axis + 1 for axis in layer["permutation"])))
    concat = staticmethod(lambda layer, *x: torch.cat(x, axis_of(x[0], layer.get("axis", 0))))
    softmax = staticmethod(lambda layer, x: F.softmax(x, axis_of(x, layer.get("axis", -1))))
    log_softmax = staticmethod(
        lambda layer, x: F.log_softmax(x, axis_of(x, layer.get("axis", -1))))
    global_avg_pool = staticmethod(lambda layer, x: x.mean((2, 3)))

    def slice(self, layer, x):
        return x.narrow(axis_of(x, layer.get("axis", 0)), layer.get("start", 0), layer["size"])

    def reduce(self, layer, x, function):
        axes = tuple(axis_of(x, axis) for axis in layer["axes"])
        return function(x, axes, layer.get("keep_dims", False))

    def reduce_sum(self, layer, x):
        return self.reduce(layer, x, torch.sum)

    def reduce_mean(self, layer, x):
        return self.reduce(layer, x, torch.mean)

    def reduce_max(self, layer, x):
        return self.reduce(layer, x, torch.amax)

    def pool(self, layer, x, function, value):
        kernel = pair(layer["kernel"])
        stride = [s or k for s, k in zip(pair(layer.get("stride", 0)), kernel)]
        return function(pad(x, layer, kernel, stride, (1, 1), value), kernel, stride)

    def max_pool(self, layer, x):
        return self.pool(layer, x, F.max_pool2d, -math.inf)

    def avg_pool(self, layer, x):
        return self.pool(layer, x, F.avg_pool2d, 0.0)

    def upsample(self, layer, x):
        for axis, factor in zip((2, 3), pair(layer["factor"])):
            x = x.repeat_interleave(factor, axis)
        return x

    # Contractions.
    def matmul(self, layer, a, b):
        a = a.mT if layer.get("transpose_a", False) else a
        return a @ (b.mT if layer.get("transpose_b", False) else b)

    def watch(self, layer, x, y):
        if self.products is not None:
            y.retain_grad()
            self.products.setdefault(f"{layer['name']}.weight", (layer, []))[1].append((x, y))
        return y

    def dense(self, layer, x):
        units, inputs = layer["units"], x.shape[-1]
        return self.watch(layer, x, F.linear(x, *self.weights(layer, (units, inputs), units,
                                                              inputs)))

    def normalized_dense(self, layer, x):
        weight, _ = self.weights(layer, (layer["units"], x.shape[-1]), 0, x.shape[-1])
        multiplier = self.parameter(layer, "multiplier", "multiplier", (1,), 0.5, 1.5)
        return multiplier * F.linear(unit(x), unit(weight))

    def conv2d(self, layer, x):
        kernel, stride, dilation = (pair(layer.get(key, 1))
                                    for key in ("kernel", "stride", "dilation"))
        groups, filters = layer.get("groups", 1), layer["filters"]
        shape = (filters, x.shape[1] // groups, *kernel)
        weight, bias = self.weights(layer, shape, filters, math.prod(shape[1:]))
        x = pad(x, layer, kernel, stride, dilation, 0.0)
        return self.watch(layer, x, F.conv2d(x, weight, bias, stride, 0, dilation, groups))

    def conv2d_transpose(self, layer, x):
        """THOR has no factors of it."""
        kernel, stride, dilation = (pair(layer.get(key, 1))
                                    for key in ("kernel", "stride", "dilation"))
        groups, filters = layer.get("groups", 1), layer["filters"]
        shape = (x.shape[1], filters // groups, *kernel)
        weight, bias = self.weights(layer, shape, filters, math.prod(shape[1:]))
        # What padding leaves of the whole: `same` has a stride of pixels for each input.
        extents = [extent * step for extent, step in zip(x.shape[2:], stride)]
        top, left, bottom, right = sides(layer.get("padding", "valid"), extents, kernel, stride,
                                         dilation)
        more = pair(layer.get("output_padding", 0))
        if layer.get("padding", "valid") in ("same", "same_lower"):
            more = [max(0, step - (k - 1) * d - 1)
                    for k, step, d in zip(kernel, stride, dilation)]
        y = F.conv_transpose2d(x, weight, bias, stride, 0, more, groups, dilation)
        return y[:, :, top:y.shape[2] - bottom, left:y.shape[3] - right]

    def embedding(self, layer, x):
        rows = self.classes[layer.get("inputs", [self.sample])[0]]
        weight, _ = self.weights(layer, (rows, layer["units"]), 0, 1, "embedding")
        return self.watch(layer, F.one_hot(x, rows).to(weight.dtype), F.embedding(x, weight))

    # Normalisation.
    def l2_normalize(self, layer, x):
        least = layer.get("epsilon", 1e-12)
        return x * x.square().sum(-1, keepdim=True).clamp_min(least).rsqrt()

    def layer_norm(self, layer, x):
        shape = x.shape[x.dim() - layer.get("dimensions", 1):]
        return F.layer_norm(x, shape, *self.scales(layer, shape, ("gamma", "beta")),
                            layer.get("epsilon", 1e-5))

    def group_norm(self, layer, x):
        parts = self.scales(layer, x.shape[1:2]) if layer.get("affine", True) else ()
        eps = layer.get("eps", 1e-5)
        y = x.reshape(x.shape[0], layer["groups"], -1)
        mean, variance = y.mean(-1, keepdim=True), y.var(-1, unbiased=False, keepdim=True)
        y = ((y - mean) / torch.sqrt(variance + eps)).reshape(x.shape)
        for part, function in zip(parts, (torch.mul, torch.add)):
            y = function(y, part.reshape((-1,) + (1,) * (x.dim() - 2)))
        return y

    def batch_norm(self, layer, x):
        name, channels = layer["name"], x.shape[1:2]
        if name in self.gone:
            return x
        parts = self.scales(layer, channels) if layer.get("affine", True) else (None, None)
        # A running mean is near the mean that it follows.
        mean = self.parameter(layer, "running_mean", "statistic", channels, -0.5, 0.5)
        variance = self.parameter(layer, "running_var", "statistic", channels, 0.5, 1.5)
        if self.seen is not None:
            self.seen.setdefault(name, (layer, []))[1].append(x.detach().transpose(0, 1)
                                                              .flatten(1))
        axes, shape = (0, *range(2, x.dim())), (-1,) + (1,) * (x.dim() - 2)
        if self.training:
            # In one pass, about the mean of the first sample, as docs/step.md says.
            center = x[0].detach().flatten(1).mean(1) if x.dim() > 2 else x[0].detach()
            shifted = x - center.reshape(shape)
            shift = shifted.mean(axes)
            mean = center + shift
            variance = (shifted.square().mean(axes) - shift * shift).clamp_min(0)
        y = (x - mean.reshape(shape)) / torch.sqrt(variance + layer.get("eps", 1e-5)).reshape(shape)
        if parts[0] is None:
            return y
        return y * parts[0].reshape(shape) + parts[1].reshape(shape)


def losses(loss, y, t):
    """Of each sample; t are classes, or numbers like y."""
    op, labels = loss["op"], not t.is_floating_point()
    count = y.shape[-1]
    if op != "softmax_cross_entropy":
        t = F.one_hot(t, count).to(y.dtype) if labels else t
        terms = {"mse": F.mse_loss, "l1": F.l1_loss,
                 "binary_cross_entropy": F.binary_cross_entropy_with_logits}
        if op not in terms:
            raise Skip(f"loss {op}")
        return terms[op](y, t, reduction="none").mean(-1)
    if labels:
        e = loss.get("label_smoothing", 0.0)
        one = F.one_hot(t, count).to(y.dtype)
        others = loss.get("smoothing", "uniform") == "others"
        t = (1 - e) * one + (e * (1 - one) / (count - 1) if others else e / count)
    return -(t * F.log_softmax(y, -1)).sum(-1)


def correct(y, labels):
    """Whether the largest output is the label's, and by how much of the largest number."""
    own = y.gather(-1, labels.unsqueeze(-1))
    others = y.scatter(-1, labels.unsqueeze(-1), -math.inf).max(-1, keepdim=True).values
    return own > others, ((own - others).abs() / y.abs().max().clamp_min(1e-30)).min().item()
