#!/usr/bin/env python3
"""Steps of PyTorch or JAX, timed on request: a worker of cpu_step.py.

  python3 tools/bench/cpu_peers.py torch|jax MODEL_JSON --batch N --threads N

It is asked and answers as peer_worker.py says.

Each variant is one way of asking the framework for the same step: forward, mean
softmax cross-entropy, backward, SGD (momentum as in the model file), in fp32, on
batches that lie in memory. With --dtype bf16 PyTorch's forward runs under autocast.
"""

import argparse
import os

from model_file import ModelFile
from peer_worker import BATCHES, random_batches, serve

CHUNK = 2  # calls between two waits for the result, so that one may run ahead


# --- PyTorch ------------------------------------------------------------------


def torch_variants(model, batch, threads, dtype="f32"):
    import torch
    from torch_layers import build

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
            with torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
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


def jax_variants(model, batch, threads, dtype="f32"):
    assert dtype == "f32", "JAX has no autocast"
    # XLA sizes its pool by the CPUs that the process may use.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax
    import jaxlib
    from jax_model import make_step

    batches = random_batches(model, batch)
    convolutions = any(layer.op == "conv2d" for layer in model.layers)
    made = {}
    for last in (False, True) if convolutions else (False,):
        for pool in (False, True) if convolutions else (False,):
            text = (f", {'NHWC' if last else 'NCHW'}, {'reshape' if pool else 'window'} pooling"
                    if convolutions else "")
            for scan in (0,) if convolutions else (0, 20):  # 2 to 3 times slower there
                made[f"jit, donated{', scan of 20' if scan else ''}{text}"] = (
                    lambda last=last, pool=pool, scan=scan: make_step(
                        model, batches, last, pool, scan))
    return made, {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("framework", choices=["torch", "jax"])
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    arguments = parser.parse_args()

    make = torch_variants if arguments.framework == "torch" else jax_variants
    serve(lambda: make(ModelFile(arguments.model), arguments.batch, arguments.threads,
                       arguments.dtype), CHUNK)


if __name__ == "__main__":
    main()
