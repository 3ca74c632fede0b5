"""check_best.py METRICS WEIGHTS: what --save-best kept of a run without top_1.

WEIGHTS name the epoch and the loss of the evaluation with the lowest loss in METRICS, which is
not the last one.
"""
import json
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_header

evaluations = [line for line in map(json.loads, open(sys.argv[1])) if line["event"] == "eval"]
best = min(evaluations, key=lambda line: line["loss"])
header, _ = read_header(sys.argv[2])
metadata = header["__metadata__"]
assert int(metadata["epoch"]) == best["epoch"], (metadata, best)
assert float(metadata["loss"]) == best["loss"], (metadata, best)
assert best["epoch"] != evaluations[-1]["epoch"], "the run gets better to its end and shows little"
