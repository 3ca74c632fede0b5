#!/usr/bin/env python3
"""Training with a loss scale for each of three groups of layers, held to PyTorch.

  loss_scale_group.py data FOLDER                    writes the data of Inputs/loss-scale-group.json
  loss_scale_group.py good FOLDER                    the same without the steps that overflow
  loss_scale_group.py golden                         prints loss_scale_group.json
  loss_scale_group.py check METRICS WEIGHTS STATE    compares a run with loss_scale_group.json
  loss_scale_group.py rule METRICS GROUPS            holds the scales of any run to their formula

A step has 8 samples. One sample of step 5 is infinite when the model has rescaled it: all groups
overflow. One of steps 8, 9 and 12 weighs 2^113 times as much as others: in single precision the
gradients of the first group are infinite by its scale of 2^24, while the others, with smaller
scales, are finite. A group overflows where the largest gradient that PyTorch finds, times the
group's scale, is above what single precision holds, by a factor of 8 or more on either side.
Steps in which a group overflows are left out. The scales follow their formula, from the upper limit
for the first group and from the lower one for the last.

`golden` needs numpy and torch (Debian: python3-torch); all else needs neither.
"""

import pathlib
import random
import struct
import sys

from trainings import (as_float32, compare, draw_dense, pair_weights, print_golden, read_events,
                       read_golden, read_model, run_command, train_exactly, write_data)

sys.path.append(str(pathlib.Path(__file__).parents[2]))
from data_files import read_header  # noqa: E402: from the folder above

MODEL = read_model("loss-scale-group")
POINT, CLASSES, WINDOW, STEPS = 6, 5, 8, 14
INFINITE, HEAVY = {5: 0}, {8: 7, 9: 2, 12: 5}
RESCALE = MODEL["data"]["transforms"][0]["scale"]
GROUPS = ("stem", "inner", "head")
LARGEST = float.fromhex("0x1.fffffep127")


def next_scale(scale, overflows):
    return min(max(scale * 2 ** (-0.5 if overflows else 0.001), 1.0), 2.0 ** 24)


def samples(split, leaves_out=False):
    draw, drawn = random.Random(split), []
    for step in range(1, {"train": STEPS, "test": 1}[split] + 1):
        for number in range(WINDOW):
            point = [as_float32(draw.uniform(-2, 2)) for _ in range(POINT)]
            label = max(range(CLASSES), key=lambda c: point[c] * (c + 1) + draw.gauss(0, 1))
            weight = as_float32(draw.uniform(0.5, 2))
            if split == "train" and step in INFINITE | HEAVY and leaves_out:
                continue
            if split == "train" and INFINITE.get(step) == number:
                point = [3e38] * POINT
            else:
                point = [value / RESCALE for value in point]
            if split == "train" and HEAVY.get(step) == number:
                weight = 2.0 ** 113
            drawn.append((point, label, weight))
    return drawn


def make_golden():
    import torch
    from torch.nn import functional as F

    def forward(w, x):
        act = torch.tanh(F.linear(x, w["stem.weight"], w["stem.bias"]))
        inner = F.linear(act, w["inner.weight"], w["inner.bias"]) + act
        return F.linear(inner, w["head.weight"], w["head.bias"]) + act

    def find_overflows(step, w, divisor, scales):
        if step in INFINITE:
            return [True] * len(GROUPS)
        overflows = []
        for group, scale in zip(GROUPS, scales):
            largest = max(value.grad.abs().max().item() for name, value in w.items()
                          if name.startswith(group)) * divisor * scale
            assert not LARGEST / 8 < largest < LARGEST * 8, (step, group, largest)
            overflows.append(largest > LARGEST)
        return overflows

    def train(start, dtype):
        """Losses, norms, None in steps that are not applied; weights; scales; overflows."""
        points, labels, weights = zip(*samples("train"))
        x, t = torch.tensor(points, dtype=torch.float64) * RESCALE, torch.tensor(labels)
        x, weight = x.to(dtype), torch.tensor(weights, dtype=dtype)
        w = {name: torch.tensor(value).to(dtype).requires_grad_() for name, value in start.items()}
        recipe, losses, norms, counts = MODEL["optimizer"], [], [], [0] * len(GROUPS)
        optimizer = torch.optim.SGD(w.values(), recipe["learning_rate"], recipe["momentum"])
        scales = [MODEL["boost"]["loss_scale_group"]["initial"]]
        overflowed = []
        for step in range(1, STEPS + 1):
            part = slice((step - 1) * WINDOW, step * WINDOW)
            optimizer.zero_grad()
            terms = F.cross_entropy(forward(w, x[part]), t[part], reduction="none")
            divisor = weight[part].sum()
            loss = (weight[part] * terms).sum() / divisor
            loss.backward()
            overflows = find_overflows(step, w, divisor.item(), scales[-1])
            scales.append([next_scale(*pair) for pair in zip(scales[-1], overflows)])
            counts = [count + found for count, found in zip(counts, overflows)]
            overflowed.append(counts)
            if any(overflows):
                losses.append(None)
                norms.append(None)
                continue
            losses.append(loss.item())
            norms.append(torch.nn.utils.clip_grad_norm_(
                w.values(), MODEL["train"]["clip_norm"]).item())
            optimizer.step()
        return losses, norms, {name: value.detach().flatten().tolist()
                               for name, value in w.items()}, overflowed

    (losses, norms, weights, overflows), conditioning = train_exactly(train, draw_dense(MODEL, POINT))
    print_golden("loss_scale_group", "loss-scale-group", conditioning=conditioning, losses=losses,
                 norms=norms, weights=weights, overflows=overflows)


