"""Prints the numbers of nn-batch-norm.mlir, by PyTorch in double precision.

Inputs are multiples of 1/64, which f32 holds. PyTorch sees the real samples alone, the
program a batch with a sample of padding.
"""

import torch

torch.manual_seed(1)


def draw(*shape):
    return torch.randint(-128, 128, shape).double() / 64


def show(name, value):
    print(name, ", ".join(f"{number:.10e}" for number in value.flatten().tolist()))


def run(name, samples, *shape):
    x = draw(samples, *shape).requires_grad_()
    dy = draw(samples, *shape)
    layer = torch.nn.BatchNorm1d(shape[0]) if len(shape) == 1 else torch.nn.BatchNorm2d(shape[0])
    layer.double()
    with torch.no_grad():
        layer.weight.copy_(draw(shape[0]))
        layer.bias.copy_(draw(shape[0]))
    y = layer(x)
    (y * dy).sum().backward()
    axes = [axis for axis in range(x.dim()) if axis != 1]
    print(name)
    for key, value in (("x", x), ("dy", dy), ("weight", layer.weight), ("bias", layer.bias),
                       ("y", y), ("mean", x.mean(axes)),
                       ("variance", x.var(axes, unbiased=False)), ("dx", x.grad),
                       ("dweight", layer.weight.grad), ("dbias", layer.bias.grad),
                       ("running_mean", layer.running_mean), ("running_var", layer.running_var)):
        show(key, value.detach())
    layer.eval()
    show("inference", layer(x).detach())


run("images", 2, 2, 1, 3)
run("columns", 3, 2)
