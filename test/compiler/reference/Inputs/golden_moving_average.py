"""Prints the numbers of train-moving-average.mlir, by PyTorch in double precision."""

import torch
from torch.optim.swa_utils import get_ema_multi_avg_fn

average = torch.tensor([0.5, -1.0, 100.0, 0.0], dtype=torch.float64)
for decay in (0.75, 0.999, 0.0):
    for weight in ([0.25, -3.0, 101.0, 0.0], [1.5, 2.0, 99.5, -7.0]):
        moved = average.clone()
        get_ema_multi_avg_fn(decay)([moved], [torch.tensor(weight, dtype=torch.float64)], None)
        print(decay, weight, ", ".join(f"{number:.10e}" for number in moved.tolist()))
