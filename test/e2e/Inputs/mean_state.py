"""Fails unless the first file's tensors are the means of those of the others.

  mean_state.py MEAN FILE...
"""
import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    return {name: struct.unpack_from(f"<{(end - begin) // 4}f", content, 8 + length + begin)
            for name, entry in header.items() for begin, end in [entry["data_offsets"]]}


mean, *files = map(read, sys.argv[1:])
compared = 0
for name, values in mean.items():
    for i, value in enumerate(values):
        expected = sum(file[name][i] for file in files) / len(files)
        if abs(value - expected) > 1e-7 * max(abs(file[name][i]) for file in files):
            sys.exit(f"{name}[{i}] is {value}, expected {expected}")
        compared += any(file[name][i] != value for file in files)
if compared < 100:
    sys.exit(f"only {compared} values differ between the files")
