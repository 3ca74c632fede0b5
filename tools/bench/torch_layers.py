"""A model file of single layers, without blocks, as a PyTorch module of PyTorch's own layers.

`LayerNet` computes what the layers say, `loss_of` what the loss says, `draw_batches` makes inputs,
`build` a LayerNet of a ModelFile. Parameters are drawn as PyTorch draws them: this is for timing.
smith_torch.py compares numbers.
"""

import math
import sys

import torch
from torch import nn
from torch.nn import functional as F

# On one value, without parameters.
UNARY = {
    "relu": lambda layer: F.relu,
    "relu6": lambda layer: F.relu6,
    "sigmoid": lambda layer: torch.sigmoid,
    "silu": lambda layer: F.silu,
    "softplus": lambda layer: F.softplus,
    "tanh": lambda layer: torch.tanh,
    "gelu": lambda layer: nn.GELU(layer.get("approximate", "none")),
    "leaky_relu": lambda layer: nn.LeakyReLU(layer.get("negative_slope", 0.01)),
    "scale": lambda layer: lambda x: layer["factor"] * x,
    "dropout": lambda layer: nn.Dropout(layer.get("rate", 0.5)),
    "flatten": lambda layer: nn.Flatten(),
    "reshape": lambda layer: lambda x: x.reshape(-1, *layer["shape"]),
    "transpose": lambda layer: lambda x: x.permute(0, *(a + 1 for a in layer["permutation"])),
    "upsample": lambda layer: lambda x: F.interpolate(x, scale_factor=pair(layer["factor"])),
    "global_avg_pool": lambda layer: lambda x: x.mean((2, 3)),
    "softmax": lambda layer: lambda x: F.softmax(x, axis_of(layer, x, -1)),
    "log_softmax": lambda layer: lambda x: F.log_softmax(x, axis_of(layer, x, -1)),
    "slice": lambda layer: lambda x: x.narrow(axis_of(layer, x, 0), layer.get("start", 0),
                                              layer["size"]),
    "reduce_sum": lambda layer: reduce(layer, torch.sum),
    "reduce_mean": lambda layer: reduce(layer, torch.mean),
    "reduce_max": lambda layer: reduce(layer, torch.amax),
    "max_pool": lambda layer: pool(layer, F.max_pool2d, -math.inf),
    "avg_pool": lambda layer: pool(layer, F.avg_pool2d, 0.0),
}
# On several.
MANY = {
    "add": lambda layer: torch.add,
    "sub": lambda layer: torch.sub,
    "mul": lambda layer: torch.mul,
    "concat": lambda layer: lambda *x: torch.cat(x, axis_of(layer, x[0], 0)),
    "matmul": lambda layer: lambda a, b: torch.matmul(
        a.mT if layer.get("transpose_a", False) else a,
        b.mT if layer.get("transpose_b", False) else b),
}


def axis_of(layer, x, default):
    return layer.get("axis", default) % (x.dim() - 1) + 1


def reduce(layer, function):
    return lambda x: function(x, tuple(axis % (x.dim() - 1) + 1 for axis in layer["axes"]),
                              layer.get("keep_dims", False))


def pair(value):
    return tuple(value) if isinstance(value, list) else (value, value)


