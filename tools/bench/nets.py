"""Model files of nets of many kinds, for net_step.py --net. `NETS` makes one by its name.

Widths, heights and depths are those of small nets of their kinds, and some are odd on purpose: what
is fast for powers of two alone is not fast.
"""

import json
import sys


class Layers:
    """Layers one after the other. `last` is the name of the newest."""

    def __init__(self):
        self.list, self.last, self.count = [], None, 0

    def add(self, op, inputs=None, **keys):
        self.count += 1
        self.last = f"{op}{self.count}"
        entry = {"op": op, "name": self.last, **keys}
        if inputs:
            entry["inputs"] = inputs
        self.list.append(entry)
        return self.last

    def conv(self, filters, kernel=3, norm=True, act="relu", inputs=None, **keys):
        keys.setdefault("padding", "same")
        self.add("conv2d", inputs, filters=filters, kernel=kernel, bias=not norm, **keys)
        if norm:
            self.add("batch_norm")
        return self.add(act) if act else self.last

    def classify(self, classes=10):
        self.add("global_avg_pool")
        self.add("dense", units=classes)


def model(name, layers, input=None, loss=None):
    return {
        "name": name, "seed": 1, "batch_size": 8, "epochs": 1,
        "input": input or {"image": {"shape": [3, 64, 64]}, "label": {"dtype": "i32",
                                                                     "classes": 10}},
        "layers": layers.list, "loss": loss or {"op": "softmax_cross_entropy"},
        "metrics": [],
        "optimizer": {"type": "momentum", "learning_rate": 0.0001, "momentum": 0.9,
                      "weight_decay": 0.0001},
    }


def unet():
    """Three levels, up by a convolution of four times the channels whose channels become pixels."""
    n, skips, size = Layers(), [], 64
    for filters in (32, 64, 128):
        n.conv(filters)
        skips.append((n.conv(filters), filters, size))
        n.add("max_pool", kernel=2, stride=2)
        size //= 2
    n.conv(192)
    for skip, filters, size in reversed(skips):
        half = size // 2
        n.add("conv2d", filters=4 * filters, kernel=1)
        n.add("reshape", shape=[filters, 2, 2, half, half])
        n.add("transpose", permutation=[0, 3, 1, 4, 2])
        up = n.add("reshape", shape=[filters, size, size])
        n.add("concat", [up, skip])
        n.conv(filters)
        n.conv(filters)
    n.add("conv2d", filters=1, kernel=1)
    return model("unet", n, {"image": {"shape": [3, 64, 64]},
                             "mask": {"shape": [1, 64, 64], "role": "target"}},
                 {"op": "binary_cross_entropy"})


def convnext():
    n, filters = Layers(), 64
    n.add("conv2d", filters=filters, kernel=4, stride=4)
    side = 16
    for stage, depth in enumerate((2, 2, 2)):
        if stage:
            filters, side = 2 * filters, side // 2
            n.add("conv2d", filters=filters, kernel=2, stride=2)
        for _ in range(depth):
            start = n.last
            n.add("conv2d", filters=filters, kernel=7, padding="same", groups=filters)
            n.add("transpose", permutation=[1, 2, 0])
            n.add("layer_norm")
            n.add("dense", units=4 * filters)
            n.add("gelu")
            n.add("dense", units=filters)
            n.add("transpose", permutation=[2, 0, 1])
            n.add("add", [start, n.last])
    n.add("global_avg_pool")
    n.add("layer_norm")
    n.add("dense", units=10)
    return model("convnext", n)


