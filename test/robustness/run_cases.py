"""Gives boostc and boost-run wrong inputs and judges the answers (harness.py).

  run_cases.py BUILD [--all] [--show] [--except NAME...] [NAME...]

--all also runs the slow cases; --show prints the answers; NAMEs are patterns of cases. The last
line counts; the exit status is 1 where an answer is not what its case expects, or where one of
KNOWN_POOR has become good.
"""

import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import cases_calls
import cases_files
import cases_flags
import cases_model
import cases_run
import harness

# Answers that are poor, with the reason; at most five.
KNOWN_POOR = {
    "call-memfd_create-measure": "code 1 in place of 2: what is measured is measured in a pass, and a pass that fails "
                                 "has the code of its input",
    "log-dir-on-a-full-disk": "the ranks' words cannot be kept there, and the launcher does not say that the disk is full",
    "empty-name-checkpoints": "cannot make the directory '', with code 6, not that a name is expected",
    "empty-name-logs": "taken as no --log-dir",
}
MAX_KNOWN_POOR = 5

MODEL = """{
  "name": "m",
  "batch_size": 32,
  "epochs": 1,
  "seed": 1,
  "input": {
    "image": { "shape": [1, 28, 28] },
    "label": { "classes": 10 }
  },
  "layers": [
    { "op": "flatten" },
    { "op": "dense", "units": 16 },
    { "op": "relu" },
    { "op": "dense", "units": 10 }
  ],
  "loss": { "op": "softmax_cross_entropy" },
  "metrics": [ { "op": "top_1" } ],
  "optimizer": { "type": "sgd", "learning_rate": 0.1 },
  "data": { "source": "digits:train=640,test=320" }
}
"""


def all_cases():
    cases = [case for module in (cases_calls, cases_files, cases_flags, cases_model, cases_run)
             for case in module.CASES]
    names = [case.name for case in cases]
    assert len(names) == len(set(names)), "two cases of one name"
    return cases


def make_samples(folder, build):
    """What every case finds in its folder: a model, its program, checkpoints, weights."""
    (folder / "m.json").write_text(MODEL)
    env = harness.environment(build, folder)
    env["TMPDIR"] = tempfile.gettempdir()
    for command in ("boostc m.json --target=cpu --threads 1 -o b.so",
                    "boost-run b.so --epochs 3 --checkpoint-dir ck --keep-max 3 --save w.st"):
        subprocess.run(command.split(), cwd=folder, env=env, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def select(cases, options, features):
    """The cases to run; says what is skipped, and why."""
    chosen = []
    for case in cases:
        if any(fnmatch.fnmatch(case.name, name) for name in options.left_out):
            continue
        if options.names and not any(fnmatch.fnmatch(case.name, name) for name in options.names):
            continue
        missing = [features[need] for need in case.needs if features[need]]
        if missing:
            print(f"skipped {case.name}: {', '.join(missing)}")
        elif case.slow and not options.all and not options.names:
            print(f"skipped {case.name}: slow; --all runs it")
        else:
            chosen.append(case)
    return chosen


def show(case, answer):
    lines = [f"$ {case.run.strip()}", f"code {answer.code}"] + answer.text.splitlines()[:40]
    print("\n".join(f"    | {line[:400]}" for line in lines))


def report(results, options):
    counts = {"good": 0, "poor": 0, "crash": 0}
    wrong = 0
    for case, (grade, complaints, answer) in results:
        counts[grade] += 1
        known = case.name in KNOWN_POOR
        if (grade != "good") != known:
            wrong += 1
            print(f"{grade} {case.name}: " + (
                "; ".join(complaints) if not known else "now good; take it out of KNOWN_POOR"))
        elif known:
            print(f"known {case.name}: {KNOWN_POOR[case.name]}")
        if options.show:
            show(case, answer)
    print(f"{len(results)} cases: {counts['good']} good, {counts['poor']} poor, "
          f"{counts['crash']} crashes")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--except", nargs="+", default=[], dest="left_out", metavar="NAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--jobs", type=int, default=min(len(os.sched_getaffinity(0)), 4))
    options = parser.parse_intermixed_args()
    options.build = options.build.resolve()
    if os.geteuid() == 0 and "CASES_OWN_MOUNTS" not in os.environ:
        # Mounts of cases are seen by nothing else.
        os.environ["CASES_OWN_MOUNTS"] = "yes"
        if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0:
            os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])
    assert len(KNOWN_POOR) <= MAX_KNOWN_POOR
    if os.geteuid() == 0:
        tempfile.tempdir = "/tmp"  # lit's own folder is closed to the ordinary users of some cases
    with tempfile.TemporaryDirectory() as folder:
        samples = pathlib.Path(folder)
        make_samples(samples, options.build)
        chosen = select(all_cases(), options, harness.find_features(options.build))
        with ThreadPoolExecutor(options.jobs) as pool:
            results = list(zip(chosen, pool.map(
                lambda case: harness.run_case(case, samples, options.build), chosen)))
    return 1 if report(results, options) else 0


if __name__ == "__main__":
    sys.exit(main())
