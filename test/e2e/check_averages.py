#!/usr/bin/env python3
"""check_averages.py DECAY CHECKPOINT...: moving averages of weights, recomputed.

The checkpoints are of successive steps. From the averages of the first, in double precision
and from the weights of the others alone, come those of the last: each is to agree with what
the last checkpoint has, within the roundings of its steps. Fails where no weight has moved.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import read_weights

decay = float(sys.argv[1])
steps = [read_weights(f"{path}/weights.safetensors") for path in sys.argv[2:]]
names = [name for name in steps[0] if name + ".ema" in steps[0]]
if len(names) * 2 != len(steps[0]) or len(steps) < 3:
    sys.exit(f"{len(names)} averages of {len(steps[0])} tensors in {len(steps)} steps")
moved = 0
for name in names:
    average = list(steps[0][name + ".ema"])
    for step in steps[1:]:
        average = [decay * a + (1 - decay) * w for a, w in zip(average, step[name])]
    found = steps[-1][name + ".ema"]
    largest = max(max(map(abs, step[name])) for step in steps)
    # Three roundings a step, of numbers up to twice the largest.
    bound = 6 * len(steps) * 2.0**-24 * largest
    worst = max(abs(a - b) for a, b in zip(average, found))
    if not worst <= bound:
        sys.exit(f"{name}: off by {worst:.3g}, at most {bound:.3g} were expected")
    moved += max(abs(a - b) for a, b in zip(found, steps[-1][name])) > 100 * bound
if moved == 0:
    sys.exit("averages and weights are the same: the run shows nothing")
print(f"{len(names)} averages, {moved} of them apart from their weights")
