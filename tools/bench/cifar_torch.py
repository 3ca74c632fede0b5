"""The networks of examples/*-cifar10 as PyTorch modules with the names of the model files'
parameters. `NETWORKS` makes one by the name of its example."""

import torch
from torch import nn


def conv(inputs, filters, kernel, stride=1, groups=1):
    return nn.Conv2d(inputs, filters, kernel, stride, kernel // 2, groups=groups, bias=False)


class Basic(nn.Module):
    """Two 3x3 convolutions, added to what they read."""

    def __init__(self, inputs, filters, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, filters, 3, stride), nn.BatchNorm2d(filters)
        self.conv2, self.bn2 = conv(filters, filters, 3), nn.BatchNorm2d(filters)
        self.downsample = nn.Sequential()
        if stride != 1:
            self.downsample = nn.Sequential(conv(inputs, filters, 1, stride),
                                            nn.BatchNorm2d(filters))

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.downsample(x))


class ResNet(nn.Module):
    def __init__(self, widths, blocks):
        super().__init__()
        self.conv1, self.bn1 = conv(3, widths[0], 3), nn.BatchNorm2d(widths[0])
        inputs = widths[0]
        self.stages = len(widths)
        for stage, filters in enumerate(widths, 1):
            first = Basic(inputs, filters, 1 if stage == 1 else 2)
            more = [Basic(filters, filters, 1) for _ in range(blocks - 1)]
            setattr(self, f"layer{stage}", nn.Sequential(first, *more))
            inputs = filters
        self.fc = nn.Linear(inputs, 10)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        for stage in range(1, self.stages + 1):
            x = getattr(self, f"layer{stage}")(x)
        return self.fc(x.mean((2, 3)))


def conv_norm(inputs, filters, kernel=1, stride=1, groups=1):
    return nn.Sequential(conv(inputs, filters, kernel, stride, groups), nn.BatchNorm2d(filters),
                         nn.ReLU6())


class Inverted(nn.Module):
    """Wide inside, narrow outside; added to what it reads where shapes allow it."""

    def __init__(self, inputs, filters, stride, factor):
        super().__init__()
        wide = inputs * factor
        expansion = [conv_norm(inputs, wide)] if factor > 1 else []
        self.conv = nn.Sequential(*expansion, conv_norm(wide, wide, 3, stride, groups=wide),
                                  conv(wide, filters, 1), nn.BatchNorm2d(filters))
        self.adds = stride == 1 and inputs == filters

    def forward(self, x):
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(nn.Module):
    STAGES = ((1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1),
              (6, 160, 3, 2), (6, 320, 1, 1))  # factor, filters, blocks, stride of the first

    def __init__(self):
        super().__init__()
        features, inputs = [conv_norm(3, 32, 3)], 32
        for factor, filters, blocks, stride in self.STAGES:
            for number in range(blocks):
                features.append(Inverted(inputs, filters, 1 if number else stride, factor))
                inputs = filters
        self.features = nn.Sequential(*features, conv_norm(inputs, 1280))
        # Without dropout, as the programs that are compared are compiled.
        self.classifier = nn.Sequential(nn.Identity(), nn.Linear(1280, 10))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class Bottleneck(nn.Module):
    """What it reads, and `growth` channels more."""

    def __init__(self, inputs, growth):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, 4 * growth, 1)
        self.bn2, self.conv2 = nn.BatchNorm2d(4 * growth), conv(4 * growth, growth, 3)

    def forward(self, x):
        y = self.conv1(torch.relu(self.bn1(x)))
        return torch.cat((x, self.conv2(torch.relu(self.bn2(y)))), 1)


class DenseBlock(nn.Module):
    def __init__(self, inputs, growth, count):
        super().__init__()
        self.layer = nn.Sequential(*(Bottleneck(inputs + i * growth, growth)
                                     for i in range(count)))

    def forward(self, x):
        return self.layer(x)


class Transition(nn.Module):
    """Half of the channels and half of the pixels each way."""

    def __init__(self, inputs):
        super().__init__()
        self.bn1, self.conv1 = nn.BatchNorm2d(inputs), conv(inputs, inputs // 2, 1)

    def forward(self, x):
        return nn.functional.avg_pool2d(self.conv1(torch.relu(self.bn1(x))), 2)


class DenseNet(nn.Module):
    """DenseNet-BC."""

    def __init__(self, growth=12, count=16):
        super().__init__()
        inputs = 2 * growth
        self.conv1 = conv(3, inputs, 3)
        for number in range(1, 4):
            setattr(self, f"block{number}", DenseBlock(inputs, growth, count))
            inputs += count * growth
            if number < 3:
                setattr(self, f"trans{number}", Transition(inputs))
                inputs //= 2
        self.bn1 = nn.BatchNorm2d(inputs)
        self.fc = nn.Linear(inputs, 10)

    def forward(self, x):
        x = self.trans1(self.block1(self.conv1(x)))
        x = self.block3(self.trans2(self.block2(x)))
        return self.fc(torch.relu(self.bn1(x)).mean((2, 3)))


NETWORKS = {
    "resnet20-cifar10": lambda: ResNet((16, 32, 64), 3),
    "resnet18-cifar10": lambda: ResNet((64, 128, 256, 512), 2),
    "mobilenetv2-cifar10": MobileNetV2,
    "densenet-cifar10": DenseNet,
}
