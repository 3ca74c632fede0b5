"""Wrong models and what must be said of them: every place of correct models is broken in each way
that the table of keys allows, so the position, what was found and what was expected are known."""

import copy
import json
import re

from harness import Case

IMAGES = {
    "name": "images", "batch_size": 16, "epochs": 2, "seed": 3,
    "input": {"image": {"shape": [1, 28, 28]}, "label": {"classes": 10}},
    "layers": [
        {"op": "conv2d", "name": "c1", "filters": 4, "kernel": 3, "stride": 2, "padding": "same"},
        {"op": "relu"},
        {"op": "max_pool", "kernel": 2, "stride": 2},
        {"op": "flatten"},
        {"op": "dropout", "rate": 0.25},
        {"op": "dense", "units": 10, "init": {"weight": {"type": "normal", "std": 0.01}, "bias": "zeros"}}],
    "loss": {"op": "softmax_cross_entropy", "label_smoothing": 0.1},
    "metrics": ["top_1", {"op": "top_5"}],
    "optimizer": {"type": "momentum", "momentum": 0.9, "weight_decay": 0.0005,
                  "learning_rate": {"schedule": "cosine", "value": 0.1, "length": 2, "warmup": 1}},
    "data": {"source": "digits:train=640,test=320"},
    "train": {"eval_every": 1, "gradients_mean": True},
}
BLOCKS = {
    "name": "blocks", "batch_size": 8, "epochs": 1, "matmul_precision": "tf32",
    "input": {"image": {"shape": [1, 28, 28]}, "label": {"classes": 10}},
    "blocks": {"pair": {"params": ["width"],
                        "layers": [{"op": "dense", "units": "$width"}, {"op": "relu"}]}},
    "layers": [{"op": "flatten"}, {"use": "pair", "with": {"width": 12}, "repeat": 2},
               {"op": "dense", "units": 10}],
    "loss": {"op": "softmax_cross_entropy"},
    "optimizer": {"type": "adam", "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-7, "learning_rate": 0.001},
    "train": {"clip_norm": 1.0, "gradient_norm": True},
    "boost": {"grad_accumulation": {"grad_accumulation_step": 2}},
    "data": {"source": "digits:train=640,test=320"},
}
MODELS = (IMAGES, BLOCKS)


class Writer:
    """JSON, one value a line, and where each key and value begins: path -> (line, column)."""

    def __init__(self, model):
        self.lines, self.keys, self.values = [""], {}, {}
        self.write(model, (), "")
        self.text = "\n".join(self.lines) + "\n"

    def here(self):
        return len(self.lines), len(self.lines[-1]) + 1

    def put(self, text):
        self.lines[-1] += text

    def write(self, value, path, indent):
        self.values[path] = self.here()
        if isinstance(value, Raw):
            self.put(value.text)
        elif isinstance(value, (dict, Pairs)) or isinstance(value, list):
            items = list(value.items()) if not isinstance(value, list) else [(i, v) for i, v in enumerate(value)]
            opening, closing = "[]" if isinstance(value, list) else "{}"
            self.put(opening)
            for number, (key, item) in enumerate(items):
                self.lines.append(indent + "  ")
                if not isinstance(value, list):
                    self.keys[path + (key,)] = self.here()
                    self.put(json.dumps(key, ensure_ascii=False) + ": ")
                self.write(item, path + (key,), indent + "  ")
                if number + 1 < len(items):
                    self.put(",")
            self.lines.append(indent)
            self.put(closing)
        else:
            self.put(json.dumps(value, ensure_ascii=False))


class Pairs:
    """An object that may have a key twice."""

    def __init__(self, items):
        self.pairs = items

    def items(self):
        return self.pairs


class Raw:
    """A token that Python would not write."""

    def __init__(self, text):
        self.text = text


def places(value, path=()):
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, path + (key,))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from places(item, path + (number,))


def changed(model, path, new):
    if not path:
        return new
    model = copy.deepcopy(model)
    at = model
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = new
    return model


def misspelt(word, rng):
    """The word with two letters exchanged, or one doubled: near enough to be recognised."""
    spots = [i for i in range(len(word) - 1) if word[i] != word[i + 1] and word[i].isalpha()]
    if len(word) < 4 or not spots:
        return word + "x"
    i = rng.choice(spots)
    return word[:i] + word[i + 1] + word[i] + word[i + 2:]


def at(position):
    return rf"^x\.json:{position[0]}:{position[1]}: error: "


EXPECTED = r"expected|did you mean|the keys? (is|are)|lacks the key|unknown|twice|takes|[Oo]ther"


def case(name, model, position, *says, code=1):
    writer = Writer(model)
    line, column = position(writer)
    return Case(name, "boostc x.json --target=cpu -o x.so", code,
                says=(at((line, column)), *says, rf"\n {{{column - 1}}}\^"),
                setup="cat > x.json <<'END_OF_MODEL'\n" + writer.text + "END_OF_MODEL\n",
                never=(r"\\x[0-9a-f]{2}",))


