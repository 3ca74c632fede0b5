#!/usr/bin/env python3
"""Compares two files of weights, of which one has more tensors.

  check_added_tensors.py BEFORE AFTER NAME...

Fails unless AFTER has the tensors of BEFORE, with equal values, and those named.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_weights

before, after = read_weights(sys.argv[1]), read_weights(sys.argv[2])
if not before or any(after.get(name) != before[name] for name in before):
    sys.exit("a tensor is missing or has other values")
added = sorted(after.keys() - before.keys())
if added != sorted(sys.argv[3:]):
    sys.exit(f"other tensors were added: {added}")
