"""Wrong files: data sets, checkpoints, weights, programs, rank tables, tuning files and IR, each broken
at places that a seed chooses."""

import pathlib
import re
import subprocess
import sys

import harness
from harness import Case

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import data_files

PHASES = ("input", "backward", "step", "linalg", "buffers", "llvm")


def make_samples(folder, build):
    """Adds data sets, a rank table, a tuning file and the IR of each phase."""
    data_files.write_blank_mnist(folder / "mnist", 64)
    data_files.write_blank_npy(folder / "npy", ("train", "test"), 64)
    (folder / "cifar").mkdir()
    for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
        (folder / f"cifar/{name}.bin").write_bytes(bytes(3073 * 4))
    env = harness.environment(build, folder)
    env["TMPDIR"] = "/tmp"
    commands = ["boost-run rank-table create --hosts 127.0.0.1,127.0.0.2 --devices 2 -o t.json",
                "boostc m.json --target=cpu --tune tune.json -o tuned.so",
                "boostc m.json --target=cpu --set input.image.shape=[3,32,32] -o c.so"]
    commands += [f"boostc m.json --target=cpu --threads 1 --emit {phase} -o {phase}.mlir" for phase in PHASES]
    # A table whose servers differ in size.
    commands += ["boost-run rank-table create --hosts 127.0.0.1 --devices 1 -o one.json",
                 "boost-run rank-table create --hosts 127.0.0.2 --devices 3 -o three.json",
                 "boost-run rank-table merge one.json three.json -o uneven.json"]
    for command in commands:
        subprocess.run(command.split(), cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)


def python(body):
    """Set-up in Python: `f(name)` reads a file, `w(name, bytes)` writes one."""
    return ("python3 - <<'END_OF_SETUP'\nimport hashlib, json, struct, gzip\n"
            "f = lambda n: open(n, 'rb').read()\nw = lambda n, b: open(n, 'wb').write(b)\n" + body +
            "\nEND_OF_SETUP\n")


def data(rng):
    cases = []

    def add(name, source, file, body, *says, program="b.so"):
        folder = source.split(":")[1]
        cases.append(Case(f"data-{name}", f"boost-run {program} --data {source}", 3,
                          setup=python(f"p = '{folder}/{file}'\nb = bytearray(f(p))\n{body}\nw(p, b)"),
                          says=(re.escape(f"{folder}/{file.split('.')[0]}"), *says), never=(r"Starting Training",)))

    for file in ("train-images-idx3-ubyte", "t10k-images-idx3-ubyte", "train-labels-idx1-ubyte"):
        head = 16 if "images" in file else 8
        for number in range(3):
            cut = rng.randrange(0, head + 40)
            add(f"{file}-cut-{cut}-{number}", "mnist:mnist", file, f"b = b[:{cut}]", r"truncated|found \d+ bytes",
                r"expected", r"get the file again")
        add(f"{file}-magic", "mnist:mnist", file, f"b[{rng.randrange(0, 4)}] ^= {rng.choice([1, 2, 64, 128])}",
            r"magic", r"expected")
        add(f"{file}-more", "mnist:mnist", file, f"b += bytes({rng.randrange(1, 99)})", r"\d+ bytes", r"expected|more")
        add(f"{file}-count", "mnist:mnist", file, f"b[4:8] = struct.pack('>I', {rng.choice([0, 63, 65, 2**31 - 1])})",
            r"\d+", r"expected|truncated|found")
    for number in range(3):
        spot = rng.randrange(64)
        add(f"label-{number}", "mnist:mnist", "train-labels-idx1-ubyte", f"b[8 + {spot}] = {rng.randrange(10, 256)}",
            r"labels? ", r"0 to 9")
    for file in ("train_images.npy", "test_images.npy", "train_labels.npy"):
        for number in range(3):
            cut = rng.randrange(1, 190)
            add(f"{file}-cut-{cut}-{number}", "npy:npy", file, f"b = b[:{cut}]", r"truncated", r"get the file again")
        for old, new, says in (("|u1", "<f8", r"float64|f8"), ("False", "True ", r"Fortran"), ("'shape'", "'shepe'", ""),
                               ("(64", "(-4", r""), ("descr", "dexcr", r""), ("{", "[", r"dictionary")):
            add(f"{file}-{old}-{new}".replace("|", ""), "npy:npy", file,
                f"b = b.replace({old.encode()!r}, {new.encode()!r}, 1)", r"expected", says)
        add(f"{file}-version", "npy:npy", file, f"b[6] = {rng.choice([0, 3, 9])}", r"NumPy format", r"expected 1\.0")
        add(f"{file}-gzip-damaged", "npy:npy", file,
            "import os; os.remove(p); p += '.gz'; b = bytearray(gzip.compress(bytes(b))); b[-8] ^= 255",
            r"damaged|check")  # the checksum
    for number in range(4):
        spot, label = rng.randrange(4), rng.randrange(10, 256)
        add(f"cifar-label-{number}", "cifar10:cifar", f"data_batch_{rng.randrange(1, 6)}.bin",
            f"b[3073 * {spot}] = {label}", rf"label {label}", rf"record {spot}", r"0 to 9", program="c.so")
        cut = rng.randrange(1, 3073 * 4)
        if cut % 3073:
            add(f"cifar-cut-{cut}", "cifar10:cifar", f"data_batch_{rng.randrange(1, 6)}.bin", f"b = b[:{cut}]",
                r"\d+ bytes", r"3073", program="c.so")
    return cases


