"""A model file as a step of JAX: forward, mean softmax cross-entropy, backward, update."""

import jax
import jax.numpy as jnp
from peer_worker import BATCHES


def forward(model, parameters, x, channels_last, reshape_pool):
    rows, columns = (1, 2) if channels_last else (2, 3)
    for layer in model.layers:
        if layer.op == "conv2d":
            weight, bias = parameters[layer.name]
            layout = ("NHWC", "HWIO", "NHWC") if channels_last else ("NCHW", "OIHW", "NCHW")
            x = jax.lax.conv_general_dilated(x, weight, (1, 1), "VALID",
                                             dimension_numbers=layout)
            x = x + (bias if channels_last else bias[:, None, None])
        elif layer.op == "dense":
            weight, bias = parameters[layer.name]
            x = x @ weight + bias
        elif layer.op == "relu":
            x = jax.nn.relu(x)
        elif layer.op == "max_pool" and reshape_pool:
            shape, k = list(x.shape), layer.kernel
            split = (shape[:rows] + [shape[rows] // k, k, shape[columns] // k, k]
                     + shape[columns + 1:])
            x = x.reshape(split).max((rows + 1, columns + 2))
        elif layer.op == "max_pool":
            window = [1, 1, 1, 1]
            window[rows] = window[columns] = layer.kernel
            x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")
        else:
            x = x.reshape(x.shape[0], -1)
    return x


def initial(model, channels_last):
    key, parameters = jax.random.key(1), {}
    for layer in model.layers:
        if not layer.parameters:
            continue
        (_, weight), (_, bias) = layer.parameters.items()
        key, one, two = jax.random.split(key, 3)
        bound = layer.fan_in ** -0.5
        if layer.op == "dense":
            weight = weight[::-1]
        elif channels_last:
            weight = (*weight[2:], weight[1], weight[0])
        parameters[layer.name] = tuple(
            jax.random.uniform(k, shape, jnp.float32, -bound, bound)
            for k, shape in ((one, weight), (two, bias)))
    return parameters


def make_step(model, batches, channels_last=False, reshape_pool=False, scan=0):
    """A variant (peer_worker.py). `scan`: so many steps in one call, as a loop inside of
    the program."""
    def loss_of(parameters, images, labels):
        logits = forward(model, parameters, images, channels_last, reshape_pool)
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1)
        return -picked.mean()

    def step(state, images, labels):
        parameters, velocity = state
        loss, gradients = jax.value_and_grad(loss_of)(parameters, images, labels)
        if model.momentum:
            gradients = velocity = jax.tree.map(lambda v, g: model.momentum * v + g,
                                                velocity, gradients)
        parameters = jax.tree.map(lambda p, g: p - model.learning_rate * g,
                                  parameters, gradients)
        return (parameters, velocity), loss

    def steps(state, images, labels):
        def body(carry, index):
            return step(carry, images[index % BATCHES], labels[index % BATCHES])
        state, losses = jax.lax.scan(body, state, jnp.arange(scan))
        return state, losses[-1]

    data = [(jnp.asarray(images.transpose(0, 2, 3, 1) if channels_last else images),
             jnp.asarray(labels)) for images, labels in batches]
    if scan:
        data = [tuple(jnp.stack(parts) for parts in zip(*data))]
    compiled = jax.jit(steps if scan else step, donate_argnums=0)
    parameters = initial(model, channels_last)
    velocity = jax.tree.map(jnp.zeros_like, parameters) if model.momentum else ()
    state = [(parameters, velocity)]

    def run(index):
        state[0], loss = compiled(state[0], *data[index % len(data)])
        return loss

    run.steps = scan or 1
    return run, lambda loss: loss.block_until_ready()
