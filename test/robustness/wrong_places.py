"""Things that are no plain file, or not the right one, in the place of each file that is read; and overlays."""

from harness import Case

READERS = {  # what is read -> command, code
    "model": ("boostc {} -o x.so", 1),
    "program": ("boost-run {}", 1),
    "weights": ("boost-run b.so --init {}", 6),
    "evaluated": ("boost-run eval b.so --ckpt {}", 6),
    "rank-table": ("boost-run ranks --rank-table {}", 1),
    "boost-config": ("boostc m.json --boost-config {} -o x.so", 1),
    "tuning": ("boostc m.json --tuned {} -o x.so", 1),
    "token": ("boost-run b.so --ranks 2 --token-file {}", 2),
    "ir": ("boostc --compile-from linalg {} -o x.so", 1),
}
THINGS = {  # name -> how it is made as `odd`, what may be said of it
    "dangling-link": ("ln -s nowhere odd", r"No such file|does not exist|dangling|symbolic link"),
    "link-to-itself": ("ln -s odd odd", r"symbolic link|loop"),
    "zeros-without-end": ("ln -s /dev/zero odd", r"not a (plain|regular) file|more than|at most|too large|zero byte|device"),
    "fifo": ("mkfifo odd", r"not a (plain|regular) file|FIFO|pipe|empty"),
    "empty": (": > odd", r"empty|no bytes|nothing|0 bytes|[Ee]nd|expected|not a"),
    "sparse": ("truncate -s 20G odd", r"\d+ bytes|at most|too large|more than|Cannot allocate memory"),
    "noise": ("python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(3000))' > odd", r"expected|not a|JSON|UTF-8|zero byte|header|damaged|signs|one line"),
    "nul-bytes": ("head -c 3000 /dev/zero > odd", r"expected|not a|JSON|zero byte|header|damaged|signs|one line|empty"),
    "folder": ("mkdir odd", r"directory"),
}
# An empty checkpoint of a folder is judged as a checkpoint.
OVERLAYS = [
    ('{"batch_sise": 3}', 1, 2, r"'batch_sise'", r"did you mean 'batch_size'"),
    ('{"batch_size": "x"}', 1, 16, r"'x'", r"expected an integer"),
    ('{\n  "optimizer": {"learning_rte": 0.1}\n}', 2, 17, r"'learning_rte'", r"did you mean 'learning_rate'"),
    ('{"optimizer": {"type": "sdg"}}', 1, 24, r"'sdg'", r"did you mean 'sgd'"),
    ('{"epochs": -1}', 1, 12, r"-1", r"expected an integer"),
    ('{"epochs": 1.5}', 1, 12, r"1\.5", r"expected an integer"),
    ('{"seed": 1, "seed": 2}', 1, 13, r"'seed'", r"twice|duplicate"),
    ('{"loss": {"op": "relu"}}', 1, 17, r"'relu'", r"loss"),
    ('{"layers": [{"op": "dence"}]}', 1, 20, r"'dence'", r"did you mean 'dense'"),
    ('{"layers": {"op": "dense"}}', 1, 13, r"'op'", r"element"),
    ('{"input": {"image": {"shape": [0]}}}', 1, 32, r"\b0\b", r"expected an integer"),
    ('{"data": {"source": "mnits:x"}}', 1, 21, r"mnits", r"did you mean 'mnist'"),
    ('{"epochs": }', 1, 12, r"'\}'", r"expected a value"),
    ('[1]', 1, 1, r"list|array|'\['", r"object"),
    ('{"epochs": 1,}', 1, 14, r"'\}'", r"comma"),
    ('{"train": {"clip_norm": -2}}', 1, 25, r"-2", r"above 0"),
    ('{"boost": {"adasun": true}}', 1, 12, r"'adasun'", r"did you mean 'adasum'"),
    ('{"metrics": ["top_7x"]}', 1, 14, r"'top_7x'", r"top_"),
]


def generate(rng):
    places = []
    for reader, (command, code) in READERS.items():
        for thing, (make, says) in THINGS.items():
            if (reader, thing) in (("evaluated", "folder"), ("weights", "folder"), ("model", "fifo"), ("ir", "fifo"),
                                   ("boost-config", "fifo"), ("tuning", "fifo")):
                continue
            places.append(Case(f"place-{reader}-{thing}", command.format("odd"), code, setup=make,
                               says=(r"\bodd\b", says), never=(r"Starting Training", r"\\x0"), atmost=10))
    overlays = [Case(f"overlay-{number}", "boostc m.json --overlay o.json --target=cpu -o x.so", 1,
                     setup=f"cat > o.json <<'X'\n{text}\nX\n",
                     says=(rf"^o\.json:{line}:{column}: error: ", *says, rf"\n {{{column - 1}}}\^"))
                for number, (text, line, column, *says) in enumerate(OVERLAYS)]
    return {"place": places, "overlay": overlays}
