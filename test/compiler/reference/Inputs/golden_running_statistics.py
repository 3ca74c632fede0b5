"""Prints the numbers of train-running-statistics.mlir, by PyTorch in double precision."""

import torch

mean = torch.tensor([0.5, -1.0, 100.0], dtype=torch.float64)
variance = torch.tensor([1.0, 0.25, 4.0], dtype=torch.float64)
x = torch.tensor([[0.25, -3.0, 101.0], [1.5, 2.0, 99.5], [-0.75, 0.5, 102.25],
                  [2.0, 0.125, 100.5]], dtype=torch.float64)
# The micro-batches of the step: their sums are added.
for name, part in (("first", x[:3]), ("second", x[3:])):
    print(name, "shifts", (part - mean).sum(0).tolist())
    print(name, "squares", ((part - mean) ** 2).sum(0).tolist())
layer = torch.nn.BatchNorm1d(3, momentum=0.3, dtype=torch.float64)
layer.running_mean.copy_(mean)
layer.running_var.copy_(variance)
layer(x)
biased = 0.7 * variance + 0.3 * x.var(0, unbiased=False)
for name, value in (("mean", layer.running_mean), ("variance", layer.running_var),
                    ("biased", biased)):
    print(name, ", ".join(f"{number:.10e}" for number in value.tolist()))
