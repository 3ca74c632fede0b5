#!/usr/bin/env python3
"""Compares two files of f32 weights.

  compare_weights.py FOUND EXPECTED TOLERANCE

Fails when a tensor differs by more than TOLERANCE times the largest magnitude of
the expected one.
"""

import array
import json
import pathlib
import struct
import sys

found, expected, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])


def read(path):
    content = pathlib.Path(path).read_bytes()
    length, = struct.unpack("<Q", content[:8])
    tensors = {}
    for name, entry in json.loads(content[8:8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + at for at in entry["data_offsets"])
            tensors[name] = array.array("f", content[begin:end])
    return tensors


a, b = read(found), read(expected)
if a.keys() != b.keys() or not a:
    sys.exit(f"other tensors: {sorted(a)} and {sorted(b)}")
worst = max((max(abs(x - y) for x, y in zip(a[name], b[name])) /
             max(abs(y) for y in b[name]), name) for name in a)
print(f"largest difference {worst[0]:.2g}, in {worst[1]}")
if not worst[0] <= tolerance:
    sys.exit(1)
