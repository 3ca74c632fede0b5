"""Fails when a page for users of another framework names what is not there.

  check-migration.py SOURCE_DIR PAGE...

Every table with a column `here` is read. Its text in backticks is, by its first characters,
  "..., {...       a part of a model file, which is compiled where it fits
  boostc, boost-run    a command: its options are those of --help, and boostc's runs
  NAME_IN_CAPITALS     an environment variable that the runtime reads
  examples/...         a path
`not yet: `name`` says that no op, key, value or option has that name. Nothing else may stand in
the column. Commands in the other columns after `here` are looked up, too.

The columns before `here` are those of other systems. Each name that runtime/support/
ForeignNames.def has of such a system, and that the compiler therefore offers ours for, is in
its column, in a row that says the same.
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(sys.argv[1])
sys.path.append(str(SOURCE / "test"))
import model_schema  # noqa: E402: from the folder above

SCRATCH = tempfile.TemporaryDirectory()
CONV = {"op": "conv2d", "filters": 4, "kernel": 3}
HEAD = [{"op": "flatten"}, {"name": "head", "op": "dense", "units": 10}]
BASE = {
    "name": "page", "batch_size": 4, "epochs": 1,
    "input": {"image": {"shape": [1, 32, 32]}, "label": {"dtype": "i32", "classes": 10}},
    "layers": HEAD,
    "loss": {"op": "softmax_cross_entropy"},
    "optimizer": {"type": "sgd", "learning_rate": 0.1},
}
# What of the table are names in a model file.
KINDS = {"Layer", "Loss", "Metric", "Optimizer", "Initializer", "Schedule", "Transform",
         "DataScheme"}
WORDS = r"(nothing|not yet:?|or|,|\s)*"


def merge(target, patch):
    """RFC 7396 without nulls."""
    if not isinstance(patch, dict) or not isinstance(target, dict):
        return patch
    return {**target, **{key: merge(target.get(key), value)
                         for key, value in patch.items()}}


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, cwd=SCRATCH.name)


def write(model):
    path = f"{SCRATCH.name}/page.json"
    pathlib.Path(path).write_text(json.dumps(model), encoding="utf-8")
    return path


def compiles(model):
    """None, or what boostc says."""
    done = run("boostc", write(model), "--emit=input", "-o", "page.mlir")
    if done.returncode == 0:
        return None
    return next((line for line in done.stdout.splitlines() if "error: " in line),
                f"exit code {done.returncode}") + "; "


def places_of(part):
    """Models that have `part` in a place that it may be for."""
    def with_layers(*layers, **more):
        return merge(BASE, {"layers": [*layers, *HEAD], **more})

    if isinstance(part, str) or "type" in part:
        initialized = {**HEAD[1], "init": {"weight": part}}
        yield merge(BASE, {"layers": [HEAD[0], initialized]})
    if isinstance(part, str):
        return
    if "type" in part:
        yield {**BASE, "optimizer": part}
    if "schedule" in part:
        yield merge(BASE, {"optimizer": {"learning_rate": part}})
    if "classes" in part:
        yield merge(BASE, {"input": {"label": part}})
    if "op" in part:
        yield with_layers(HEAD[0], part)
        yield with_layers(CONV, part)
        yield {**BASE, "loss": part}
        yield {**BASE, "data": {"transforms": [part]}}
        yield with_layers({**CONV, "name": "a"},
                          {**CONV, "name": "b", "inputs": ["image"]},
                          {**part, "inputs": ["a", "b"]})
        yield with_layers(part, input={"image": {"shape": [8], "dtype": "i32",
                                                 "classes": 50}})


def check_part(text):
    try:
        part = json.loads(text if re.fullmatch(r'\{.*\}|"[^"]*"', text) else f"{{{text}}}")
    except ValueError as error:
        return f"no JSON: {error}"
    if isinstance(part, str) and part in SCHEMA["properties"]:
        return None
    problems = ""
    for place in ([merge(BASE, part)] if text[0] == '"' and isinstance(part, dict)
                  else places_of(part)):
        problem = compiles(place)
        if problem is None:
            return None
        problems += problem
    return problems or "fits nowhere"


def helped(words):
    """The options that --help of a command prints."""
    command = words[:1]
    for word in words[1:]:
        if word.startswith("-") or word[0].isupper():
            break
        command.append(word)
    text = run(*command, "--help").stdout
    return set(re.findall(r"(?<![\w-])-(?:-[a-z][a-z-]*|O)", text))


def check_command(text):
    words = shlex.split(text)
    options = helped(words)
    for word in words[1:]:
        name = "-O" if re.fullmatch("-O[0-9]", word) else word.split("=")[0]
        if word.startswith("-") and name not in options:
            return f"--help does not name {name}"
    if words[0] != "boostc" or any(word.isupper() for word in words):
        return None
    done = run(*words, write(BASE), *([] if "--explain" in words or "summary" in words
                                      else ["-o", "page.so"]))
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stdout}"
    return None


def check_name_is_free(name):
    known = run("boostc", "--print-ops").stdout + model_schema.text(SOURCE)
    taken = re.search(rf'(?<![\w-]){re.escape(name)}(?![\w-])', known)
    return f"'{name}' is there now" if taken else None


def check_here(cell):
    spans = re.findall(r"`([^`]*)`", cell)
    rest = re.sub(r"`[^`]*`", "", cell)
    if not cell or not re.fullmatch(WORDS, rest):
        yield f"the column has other words: {rest.strip() or '(nothing at all)'}"
    for text in spans:
        if "not yet:" in rest:
            yield check_name_is_free(text)
        elif text[0] in '"{':
            yield check_part(text)
        elif text.split()[0] in ("boostc", "boost-run"):
            yield check_command(text)
        elif re.fullmatch("[A-Z][A-Z_]+", text):
            yield None if text in VARIABLES else "the runtime reads no such variable"
        elif "/" in text:
            yield None if (SOURCE / text).exists() else "there is no such path"
        else:
            yield "neither a part of a model, a command, a variable nor a path"


def plain(name):
    """As ForeignNames.h compares names."""
    return re.sub(r"[_\- ]", "", name.split(".")[-1]).lower()


def words_in(cell):
    """What is in backticks, word by word."""
    return {word for text in re.findall(r"`([^`]*)`", cell)
            for word in re.findall(r"[A-Za-z_]\w*", text)}


def check_names(rows):
    """Compares the columns of other systems with the compiler's table."""
    seen = {}  # (system, name) -> cells `here` of its rows
    for cells, here in rows:
        for system, cell in cells.items():
            for word in words_in(cell):
                seen.setdefault((system, plain(word)), []).append(here)
    systems = {system for cells, _ in rows for system in cells}
    text = (SOURCE / "runtime/support/ForeignNames.def").read_text(encoding="utf-8")
    table = re.findall(r'^FOREIGN_NAME\((\w+), ([\w |]+), "([^"]+)", "([^"]*)"', text, re.M)
    assert len(table) > 300, "the table has another form"
    for kind, of, theirs, ours in table:
        if kind not in KINDS:
            continue
        for system in systems & set(re.findall(r"\w+", of)):
            cells = seen.get((system, plain(theirs)))
            if cells is None:
                yield f"{kind} {theirs} of {system} is not on the page: {ours or 'not yet'}"
            elif not any(ours in words_in(cell) if ours else cell.startswith("not yet")
                         for cell in cells):
                yield f"{kind} {theirs} of {system} is {ours or 'not yet'} in the table"


