"""hostile.py DIR: feeds boost-import files made to hurt it.

Each must be refused with exit code 1 and the message given, in under 20 seconds and
1 GiB of address space beyond what the program maps at start.
"""
import os
import resource
import subprocess
import sys
import time

MIB = 1 << 20
FULL = 16 * MIB


def lines(count, text):
    return b"{" + b",\n".join(text(i) for i in range(count)) + b"}"


def fill(head, tail, unit=b"a"):
    return head + unit * ((FULL - len(head) - len(tail)) // len(unit)) + tail


CASES = {
    "lists": (b"[" * MIB, "nested more than 64 levels deep"),
    "objects": (b'{"a":' * MIB, "nested more than 64 levels deep"),
    "too-long": (b" " * (FULL + 1), "at most 16777216 are read"),
    "many-values": (fill(b"[0", b"]", b",0"), "more than 262144 values"),
    "many-lists": (fill(b"[0", b"]", b",[]"), "more than 262144 values"),
    "long-text": (fill(b'{"name":"', b'"}'), "'name': expected a name"),
    "long-key": (fill(b'{"', b'":1}'), "unknown key 'aaaa"),
    "long-number": (fill(b'{"seed":1', b"}", b"0"), "beyond the range of 64-bit"),
    "long-fraction": (fill(b'{"seed":0.', b"}", b"1"), "'seed': expected an integer"),
    "blanks": (fill(b"", b"{}", b" "), "lacks the key 'name'"),
    "newlines": (fill(b"", b"{}", b"\n"), "lacks the key 'name'"),
    "unknown-keys": (lines(200000, lambda i: b'"k%d":1' % i), "unknown key 'k0'"),
    "same-keys": (lines(200000, lambda i: b'"k":1'), "duplicate key 'k'"),
    "layers": (b'{"layers":[' + b",".join([b'{"op":"relu"}'] * 65536) + b"]}",
               "lacks the key 'loss'"),
    "same-names": (b'{"layers":[' + b",".join([b'{"op":"relu","name":"a"}'] * 50000)
                   + b"]}", "the name 'a' is taken"),
    "bad-references": (
        b'{"layers":[' + b",".join(b'{"op":"relu","inputs":["n%d"]}' % i
                                   for i in range(50000)) + b"]}",
        "unknown layer or input 'n0'"),
    "not-utf-8": (b'{"name": "a\xff"}', "the byte \\xff in a text is not UTF-8"),
    "not-utf-8-outside": (b"{\xff}", "found '\\xff'; JSON in UTF-8 is expected"),
    "overlong": (b'{"name": "\xc0\x80"}', "the byte \\xc0 in a text is not UTF-8"),
    "surrogate": (b'{"name": "\\ud800"}', "surrogate"),
    "zero-byte": (b'{"seed": 1}\0{', "not valid JSON: a zero byte"),
    "binary": (bytes(range(256)) * 4096, "not valid JSON"),
    "empty": (b"", "expected a JSON value, found the end of the text"),
    "mark": (b"\xef\xbb\xbf{}", "lacks the key 'name'"),
    "half-mark": (b"\xef\xbb{}", "not valid JSON"),
    "escape": (b'{"\x1b[31mred": 1, "\\u001b[31m": 1}', "control character U+001B"),
}


def limit_memory():
    # Shared libraries take address space too, most of it never touched.
    resource.setrlimit(resource.RLIMIT_DATA, (1024 * MIB, 1024 * MIB))


os.makedirs(sys.argv[1], exist_ok=True)
failed = False
for name, (content, expected) in CASES.items():
    path = os.path.join(sys.argv[1], name + ".json")
    with open(path, "wb") as file:
        file.write(content)
    start = time.monotonic()
    run = subprocess.run(["boost-import", path], capture_output=True,
                         preexec_fn=limit_memory)
    seconds = time.monotonic() - start
    os.remove(path)
    message = run.stderr.decode(errors="replace")
    problem = ""
    if run.returncode != 1:
        problem = f"exit code {run.returncode}, expected 1"
    elif expected not in message:
        problem = f"expected '{expected}'"
    elif seconds > 20:
        problem = f"took {seconds:.1f} s"
    elif len(message) > 100000:
        problem = f"a message of {len(message)} bytes"
    elif "\x1b" in message:
        problem = "the message steers the terminal"
    if problem:
        failed = True
        print(f"{name}: {problem}\n{message[:1000]}", file=sys.stderr)
sys.exit(failed)
