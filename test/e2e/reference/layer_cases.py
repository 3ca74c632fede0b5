"""The cases of layers.py: what a layer or loss is in model.json, and what it is in PyTorch.

A case of a layer has its name, its layer or list of layers, the function that they are in
PyTorch, and shapes: those of its inputs x, y and z without the batch, and those of the
parameters by their names. A layer that has no `inputs` of its own reads x, y and z, as
many as the case has; where a case has several layers, the parameters of a layer called `conv`
are `conv__weight` and so on.

Functions are written from the meaning of the attributes in docs/model-format.md. Where PyTorch has
another convention, or none, they are written with simpler functions; layers.py lists these places.
"""

COARSE = (-1.0, -0.5, 0.0, 0.5, 1.0)  # many are equal, and many are zero
EQUAL, ZEROS = (1.25,), (0.0,)
BENDS = (0.0, 6.0, -0.0, 5.75, 1.0, 7.0, -1.5, 6.0, 0.25, -6.0, 3.5)  # where rectifiers bend
TAILS = (-4.5, -6.5, -9.5, -13.5, -20.5, -40.5, -86.5, -88.5, -95.5, -105.5, -1000.5, -5.5)
HEADS = tuple(-value for value in TAILS)
LARGE = (100.5, -100.5, 88.75, 1000.5, -1000.5, 99.5, 0.5, 100.5, -0.25)  # exp overflows from 89
PLAIN = {"from": -2, "to": 2}
POSITIVE = {"from": 0.5, "to": 2}
PROBABILITIES = {"from": 0, "to": 1}
NEGATIVE = {"from": -3, "to": -1}
OFFSET = {"from": 99, "to": 101}
TINY = {"from": -1e-30, "to": 1e-30}
HUGE = {"from": -1e25, "to": 1e25}
SHORT = {"from": -1e-3, "to": 1e-3}
# What the four samples are, each with its own bound.
VALUES = [PLAIN, BENDS, HUGE, TINY]
POOLED = {"values": {"x": [PLAIN, COARSE, NEGATIVE, HUGE]}}
GRADIENTS = [PLAIN, TINY, HUGE, ZEROS]


def layer(op, **attributes):
    return {"op": op, **attributes}


def padded(pool, left, right, top, bottom, value=0.0):
    """A pool after explicit padding: PyTorch pads all pools alike on both sides."""
    return pool.replace("(x,", f"(F.pad(x, ({left}, {right}, {top}, {bottom}), value={value}),")


LAYERS = {}


def case(name, layers, function, cotangent=None, values=(), least=(), **shapes):
    """`values` says how inputs and parameters are drawn, where it is not uniform from -2 to 2;
    `least` are bounds that are not to be below."""
    assert name not in LAYERS, name
    layers = layers if isinstance(layers, list) else [layers]
    LAYERS[name] = {"layers": layers, "function": function, "cotangent": cotangent,
                    "values": dict(values), "least": dict(least), "shapes": shapes}


# Elementwise functions of one value. One is less accurate here than in PyTorch, which the bounds
# of layers.py would not let pass: tanh is within 8 units of 2^-24 (Approximate.h of
# dialects/interfaces), and 1 - y^2 or 1 + y may cancel.
TANH = 8 * 2**-24
LEAST = {"tanh": {"x": 4 * TANH}}
for op, function in {
        "relu": "F.relu(x)", "relu6": "F.relu6(x)", "sigmoid": "torch.sigmoid(x)",
        "silu": "F.silu(x)", "softplus": "F.softplus(x)",
        "tanh": "torch.tanh(x)", "gelu": "F.gelu(x)",
        "leaky_relu": "F.leaky_relu(x, 0.01)"}.items():
    case(op, layer(op), function, x=(12,), values={"x": [PLAIN, BENDS, TAILS, HEADS]},
         least=LEAST.get(op, {}))
    case(f"{op}-gradients", layer(op), function, x=(6,), values={"x": [TINY, PLAIN, PLAIN, PLAIN]},
         cotangent=GRADIENTS)
case("gelu-tanh", layer("gelu", approximate="tanh"), "F.gelu(x, approximate='tanh')", x=(12,),
     values={"x": [PLAIN, BENDS, TAILS, HEADS]}, least={"out": 4.5 / 2 * TANH, "x": 28 * TANH})
for slope in (0.3, 0, 1):
    case(f"leaky_relu-{slope}", layer("leaky_relu", negative_slope=slope),
         f"F.leaky_relu(x, {float(slope)})", x=(11,), values={"x": VALUES})
case("scale", layer("scale", factor=-1.5), "-1.5 * x", x=(5,), values={"x": VALUES})
case("scale-0", layer("scale", factor=0), "0 * x", x=(5,))
case("multiplier", layer("multiplier"), "multiplier * x", x=(2, 5), multiplier=(1,))
case("multiplier-0", layer("multiplier"), "multiplier * x", x=(5,), multiplier=(1,),
     values={"multiplier": (0.0,)})
case("dropout", layer("dropout"), "x / 0.5", x=(64,))
case("dropout-rate", layer("dropout", rate=0.25), "x / 0.75", x=(4, 16))
case("dropout-rate-0", layer("dropout", rate=0), "F.dropout(x, 0.0, True)", x=(7,))