def rows_of(page):
    """(line, cells before the column `here` by their heads, it, and those after it)"""
    column = None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("|"):
            column = None
            continue
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        if column is None:
            column = cells.index("here") if "here" in cells else -1
            heads = cells
        elif column >= 0 and not set(line) <= set("|-"):
            assert len(cells) == len(heads), f"{page}:{number}: {len(cells)} cells"
            yield (number, dict(zip(heads[:column], cells)), cells[column],
                   cells[column + 1:])


SCHEMA = model_schema.load(SOURCE)
VARIABLES = {name for path in (SOURCE / "runtime").rglob("*.cpp")
             for name in re.findall(r'"([A-Z][A-Z_]+)"', path.read_text(encoding="utf-8"))}
os.environ.pop("DATA_PATH", None)
rows = failures = 0
for page in map(pathlib.Path, sys.argv[2:]):
    compared = []
    for number, theirs, here, others in rows_of(page):
        rows += 1
        compared.append((theirs, here))
        problems = list(check_here(here)) + [
            check_command(text) for cell in others
            for text in re.findall(r"`((?:boostc|boost-run) [^`]*)`", cell)]
        for problem in filter(None, problems):
            failures += 1
            print(f"{page.name}:{number}: {problem.strip()}")
    for problem in check_names(compared):
        failures += 1
        print(f"{page.name}: {problem}")
print(f"{rows} rows checked, {failures} wrong")
sys.exit(failures > 0)
