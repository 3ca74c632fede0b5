#!/usr/bin/env python3
"""Steps of PyTorch or JAX on a GPU, timed on request: a worker of gpu_step.py.

  python3 tools/bench/gpu_peers.py torch|jax MODEL_JSON --batch N [--device cuda|cpu]
  python3 tools/bench/gpu_peers.py torch-mnist MODEL_JSON --batch N --mnist DIR --seeds N

The first form is asked and answers as peer_worker.py says. Each variant is one way of asking
the framework for the same step: forward, mean softmax cross-entropy, backward, SGD
(momentum as in the model file), in fp32 with products in fp32 or in TF32. Batches lie in the
device's memory, except where a variant says that they are copied from the host. Steps
are timed by the wall clock, a chunk of them between two synchronisations.

The second form trains with a whole-step graph on data that lie in the device's memory, and
prints a JSON line for each seed: the seconds of training up to the end of the first epoch with
99 % on the test images, without capture and evaluation.
"""

import argparse
import gzip
import json
import os
import pathlib
import time

from model_file import ModelFile
from peer_worker import BATCHES, random_batches, serve

CHUNK = 100   # calls between two synchronisations
WARMUP, LEAST = 20, 100
SCAN = 100    # steps of a call of JAX
TARGET, MAX_EPOCHS = 0.99, 6
PRECISIONS = {"fp32": False, "TF32": True}


# --- PyTorch ------------------------------------------------------------------


def allow_tf32(allowed):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed


def capture(work):
    """A CUDA graph of `work()` and what it returned; run three times before, as PyTorch
    asks for."""
    import torch

    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            work()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = work()
    return graph, result


def torch_variants(model, batch, device):
    import torch
    from torch_layers import build

    criterion = torch.nn.CrossEntropyLoss()
    host = [(torch.from_numpy(images), torch.from_numpy(labels))
            for images, labels in random_batches(model, batch)]

    def wait(_):
        if device == "cuda":
            torch.cuda.synchronize()

    def make(tf32, channels_last=False):
        """Network, optimizer, batches on the device, and how to choose the precision."""
        allow_tf32(tf32)
        torch.manual_seed(1)
        layout = torch.channels_last if channels_last else torch.contiguous_format
        network = build(model).to(device)
        data = [(images.to(device), labels.to(device)) for images, labels in host]
        if channels_last:
            network = network.to(memory_format=layout)
            data = [(images.to(memory_format=layout), labels) for images, labels in data]
        sgd = torch.optim.SGD(network.parameters(), lr=model.learning_rate,
                              momentum=model.momentum, fused=True)
        return network, sgd, data

    def stepping(tf32, step):
        step.prepare = lambda: allow_tf32(tf32)
        return step, wait

    def eager(tf32, compiled=None, channels_last=False):
        network, sgd, data = make(tf32, channels_last)

        def loss_of(images, labels):
            return criterion(network(images), labels)

        forward = torch.compile(loss_of, **compiled) if compiled is not None else loss_of

        def step(index):
            images, labels = data[index % BATCHES]
            loss = forward(images, labels)
            loss.backward()
            sgd.step()
            sgd.zero_grad(set_to_none=True)
            return loss

        return stepping(tf32, step)

    def whole(tf32, copied=False, channels_last=False):
        network, sgd, data = make(tf32, channels_last)
        images, labels = (tensor.clone() for tensor in data[0])
        pinned = [(i.pin_memory(), l.pin_memory()) for i, l in host] if copied else None

        def work():
            sgd.zero_grad(set_to_none=False)
            loss = criterion(network(images), labels)
            loss.backward()
            sgd.step()
            return loss

        graph, loss = capture(work)

        def step(index):
            if copied:
                images.copy_(pinned[index % BATCHES][0], non_blocking=True)
                labels.copy_(pinned[index % BATCHES][1], non_blocking=True)
            graph.replay()
            return loss

        return stepping(tf32, step)

    reduce_overhead = {"mode": "reduce-overhead"}
    convolutions = any(layer.op == "conv2d" for layer in model.layers)
    made = {}
    for name, tf32 in PRECISIONS.items():
        made[f"eager, {name}"] = lambda tf32=tf32: eager(tf32)
        made[f"compile reduce-overhead, {name}"] = (
            lambda tf32=tf32: eager(tf32, reduce_overhead))
        for last in (False, True) if convolutions else (False,):
            made[f"whole-step graph{', channels-last' if last else ''}, {name}"] = (
                lambda tf32=tf32, last=last: whole(tf32, channels_last=last))
        made[f"whole-step graph, batch copied from the host, {name}"] = (
            lambda tf32=tf32: whole(tf32, copied=True))
    return made, {"torch": torch.__version__, "cuda of torch": str(torch.version.cuda)}


# --- JAX ----------------------------------------------------------------------