# Elementwise functions of two values.
for op, sign in {"add": "+", "sub": "-", "mul": "*"}.items():
    case(op, layer(op), f"x {sign} y", x=(2, 3), y=(2, 3),
         values={"x": VALUES, "y": [PLAIN, COARSE, PLAIN, PLAIN]})
    case(f"{op}-itself", layer(op, inputs=["x", "x"]), f"x {sign} x", x=(5,))
    case(f"{op}-repeated", layer(op), f"x {sign} y", x=(2, 3, 2), y=(2, 1, 1),
         values={"x": VALUES, "y": [PLAIN, COARSE, PLAIN, PLAIN]})
    case(f"{op}-repeated-both", layer(op), f"x {sign} y", x=(1, 3), y=(4, 1),
         values={"x": VALUES, "y": [PLAIN, COARSE, PLAIN, PLAIN]})

# Shapes.
case("flatten", layer("flatten"), "x.flatten(1)", x=(2, 3, 2))
case("reshape", layer("reshape", shape=[4, 3]), "x.reshape(-1, 4, 3)", x=(2, 3, 2))
case("transpose", layer("transpose", permutation=[2, 0, 1]), "x.permute(0, 3, 1, 2)",
     x=(2, 3, 4))
case("transpose-last", layer("transpose", permutation=[0, 2, 1]), "x.permute(0, 1, 3, 2)",
     x=(2, 3, 4))
case("transpose-none", layer("transpose", permutation=[0, 1]), "x", x=(2, 3))
case("slice", layer("slice", size=2), "x[:, :2]", x=(3, 2))
case("slice-start", layer("slice", axis=1, start=1, size=3), "x[:, :, 1:4]", x=(2, 5, 2))
case("slice-end", layer("slice", axis=-1, start=4, size=1), "x[..., 4:]", x=(2, 5))
case("slice-all", layer("slice", axis=0, size=3), "x", x=(3, 2))
case("concat", layer("concat"), "torch.cat((x, y), 1)", x=(2, 3), y=(1, 3))
case("concat-axis", layer("concat", axis=1), "torch.cat((x, y, z), 2)", x=(2, 1, 2), y=(2, 3, 2),
     z=(2, 2, 2))
case("concat-last", layer("concat", axis=-1), "torch.cat((x, y), 3)", x=(2, 1, 2), y=(2, 1, 3))
case("concat-itself", layer("concat", inputs=["x", "y", "x"]), "torch.cat((x, y, x), 1)",
     x=(3,), y=(2,))
case("bias", layer("bias"), "x + bias.reshape(1, -1, 1, 1)", x=(3, 2, 2), bias=(3,))
case("bias-axis", layer("bias", axis=1), "x + bias.reshape(1, 1, -1, 1)", x=(2, 3, 2),
     bias=(3,))
case("bias-last", layer("bias", axis=-1), "x + bias", x=(2, 3), bias=(3,))

case("upsample", layer("upsample", factor=2), "F.interpolate(x, scale_factor=2)", x=(2, 3, 2),
     values={"x": VALUES})
case("upsample-3", layer("upsample", factor=[3, 1]), "F.interpolate(x, scale_factor=(3, 1))",
     x=(2, 2, 3), cotangent=GRADIENTS)
case("upsample-1", layer("upsample", factor=1), "x", x=(1, 2, 2))

# Reductions.
REDUCED = {"x": [PLAIN, COARSE, HUGE, TINY]}
for op, function in {"reduce_sum": "x.sum", "reduce_mean": "x.mean",
                     "reduce_max": "x.amax"}.items():
    case(op, layer(op, axes=[1]), f"{function}(2)", x=(2, 3, 2), values=REDUCED)
    case(f"{op}-last", layer(op, axes=[-1]), f"{function}(-1)", x=(3, 5), values=REDUCED)
    case(f"{op}-two", layer(op, axes=[2, 0]), f"{function}((1, 3))", x=(2, 3, 2), values=REDUCED)
    case(f"{op}-all", layer(op, axes=[0, -1], keep_dims=True),
         f"{function}((1, 2), keepdim=True)", x=(3, 4), values={"x": [PLAIN, COARSE, EQUAL, PLAIN]})
    case(f"{op}-keep_dims", layer(op, axes=[1], keep_dims=True), f"{function}(2, keepdim=True)",
         x=(2, 3, 2), values=REDUCED)
    case(f"{op}-one", layer(op, axes=[0]), f"{function}(1)", x=(1, 3))
case("global_avg_pool", layer("global_avg_pool"), "x.mean((2, 3))", x=(3, 4, 5))
case("global_avg_pool-one", layer("global_avg_pool"), "x.mean((2, 3))", x=(3, 1, 1))

