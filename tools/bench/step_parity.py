"""One step of a program from weights that it draws, compared with PyTorch's from the same weights:
what cifar_parity.py and resnet50_parity.py have in common."""

import json
import subprocess

import numpy as np
import torch

from resnet20_parity import RATE, distances, off, read_safetensors, write_safetensors

COUNTS = "num_batches_tracked"


def torch_step(network, state, images, loss_of, dtype, channels_last=False, threads=2):
    """Loss, gradients and running statistics of a step of `network` from `state`, in float64. `state`
    may lack counts of batches."""
    torch.set_num_threads(threads)
    missing = network.load_state_dict(
        {name: torch.from_numpy(value.copy()) for name, value in state.items()}, strict=False)
    assert not missing.unexpected_keys, missing
    assert all(name.endswith(COUNTS) for name in missing.missing_keys), missing
    layout = torch.channels_last if channels_last else torch.contiguous_format
    network = network.to(dtype).to(memory_format=layout)
    loss = loss_of(network(torch.from_numpy(images).to(dtype).to(memory_format=layout)))
    loss.backward()
    gradients = {name: p.grad.double().contiguous().numpy()
                 for name, p in network.named_parameters()}
    statistics = {name: value.double().numpy() for name, value in network.named_buffers()
                  if not name.endswith(COUNTS)}
    return loss.item(), gradients, statistics


class SteppedProgram:
    """A program in `folder` and the data it trains on. Its optimizer is plain SGD with a rate so large
    that the change of the weights in a step is the gradients, to a rounding."""

    def __init__(self, binaries, folder):
        self.binaries, self.folder, self.program = binaries, folder, folder / "train.so"

    def compile(self, model, *flags):
        optimizer = json.dumps({"type": "sgd", "learning_rate": RATE})
        subprocess.run([self.binaries / "boostc", model, "--target=cpu", "--set",
                        f"optimizer={optimizer}", *flags, "-o", self.program], check=True)

    def write_data(self, images, labels):
        for split, part in (("train", slice(None)), ("test", slice(2))):
            np.save(self.folder / f"{split}_features.npy", images[part])
            np.save(self.folder / f"{split}_labels.npy", labels[part])

    def train(self, *more):
        """Runs the program, and returns the weights that it saves."""
        saved = self.folder / "saved.safetensors"
        subprocess.run([self.binaries / "boost-run", self.program, "--device", "cpu", "--data",
                        f"npy:{self.folder}", "--shuffle", "off", "--epochs", "1", "--no-eval",
                        "--progress", "none", "--save", saved, *more], check=True,
                       capture_output=True)
        return read_safetensors(saved)

    def export(self):
        """The weights that were saved last, under the names of PyTorch's layers."""
        exported = self.folder / "exported.safetensors"
        subprocess.run([self.binaries / "boost-run", "export", self.program, "--ckpt",
                        self.folder / "saved.safetensors", "--names", "torchvision", "-o",
                        exported], check=True, capture_output=True)
        return read_safetensors(exported)

    def step(self, state):
        """Loss and weights after a step from `state`."""
        weights, metrics = self.folder / "weights.safetensors", self.folder / "metrics.jsonl"
        write_safetensors(weights, state)
        after = self.train("--init", weights, "--steps", "1", "--metrics", metrics)
        loss = next(record["loss"] for record in map(json.loads, metrics.open())
                    if record["event"] == "step")
        return loss, after


def compare_step(step_of, state, found_loss, after):
    """How far a step from `state` to `after` is from `step_of(dtype, ...)` in float64, and how far
    PyTorch's own fp32 steps are."""
    loss, exact, statistics = step_of(torch.float64)
    own, own_loss, own_statistics = {name: 0.0 for name in exact}, 0.0, 0.0
    for channels_last in (False, True):
        for threads in (1, 2):
            torch_loss, found, moved = step_of(torch.float32, channels_last, threads)
            own_loss = max(own_loss, abs(torch_loss - loss))
            own_statistics = max(own_statistics,
                                 *(off(moved[name], value) for name, value in statistics.items()))
            for name, value in distances(found, exact).items():
                own[name] = max(own[name], value)
    found = {name: (state[name].astype(np.float64) - after[name]) / RATE for name in exact}
    ours = distances(found, exact)
    ratios = {name: ours[name] / own[name] for name in exact}
    worst = max(ratios, key=ratios.get)
    statistics_error, statistic = max((off(after[name].astype(np.float64), value), name)
                                      for name, value in statistics.items())
    scale = max(1.0, abs(loss))
    return {"torch": torch.__version__, "gradients": len(exact), "loss": loss,
            "loss_error": abs(found_loss - loss) / scale, "torch_loss_error": own_loss / scale,
            "statistics_error": statistics_error, "statistics": statistic,
            "torch_statistics_error": own_statistics, "gradient_ratio": ratios[worst],
            "gradient": worst, "gradient_ratio_median": float(np.median(list(ratios.values())))}
