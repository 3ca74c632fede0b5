"""ResNet-20 (resnet20.json) as a PyTorch module. Its names are those of the model file."""

import torch
from torch import nn


class ConvNorm(nn.Module):
    def __init__(self, inputs, filters, stride=1, kernel=3):
        super().__init__()
        self.conv = nn.Conv2d(inputs, filters, kernel, stride, kernel // 2, bias=False)
        self.bn = nn.BatchNorm2d(filters)

    def forward(self, x):
        return self.bn(self.conv(x))


class Basic(nn.Module):
    def __init__(self, inputs, filters, stride, relu):
        super().__init__()
        self.relu = relu
        setattr(self, "1", ConvNorm(inputs, filters, stride))
        setattr(self, "2", ConvNorm(filters, filters))
        if stride != 1:
            self.shortcut = ConvNorm(inputs, filters, stride, kernel=1)

    def forward(self, x):
        y = getattr(self, "2")(self.relu(getattr(self, "1")(x)))
        return self.relu(y + (self.shortcut(x) if hasattr(self, "shortcut") else x))


class ResNet20(nn.Module):
    def __init__(self, relu=torch.relu):
        super().__init__()
        self.relu = relu
        self.stem = ConvNorm(3, 16)
        inputs = 16
        for stage, filters in enumerate((16, 32, 64), 1):
            blocks = []
            for number in range(3):
                stride = 2 if stage > 1 and number == 0 else 1
                blocks.append(Basic(inputs, filters, stride, relu))
                inputs = filters
            setattr(self, f"stage{stage}", nn.Sequential(*blocks))
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = self.relu(self.stem(x))
        for stage in (self.stage1, self.stage2, self.stage3):
            x = stage(x)
        return self.fc(x.mean((2, 3)))
