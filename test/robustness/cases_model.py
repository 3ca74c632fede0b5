"""Model files: JSON that is not, keys, values and names that are wrong, names of other libraries."""

from harness import Case


def model(name, edit, code, *says, flags="", **more):
    """m.json after a replacement `OLD -> NEW` (Python's), as x.json."""
    old, new = edit
    more.setdefault("makes", () if code else ("x.so",))
    setup = (f"python3 - <<'X'\nt = open('m.json').read()\nold, new = {old!r}, {new!r}\n"
             "assert old in t\nopen('x.json', 'w').write(t.replace(old, new, 1))\nX\n")
    return Case(name, f"boostc x.json --target=cpu {flags} -o x.so", code, says=says, setup=setup, **more)


def raw(name, text, code, *says, **more):
    return Case(name, "boostc x.json -o x.so", code, says=says,
                setup=f"python3 - <<'X'\nopen('x.json', 'wb').write({text})\nX\n", **more)


RELU = '{ "op": "relu" }'
ADAM = '"type": "sgd"'
LOSS = '{ "op": "softmax_cross_entropy" }'
SOURCE = "digits:train=640,test=320"


def op(written, *says, **more):
    return model(f"op-{written}", (RELU, f'{{ "op": "{written}" }}'), 1, r"x\.json:13:13: error",
                 f"'{written}'", *says, **more)


def meant(name):
    return rf"did you mean '{name}'"


CASES = [
    # JSON
    model("json-comma-twice", ('"epochs": 1,', '"epochs": 1,,'), 1, r"x\.json:4:15: error", r"','"),
    model("json-comma-twice-in-list", ("[1, 28, 28]", "[1,,28, 28]"), 1, r"x\.json:7:28: error", r"','"),
    model("json-leading-zero", ('"epochs": 1,', '"epochs": 01,'), 1, r"x\.json:4:1[34]: error", r"01|zero"),
    model("json-no-comma", ('"epochs": 1,', '"epochs": 1'), 1, r"x\.json:(4:14|5:3): error", r"','|comma"),
    raw("json-key-without-quotes", "b'{ name: 1 }'", 1, r"x\.json:1:3: error", r"quotes|text in|JSON"),
    raw("json-yaml", r"b'name: m\nepochs: 1\n'", 1, r"x\.json:1:1: error", r"JSON"),
    raw("json-utf-16", "'{}'.encode('utf-16')", 1, r"x\.json:1:1: error", r"UTF-8"),

    # Words
    model("label-classes-misspelt", ('"classes": 10', '"clases": 10'), 1, r"x\.json:8:1[67]: error|x\.json:8:\d+",
          r"'clases'", meant("classes")),
    model("block-parameter-in-an-expression",
          ('"layers": [', '"blocks": { "b": { "params": ["w"], "layers": [ { "op": "dense", '
           '"units": "$w + 4" } ] } },\n  "layers": [ { "use": "b", "with": { "w": 3 } },'), 1,
          r"x\.json:10:\d+: error[^\n]*\$w \+ 4", never=(r"reads its parameter",)),
    model("block-unused", ('"layers": [', '"blocks": { "b": { "layers": [ { "op": "dence" } ] } },\n  "layers": ['),
          1, r"x\.json:10:\d+: error[^\n]*'dence'", meant("dense")),
    model("softmax-before-the-loss", ('{ "op": "dense", "units": 10 }',
                                      '{ "op": "dense", "units": 10 }, { "op": "softmax" }'), 0,
          r"x\.json:14:\d+: warning[^\n]*softmax"),
    model("rate-underflows", ('"learning_rate": 0.1', '"learning_rate": 1e-400'), 1, r"x\.json:18:50: error",
          r"1e-400"),
    *[Case(f"set-rate-{value}", f"boostc m.json --set optimizer.learning_rate={value} -o x.so", 2,
           says=(r"--set", value, r"expected a number"), never=(r"found text",)) for value in ("1e999", "nan")],
    model("name-of-two-alphabets", ('"name": "m"', '"name": "\u6a21\u578b"'), 1, "x\\.json:2:11: error",
          "'\u6a21\u578b'", r"^ +\^", never=(r"\\x",)),
    model("caret-after-other-alphabets", ('"seed": 1,', '"seed": 1, "\u00fc": "\u6a21\u578b", "epoks": 1,'), 1,
          "'\u00fc'", r"x\.json:5:\d+: error[^\n]*'epoks'", r"^ +\^", meant("epochs")),

    # Names of layers in other libraries, or in capitals
    *[op(word, meant("relu"), never=(meant("gelu"),)) for word in ("Relu", "ReLu", "ReLU", "RELU")],
    op("Linear", r"dense"),
    op("MaxPool2D", meant("max_pool")),
    op("BatchNorm2d", meant("batch_norm"), never=(meant("layer_norm"),)),
    op("RMSNorm", r"--print-ops", never=(meant("layer_norm"),)),
    *[model(f"optimizer-{word}", (ADAM, f'"type": "{word}"'), 1, r"x\.json:18:26: error", f"'{word}'", *says,
            never=never)
      for word, says, never in (("AdamW", (r"adamw|adam'[^\n]*weight_decay|decoupled",), ()),
                                ("SGD", (meant("sgd"),), ()),
                                ("Momentum", (meant("momentum"),), ()),
                                ("Muon", (meant("muon"),), (meant("momentum"),)),
                                ("Lion", (r"does not have it",), (meant("momentum"),)))],
    *[model(f"loss-{word}", (LOSS, f'{{ "op": "{word}" }}'), 1, r"x\.json:16:19: error", f"'{word}'", says,
            never=never)
      for word, says, never in (
          ("mae", r"mean_absolute_error|l1|absolute|losses are|expected", (meant("mse"),)),
          ("MSE", meant("mse"), ()),
          ("cross_entropy", meant("softmax_cross_entropy"), (meant("binary_cross_entropy"),)),
          ("CrossEntropyLoss", r"softmax_cross_entropy", ()),
          ("SoftmaxCrossEntropyWithLogits", r"softmax_cross_entropy", ()))],
    Case("boost-thor", "boostc m.json --boost thor=true -o x.so", 2, says=(r"thor",),
         never=(meant("rho"),)),

    # The source of the data is checked when compiling.
    *[model(f"source-{name}", (SOURCE, source), 1, r"x\.json:19:23: error", says[0], *says[1:])
      for name, source, says in (
          ("scheme-unknown", "tfrecord:x", (r"tfrecord", r"mnist")),
          ("scheme-misspelt", "mnits:x", (r"mnits", meant("mnist"))),
          ("option", "digits:train=many", (r"many", r"expected")))],

    # What editors parse: the position first.
    model("position-first", ('"epochs": 1,', '"epochs": "' + "1" * 60000 + '",'), 1, r"^x\.json:4:13: error"),
    raw("position-first-depth", 'b\'{"a":\' * 500 + b"1" + b"}" * 500', 1, r"^x\.json:1:\d+: error"),
    raw("position-first-size", 'b"x" * (70 << 20)', 1, r"^x\.json:1:1: error",
        r"at most"),
    Case("no-colour", "NO_COLOR=1 boostc m.json --set epochs=-1 -o x.so", 2, says=(r"error",), never=("\x1b\\[",),
         columns=80),
    Case("colour-never", "boostc --color=never m.json --set epochs=-1 -o x.so", 2, says=(r"epochs",),
         never=("\x1b\\[", r"unknown option"), columns=80),
]