# Pools. Padding never wins in max_pool; in avg_pool it counts as zeros.
for op, function, pad in (("max_pool", "F.max_pool2d", "-math.inf"),
                          ("avg_pool", "F.avg_pool2d", 0.0)):
    pooling = f"{function}(x, "
    case(op, layer(op, kernel=2), f"{pooling}2)", x=(2, 4, 6), **POOLED)
    case(f"{op}-rest", layer(op, kernel=2, stride=2), f"{pooling}2, 2)", x=(1, 5, 7), **POOLED)
    case(f"{op}-overlap", layer(op, kernel=3, stride=1), f"{pooling}3, 1)", x=(1, 4, 5), **POOLED)
    case(f"{op}-overlap-1", layer(op, kernel=2, stride=[2, 1]), f"{pooling}2, (2, 1))",
         x=(1, 4, 4), **POOLED)
    case(f"{op}-gaps", layer(op, kernel=[1, 2], stride=[2, 3]), f"{pooling}(1, 2), (2, 3))",
         x=(2, 5, 6), **POOLED)
    case(f"{op}-stride-0", layer(op, kernel=[2, 3], stride=[0, 1]),
         f"{pooling}(2, 3), (2, 1))", x=(1, 4, 4), **POOLED)
    case(f"{op}-padding", layer(op, kernel=3, stride=2, padding=1), f"{pooling}3, 2, 1)",
         x=(2, 5, 4), **POOLED)
    case(f"{op}-padding-2", layer(op, kernel=[2, 4], stride=[1, 2], padding=[1, 2]),
         f"{pooling}(2, 4), (1, 2), (1, 2))", x=(1, 3, 5), **POOLED)
    case(f"{op}-padding-4", layer(op, kernel=[3, 3], stride=2, padding=[2, 0, 1, 2]),
         padded(f"{pooling}3, 2)", 0, 2, 2, 1, pad), x=(1, 4, 5), **POOLED)
    case(f"{op}-same", layer(op, kernel=2, stride=1, padding="same"),
         padded(f"{pooling}2, 1)", 0, 1, 0, 1, pad), x=(1, 3, 4), **POOLED)
    case(f"{op}-same-stride", layer(op, kernel=[3, 4], stride=[2, 3], padding="same"),
         padded(f"{pooling}(3, 4), (2, 3))", 1, 1, 0, 1, pad), x=(1, 4, 5), **POOLED)
    case(f"{op}-same_lower", layer(op, kernel=[2, 3], stride=[1, 2], padding="same_lower"),
         padded(f"{pooling}(2, 3), (1, 2))", 1, 0, 1, 0, pad), x=(1, 3, 4), **POOLED)

# Contractions.
case("dense", layer("dense", units=3), "F.linear(x, weight, bias)", x=(5,), weight=(3, 5),
     bias=(3,))
case("dense-positions", layer("dense", units=3), "F.linear(x, weight, bias)", x=(2, 3, 4),
     weight=(3, 4), bias=(3,))
case("dense-no-bias", layer("dense", units=4, bias=False), "F.linear(x, weight)", x=(2, 3),
     weight=(4, 3))
case("dense-one", layer("dense", units=1), "F.linear(x, weight, bias)", x=(1,), weight=(1, 1),
     bias=(1,))
case("dense-magnitudes", layer("dense", units=3), "F.linear(x, weight, bias)", x=(4,),
     weight=(3, 4), bias=(3,), values={"x": [PLAIN, ZEROS, HUGE, TINY]})
case("dense-tiny-gradient", layer("dense", units=3), "F.linear(x, weight, bias)", x=(5,),
     weight=(3, 5), bias=(3,), cotangent=TINY)
case("dense-huge-gradient", layer("dense", units=3), "F.linear(x, weight, bias)", x=(5,),
     weight=(3, 5), bias=(3,), cotangent=HUGE)
for a, b in ((False, False), (True, False), (False, True), (True, True)):
    flags = {"transpose_a": a} if a else {}
    flags |= {"transpose_b": b} if b else {}
    ends = "".join("-" + flag for flag in flags)
    left, right = ("x.mT" if a else "x"), ("y.mT" if b else "y")
    case(f"matmul{ends}", layer("matmul", **flags), f"{left} @ {right}",
         x=(3, 2) if a else (2, 3), y=(4, 3) if b else (3, 4),
         values={"x": [PLAIN, COARSE, HUGE, TINY]})
    case(f"matmul-heads{ends}", layer("matmul", **flags), f"{left} @ {right}",
         x=(2, 2, 3) if a else (2, 3, 2), y=(2, 1, 2) if b else (2, 2, 1))
case("matmul-itself", layer("matmul", inputs=["x", "x"], transpose_b=True), "x @ x.mT", x=(2, 3))
# F.normalize would bound the length; its gradient at zeros is not a number.
for name, shape, values in (("", (5,), {}), ("-positions", (2, 4), {}),
                            ("-short", (5,), {"x": [PLAIN, SHORT, ZEROS, TINY],
                                              "weight": (*(1e-3,) * 5, *(0.0,) * 5, 1.0, -0.5)})):
    case(f"normalized_dense{name}", layer("normalized_dense", units=4),
         "multiplier * F.linear(x * x.square().sum(-1, keepdim=True).clamp_min(1e-4).rsqrt(),"
         " weight * weight.square().sum(-1, keepdim=True).clamp_min(1e-4).rsqrt())", x=shape,
         weight=(4, shape[-1]), multiplier=(1,), values=values)

# Convolutions.
case("conv2d", layer("conv2d", filters=3, kernel=3), "F.conv2d(x, weight, bias)", x=(2, 4, 5),
     weight=(3, 2, 3, 3), bias=(3,))
case("conv2d-one", layer("conv2d", filters=3, kernel=1), "F.conv2d(x, weight, bias)",
     x=(2, 3, 2), weight=(3, 2, 1, 1), bias=(3,))
