#!/usr/bin/env python3
"""Means of large windows of equal numbers, in which all roundings go the same way.

  check_pooled_means.py WORK_DIR

T terms are added up as sums of sums, about as many as there are terms in each: their mean is off by
the roundings of two sums of sqrt(T), and of a few operations around them.
"""

import json
import math
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from data_files import write_npy

VALUE = 0.699999988079071  # a number of single precision
CASES = [  # samples, shape, the layer, terms of a mean
    (1, (2, 224, 224), {"op": "global_avg_pool"}, 224 * 224),
    (32, (1, 112, 112), {"op": "global_avg_pool"}, 112 * 112),
    (4, (16, 56, 56), {"op": "global_avg_pool"}, 56 * 56),
    (2, (3, 90, 90), {"op": "avg_pool", "kernel": 45}, 45 * 45),
    (1, (3, 100, 60), {"op": "avg_pool", "kernel": [100, 20]}, 2000)]

work = pathlib.Path(sys.argv[1])
work.mkdir()
for number, (samples, shape, layer, terms) in enumerate(CASES):
    count = samples * math.prod(shape)
    model = {
        "name": "means", "batch_size": samples, "epochs": 1,
        "input": {"image": {"shape": shape}, "target": {"shape": [1]}},
        # The mean of the means, which are equal.
        "layers": [layer, {"op": "flatten"},
                   {"op": "dense", "units": 1, "bias": False, "init": {"weight": {
                       "type": "constant", "value": 1 / (math.prod(shape) // terms)}}}],
        "loss": {"op": "mse", "target": "target"},
        "optimizer": {"type": "sgd", "learning_rate": 0.0}}
    (work / "model.json").write_text(json.dumps(model), encoding="utf-8")
    for split in ("train", "test"):
        write_npy(work / f"{split}_features.npy", "<f4", (samples, *shape), [VALUE] * count)
        write_npy(work / f"{split}_targets.npy", "<f4", (samples, 1), [0.0] * samples)
    subprocess.run(["boostc", work / "model.json", "--target=cpu", "--threads=1",
                    "-o", work / "train.so"], check=True)
    subprocess.run(["boost-run", work / "train.so", "--data", f"npy:{work}", "--no-eval",
                    "--progress", "none", "--metrics", work / "metrics.jsonl"],
                   check=True, capture_output=True)
    line = (work / "metrics.jsonl").read_text(encoding="utf-8").splitlines()[0]
    error = math.sqrt(json.loads(line)["loss"]) / VALUE - 1
    bound = (2 * math.sqrt(terms) + 16) * 2**-24
    print(f"{terms} terms: relative error {error:.3g}, bound {bound:.3g}")
    assert abs(error) <= bound, CASES[number]
