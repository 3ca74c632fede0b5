"""Checks on a metrics file of boost-run: what an end-to-end test holds a run to.

    check_metrics.py losses  METRICS REFERENCE
        --within X          per step, relative, from PyTorch's fp32 and fp64
        --error-within N    the largest deviation from fp64 is at most N times that of
                            PyTorch's fp32 runs
        --falls-below X     some step's loss does
    check_metrics.py metric  METRICS NAME --at-least X      of the last evaluation
    check_metrics.py memory  METRICS                        measured against the plan

Prints the figure and exits 1 when it does not hold.
"""
import argparse
import json
import sys


def events(path, kind):
    with open(path, encoding="utf-8") as lines:
        found = [event for event in map(json.loads, lines) if event["event"] == kind]
    if not found:
        sys.exit(f"{path}: no {kind} event")
    return found


def check_losses(arguments):
    losses = [event["loss"] for event in events(arguments.metrics, "step")]
    with open(arguments.reference, encoding="utf-8") as file:
        reference = json.load(file)
    if len(losses) != reference["recipe"]["steps"]:
        sys.exit(f"{len(losses)} steps, expected {reference['recipe']['steps']}")
    holds = True
    for precision in ("losses_fp32", "losses_fp64"):
        worst = max(abs(ours - theirs) / abs(theirs)
                    for ours, theirs in zip(losses, reference[precision]))
        print(f"{precision}: largest relative difference {worst:.3g}")
        if arguments.within:
            holds &= worst < arguments.within
    if arguments.error_within:
        # `worst` is against fp64 now. Of PyTorch, the worst of its runs from weights
        # that differ in the last place: the error of one run alone is a draw.
        theirs = reference["conditioning"]["max_relative_loss_deviation"]
        print(f"against fp64: {worst / theirs:.3g} times what PyTorch's fp32 runs deviate")
        holds &= worst <= arguments.error_within * theirs
    if arguments.falls_below:
        print(f"least loss {min(losses):.4g}")
        holds &= min(losses) < arguments.falls_below
    return holds


def check_metric(arguments):
    value = events(arguments.metrics, "eval")[-1][arguments.name]
    print(f"{arguments.name}: {value}")
    return value >= arguments.at_least


def check_memory(arguments):
    end = events(arguments.metrics, "end")[-1]
    planned, measured = end["planned_bytes"], end["peak_bytes"]
    print(f"planned {planned}, measured {measured}")
    return planned > 0 and abs(measured - planned) <= 0.01 * planned + 4 * 2**20


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    losses = commands.add_parser("losses")
    losses.add_argument("metrics")
    losses.add_argument("reference")
    losses.add_argument("--within", type=float)
    losses.add_argument("--error-within", type=float)
    losses.add_argument("--falls-below", type=float)
    losses.set_defaults(check=check_losses)
    metric = commands.add_parser("metric")
    metric.add_argument("metrics")
    metric.add_argument("name")
    metric.add_argument("--at-least", type=float, required=True)
    metric.set_defaults(check=check_metric)
    memory = commands.add_parser("memory")
    memory.add_argument("metrics")
    memory.set_defaults(check=check_memory)
    arguments = parser.parse_args()
    return 0 if arguments.check(arguments) else 1


if __name__ == "__main__":
    sys.exit(main())
