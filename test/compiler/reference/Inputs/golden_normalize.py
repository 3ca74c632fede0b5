"""Prints the numbers of nn-normalize.mlir, by PyTorch in double precision: ToTensor() and
Normalize() of torchvision, as their documentation defines them."""

import torch

x = torch.tensor([[[[0, 255], [1, 128]], [[17, 200], [254, 3]], [[77, 90], [0, 129]]]],
                 dtype=torch.uint8)
mean = torch.tensor([0.485, 0.456, 0.406], dtype=torch.float64).view(3, 1, 1)
std = torch.tensor([0.229, 0.224, 0.225], dtype=torch.float64).view(3, 1, 1)
for name, value in (("y", (x.double() / 255 - mean) / std), ("scale", 1 / 255 / std),
                    ("shift", -mean / std)):
    print(name, ", ".join(f"{number:.16e}" for number in value.flatten().tolist()))