def checkpoints(rng):
    cases = []
    folder = "ck/m-3_20.ckpt"

    def add(name, body, *says):
        cases.append(Case(f"checkpoint-{name}", f"boost-run b.so --resume {folder} --epochs 4", 6, says=says,
                          setup=python(body), never=(r"Starting Training",)))

    for number in range(6):
        file = rng.choice(["weights", "state"])
        path = f"{folder}/{file}.safetensors"
        add(f"flip-{number}", f"b = bytearray(f('{path}')); b[{rng.randrange(1 << 30)} % len(b)] ^= 1 << "
            f"{rng.randrange(8)}; w('{path}', b)", file, r"SHA-256", r"damaged", r"another one")
        add(f"cut-{number}", f"b = f('{path}'); w('{path}', b[:{rng.randrange(1, 39)}])", file, r"\d+ bytes",
            r"has \d+ bytes, its manifest says \d+; the checkpoint is damaged")
        add(f"gone-{number}-{file}", f"import os; os.remove('{path}')", file, r"No such file|missing")
    manifest = f"{folder}/manifest.json"
    for key in ("epoch", "step", "global_step", "files", "format", "version", "seed", "recipe_hash", "shuffle",
                "program", "data_fingerprint", "checksum"):
        add(f"manifest-without-{key}", f"m = json.loads(f('{manifest}')); del m['{key}']; "
            f"w('{manifest}', json.dumps(m, indent=2).encode())", r"manifest\.json", rf"'{key}'|checksum|{key} is not")
        new = rng.choice(["-1", "'x'", "[]", "None", "2**70", "{}"])
        add(f"manifest-{key}-is-{new}", f"m = json.loads(f('{manifest}')); m['{key}'] = {new}; "
            f"w('{manifest}', json.dumps(m, indent=2).encode())", r"manifest\.json", rf"'{key}'|checksum|written by")
    add("manifest-of-another-kind", f"w('{manifest}', bytes(2000000))", r"manifest\.json",
        r"has 2000000 bytes, at most 1048576 are expected here; is it the right file")
    for number in range(4):
        add(f"manifest-cut-{number}", f"b = f('{manifest}'); w('{manifest}', b[:{rng.randrange(700)} % len(b)])",
            r"manifest\.json", r"JSON|empty|cut|expected|checksum")
    return cases