case("conv2d-no-bias", layer("conv2d", filters=2, kernel=[1, 3], bias=False),
     "F.conv2d(x, weight)", x=(2, 3, 4), weight=(2, 2, 1, 3))
case("conv2d-whole", layer("conv2d", filters=3, kernel=[3, 4]), "F.conv2d(x, weight, bias)",
     x=(1, 3, 4), weight=(3, 1, 3, 4), bias=(3,))
case("conv2d-columns", layer("conv2d", filters=2, kernel=[2, 3], stride=[2, 1], padding=[1, 0]),
     "F.conv2d(x, weight, bias, (2, 1), (1, 0))", x=(2, 5, 3), weight=(2, 2, 2, 3), bias=(2,))
case("conv2d-columns-groups", layer("conv2d", filters=4, kernel=[2, 3], groups=2, dilation=[3, 1],
                                    bias=False),
     "F.conv2d(x, weight, None, 1, 0, (3, 1), 2)", x=(4, 5, 3), weight=(4, 2, 2, 3))
case("conv2d-rows", layer("conv2d", filters=2, kernel=[3, 2], stride=[3, 2], padding=[0, 1]),
     "F.conv2d(x, weight, bias, (1, 2), (0, 1))", x=(2, 3, 5), weight=(2, 2, 3, 2), bias=(2,))
case("conv2d-rows-depthwise", layer("conv2d", filters=4, kernel=[3, 1], groups=2),
     "F.conv2d(x, weight, bias, groups=2)", x=(2, 3, 4), weight=(4, 1, 3, 1), bias=(4,))
case("conv2d-whole-groups", layer("conv2d", filters=4, kernel=[2, 3], groups=2),
     "F.conv2d(x, weight, bias, groups=2)", x=(4, 2, 3), weight=(4, 2, 2, 3), bias=(4,))
case("conv2d-pixel", layer("conv2d", filters=3, kernel=1), "F.conv2d(x, weight, bias)",
     x=(4, 1, 1), weight=(3, 4, 1, 1), bias=(3,))
case("conv2d-stride", layer("conv2d", filters=2, kernel=2, stride=[2, 3]),
     "F.conv2d(x, weight, bias, (2, 3))", x=(2, 5, 7), weight=(2, 2, 2, 2), bias=(2,))
case("conv2d-gaps", layer("conv2d", filters=2, kernel=1, stride=2),
     "F.conv2d(x, weight, bias, 2)", x=(2, 4, 5), weight=(2, 2, 1, 1), bias=(2,))
case("conv2d-padding", layer("conv2d", filters=2, kernel=3, padding=1),
     "F.conv2d(x, weight, bias, padding=1)", x=(2, 3, 3), weight=(2, 2, 3, 3), bias=(2,))
case("conv2d-padding-2", layer("conv2d", filters=2, kernel=[3, 5], stride=2, padding=[1, 2]),
     "F.conv2d(x, weight, bias, 2, (1, 2))", x=(1, 4, 4), weight=(2, 1, 3, 5), bias=(2,))
case("conv2d-padding-4", layer("conv2d", filters=2, kernel=3, stride=2, padding=[2, 0, 1, 3]),
     "F.conv2d(F.pad(x, (0, 3, 2, 1)), weight, bias, 2)", x=(1, 4, 4), weight=(2, 1, 3, 3),
     bias=(2,))
case("conv2d-beyond", layer("conv2d", filters=2, kernel=2, stride=2, padding=[3, 4]),
     "F.conv2d(x, weight, bias, 2, (3, 4))", x=(2, 2, 3), weight=(2, 2, 2, 2), bias=(2,))
case("conv2d-same", layer("conv2d", filters=2, kernel=[2, 4], padding="same"),
     "F.conv2d(F.pad(x, (1, 2, 0, 1)), weight, bias)", x=(1, 3, 4), weight=(2, 1, 2, 4),
     bias=(2,))
case("conv2d-same-stride", layer("conv2d", filters=2, kernel=3, stride=[2, 3], padding="same"),
     "F.conv2d(F.pad(x, (0, 1, 0, 1)), weight, bias, (2, 3))", x=(1, 4, 5),
     weight=(2, 1, 3, 3), bias=(2,))
case("conv2d-same-gaps", layer("conv2d", filters=2, kernel=1, stride=3, padding="same"),
     "F.conv2d(x, weight, bias, 3)", x=(2, 5, 4), weight=(2, 2, 1, 1), bias=(2,))
case("conv2d-same_lower", layer("conv2d", filters=2, kernel=[2, 4], padding="same_lower"),
     "F.conv2d(F.pad(x, (2, 1, 1, 0)), weight, bias)", x=(1, 3, 4), weight=(2, 1, 2, 4),
     bias=(2,))
case("conv2d-same-dilation", layer("conv2d", filters=2, kernel=[2, 3], dilation=[3, 2],
                                   padding="same"),
     "F.conv2d(F.pad(x, (2, 2, 1, 2)), weight, bias, 1, 0, (3, 2))", x=(1, 4, 4),
     weight=(2, 1, 2, 3), bias=(2,))