def generate(rng):
    """Lists of cases by kind."""
    kinds = {"unknown-key": [], "type": [], "range": [], "missing-key": [], "key-twice": [], "word": [],
             "token": []}
    for model in MODELS:
        for path, value in places(model):
            where = f"{model['name']}-" + "-".join(map(str, path))
            if isinstance(value, dict) and path[-1:] != ("input",) and path[-1:] != ("blocks",) and \
                    path[-1:] != ("with",):
                unknown_keys(kinds, rng, model, path, value, where)
            if path:
                wrong_types(kinds, rng, model, path, value, where)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                wrong_numbers(kinds, model, path, value, where)
            if isinstance(value, str) and path[-1] in ("op", "type", "schedule", "matmul_precision", "padding",
                                                       "mode"):
                word = misspelt(value, rng)
                kinds["word"].append(case(
                    f"word-{where}", changed(model, path, word),
                    lambda w, path=path: w.values[path], re.escape(f"'{word}'"), rf"\b{re.escape(value)}\b"))
            if path:
                broken_tokens(kinds, rng, model, path, where)
    return kinds


def unknown_keys(kinds, rng, model, path, value, where):
    if not value:
        return
    key = rng.choice(list(value))
    wrong = misspelt(key, rng)
    pairs = changed(model, path, Pairs([(wrong if k == key else k, v) for k, v in value.items()]))
    optional = [k for k in value if k not in ("op", "type", "name", "schedule", "shape", "classes", "block")]
    if optional and key in optional:
        kinds["unknown-key"].append(case(
            f"unknown-key-{where}-{wrong}", pairs, lambda w, p=path + (wrong,): w.keys[p],
            re.escape(f"'{wrong}'"), rf"did you mean '{re.escape(key)}'"))
    other = rng.choice(["verbose", "note", "x1", "options", "device"])
    added = changed(model, path, Pairs(list(value.items()) + [(other, 1)]))
    kinds["unknown-key"].append(case(
        f"unknown-key-{where}-{other}", added, lambda w, p=path + (other,): w.keys[p], f"'{other}'", EXPECTED))
    twice = rng.choice(list(value))

    def second(w, p=path + (twice,)):
        return w.keys[p]  # the writer keeps the later one
    kinds["key-twice"].append(case(
        f"key-twice-{where}-{twice}", changed(model, path, Pairs(list(value.items()) + [(twice, value[twice])])),
        second, re.escape(f"'{twice}'"), r"twice|duplicate", r"note: "))
    if path == ():
        for key in ("name", "batch_size", "epochs", "input", "layers", "loss", "optimizer"):
            less = {k: v for k, v in value.items() if k != key}
            kinds["missing-key"].append(case(f"missing-key-{where}-{key}", less, lambda w: w.values[()],
                                             f"'{key}'", r"lacks"))
    else:
        for key in ("op", "type", "units", "filters", "kernel", "shape", "value"):
            if key in value and not (key == "shape" and "classes" in value):
                less = {k: v for k, v in value.items() if k != key}
                kinds["missing-key"].append(case(
                    f"missing-key-{where}-{key}", changed(model, path, less),
                    lambda w, path=path: w.values[path], f"'{key}'", r"lacks|needs|expected"))


def wrong_types(kinds, rng, model, path, value, where):
    others = [v for v in (True, 2.5, "words", [], {"a": 1}, None, -1)
              if type(v) is not type(value) and not (isinstance(value, (int, float)) and
                                                     isinstance(v, (int, float)) and not isinstance(v, bool))]
    if path[-1] in ("bias", "weight", "padding", "width", "learning_rate", "stride", "kernel", 0, 1) \
            or path[0] == "boost" or path[-1] == "clip_norm":
        return  # several types are legal there
    for new in rng.sample(others, 3):
        kinds["type"].append(case(f"type-{where}-{json.dumps(new)}", changed(model, path, new),
                                  lambda w, path=path: w.values[path], EXPECTED))


def wrong_numbers(kinds, model, path, value, where):
    if isinstance(path[-1], int) and path[-2] != "shape":
        return
    whole = isinstance(value, int) and path[-1] not in ("length", "warmup")
    for new in [-1, Raw("1e400")] + ([0.5, Raw("123456789012345678901234567890")] if whole else []):
        text = new.text if isinstance(new, Raw) else json.dumps(new)
        kinds["range"].append(case(f"range-{where}-{text}", changed(model, path, new),
                                   lambda w, path=path: w.values[path], re.escape(text[:6]), EXPECTED))


def broken_tokens(kinds, rng, model, path, where):
    """Text that is no JSON in the place of a value: the token under the caret is that one."""
    tokens = {"True": "true", "None": "null", "'a'": "quotes", "0x10": "", ".5": "", "+1": "", "NaN": "",
              "1.": "", "tru": "", "//": "comment", "$w": ""}
    token = rng.choice(sorted(tokens))
    kinds["token"].append(case(f"token-{where}-{token}", changed(model, path, Raw(token)),
                               lambda w, path=path: w.values[path], r"JSON|expected|" + (tokens[token] or "invalid")))