def weights(rng):
    cases = []

    def add(name, body, *says):
        setup = python("b = f('w.st'); n = struct.unpack('<Q', b[:8])[0]; h = json.loads(b[8:8 + n]); d = b[8 + n:]\n"
                       "def put():\n    t = json.dumps(h).encode(); w('x.st', struct.pack('<Q', len(t)) + t + d)\n" + body)
        run = rng.choice(["boost-run b.so --init x.st", "boost-run eval b.so --ckpt x.st"])
        cases.append(Case(f"weights-{name}", run, 6, says=(r"'x\.st'|x\.st", *says), setup=setup,
                          never=(r"Starting (Training|Testing)",)))

    names = ["dense1.weight", "dense1.bias", "dense2.weight", "dense2.bias"]
    for name in names:
        quoted = re.escape(name)
        add(f"without-{name}", f"del h['{name}']; put()", r"'dense\d\.(weight|bias)'|bytes of data")
        add(f"renamed-{name}", f"h['{name}x'] = h.pop('{name}'); put()", quoted)
        add(f"shape-{name}", f"h['{name}']['shape'] = h['{name}']['shape'][::-1] + [1]; put()", quoted, r"\[")
        add(f"dtype-{name}", f"h['{name}']['dtype'] = '{rng.choice(['F16', 'I32', 'F64', 'X9', 'BF16'])}'; put()",
            quoted)
        for what, value in (("end", "h[k]['data_offsets'][1] += 4"), ("order", "h[k]['data_offsets'].reverse()"),
                            ("negative", "h[k]['data_offsets'][0] = -4"), ("text", "h[k]['data_offsets'] = 'all'"),
                            ("missing", "del h[k]['data_offsets']"), ("shape", "h[k]['shape'] = None")):
            add(f"offsets-{what}-{name}", f"k = '{name}'; {value}; put()", quoted)
    for number in range(6):
        add(f"cut-{number}", f"w('x.st', b[:{rng.randrange(0, 40000)}])", r"bytes|header|empty|truncated|cut|JSON")
        add(f"length-{number}", f"w('x.st', struct.pack('<Q', {rng.choice([0, 1, 7, 1 << 20, 1 << 40, (1 << 64) - 1])})"
            " + b[8:])", r"header|bytes of data")
        add(f"header-{number}", f"c = bytearray(b); c[8 + {rng.randrange(0, 15)}] = 0x{rng.choice([0, 1, 0x7d, 0xff]):02x}; "
            "w('x.st', c)", r"header|JSON|tensor|UTF-8|key")
    add("more", "w('x.st', b + bytes(8))", r"bytes")
    add("twice", "t = json.dumps(h); t = t[:-1] + ',' + t[1:]; t = t.encode(); "
        "w('x.st', struct.pack('<Q', len(t)) + t + d)", r"twice")
    return cases


def programs(rng):
    cases = []

    def add(name, body, *says):
        command = rng.choice(["boost-run x.so", "boost-run info x.so", "boost-run eval x.so --ckpt w.st"])
        cases.append(Case(f"program-{name}", command, 1, says=(r"'(\S*/)?x\.so'", *says),
                          setup=python("b = bytearray(f('b.so'))\n" + body + "\nw('x.so', b)")))

    for number in range(20):
        add(f"flip-{number}", f"b[{rng.randrange(1 << 30)} % len(b)] ^= 1 << {rng.randrange(8)}",
            r"damaged|not a compiled program|version", r"boostc|compile|again")
        add(f"cut-{number}", f"b = b[:{rng.randrange(1 << 30)} % len(b)]", r"damaged|not a compiled program|cut|empty",
            r"boostc|compile|again")
        add(f"moved-{number}", f"i = {rng.randrange(1 << 20)} % len(b); b[i:i] = bytes({rng.randrange(1, 50)})",
            r"damaged|not a compiled program", r"boostc|compile|again")
    add("twice", "b = b + b", r"damaged", r"boostc|compile|again")
    return cases


def tables(rng):
    """Rank tables: every value and key."""
    cases = []

    def add(name, body, *says):
        cases.append(Case(f"table-{name}", "boost-run ranks --rank-table x.json", 1, says=(r"x\.json", *says),
                          setup=python("t = json.loads(f('t.json'))\ns = t['server_list']\n" + body +
                                       "\nw('x.json', json.dumps(t, indent=2).encode())")))

    edits = [("count", "t['server_count'] = '3'", r"server_count"), ("count-words", "t['server_count'] = 'two'", r"two"),
             ("count-number", "t['server_count'] = 2.5", r"server_count"), ("no-list", "del t['server_list']", r"server_list"),
             ("list-empty", "t['server_list'] = []; t['server_count'] = '0'", r"server_list|server_count"),
             ("list-text", "t['server_list'] = 'all'", r"server_list"), ("server-text", "s[0] = 'a'", r"server"),
             ("no-id", "del s[0]['server_id']", r"server_id"), ("id-twice", "s[1]['server_id'] = '127.0.0.1'", r"127\.0\.0\.1"),
             ("id-number", "s[1]['server_id'] = 3", r"server_id"), ("no-device", "del s[1]['device']", r"device"),
             ("device-empty", "s[1]['device'] = []", r"device"), ("status", "t['status'] = 'initializing'", r"status"),
             ("version", "t['version'] = '9'", r"version"), ("top", "t = [t]", r"object"),
             ("misspelt", "t['server_lst'] = t.pop('server_list')", r"server_list")]
    for server in (0, 1):
        for device in (0, 1):
            d = f"s[{server}]['device'][{device}]"
            for what, edit, says in (("rank-words", f"{d}['rank_id'] = 'first'", r"first"),
                                     ("rank-negative", f"{d}['rank_id'] = '-1'", r"-1"),
                                     ("rank-large", f"{d}['rank_id'] = '70000'", r"70000"),
                                     ("rank-twice", f"{d}['rank_id'] = '{(2 * server + device + 1) % 4}'", r"rank"),
                                     ("rank-gone", f"del {d}['rank_id']", r"rank_id"),
                                     ("device-words", f"{d}['device_id'] = 'x'", r"device_id|x"),
                                     ("device-twice", f"{d}['device_id'] = '{1 - device}'", r"device"),
                                     ("address", f"{d}['device_ip'] = 7", r"device_ip")):
                edits.append((f"{what}-{server}-{device}", edit, says))
    for name, edit, says in edits:
        add(name, edit, says)
    for number in range(8):
        cut = rng.randrange(1, 600)
        cases.append(Case(f"table-cut-{number}", "boost-run ranks --rank-table x.json", 1,
                          says=(r"x\.json:\d+:\d+: ", r"expected|JSON"), setup=python(f"b = f('t.json'); w('x.json', b[:{cut} % len(b)])")))
    return cases