case("conv2d-dilation", layer("conv2d", filters=2, kernel=[3, 2], dilation=[1, 2], stride=2,
                              padding=1),
     "F.conv2d(x, weight, bias, 2, 1, (1, 2))", x=(2, 4, 5), weight=(2, 2, 3, 2), bias=(2,))
case("conv2d-groups", layer("conv2d", filters=4, kernel=2, groups=2),
     "F.conv2d(x, weight, bias, groups=2)", x=(6, 3, 3), weight=(4, 3, 2, 2), bias=(4,))
case("conv2d-depthwise", layer("conv2d", filters=3, kernel=3, padding=1, groups=3),
     "F.conv2d(x, weight, bias, 1, 1, 1, 3)", x=(3, 3, 4), weight=(3, 1, 3, 3), bias=(3,))
case("conv2d-multiplied", layer("conv2d", filters=4, kernel=3, stride=2, padding="same",
                                dilation=2, groups=2, bias=False),
     "F.conv2d(F.pad(x, (2, 2, 1, 2)), weight, None, 2, 0, 2, 2)", x=(2, 4, 5),
     weight=(4, 1, 3, 3))

# Transposed convolutions: PyTorch cuts all sides of an axis alike.
for name, keys, function, x, weight in (
        ("", dict(filters=3, kernel=3), "(x, weight, bias)", (2, 3, 4), (2, 3, 3, 3)),
        ("-one", dict(filters=3, kernel=1), "(x, weight, bias)", (2, 2, 2), (2, 3, 1, 1)),
        ("-stride", dict(filters=2, kernel=2, stride=2), "(x, weight, bias, 2)", (3, 3, 2),
         (3, 2, 2, 2)),
        ("-overlap", dict(filters=2, kernel=[3, 4], stride=[2, 3], padding=[1, 0]),
         "(x, weight, bias, (2, 3), (1, 0))", (2, 3, 2), (2, 2, 3, 4)),
        ("-gaps", dict(filters=2, kernel=[1, 2], stride=3), "(x, weight, bias, 3)", (2, 2, 3),
         (2, 2, 1, 2)),
        ("-output_padding", dict(filters=2, kernel=3, stride=2, padding=1, output_padding=1),
         "(x, weight, bias, 2, 1, 1)", (2, 3, 3), (2, 2, 3, 3)),
        ("-output_padding-2", dict(filters=1, kernel=2, stride=[2, 3], output_padding=[0, 2]),
         "(x, weight, bias, (2, 3), 0, (0, 2))", (2, 2, 2), (2, 1, 2, 2)),
        ("-padding-4", dict(filters=2, kernel=3, stride=2, padding=[2, 0, 1, 3]),
         "(x, weight, bias, 2)[:, :, 2:-1, :-3]", (1, 3, 4), (1, 2, 3, 3)),
        ("-same", dict(filters=2, kernel=[2, 4], padding="same"),
         "(x, weight, bias)[:, :, :-1, 1:-2]", (2, 3, 4), (2, 2, 2, 4)),
        ("-same-stride", dict(filters=2, kernel=[3, 4], stride=[2, 3], padding="same"),
         "(x, weight, bias, (2, 3))[:, :, :-1, :-1]", (2, 2, 3), (2, 2, 3, 4)),
        ("-same_lower", dict(filters=2, kernel=[2, 4], stride=1, padding="same_lower"),
         "(x, weight, bias)[:, :, 1:, 2:-1]", (2, 3, 4), (2, 2, 2, 4)),
        ("-same-gaps", dict(filters=2, kernel=1, stride=2, padding="same"),
         "(x, weight, bias, 2, 0, 1)", (2, 2, 3), (2, 2, 1, 1)),
        ("-dilation", dict(filters=2, kernel=[3, 2], dilation=[1, 2], stride=2, padding=1),
         "(x, weight, bias, 2, 1, 0, 1, (1, 2))", (2, 3, 3), (2, 2, 3, 2)),
        ("-groups", dict(filters=6, kernel=2, groups=2), "(x, weight, bias, groups=2)",
         (4, 2, 3), (4, 3, 2, 2)),
        ("-depthwise", dict(filters=3, kernel=3, stride=2, groups=3),
         "(x, weight, bias, 2, groups=3)", (3, 3, 2), (3, 1, 3, 3)),
        ("-huge-gradient", dict(filters=2, kernel=2), "(x, weight, bias)", (2, 2, 2),
         (2, 2, 2, 2))):
    case(f"conv2d_transpose{name}", layer("conv2d_transpose", **keys),
         f"F.conv_transpose2d{function}", x=x, weight=weight, bias=(keys["filters"],),
         cotangent=GRADIENTS if name == "-huge-gradient" else None)
case("conv2d_transpose-no-bias", layer("conv2d_transpose", filters=2, kernel=3, bias=False),
     "F.conv_transpose2d(x, weight)", x=(2, 2, 3), weight=(2, 2, 3, 3))

case("conv2d-huge-gradient", layer("conv2d", filters=2, kernel=2), "F.conv2d(x, weight, bias)",
     x=(1, 3, 3), weight=(2, 1, 2, 2), bias=(2,), cotangent=HUGE)

