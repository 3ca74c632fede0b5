"""Gives boostc and boost-run wrong inputs that a generator makes (wrong_*.py) and judges the
answers as run_cases.py does.

  fuzz.py BUILD [--seed S] [--count N] [--show] [PATTERN...]

N inputs, as many of each kind. The last lines count by kind; the exit status is 1 where there was a
crash or a file was harmed, or where fewer than 97 % are good.
"""

import argparse
import collections
import fnmatch
import os
import pathlib
import random
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import harness
import run_cases
import wrong_files
import wrong_flags
import wrong_models
import wrong_places

BAR = 0.97


def generate(seed, count, patterns):
    rng = random.Random(seed)
    kinds = {}
    for module in (wrong_models, wrong_flags, wrong_files, wrong_places):
        kinds.update(module.generate(rng))
    if patterns:
        return [(kind, case) for kind, cases in kinds.items() for case in cases
                if any(fnmatch.fnmatch(case.name, p) or fnmatch.fnmatch(kind, p) for p in patterns)]
    for cases in kinds.values():
        rng.shuffle(cases)
    chosen = []
    # As many of each as there are, until the number is reached.
    while len(chosen) < count and any(kinds.values()):
        for kind, cases in kinds.items():
            if cases and len(chosen) < count:
                chosen.append((kind, cases.pop()))
    return chosen


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--unlimited", action="store_true", help="in memory, for sanitizers")
    parser.add_argument("--jobs", type=int, default=min(len(os.sched_getaffinity(0)), 4))
    options = parser.parse_intermixed_args()
    options.build = options.build.resolve()
    if options.unlimited:
        harness.MEMORY = 0
    chosen = generate(options.seed, options.count, options.patterns)
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        samples = pathlib.Path(folder)
        run_cases.make_samples(samples, options.build)
        wrong_files.make_samples(samples, options.build)
        with ThreadPoolExecutor(options.jobs) as pool:
            results = pool.map(lambda item: harness.run_case(item[1], samples, options.build), chosen)
            for (kind, case), (grade, complaints, answer) in zip(chosen, results):
                counts[kind][grade] += 1
                harmed = [c for c in complaints if re.search(r" was [-dlcps][-r]", c)]
                counts[kind]["harmed"] += bool(harmed)
                if grade != "good":
                    print(f"{grade} {case.name}: {'; '.join(complaints)}")
                if options.show or grade != "good":
                    run_cases.show(case, answer)
    total = collections.Counter()
    for kind, grades in sorted(counts.items()):
        total += grades
        print(f"{kind}: {grades['good']} of {sum(grades[g] for g in ('good', 'poor', 'crash'))} good")
    number = len(chosen)
    print(f"{number} wrong inputs: {total['good']} good, {total['poor']} poor, {total['crash']} crashes, "
          f"{total['harmed']} harmed files")
    return 1 if total["crash"] or total["harmed"] or total["good"] < BAR * number else 0


if __name__ == "__main__":
    sys.exit(main())
