#!/usr/bin/env python3
"""check_names.py FILE OWN [NAME=OTHER]...: weights under other names.

FILE has the tensors of OWN, tensor NAME as OTHER, with the same bytes; `NAME=NUMBER` is a scalar
of 64 bits besides. Nothing else.
"""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_header


def read(path):
    header, start = read_header(path)
    raw = pathlib.Path(path).read_bytes()
    return {name: (entry["dtype"], entry["shape"],
                   raw[start + entry["data_offsets"][0]:start + entry["data_offsets"][1]])
            for name, entry in header.items() if name != "__metadata__"}


found, expected = read(sys.argv[1]), read(sys.argv[2])
for change in sys.argv[3:]:
    name, other = change.split("=")
    if other.isdigit():
        expected[name] = ("I64", [], struct.pack("<q", int(other)))
    else:
        expected[other] = expected.pop(name)
if found != expected:
    sys.exit(f"found {sorted(found)}, expected {sorted(expected)}, or their bytes differ")
