"""A model file as a PyTorch module."""

import torch


def build(model, dtype=torch.float32, weights=None):
    """Parameters in the order of model.parameters; `weights` by name, as arrays."""
    modules = []
    for layer in model.layers:
        if layer.op == "conv2d":
            module = torch.nn.Conv2d(layer.inputs[0], layer.outputs[0], layer.kernel)
        elif layer.op == "dense":
            module = torch.nn.Linear(layer.inputs[0], layer.outputs[0])
        elif layer.op == "relu":
            module = torch.nn.ReLU()
        elif layer.op == "max_pool":
            module = torch.nn.MaxPool2d(layer.kernel)
        else:
            module = torch.nn.Flatten()
        modules.append(module)
    network = torch.nn.Sequential(*modules).to(dtype)
    assert [tuple(p.shape) for p in network.parameters()] == list(model.parameters.values())
    if weights:
        with torch.no_grad():
            for parameter, name in zip(network.parameters(), model.parameters):
                parameter.copy_(torch.from_numpy(weights[name]))
    return network