# Softmax. Rows of equal numbers, and numbers beyond where exp overflows.
for op in ("softmax", "log_softmax"):
    function, rows = f"F.{op}", {"x": [PLAIN, LARGE, EQUAL, TINY]}
    case(op, layer(op), f"{function}(x, -1)", x=(7,), values=rows)
    case(f"{op}-axis", layer(op, axis=0), f"{function}(x, 1)", x=(3, 2, 2), values=rows)
    case(f"{op}-middle", layer(op, axis=1), f"{function}(x, 2)", x=(2, 3, 2), values=rows)
    case(f"{op}-last", layer(op, axis=-1), f"{function}(x, -1)", x=(2, 4), values=rows,
         cotangent=GRADIENTS)
    case(f"{op}-one", layer(op), f"{function}(x, -1)", x=(3, 1))

# Normalisation.
L2 = "x * x.square().sum(-1, keepdim=True).clamp_min({eps}).rsqrt()"
case("l2_normalize", layer("l2_normalize"), L2.format(eps=1e-12), x=(5,),
     values={"x": [PLAIN, ZEROS, SHORT, TINY]})
case("l2_normalize-positions", layer("l2_normalize", epsilon=0.5), L2.format(eps=0.5), x=(3, 4),
     values={"x": [{"from": -0.5, "to": 0.5}, COARSE, SHORT, ZEROS]})
case("l2_normalize-gradients", layer("l2_normalize", epsilon=1e-4), L2.format(eps=1e-4), x=(5,),
     values={"x": [SHORT, PLAIN, PLAIN, PLAIN]}, cotangent=GRADIENTS)
LAYER_NORM = "F.layer_norm(x, gamma.shape, gamma, beta, "
case("layer_norm", layer("layer_norm"), f"{LAYER_NORM}1e-5)", x=(7,), gamma=(7,), beta=(7,))
case("layer_norm-two", layer("layer_norm", dimensions=2), f"{LAYER_NORM}1e-5)", x=(2, 2, 3),
     gamma=(2, 3), beta=(2, 3))
case("layer_norm-three", layer("layer_norm", dimensions=3, epsilon=0.125), f"{LAYER_NORM}0.125)",
     x=(2, 2, 3), gamma=(2, 2, 3), beta=(2, 2, 3))
case("layer_norm-positions", layer("layer_norm"), f"{LAYER_NORM}1e-5)", x=(3, 4), gamma=(4,),
     beta=(4,))
case("layer_norm-rows", layer("layer_norm"), f"{LAYER_NORM}1e-5)", x=(5,), gamma=(5,),
     beta=(5,), values={"x": [EQUAL, ZEROS, PLAIN, OFFSET]})
case("layer_norm-huge-gradient", layer("layer_norm"), f"{LAYER_NORM}1e-5)", x=(5,), gamma=(5,),
     beta=(5,), cotangent=HUGE)
for name, groups, eps, shape in (("", 2, 1e-5, (4, 2, 2)), ("-whole", 1, 1e-5, (3, 4)),
                                 ("-alone", 3, 1e-5, (3, 2, 3)), ("-flat", 2, 1e-5, (6,)),
                                 ("-eps", 2, 0.125, (4, 3))):
    attributes = {"groups": groups} | ({"eps": eps} if eps != 1e-5 else {})
    case(f"group_norm{name}", layer("group_norm", **attributes),
         f"F.group_norm(x, {groups}, weight, bias, {eps})", x=shape, weight=(shape[0],),
         bias=(shape[0],))
case("group_norm-plain", layer("group_norm", groups=2, affine=False), "F.group_norm(x, 2)",
     x=(4, 2, 2))
case("group_norm-rows", layer("group_norm", groups=2), "F.group_norm(x, 2, weight, bias)",
     x=(4, 3), weight=(4,), bias=(4,), values={"x": [EQUAL, ZEROS, PLAIN, OFFSET]})
BATCH_NORM = "F.batch_norm(x, running_mean, running_var, "
STATISTICS = {"running_mean": (3,), "running_var": (3,)}
NORM = {"weight": (3,), "bias": (3,), **STATISTICS}
for name, attributes, function, shapes, values in (
        ("", {}, "weight, bias, True, 0.1, 1e-5)", NORM, {}),
        ("-momentum", {"momentum": 0.75, "eps": 0.125}, "weight, bias, True, 0.75, 0.125)", NORM,
         {}),
        ("-momentum-0", {"momentum": 0}, "weight, bias, True, 0.0, 1e-5)", NORM, {}),
        ("-momentum-1", {"momentum": 1}, "weight, bias, True, 1.0, 1e-5)", NORM, {}),
        ("-plain", {"affine": False}, "None, None, True, 0.1, 1e-5)", STATISTICS, {}),
        ("-constant", {}, "weight, bias, True, 0.1, 1e-5)", NORM, {"x": (0.75,)}),
        ("-offset", {}, "weight, bias, True, 0.1, 1e-5)", NORM,
         {"x": OFFSET, "running_mean": OFFSET})):
    for extents in ((3,), (3, 2, 3)) if not name else ((3, 2, 2),):
        case(f"batch_norm{name}{'' if extents[1:] else '-flat'}", layer("batch_norm", **attributes),
             BATCH_NORM + function, x=extents, **shapes,
             values={"running_var": POSITIVE, **values})