def resnext():
    n, filters = Layers(), 64
    n.conv(64, stride=2)
    for stage in range(3):
        out = 128 << stage
        for block in range(2):
            start, stride = n.last, 2 if block == 0 and stage else 1
            n.conv(out // 2, 1)
            n.conv(out // 2, 3, groups=16, stride=stride)
            end = n.conv(out, 1, act=None)
            if block == 0:
                start = n.conv(out, 1, act=None, inputs=[start], stride=stride)
            n.add("add", [start, end])
            n.add("relu")
    n.classify()
    return model("resnext", n)


def shufflenet():
    n, side = Layers(), 32
    n.conv(24, stride=2)
    for filters in (116, 232):
        start = n.last
        n.add("conv2d", filters=24 if filters == 116 else 116, kernel=3, stride=2, padding="same",
              groups=24 if filters == 116 else 116, bias=False)
        n.add("batch_norm")
        left = n.conv(filters // 2, 1)
        n.conv(filters // 2, 1, inputs=[start])
        n.conv(filters // 2, 3, stride=2, groups=filters // 2, act=None)
        right = n.conv(filters // 2, 1)
        n.add("concat", [left, right])
        side //= 2
        for _ in range(2):
            n.add("reshape", shape=[2, filters // 2, side, side])
            n.add("transpose", permutation=[1, 0, 2, 3])
            start = n.add("reshape", shape=[filters, side, side])
            left = n.add("slice", [start], start=0, size=filters // 2)
            n.add("slice", [start], start=filters // 2, size=filters // 2)
            n.conv(filters // 2, 1)
            n.conv(filters // 2, 3, groups=filters // 2, act=None)
            right = n.conv(filters // 2, 1)
            n.add("concat", [left, right])
        if filters == 116:
            n.conv(116, 1)
    n.conv(512, 1)
    n.classify()
    return model("shufflenet", n)


def inception():
    n = Layers()
    n.conv(32, stride=2)
    n.conv(48)
    for width in (64, 96, 160):
        start = n.last
        parts = [n.conv(width // 2, 1, inputs=[start])]
        n.conv(width // 2, 1, inputs=[start])
        n.conv(width // 2, [1, 7])
        parts.append(n.conv(width, [7, 1]))
        n.conv(width // 4, 1, inputs=[start])
        parts.append(n.conv(width // 2, 5))
        n.add("avg_pool", [start], kernel=3, stride=1, padding=1)
        parts.append(n.conv(width // 4, 1))
        n.add("concat", parts)
        n.add("max_pool", kernel=3, stride=2, padding=1)
    n.classify()
    return model("inception", n)


def squeezenet():
    n = Layers()
    n.conv(64, norm=False, stride=2)
    n.add("max_pool", kernel=3, stride=2)
    for index, (squeeze, expand) in enumerate(((16, 64), (16, 64), (32, 128), (48, 192))):
        start = n.conv(squeeze, 1, norm=False)
        parts = [n.conv(expand, 1, norm=False), n.conv(expand, 3, norm=False, inputs=[start])]
        n.add("concat", parts)
        if index == 1:
            n.add("max_pool", kernel=3, stride=2)
    n.add("dropout", rate=0.5)
    n.add("conv2d", filters=10, kernel=1)
    n.add("relu")
    n.add("global_avg_pool")
    return model("squeezenet", n)


def mixer():
    n, tokens, width = Layers(), 64, 128
    n.add("conv2d", filters=width, kernel=8, stride=8)
    n.add("reshape", shape=[width, tokens])
    start = n.add("transpose", permutation=[1, 0])
    for _ in range(4):
        n.add("layer_norm", [start])
        n.add("transpose", permutation=[1, 0])
        n.add("dense", units=96)
        n.add("gelu")
        n.add("dense", units=tokens)
        n.add("transpose", permutation=[1, 0])
        start = n.add("add", [start, n.last])
        n.add("layer_norm")
        n.add("dense", units=512)
        n.add("gelu")
        n.add("dense", units=width)
        start = n.add("add", [start, n.last])
    n.add("layer_norm")
    n.add("reduce_mean", axes=[0])
    n.add("dense", units=10)
    return model("mixer", n)


def attend(n, start, tokens, width, heads):
    each = width // heads
    normed, rows = n.add("layer_norm", [start]), []
    for _ in range(3):
        n.add("dense", [normed], units=width)
        n.add("reshape", shape=[tokens, heads, each])
        rows.append(n.add("transpose", permutation=[1, 0, 2]))
    n.add("matmul", rows[:2], transpose_b=True)
    n.add("scale", factor=each**-0.5)
    n.add("softmax")
    n.add("matmul", [n.last, rows[2]])
    n.add("transpose", permutation=[1, 0, 2])
    n.add("reshape", shape=[tokens, width])
    n.add("dense", units=width)
    middle = n.add("add", [start, n.last])
    n.add("layer_norm")
    n.add("dense", units=4 * width)
    n.add("gelu")
    n.add("dense", units=width)
    return n.add("add", [middle, n.last])


def vit():
    n, tokens, width = Layers(), 64, 192
    n.add("conv2d", filters=width, kernel=8, stride=8)
    n.add("reshape", shape=[width, tokens])
    start = n.add("transpose", permutation=[1, 0])
    for _ in range(4):
        start = attend(n, start, tokens, width, 3)
    n.add("layer_norm")
    n.add("reduce_mean", axes=[0])
    n.add("dense", units=10)
    return model("vit", n)


def encoder():
    """Of tokens: 100 of 5000 kinds, a tag for each."""
    n = Layers()
    start = n.add("embedding", units=128)
    for _ in range(2):
        start = attend(n, start, 100, 128, 4)
    n.add("dense", units=9)
    return model("encoder", n, {"token": {"shape": [100], "classes": 5000},
                                "tag": {"shape": [100], "classes": 9, "role": "target"}})


def text_cnn():
    """Convolutions of 3, 4 and 5 tokens, the largest of each filter."""
    n = Layers()
    n.add("embedding", units=100)
    start = n.add("reshape", shape=[1, 60, 100])
    parts = []
    for width in (3, 4, 5):
        n.add("conv2d", [start], filters=100, kernel=[width, 100])
        n.add("relu")
        parts.append(n.add("reduce_max", axes=[1, 2]))
    n.add("concat", parts)
    n.add("dropout", rate=0.5)
    n.add("dense", units=5)
    return model("text_cnn", n, {"token": {"shape": [60], "classes": 8000},
                                 "label": {"dtype": "i32", "classes": 5}})


def autoencoder():
    n = Layers()
    for units in (512, 128, 32, 128, 512):
        n.add("dense", units=units)
        n.add("relu")
    n.add("dense", units=784)
    return model("autoencoder", n, {"pixels": {"shape": [784]}}, {"op": "mse", "target": "pixels"})


def tabular():
    """Dense layers of odd widths with normalisation and dropout."""
    n = Layers()
    for units in (777, 333, 111):
        n.add("dense", units=units, bias=False)
        n.add("batch_norm")
        n.add("silu")
        n.add("dropout", rate=0.1)
    n.add("dense", units=7)
    return model("tabular", n, {"features": {"shape": [250]}, "label": {"dtype": "i32",
                                                                       "classes": 7}})


def dilated():
    """Images of odd extents, dilations, numbers of channels between multiples of a vector."""
    n = Layers()
    n.conv(40, 5, norm=False)
    for dilation in (1, 2, 4, 8):
        start = n.last
        n.add("conv2d", filters=72, kernel=3, padding=dilation, dilation=dilation, bias=False)
        n.add("group_norm", groups=8)
        n.add("leaky_relu", negative_slope=0.1)
        n.add("conv2d", filters=40, kernel=1)
        n.add("add", [start, n.last])
    n.add("conv2d", filters=1, kernel=1)
    return model("dilated", n, {"image": {"shape": [3, 51, 67]},
                                "depth": {"shape": [1, 51, 67], "role": "target"}}, {"op": "l1"})


def invert(n, inputs, filters, kernel, stride, is_gated=False):
    """An inverted residual block, maybe with a gate for each channel."""
    start, wide = n.last, 6 * inputs
    n.conv(wide, 1, act="silu")
    seen = n.conv(wide, kernel, groups=wide, stride=stride, act="silu")
    if is_gated:
        n.add("global_avg_pool")
        n.add("dense", units=max(inputs // 4, 6))
        n.add("silu")
        n.add("dense", units=wide)
        n.add("sigmoid")
        gate = n.add("reshape", shape=[wide, 1, 1])
        n.add("mul", [seen, gate])
    end = n.conv(filters, 1, act=None)
    if stride == 1 and inputs == filters:
        n.add("add", [start, end])


def mobilenet5():
    """Depthwise convolutions of 5x5 and silu, as in EfficientNets, with few channels."""
    n = Layers()
    n.conv(20, stride=2, act="silu")
    inputs = 20
    for filters, stride in ((28, 2), (28, 1), (52, 2), (52, 1), (100, 2), (100, 1)):
        invert(n, inputs, filters, 5, stride)
        inputs = filters
    n.conv(300, 1, act="silu")
    n.classify(100)
    return model("mobilenet5", n, {"image": {"shape": [3, 96, 96]},
                                   "label": {"dtype": "i32", "classes": 100}})


def alexnet():
    n = Layers()
    n.conv(48, 11, norm=False, stride=4, padding=2)
    n.add("max_pool", kernel=3, stride=2)
    n.conv(128, 5, norm=False)
    n.add("max_pool", kernel=3, stride=2)
    n.conv(192, norm=False)
    n.conv(128, norm=False)
    n.add("max_pool", kernel=3, stride=2)
    n.add("flatten")
    for units in (512, 512):
        n.add("dropout", rate=0.5)
        n.add("dense", units=units)
        n.add("relu")
    n.add("dense", units=100)
    return model("alexnet", n, {"image": {"shape": [3, 160, 160]},
                                "label": {"dtype": "i32", "classes": 100}})


def ecg():
    """Twelve signals of 1000 times, residual blocks of one dimension."""
    n = Layers()
    n.conv(32, [1, 15], stride=[1, 2])
    for filters in (32, 64, 96):
        start = n.last
        n.conv(filters, [1, 9], stride=[1, 2])
        n.add("dropout", rate=0.2)
        end = n.conv(filters, [1, 9], act=None)
        start = n.conv(filters, 1, act=None, inputs=[start], stride=[1, 2])
        n.add("add", [start, end])
        n.add("relu")
    n.classify(5)
    return model("ecg", n, {"signal": {"shape": [12, 1, 1000]},
                            "label": {"dtype": "i32", "classes": 5}})


def eegnet():
    """Kernels over time, then over all electrodes."""
    n = Layers()
    n.conv(8, [1, 64], act=None)
    n.conv(16, [22, 1], groups=8, padding=0, act="silu")
    n.add("avg_pool", kernel=[1, 4], stride=[1, 4])
    n.conv(16, [1, 16], groups=16, norm=False, act=None)
    n.conv(16, 1, act="silu")
    n.add("avg_pool", kernel=[1, 8], stride=[1, 8])
    n.add("flatten")
    n.add("dense", units=4)
    return model("eegnet", n, {"signal": {"shape": [1, 22, 256]},
                               "label": {"dtype": "i32", "classes": 4}})


def srcnn():
    """Few channels at both ends, and large kernels."""
    n = Layers()
    n.conv(64, 9, norm=False)
    n.conv(32, 1, norm=False)
    n.add("conv2d", filters=3, kernel=5, padding="same")
    return model("srcnn", n, {"image": {"shape": [3, 72, 72]},
                              "sharp": {"shape": [3, 72, 72], "role": "target"}}, {"op": "mse"})


def denoiser():
    """Residual blocks with group_norm and silu, and attention over the pixels of the smallest."""
    n, side = Layers(), 32
    n.add("conv2d", filters=64, kernel=3, padding=1)
    for filters in (64, 128):
        start = n.last
        for _ in range(2):
            n.add("group_norm", groups=8)
            n.add("silu")
            n.add("conv2d", filters=filters, kernel=3, padding=1)
        end = n.last
        start = n.add("conv2d", [start], filters=filters, kernel=1)
        n.add("add", [start, end])
        n.add("avg_pool", kernel=2)
        side //= 2
    n.add("reshape", shape=[128, side * side])
    start = n.add("transpose", permutation=[1, 0])
    attend(n, start, side * side, 128, 4)
    n.add("transpose", permutation=[1, 0])
    n.add("reshape", shape=[128, side, side])
    n.add("conv2d", filters=3, kernel=3, padding=1)
    return model("denoiser", n, {"image": {"shape": [3, 32, 32]},
                                 "noise": {"shape": [3, side, side], "role": "target"}}, {"op": "mse"})


def language():
    """The next of 64 tokens of 10000 kinds."""
    n = Layers()
    start = n.add("embedding", units=160)
    for _ in range(2):
        start = attend(n, start, 64, 160, 5)
    n.add("layer_norm")
    n.add("dense", units=10000, bias=False)
    return model("language", n, {"token": {"shape": [64], "classes": 10000},
                                 "next": {"shape": [64], "classes": 10000, "role": "target"}})


def long_encoder():
    """Attention of 512 tokens."""
    n = Layers()
    start = n.add("dense", units=256)
    start = attend(n, start, 512, 256, 4)
    n.add("dense", units=9)
    return model("long_encoder", n, {"token": {"shape": [512, 40]},
                                     "tag": {"shape": [512], "classes": 9, "role": "target"}})


def physics():
    """A regression by narrow layers with tanh, for large batches."""
    n = Layers()
    for _ in range(5):
        n.add("dense", units=50)
        n.add("tanh")
    n.add("dense", units=1)
    return model("physics", n, {"point": {"shape": [3]},
                                "value": {"shape": [1], "role": "target"}}, {"op": "mse"})


def ranking():
    """Embeddings of 26 features of 20000 kinds together, all pairs of them, dense layers."""
    n = Layers()
    rows = n.add("embedding", units=16)
    n.add("matmul", [rows, rows], transpose_b=True)
    pairs = n.add("flatten")
    flat = n.add("flatten", [rows])
    n.add("concat", [pairs, flat])
    for units in (256, 64):
        n.add("dense", units=units)
        n.add("relu")
    n.add("dense", units=2)
    return model("ranking", n, {"feature": {"shape": [26], "classes": 20000},
                                "label": {"dtype": "i32", "classes": 2}})


def efficient():
    """EfficientNet's blocks: depthwise convolutions, and a gate for each channel."""
    n = Layers()
    n.conv(24, stride=2, act="silu")
    inputs = 24
    for filters, kernel, stride in ((24, 3, 1), (40, 3, 2), (40, 3, 1), (72, 5, 2), (72, 5, 1),
                                    (120, 5, 2)):
        invert(n, inputs, filters, kernel, stride, is_gated=True)
        inputs = filters
    n.conv(480, 1, act="silu")
    n.classify(100)
    return model("efficient", n, {"image": {"shape": [3, 96, 96]},
                                  "label": {"dtype": "i32", "classes": 100}})


def generator():
    """From 100 numbers to an image, by transposed convolutions, as in DCGAN."""
    n = Layers()
    n.add("dense", units=256 * 4 * 4)
    n.add("reshape", shape=[256, 4, 4])
    for filters in (128, 64, 32):
        n.add("conv2d_transpose", filters=filters, kernel=4, stride=2, padding=1, bias=False)
        n.add("batch_norm")
        n.add("relu")
    n.add("conv2d_transpose", filters=3, kernel=4, stride=2, padding=1)
    n.add("tanh")
    return model("generator", n, {"noise": {"shape": [100]},
                                  "image": {"shape": [3, 64, 64], "role": "target"}},
                 {"op": "mse"})


def pyramid():
    """A backbone whose images of three sizes are added up, the small ones repeated, as in an FPN."""
    n, sizes = Layers(), []
    n.conv(32, stride=2)
    for filters in (48, 96, 192):
        n.conv(filters, stride=2)
        sizes.append(n.conv(filters))
    last = None
    for size in reversed(sizes):
        side = n.add("conv2d", [size], filters=64, kernel=1)
        if last:
            up = n.add("upsample", [last], factor=2)
            side = n.add("add", [side, up])
        last = side
    n.conv(64, norm=False)
    n.add("conv2d", filters=2, kernel=1)
    return model("pyramid", n, {"image": {"shape": [3, 96, 96]},
                                "map": {"shape": [2, 24, 24], "role": "target"}},
                 {"op": "binary_cross_entropy"})


NETS = {make.__name__: make for make in (
    unet, convnext, resnext, shufflenet, inception, squeezenet, mixer, vit, encoder, text_cnn,
    autoencoder, tabular, dilated, mobilenet5, alexnet, ecg, eegnet, srcnn, denoiser, language,
    long_encoder, physics, ranking, efficient, generator, pyramid)}

if __name__ == "__main__":
    json.dump(NETS[sys.argv[1]](), sys.stdout, indent=2)
