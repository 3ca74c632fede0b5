"""A model.json with the layers that the benchmarks know, as plain Python data.

So the frameworks run the model that boostc compiles, and no script repeats it.
"""

import json
import math
import pathlib
import sys
from dataclasses import dataclass, field


@dataclass
class Layer:
    op: str
    name: str
    inputs: tuple        # of one sample: (channels, height, width) or (features,)
    outputs: tuple
    kernel: int = 0      # conv2d, max_pool; square, and max_pool's stride is its kernel
    parameters: dict = field(default_factory=dict)  # name -> shape, in PyTorch's order

    @property
    def fan_in(self):
        return math.prod(self.parameters[f"{self.name}.weight"][1:])

    @property
    def multiplications(self):
        """Of the forward pass of one sample."""
        if self.op == "conv2d":
            return math.prod(self.outputs) * self.fan_in
        return math.prod(self.inputs) * math.prod(self.outputs) if self.op == "dense" else 0


KEYS = {"conv2d": {"filters", "kernel"}, "dense": {"units"}, "relu": set(),
        "max_pool": {"kernel"}, "flatten": set()}


def layer_of(entry, index, shape):
    """The layer of a model file's entry; nothing that it says may be dropped."""
    op = entry["op"]
    unknown = set(entry) - {"op", "name"} - KEYS.get(op, set())
    if op not in KEYS or unknown:
        sys.exit(f"layers[{index}]: the benchmarks know no {op} "
                 f"with {', '.join(sorted(unknown)) or 'anything'}")
    layer = Layer(op, entry.get("name", f"layer{index}"), shape, shape)
    if op == "conv2d":
        layer.kernel = entry["kernel"]
        channels, height, width = shape
        layer.outputs = (entry["filters"], height - layer.kernel + 1, width - layer.kernel + 1)
        weight = (entry["filters"], channels, layer.kernel, layer.kernel)
    elif op == "max_pool":
        layer.kernel = entry["kernel"]
        layer.outputs = (shape[0], shape[1] // layer.kernel, shape[2] // layer.kernel)
    elif op == "flatten":
        layer.outputs = (math.prod(shape),)
    elif op == "dense":
        layer.outputs = (entry["units"],)
        weight = (entry["units"], shape[0])
    if op in ("conv2d", "dense"):
        layer.parameters = {f"{layer.name}.weight": weight, f"{layer.name}.bias": weight[:1]}
    return layer


class ModelFile:
    """json: what the file says; name, layers, shape of a sample, learning_rate, momentum."""

    def __init__(self, path):
        model = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        self.json = model
        self.name, self.batch_size = model["name"], model["batch_size"]
        self.shape = tuple(model["input"]["image"]["shape"])
        self.classes = model["input"]["label"]["classes"]
        self.layers = []
        for index, entry in enumerate(model["layers"]):
            shape = self.layers[-1].outputs if self.layers else self.shape
            self.layers.append(layer_of(entry, index, shape))
        optimizer = dict(model["optimizer"])
        if optimizer.pop("type") not in ("sgd", "momentum") or model["loss"] != {
                "op": "softmax_cross_entropy"}:
            sys.exit(f"{path}: the benchmarks know SGD, momentum and softmax_cross_entropy")
        self.learning_rate = optimizer.pop("learning_rate")
        self.momentum = optimizer.pop("momentum", 0.0)
        if optimizer:
            sys.exit(f"{path}: the benchmarks do not know the optimizer's {list(optimizer)}")
        self.transforms = model["data"]["transforms"]

    @property
    def parameters(self):
        """Name -> shape, in the order of the layers."""
        return {name: shape for layer in self.layers
                for name, shape in layer.parameters.items()}

    def step_flops(self, batch):
        """Of forward, both gradients and no gradient of the input; multiply and add."""
        trained = [layer.multiplications for layer in self.layers if layer.parameters]
        return 2 * batch * (3 * sum(trained) - trained[0])