def check_scales(steps, overflows):
    """Scales are those of their formula, rounded twice a step in single precision."""
    used = [step["loss_scale"] for step in steps]
    if [step["overflows"] for step in steps] != overflows:
        sys.exit(f"overflows are {[step['overflows'] for step in steps]}, expected {overflows}")
    for group, scale in enumerate(used[0]):
        before = 0
        for number, counts in enumerate(overflows):
            found = used[number][group]
            if not abs(found - scale) <= number * 2.0 ** -23 * scale:
                sys.exit(f"scale {group + 1} of step {number + 1} is {found}, expected {scale}")
            scale = next_scale(scale, counts[group] > before)
            before = counts[group]
        yield scale


def check(metrics, weights, state):
    golden = read_golden("loss_scale_group")
    steps, _ = read_events(metrics)
    if steps[0]["loss_scale"] != MODEL["boost"]["loss_scale_group"]["initial"]:
        sys.exit(f"the first scales are {steps[0]['loss_scale']}")
    last = list(check_scales(steps, golden["overflows"]))
    header, data = read_header(state)
    content = pathlib.Path(state).read_bytes()

    def read_state(name, code):
        begin, end = header[name]["data_offsets"]
        return struct.unpack(f"<{code}", content[data + begin:data + end])[0]

    for group, scale in enumerate(last, 1):
        found = read_state(f"loss_scale.{group}", "f")
        if not abs(found - scale) <= STEPS * 2.0 ** -23 * scale:
            sys.exit(f"state loss_scale.{group} is {found}, expected {scale}")
        count = read_state(f"loss_scale.{group}.overflows", "q")
        if count != golden["overflows"][-1][group - 1]:
            sys.exit(f"state loss_scale.{group}.overflows is {count}")
    skipped = sum(loss is None for loss in golden["losses"])
    if steps[-1]["skipped"] != skipped:
        sys.exit(f"{steps[-1]['skipped']} steps are skipped, expected {skipped}")
    pairs = []
    for number, (step, loss, norm) in enumerate(
            zip(steps, golden["losses"], golden["norms"], strict=True), 1):
        if loss is not None:
            pairs += [(f"loss of step {number}", step["loss"], loss),
                      (f"gradient norm of step {number}", step["grad_norm"], norm)]
    compare(pairs + pair_weights(weights, golden["weights"]), golden["conditioning"])


def check_rule(metrics, groups):
    """What the counts say of each step is what the scales do, and some step is applied."""
    steps, _ = read_events(metrics)
    overflows = [step["overflows"] for step in steps]
    if any(len(counts) != int(groups) for counts in overflows):
        sys.exit(f"expected {groups} groups, found {overflows[0]}")
    list(check_scales(steps, overflows))
    bad = sum(now != before for now, before in zip(overflows, [[0] * int(groups)] + overflows))
    if bad != steps[-1].get("skipped", 0) or bad == len(steps):
        sys.exit(f"{bad} steps overflow, {steps[-1].get('skipped', 0)} of {len(steps)} are skipped")
    print(f"{len(steps)} steps, overflows {overflows[-1]}")


if __name__ == "__main__":
    run_command(data=lambda folder: write_data(folder, samples, (POINT,)),
                good=lambda folder: write_data(folder, lambda split: samples(split, True), (POINT,)),
                golden=make_golden, check=check, rule=check_rule)