case("batch_norm-biased", layer("batch_norm", running_variance="biased", momentum=0.25),
     "(F.batch_norm(x, None, None, weight, bias, True),"
     " running_mean.lerp_(x.detach().mean((0, 2)), 0.25),"
     " running_var.lerp_(x.detach().var((0, 2), unbiased=False), 0.25))[0]", x=(3, 2),
     values={"running_var": POSITIVE}, **NORM)

# Several layers, which the compiler exchanges or joins.
case("chain-pool", [layer("relu"), layer("max_pool", kernel=2)], "F.max_pool2d(F.relu(x), 2)",
     x=(2, 4, 4), values={"x": COARSE})
case("chain-pool-6", [layer("relu6"), layer("max_pool", kernel=2, stride=1, padding=1)],
     "F.max_pool2d(F.relu6(x), 2, 1, 1)", x=(1, 4, 4), values={"x": BENDS})
case("chain-conv", [layer("conv2d", name="conv", filters=3, kernel=3, padding=1, bias=False),
                    layer("batch_norm", name="norm"), layer("relu")],
     "F.relu(F.batch_norm(F.conv2d(x, conv__weight, padding=1), norm__running_mean,"
     " norm__running_var, norm__weight, norm__bias, True))", x=(2, 3, 3),
     conv__weight=(3, 2, 3, 3), norm__weight=(3,), norm__bias=(3,), norm__running_mean=(3,),
     norm__running_var=(3,), values={"norm__running_var": POSITIVE})
case("chain-dense", [layer("dense", name="wide", units=6), layer("gelu"),
                     layer("dense", name="narrow", units=2), layer("softmax")],
     "F.softmax(F.linear(F.gelu(F.linear(x, wide__weight, wide__bias)), narrow__weight,"
     " narrow__bias), -1)", x=(3, 4), wide__weight=(6, 4), wide__bias=(6,),
     narrow__weight=(2, 6), narrow__bias=(2,))
case("chain-mean", [layer("silu"), layer("reduce_mean", axes=[0]), layer("scale", factor=3)],
     "3 * F.silu(x).mean(1)", x=(3, 4))

# The last batch of a pass has three samples of four; a norm does not count the fourth.
for name in ("batch_norm", "batch_norm-biased", "layer_norm", "dense", "conv2d-padding"):
    assert f"{name}-of-3" not in LAYERS, name
    LAYERS[f"{name}-of-3"] = {**LAYERS[name], "samples": 3}

# Sample n reads the token n, by which all cases find their row, and the tokens of the table; the
# third row is read by none of them.
TOKENS = ((1, 3, 3), (0, 0, 0), (3, 1, 3), (3, 3, 1))
case("embedding", [layer("embedding", name="table", units=5, inputs=["row"]),
                   layer("slice", start=1, size=3)], "F.embedding(tokens, table__weight)",
     table__weight=(4, 5))
case("embedding-one", [layer("embedding", name="table", units=1, inputs=["row"]),
                       layer("slice", start=1, size=3)], "F.embedding(tokens, table__weight)",
     table__weight=(4, 1))

LOSSES = {}


def loss(name, op, terms, layers=(), labels=None, targets=None, weights=None, metrics=(), values=(),
         label_smoothing=0, smoothing="uniform", pixels=None, transforms=(), **shapes):
    """`terms` are the losses of each label, of x and the labels or targets t. Labels are pairs of
    their number of classes and their shape, weights have a shape. The input x is `pixels` of data,
    where the case has that shape."""
    assert name not in LOSSES, name
    described = {"op": op}
    if label_smoothing:
        described["label_smoothing"] = label_smoothing
    if smoothing != "uniform":
        described["smoothing"] = smoothing
    if targets:
        described["target"] = "target"
    LOSSES[name] = {"loss": described, "layers": list(layers), "function": terms, "labels": labels,
                    "targets": targets, "weights": weights, "metrics": list(metrics),
                    "values": dict(values), "shapes": shapes, "pixels": pixels,
                    "transforms": list(transforms)}


TOP = ("top_1", "top_5")
ROWS = {"x": [PLAIN, COARSE, EQUAL, BENDS]}
CROSS, ENTROPY = "softmax_cross_entropy", "F.cross_entropy(x, t, reduction='none'"
# PyTorch's classes follow the batch.
POSITIONS = ENTROPY.replace("(x,", "(x.movedim(-1, 1),")
OTHERS = ("-(torch.full_like(x, {e} / ({k} - 1)).scatter(-1, t.unsqueeze(-1), 1 - {e})"
          " * F.log_softmax(x, -1)).sum(-1)")
loss("cross_entropy", CROSS, f"{ENTROPY})", x=(7,), labels=(7, ()), metrics=TOP, values=ROWS)
loss("cross_entropy-two", CROSS, f"{ENTROPY})", x=(2,), labels=(2, ()), metrics=["top_1"])
loss("cross_entropy-large", CROSS, f"{ENTROPY})", x=(7,), labels=(7, ()), metrics=TOP,
     values={"x": LARGE})
loss("cross_entropy-uniform", CROSS, f"{ENTROPY}, label_smoothing=0.125)", x=(7,),
     labels=(7, ()), metrics=TOP, label_smoothing=0.125, values=ROWS)
loss("cross_entropy-uniform-large", CROSS, f"{ENTROPY}, label_smoothing=0.875)", x=(7,),
     labels=(7, ()), label_smoothing=0.875, values={"x": LARGE})
