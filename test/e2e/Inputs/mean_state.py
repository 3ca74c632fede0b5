"""Fails unless the first file's tensors are the means of those of the others.

  mean_state.py MEAN FILE...
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from data_files import read_weights

mean, *files = map(read_weights, sys.argv[1:])
compared = 0
for name, values in mean.items():
    for i, value in enumerate(values):
        expected = sum(file[name][i] for file in files) / len(files)
        if abs(value - expected) > 1e-7 * max(abs(file[name][i]) for file in files):
            sys.exit(f"{name}[{i}] is {value}, expected {expected}")
        compared += any(file[name][i] != value for file in files)
if compared < 100:
    sys.exit(f"only {compared} values differ between the files")
