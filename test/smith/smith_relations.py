#!/usr/bin/env python3
"""Changes random models of boost-smith in ways that must not matter, and trains both.

  smith_relations.py --build DIR [--seed N] [--count N] [--jobs N] [--keep DIR]

boost-smith compares the compiler with its own interpreter, smith_torch.py with a training that is
written from the documents. Both need an oracle. Here a model is compared with another one of which
mathematics says that it computes the same (relations.py): samples, units, features and classes in
another order, a relu layer that is scaled, a dense layer in two halves, a convolution that is a
dense layer, groups that are a weight with blocks of zeros, a branch that adds zero, ranks of
Adasum that exchange their samples. Both are compiled and trained by boost-run from weights that
this script draws. Losses, weights, running statistics or gradients of each step and an evaluation
are compared, those of the changed model in the order and scale of the model.

How far both may be apart is measured with boost-run itself: BEYOND times the largest deviation
among runs of either model from weights and features that are moved by one unit in the last place,
and a few units in the last place of the largest number of the tensor (smith_models.py). Where these
runs deviate by more than CHAOTIC of a tensor, this tensor is left out, and so are all later steps
if weights follow from it. Such a pair counts as compared in part, or as ill-conditioned where not
even a step is left. What a model cannot be changed into is counted with the reason.

Needs neither NumPy nor PyTorch.
"""

import argparse
import collections
import functools
import math
import operator
import pathlib
import random
import shutil
import sys
import tempfile
import traceback

import smith_layers
import smith_orders
from smith_case import Case
from smith_graph import Inapplicable
from smith_models import (CHAOTIC, Finding, add_options, allow, count_text, describe, examine_all,
                          step_of)

RELATIONS = {
    "samples": smith_orders.permute_samples,
    "hidden units": smith_orders.permute_units,
    "features": smith_orders.permute_features,
    "vocabulary": smith_orders.permute_vocabulary,
    "classes": smith_orders.permute_classes,
    "ranks of adasum": smith_orders.exchange_ranks,
    "scaled layer": smith_layers.scale_layer,
    "split dense": smith_layers.split_dense,
    "convolution as dense": smith_layers.convolution_as_dense,
    "dense as convolution": smith_layers.dense_as_convolution,
    "groups": smith_layers.join_groups,
    "zero branch": smith_layers.add_zero_branch,
}


def distance(a, b):
    """The largest between two numbers, infinite where one is not finite."""
    if len(a) != len(b):
        return math.inf
    off = sum(map(abs, map(operator.sub, a, b)))
    return max(map(abs, map(operator.sub, a, b)), default=0.0) if math.isfinite(off) else math.inf


def compare(twin, expected, others, found, changed_others):
    """How many values are compared, how many are left out, and the largest share of a bound."""
    counts, chaotic, share = collections.Counter(), math.inf, 0.0
    is_trained = any(float(expected[name][0]) for name in expected if name.startswith("learning"))
    for name, values in sorted(expected.items(), key=lambda entry: step_of(entry[0])):
        step = step_of(name)
        if name not in found:
            raise Finding(f"{name} is missing")
        if name.startswith(twin.left_out) or all(map(math.isnan, (*values, *found[name]))):
            continue
        largest = max(map(abs, values), default=0.0)
        worst = max((distance(run[name], own[name]) if run else math.inf
                     for own, runs in ((expected, others), (found, changed_others))
                     for run in runs), default=0.0)
        if not twin.is_exact and (worst > CHAOTIC * largest or step > chaotic):
            counts["left out"] += 1
            chaotic = min(chaotic, step) if is_trained else chaotic
            continue
        allowed = 0 if twin.is_exact else allow(name, worst, largest, largest)
        off = distance(values, found[name])
        if not off <= allowed:
            at = max(range(len(values)), key=lambda i: abs(values[i] - found[name][i]))
            raise Finding(f"{name}[{at}] is {found[name][at]:.9g}, without the change "
                          f"{values[at]:.9g}: {off:.3g} away, allowed {allowed:.3g}")
        counts["compared"] += 1
        share = max(share, off / allowed if allowed else 0)
    return counts, share


def check(case, relation):
    """The outcome of one relation, and the largest share of a bound."""
    case.random = random.Random(f"{case.seed} {relation}")
    twin = RELATIONS[relation](case)
    expected, *others = case.base_runs(twin)
    if expected is None or not all(math.isfinite(sum(values)) for name, values in expected.items()
                                   if " of step " not in name):
        raise Inapplicable("not finite")
    found, *changed_others = case.run_all(twin, True, relation.replace(" ", "-"))
    if found is None:
        if None in others or None in changed_others:
            raise Inapplicable("nearly not finite")
        raise Finding("the changed model is not finite")
    counts, share = compare(twin, expected, others, found, changed_others)
    if not counts["left out"]:
        return "compared", share
    is_enough = counts["compared"] >= sum(step_of(name) == 1 for name in expected)
    return "compared in part" if is_enough else "ill-conditioned", share


def examine(binaries, base, keep, relations):
    """(relation, outcome, share of a bound, text) of each of the relations."""
    folder, results = pathlib.Path(tempfile.mkdtemp(prefix="smith-relations-")), []
    try:
        case = Case(binaries, folder, base)
        for relation in relations:
            try:
                results.append((relation, *check(case, relation), ""))
            except Inapplicable as reason:
                results.append((relation, f"left out ({reason})", 0, ""))
            except Finding as finding:
                results.append((relation, "findings", 0, str(finding)))
            except Exception:  # also ours is one that must not be lost
                results.append((relation, "findings", 0, traceback.format_exc()))
        if keep and any(text for _, _, _, text in results):
            shutil.copytree(folder, keep / base.name, dirs_exist_ok=True)
        return results
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description="Compares random models with changed ones.")
    add_options(parser)
    parser.add_argument("--relation", action="append", choices=RELATIONS,
                        help="only this one; may be repeated")
    options = parser.parse_args()
    relations = options.relation or list(RELATIONS)
    outcomes = {relation: collections.Counter() for relation in relations}
    shares, total = dict.fromkeys(relations, 0.0), collections.Counter()
    for base, results in examine_all(options, functools.partial(examine, relations=relations)):
        for relation, outcome, share, text in results:
            outcomes[relation][outcome] += 1
            total[outcome.partition(" ")[0]] += 1
            shares[relation] = max(shares[relation], share)
            if text:
                print(f"seed {base.name}, {relation}: {text}", flush=True)
        if any(text for *_, text in results):
            print(describe(base), flush=True)
    for relation, counts in outcomes.items():
        print(f"{relation}: {count_text(counts)}; up to {shares[relation]:.2g} of a bound")
    print(f"{options.count} models: {total['compared']} pairs compared, "
          f"{total['findings']} findings")
    return 1 if total["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