loss("cross_entropy-others", CROSS, OTHERS.format(e=0.125, k=7), x=(7,), labels=(7, ()),
     metrics=TOP, label_smoothing=0.125, smoothing="others", values=ROWS)
loss("cross_entropy-others-two", CROSS, OTHERS.format(e=0.25, k=2), x=(2,), labels=(2, ()),
     label_smoothing=0.25, smoothing="others")
loss("cross_entropy-others-large", CROSS, OTHERS.format(e=0.875, k=7), x=(7,), labels=(7, ()),
     label_smoothing=0.875, smoothing="others", values={"x": LARGE})
loss("cross_entropy-positions", CROSS, f"{POSITIONS})", x=(3, 6), labels=(6, (3,)), metrics=TOP,
     values=ROWS)
loss("cross_entropy-plane", CROSS, f"{POSITIONS}, label_smoothing=0.125)", x=(2, 2, 6),
     labels=(6, (2, 2)), metrics=TOP, label_smoothing=0.125)
loss("cross_entropy-weights", CROSS, f"{ENTROPY}, label_smoothing=0.125)", x=(7,),
     labels=(7, ()), weights=(), metrics=TOP, label_smoothing=0.125)
loss("cross_entropy-weights-positions", CROSS, f"{POSITIONS})", x=(3, 6), labels=(6, (3,)),
     weights=(3,), metrics=TOP, values=ROWS)
loss("cross_entropy-weights-samples", CROSS, OTHERS.format(e=0.125, k=6), x=(3, 6),
     labels=(6, (3,)), weights=(), metrics=TOP, label_smoothing=0.125, smoothing="others")
NUMBERS = {"t": PROBABILITIES}
loss("cross_entropy-numbers", CROSS, f"{ENTROPY})", x=(5,), targets=(5,),
     values={**NUMBERS, **ROWS})
loss("cross_entropy-numbers-large", CROSS, f"{ENTROPY})", x=(5,), targets=(5,),
     values={**NUMBERS, "x": LARGE})
loss("cross_entropy-numbers-positions", CROSS,
     f"{POSITIONS.replace(' t,', ' t.movedim(-1, 1),')})", x=(2, 5), targets=(2, 5),
     values=NUMBERS)
loss("cross_entropy-numbers-weights", CROSS, f"{ENTROPY})", x=(5,), targets=(5,), weights=(),
     values=NUMBERS)
mean = ", reduction='none').flatten(1).mean(1)"
for name, op, function, values in (
        ("mse", "mse", "F.mse_loss", {}), ("l1", "l1", "F.l1_loss", {}),
        ("bce", "binary_cross_entropy", "F.binary_cross_entropy_with_logits", NUMBERS)):
    terms = f"{function}(x, t{mean}"
    loss(name, op, terms, x=(5,), targets=(5,), values=values)
    loss(f"{name}-positions", op, terms, x=(2, 3), targets=(2, 3), values={
        "x": [COARSE, (0.0, 1.0), PLAIN, PLAIN], "t": (1.0, 0.0, 0.0, 1.0)})
    loss(f"{name}-classes", op, f"{function}(x, F.one_hot(t, 6).to(x){mean}", x=(6,),
         labels=(6, ()), metrics=TOP)
    loss(f"{name}-weights", op, terms, x=(5,), targets=(5,), weights=(), values=values)
    loss(f"{name}-large", op, terms, x=(6,), targets=(6,), values={**values, "x": LARGE})

# What evaluation computes otherwise than training.
loss("evaluation-norm", "mse",
     f"F.mse_loss({BATCH_NORM}weight, bias, training, 0.25, 0.125), t{mean}",
     [layer("batch_norm", momentum=0.25, eps=0.125)], x=(3, 2), targets=(3, 2),
     weight=(3,), bias=(3,), **STATISTICS, values={"running_var": POSITIVE})
loss("evaluation-plain-norm", "mse", f"F.mse_loss({BATCH_NORM}None, None, training), t{mean}",
     [layer("batch_norm", affine=False)], x=(3,), targets=(3,), **STATISTICS,
     values={"running_var": POSITIVE})
# A rate that leaves nothing in training, and all in evaluation.
loss("evaluation-dropout", "mse", f"F.mse_loss(F.dropout(x, 1.0, training), t{mean}",
     [layer("dropout", rate=0.999)], x=(3,), targets=(3,))

# Bytes, which the compiled program makes numbers of.
for name, mean, std in (("", [0.25], [0.5]), ("-channels", [0.25, -0.5], [0.5, 0.75])):
    loss(f"pixels{name}", CROSS,
         f"F.cross_entropy(F.linear((((x * 0.004 - 0.125)"
         f" - torch.tensor({mean}).to(x).reshape(-1, 1, 1)) / torch.tensor({std}).to(x)"
         f".reshape(-1, 1, 1)).flatten(1), dense__weight, dense__bias), t, reduction='none')",
         [layer("flatten"), layer("dense", name="dense", units=6)], labels=(6, ()),
         pixels=(2, 2, 3), dense__weight=(6, 12), dense__bias=(6,),
         transforms=[layer("rescale", scale=0.004, shift=-0.125),
                     layer("normalize", mean=mean, std=std)])
