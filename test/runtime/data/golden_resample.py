"""Prints the numbers of ResampleTest.cpp, by PyTorch in double precision."""

import torch

image = (torch.arange(2 * 5 * 7, dtype=torch.float64) * 37 % 251).view(1, 2, 5, 7)
for size in ((3, 4), (2, 9)):
    resized = torch.nn.functional.interpolate(image, size=size, mode="bilinear",
                                              antialias=True, align_corners=False)
    print(size, ", ".join(f"{value:.10g}" for value in resized.flatten().tolist()))
