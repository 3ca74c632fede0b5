"""Prints the numbers of nn-softplus.mlir, by PyTorch in double precision."""

import torch

x = torch.tensor([-20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 30.0], dtype=torch.float64,
                 requires_grad=True)
dy = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], dtype=torch.float64)
y = torch.nn.functional.softplus(x)
(y * dy).sum().backward()
for name, value in (("y", y.detach()), ("dx", x.grad)):
    print(name, ", ".join(f"{number:.10e}" for number in value.tolist()))
