#!/usr/bin/env python3
"""Steps of PyTorch or JAX, timed on request: a worker of cpu_step.py.

  python3 tools/bench/cpu_peers.py torch|jax MODEL_JSON --batch N --threads N

Prints one JSON line {"versions": ..., "variants": [...]} when all variants have
compiled and run, then answers each line "VARIANT SECONDS" with one JSON line
{"median_ms", "min_ms", "steps"}. It sleeps between the requests.

Each variant is one way of asking the framework for the same step: forward, mean
softmax cross-entropy, backward, SGD (momentum as in the model file), in fp32, on
batches that lie in memory.
"""

import argparse
import json
import os
import statistics
import sys
import time

from model_file import ModelFile

BATCHES = 3  # as boost-run bench


def random_batches(model, batch):
    import numpy as np

    random = np.random.default_rng(1)
    return [(random.standard_normal((batch, *model.shape), dtype=np.float32),
             random.integers(0, model.classes, batch)) for _ in range(BATCHES)]


# --- PyTorch ------------------------------------------------------------------


def torch_variants(model, batch, threads):
    import torch
    from torch_model import build

    torch.set_num_threads(threads)
    criterion = torch.nn.CrossEntropyLoss()
    batches = [(torch.from_numpy(images), torch.from_numpy(labels))
               for images, labels in random_batches(model, batch)]

    def variant(channels_last=False, optimizer=None, compiled=None, whole=False):
        """`compiled`: keywords of torch.compile; `whole`: also the optimizer's step."""
        torch.manual_seed(1)
        layout = torch.channels_last if channels_last else torch.contiguous_format
        network, data = build(model), batches
        if channels_last:
            network = network.to(memory_format=layout)
            data = [(images.to(memory_format=layout), labels) for images, labels in batches]
        sgd = torch.optim.SGD(network.parameters(), lr=model.learning_rate,
                              momentum=model.momentum, **(optimizer or {}))

        def loss_of(images, labels):
            return criterion(network(images), labels)

        forward = torch.compile(loss_of, **compiled) if compiled is not None else loss_of
        update = torch.compile(sgd.step, **compiled) if whole else sgd.step

        def step(index):
            images, labels = data[index % BATCHES]
            loss = forward(images, labels)
            loss.backward()
            update()
            sgd.zero_grad(set_to_none=True)
            return loss

        return step, lambda loss: None  # PyTorch computes at once

    fused = {"fused": True}
    layouts = [("", False)]
    if any(layer.op == "conv2d" for layer in model.layers):
        layouts.append((", channels-last", True))
    made = {}
    for text, last in layouts:
        made |= {
            f"eager{text}": lambda last=last: variant(last),
            f"eager, fused SGD{text}": lambda last=last: variant(last, fused),
            f"compile{text}": lambda last=last: variant(last, fused, {}),
            f"compile with update{text}": lambda last=last: variant(last, None, {}, True),
            f"compile, C++ wrapper{text}": lambda last=last: variant(
                last, fused, {"options": {"cpp_wrapper": True}}),
            f"compile, max-autotune{text}": lambda last=last: variant(
                last, fused, {"mode": "max-autotune"}),
        }
    return made, {"torch": torch.__version__}


# --- JAX ----------------------------------------------------------------------


def jax_variants(model, batch, threads):
    # XLA sizes its pool by the CPUs that the process may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jax.numpy as jnp
    import jaxlib

    def forward(parameters, x, channels_last, reshape_pool):
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

    def initial(channels_last):
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

    def variant(channels_last=False, reshape_pool=False, scan=0):
        """`scan`: so many steps in one call, as a loop inside the program."""
        def loss_of(parameters, images, labels):
            logits = forward(parameters, images, channels_last, reshape_pool)
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
                 jnp.asarray(labels)) for images, labels in random_batches(model, batch)]
        if scan:
            data = [tuple(jnp.stack(parts) for parts in zip(*data))]
        compiled = jax.jit(steps if scan else step, donate_argnums=0)
        parameters = initial(channels_last)
        velocity = jax.tree.map(jnp.zeros_like, parameters) if model.momentum else ()
        state = [(parameters, velocity)]

        def run(index):
            state[0], loss = compiled(state[0], *data[index % len(data)])
            return loss

        run.steps = scan or 1
        return run, lambda loss: loss.block_until_ready()

    convolutions = any(layer.op == "conv2d" for layer in model.layers)
    made = {}
    for last in (False, True) if convolutions else (False,):
        for pool in (False, True) if convolutions else (False,):
            text = (f", {'NHWC' if last else 'NCHW'}, {'reshape' if pool else 'window'} pooling"
                    if convolutions else "")
            for scan in (0,) if convolutions else (0, 20):  # 2 to 3 times slower there
                made[f"jit, donated{', scan of 20' if scan else ''}{text}"] = (
                    lambda last=last, pool=pool, scan=scan: variant(last, pool, scan))
    return made, {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


# --- Timing -------------------------------------------------------------------

CHUNK = 2  # calls between two waits for the result, so that one may run ahead


def time_chunk(step, wait, start):
    begin = time.perf_counter()
    for index in range(start, start + CHUNK):
        loss = step(index)
    wait(loss)
    return (time.perf_counter() - begin) * 1e3 / (CHUNK * getattr(step, "steps", 1))


def measure(step, wait, seconds):
    """Times of chunks for so many seconds, after a fifth of it to warm up."""
    warm, end, times = time.monotonic() + seconds / 5, None, []
    start = 0
    while end is None or time.monotonic() < end:
        times.append(time_chunk(step, wait, start))
        start += CHUNK
        if end is None and time.monotonic() >= warm:
            end, times = time.monotonic() + seconds, []
    return {"median_ms": statistics.median(times), "min_ms": min(times),
            "steps": len(times) * CHUNK * getattr(step, "steps", 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("framework", choices=["torch", "jax"])
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args()

    # What frameworks print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    make = torch_variants if arguments.framework == "torch" else jax_variants
    makers, versions = make(ModelFile(arguments.model), arguments.batch, arguments.threads)
    ready, failed = {}, {}
    for name, maker in makers.items():
        try:
            step, wait = maker()
            time_chunk(step, wait, 0)
            ready[name] = step, wait
        except Exception as error:  # one variant that a framework cannot do is a result too
            failed[name] = str(error).splitlines()[0] if str(error) else repr(error)
    print(json.dumps({"versions": versions, "variants": list(ready), "failed": failed}),
          file=answers)
    for line in sys.stdin:
        name, seconds = line.rstrip("\n").rsplit(" ", 1)
        print(json.dumps(measure(*ready[name], float(seconds))), file=answers)


if __name__ == "__main__":
    main()