def tuning():
    cases = []
    for number, edit in enumerate((
            "t['choices'] = {}", "del t['format']", "t['format'] = 'x'", "t['choices'][0]['choice'] = 'fast'",
            "t['choices'][0]['microseconds'] = 'x'", "del t['choices'][0]['operation']", "t['note'] = 1",
            "t['choices'].append(t['choices'][0])", "t = []",
            "t['choices'][0] = 3")):
        cases.append(Case(f"tuning-{number}", "boostc m.json --target=cpu --tuned x.json -o x.so", 1,
                          says=(r"^x\.json:\d+:\d+: error", r"expected|unknown|second|has no|not a|boostc"),
                          setup=python(f"t = json.loads(f('tune.json'))\n{edit}\n"
                                       "w('x.json', json.dumps(t, indent=2).encode())")))
    for number, text in enumerate(("{", "[]", '{"adasum": 1}', '{"boost": {"mode": "fast"}}', '{"boost": {"adasun": true}}',
                                   '{"mode": True}', '{"mode": "auto", "mode": "auto"}',
                                   '{"grad_accumulation": {"grad_accumulation_step": 0}}', "null", '"O2"')):
        cases.append(Case(f"boost-config-{number}", "boostc m.json --target=cpu --boost-config x.json -o x.so", 1,
                          says=(r"^x\.json:\d+:\d+: error", r"expected|unknown|twice|did you mean|JSON"),
                          setup=f"cat > x.json <<'X'\n{text}\nX\n"))
    return cases


def ir(rng):
    """IR of every phase with one token gone, doubled or replaced."""
    cases = []
    for phase in PHASES[:-1]:
        for number in range(16):
            kind = rng.choice(["drop", "double", "replace", "cut"])
            cases.append(Case(
                f"ir-{phase}-{kind}-{number}",
                f"boostc --compile-from {phase} x.mlir -o x.so", 1, says=(r"^x\.mlir:\d+:\d+: error: \S+",),
                setup=python(f"""
import random, re
r = random.Random({rng.randrange(1 << 30)})
t = f('{phase}.mlir').decode()
tokens = list(re.finditer(r'[%@#!\\w.]+|->|[^\\s\\w]', t))
# Numbers in attributes and names of nothing may change without harm: only the parts of the syntax.
good = [m for m in tokens if re.fullmatch(r'->|[()=:{{}}<>]|%[\\w#]+|[a-z_]+\\.[a-z_]+', m.group(0))
        and '"' not in t[t.rfind('\\n', 0, m.start()) + 1:t.find('\\n', m.start())]]
m = r.choice(good)
kind = '{kind}'
new = dict(drop='', double=m.group(0) + ' ' + m.group(0), replace='%%', cut='')[kind]
t = t[:m.start()] + new + ('' if kind == 'cut' else t[m.end():])
w('x.mlir', t.encode())""")))
    return cases


def generate(rng):
    return {"data": data(rng), "checkpoint": checkpoints(rng), "weights": weights(rng), "program": programs(rng),
            "table": tables(rng), "tuning": tuning(), "ir": ir(rng)}
