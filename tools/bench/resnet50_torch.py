"""ResNet-50 v1.5 as examples/resnet50-imagenet describes it, as a PyTorch module with the names of
the model file's parameters."""

import torch
from torch import nn


class Same(nn.Module):
    """Zeros around an image, so that the layer makes ceil(size / stride); the odd one at the bottom
    and right."""

    def __init__(self, layer, kernel, stride, value=0.0):
        super().__init__()
        self.layer, self.kernel, self.stride, self.value = layer, kernel, stride, value

    def forward(self, x):
        sides = []
        for size in (x.shape[3], x.shape[2]):
            total = max(0, (-(-size // self.stride) - 1) * self.stride + self.kernel - size)
            sides += [total // 2, total - total // 2]
        return self.layer(nn.functional.pad(x, sides, value=self.value))


class Block(nn.Module):
    def __init__(self, channels, width, stride, has_projection, eps, padding, relu):
        super().__init__()
        middle = width // 4
        self.relu, self.stride, self.padding = relu, stride, padding
        self.conv1 = nn.Conv2d(channels, middle, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(middle, eps)
        self.conv2 = nn.Conv2d(middle, middle, 3, stride, 0 if padding == "same" else padding,
                               bias=False)
        self.bn2 = nn.BatchNorm2d(middle, eps)
        self.conv3 = nn.Conv2d(middle, width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(width, eps)
        self.downsample = None
        if has_projection:
            self.downsample = nn.Sequential(nn.Conv2d(channels, width, 1, stride, bias=False),
                                            nn.BatchNorm2d(width, eps))

    def forward(self, x):
        middle = self.conv2
        if self.padding == "same":
            middle = Same(self.conv2, 3, self.stride)
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.relu(self.bn2(middle(y)))
        y = self.bn3(self.conv3(y))
        return self.relu(y + (x if self.downsample is None else self.downsample(x)))


class ResNet50(nn.Module):
    """`padding` is "same" and `eps` 1e-4 as in the model file, or explicit and 1e-5 with its overlay
    explicit-padding.json."""

    def __init__(self, classes, padding="explicit", relu=torch.relu):
        super().__init__()
        is_same = padding == "same"
        eps = 1e-4 if is_same else 1e-5
        self.relu, self.is_same = relu, is_same
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 0 if is_same else 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64, eps)
        channels = 64
        for stage, (count, width) in enumerate(zip((3, 4, 6, 3), (256, 512, 1024, 2048)), 1):
            blocks = []
            for i in range(count):
                stride = 2 if stage > 1 and i == 0 else 1
                blocks.append(Block(channels, width, stride, i == 0, eps,
                                    "same" if is_same else 1, relu))
                channels = width
            setattr(self, f"layer{stage}", nn.Sequential(*blocks))
        self.fc = nn.Linear(2048, classes)

    def forward(self, x):
        pool = nn.MaxPool2d(3, 2, 0 if self.is_same else 1)
        stem = self.conv1
        if self.is_same:
            stem, pool = Same(stem, 7, 2), Same(pool, 3, 2, float("-inf"))
        x = pool(self.relu(self.bn1(stem(x))))
        for stage in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = stage(x)
        return self.fc(x.mean((2, 3)))
