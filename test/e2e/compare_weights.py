#!/usr/bin/env python3
"""Compares two files of f32 weights.

  compare_weights.py FOUND EXPECTED TOLERANCE

Fails when a tensor differs by more than TOLERANCE times the largest magnitude of
the expected one.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_weights

found, expected, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])

a, b = read_weights(found), read_weights(expected)
if a.keys() != b.keys() or not a:
    sys.exit(f"other tensors: {sorted(a)} and {sorted(b)}")
worst = max((max(abs(x - y) for x, y in zip(a[name], b[name])) /
             max(abs(y) for y in b[name]), name) for name in a)
print(f"largest difference {worst[0]:.2g}, in {worst[1]}")
if not worst[0] <= tolerance:
    sys.exit(1)