def sides(padding, extents, kernel, stride, dilation):
    """[top, left, bottom, right]."""
    if isinstance(padding, int):
        return [padding] * 4
    if isinstance(padding, list):
        return padding * 2 if len(padding) == 2 else padding
    if padding == "valid":
        return [0] * 4
    whole = [max((math.ceil(extent / s) - 1) * s + (k - 1) * d + 1 - extent, 0)
             for extent, k, s, d in zip(extents, kernel, stride, dilation)]
    before = [(size + (padding == "same_lower")) // 2 for size in whole]
    return before + [size - half for size, half in zip(whole, before)]


def split_padding(layer, extents, kernel, stride, dilation):
    """What the layer itself pads, and what is to be padded before it."""
    top, left, bottom, right = sides(layer.get("padding", "valid"), extents, kernel, stride,
                                     dilation)
    if (top, left) == (bottom, right):
        return (top, left), None
    return (0, 0), (left, right, top, bottom)


def pool(layer, function, value):
    kernel = pair(layer["kernel"])
    stride = tuple(s or k for s, k in zip(pair(layer.get("stride", 0)), kernel))

    def compute(x):
        padding, before = split_padding(layer, x.shape[2:], kernel, stride, (1, 1))
        return function(x if before is None else F.pad(x, before, value=value), kernel, stride,
                        padding)

    return compute


def convolution(layer, shape):
    kernel, stride, dilation = (pair(layer.get(key, 1)) for key in ("kernel", "stride", "dilation"))
    padding, before = split_padding(layer, shape[2:], kernel, stride, dilation)
    module = nn.Conv2d(shape[1], layer["filters"], kernel, stride, padding, dilation,
                       layer.get("groups", 1), layer.get("bias", True))
    return module if before is None else nn.Sequential(nn.ZeroPad2d(before), module)


def transposed_convolution(layer, shape):
    kernel, stride, dilation = (pair(layer.get(key, 1)) for key in ("kernel", "stride", "dilation"))
    top, left, bottom, right = sides(layer.get("padding", "valid"), [0, 0], kernel, stride,
                                     dilation)
    if (top, left) != (bottom, right) or layer.get("padding") in ("same", "same_lower"):
        sys.exit("conv2d_transpose: PyTorch cuts numbers of pixels, alike on both sides")
    return nn.ConvTranspose2d(shape[1], layer["filters"], kernel, stride, (top, left),
                              pair(layer.get("output_padding", 0)), layer.get("groups", 1),
                              layer.get("bias", True), dilation)


def norm(kind):
    def make(layer, shape):
        return kind(shape[1], eps=layer.get("eps", 1e-5), affine=layer.get("affine", True))

    return make


# With parameters: by the layer and the shape that it reads.
PARAMETRISED = {
    "dense": lambda layer, shape: nn.Linear(shape[-1], layer["units"], layer.get("bias", True)),
    "conv2d": convolution,
    "conv2d_transpose": transposed_convolution,
    "batch_norm": lambda layer, shape: norm(nn.BatchNorm2d if len(shape) == 4 else
                                            nn.BatchNorm1d)(layer, shape),
    "group_norm": lambda layer, shape: nn.GroupNorm(layer["groups"], shape[1],
                                                    layer.get("eps", 1e-5)),
    "layer_norm": lambda layer, shape: nn.LayerNorm(shape[len(shape) - layer.get("dimensions", 1):],
                                                    layer.get("epsilon", 1e-5)),
}


def entries_by_role(model):
    """Names of what the layers read and of what the loss compares with."""
    target = model["loss"].get("target")
    names = list(model["input"])
    compared = target or next((name for name in names if name in ("label", "target") or
                               model["input"][name].get("role") == "target"), names[-1])
    return next((name for name in names if name != compared), compared), compared


class LayerNet(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.steps, self.parts = [], nn.ModuleList()
        first, _ = entries_by_role(model)
        entry = model["input"][first]
        x = torch.zeros(2, *entry["shape"], dtype=torch.long if "classes" in entry else torch.float)
        values, last = {first: x}, first
        for index, layer in enumerate(model["layers"]):
            op, inputs = layer["op"], layer.get("inputs", [last])
            shape = values[inputs[0]].shape
            if op == "embedding":
                made = nn.Embedding(entry["classes"], layer["units"])
            elif op in PARAMETRISED:
                made = PARAMETRISED[op](layer, shape)
            elif op in UNARY or op in MANY:
                made = (UNARY | MANY)[op](layer)
            else:
                sys.exit(f"layers[{index}]: no {op} in torch_layers.py")
            if isinstance(made, nn.Module):
                self.parts.append(made)
            last = layer.get("name", f"layers[{index}]")
            self.steps.append((made, inputs, last))
            with torch.no_grad():
                values[last] = made(*(values[name] for name in inputs))
        self.first = first

    def forward(self, x):
        values = {self.first: x}
        for function, inputs, last in self.steps:
            values[last] = x = function(*(values[name] for name in inputs))
        return x


def build(model, dtype=torch.float32, weights=None):
    """Of a ModelFile; parameters in the order of model.parameters. `weights` by name, as arrays."""
    network = LayerNet(model.json).to(dtype)
    assert [tuple(p.shape) for p in network.parameters()] == list(model.parameters.values())
    if weights:
        with torch.no_grad():
            for parameter, name in zip(network.parameters(), model.parameters):
                parameter.copy_(torch.from_numpy(weights[name]))
    return network


def loss_of(model):
    loss = model["loss"]
    if loss["op"] == "softmax_cross_entropy":
        smoothing = loss.get("label_smoothing", 0.0)
        return lambda y, t: F.cross_entropy(y.flatten(0, -2), t.flatten(), label_smoothing=smoothing)
    return {"mse": F.mse_loss, "l1": F.l1_loss,
            "binary_cross_entropy": F.binary_cross_entropy_with_logits}[loss["op"]]


def draw_batches(model, batch, count):
    """Pairs of what the layers read and what the loss compares with."""
    generator = torch.Generator().manual_seed(1)

    def draw(entry):
        if "classes" in entry:
            return torch.randint(entry["classes"], (batch, *entry.get("shape", [])),
                                 generator=generator)
        return torch.rand(batch, *entry["shape"], generator=generator)

    first, compared = entries_by_role(model)
    return [(features, features if first == compared else draw(model["input"][compared]))
            for features in (draw(model["input"][first]) for _ in range(count))]