def jax_variants(model, batch, device):
    os.environ["JAX_PLATFORMS"] = device
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"  # the others need memory, too
    import jax
    import jaxlib
    from jax_model import make_step

    batches = random_batches(model, batch)

    def variant(precision, last, scan):
        def prepare():
            jax.config.update("jax_default_matmul_precision", precision)

        prepare()
        step, wait = make_step(model, batches, last, False, scan)
        step.prepare = prepare
        return step, wait

    convolutions = any(layer.op == "conv2d" for layer in model.layers)
    made = {}
    for name, tf32 in PRECISIONS.items():
        precision = "tensorfloat32" if tf32 else "highest"
        for last in (False, True) if convolutions else (False,):
            layout = f", {'NHWC' if last else 'NCHW'}" if convolutions else ""
            for scan in (0, SCAN):
                way = f"scan of {scan}" if scan else "jit"
                made[f"{way}{layout}, {name}"] = (
                    lambda precision=precision, last=last, scan=scan:
                    variant(precision, last, scan))
    return made, {"jax": jax.__version__, "jaxlib": jaxlib.__version__}


# --- Seconds to 99 % ----------------------------------------------------------


def read_idx(folder, name):
    import numpy as np

    for path in (folder / name, folder / f"{name}.gz", folder / "train" / name,
                 folder / "test" / name):
        if path.exists():
            data = path.read_bytes()
            data = gzip.decompress(data) if path.suffix == ".gz" else data
            dimensions = data[3]
            shape = np.frombuffer(data, ">i4", dimensions, 4)
            return np.frombuffer(data, np.uint8, offset=4 + 4 * dimensions).reshape(shape)
    raise SystemExit(f"there is no {name} in {folder}")


def read_mnist(model, folder, part):
    """Images as the model's transforms make them, and labels."""
    import numpy as np

    images = read_idx(folder, f"{part}-images-idx3-ubyte").astype(np.float32)[:, None]
    for transform in model.transforms:
        if transform["op"] == "rescale":
            images *= np.float32(transform["scale"])
        elif transform["op"] == "normalize":
            images = (images - np.float32(transform["mean"])) / np.float32(transform["std"])
        else:
            raise SystemExit(f"the benchmark knows no transform {transform['op']}")
    return images, read_idx(folder, f"{part}-labels-idx1-ubyte").astype(np.int64)


def train_to_target(model, batch, device, folder, seeds):
    """Yields a result for each seed. TF32 is on: it is PyTorch's faster way."""
    import torch
    from torch_layers import build

    allow_tf32(True)
    images, labels = (torch.from_numpy(a).to(device)
                      for a in read_mnist(model, folder, "train"))
    test, expected = (torch.from_numpy(a).to(device)
                      for a in read_mnist(model, folder, "t10k"))
    steps = len(images) // batch
    criterion = torch.nn.CrossEntropyLoss()
    network = build(model).to(device)
    sgd = torch.optim.SGD(network.parameters(), lr=model.learning_rate,
                          momentum=model.momentum, fused=True)
    order = torch.zeros(steps, batch, dtype=torch.int64, device=device)
    position = torch.zeros(1, dtype=torch.int64, device=device)

    def work():
        rows = order.index_select(0, position).view(-1)
        sgd.zero_grad(set_to_none=False)
        criterion(network(images.index_select(0, rows)), labels.index_select(0, rows)).backward()
        sgd.step()
        position.add_(1)

    if device == "cuda":
        graph, _ = capture(work)
        run, wait = graph.replay, torch.cuda.synchronize
    else:
        work()
        run, wait = work, lambda: None

    for seed in range(1, seeds + 1):
        torch.manual_seed(seed)
        with torch.no_grad():
            for ours, drawn in zip(network.parameters(), build(model).parameters()):
                ours.copy_(drawn)
            for state in sgd.state.values():
                state["momentum_buffer"].zero_()
        seconds, accuracy, epoch = 0.0, 0.0, 0
        while accuracy < TARGET and epoch < MAX_EPOCHS:
            wait()
            begin = time.perf_counter()
            shuffled = torch.randperm(len(images), device=device)
            order.copy_(shuffled[:steps * batch].view(steps, batch))
            position.zero_()
            for _ in range(steps):
                run()
            wait()
            seconds += time.perf_counter() - begin
            epoch += 1
            with torch.no_grad():
                hits = sum((network(i).argmax(1) == l).sum().item()
                           for i, l in zip(test.split(2000), expected.split(2000)))
            accuracy = hits / len(test)
        yield {"seed": seed, "seconds": seconds if accuracy >= TARGET else None,
               "epochs": epoch, "accuracy": accuracy, "torch": torch.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("framework", choices=["torch", "jax", "torch-mnist"])
    parser.add_argument("model")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--mnist", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=10)
    arguments = parser.parse_args()
    model = ModelFile(arguments.model)
    if arguments.framework == "torch-mnist":
        for result in train_to_target(model, arguments.batch, arguments.device,
                                      arguments.mnist, arguments.seeds):
            print(json.dumps(result), flush=True)
        return
    make = torch_variants if arguments.framework == "torch" else jax_variants
    # On a CPU, to try this out, a chunk of steps takes seconds.
    calls = CHUNK if arguments.device == "cuda" else 2
    serve(lambda: make(model, arguments.batch, arguments.device), calls,
          warmup=WARMUP, least=LEAST)


if __name__ == "__main__":
    main()
