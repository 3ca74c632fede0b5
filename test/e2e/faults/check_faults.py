"""Lets every call that could fail do so, one after the other, and looks at what is left.

  check_faults.py FAILCALLS.so DIR MODEL [--allocations FIRST,SEEDED] [--seed N] [--only NAME]

DIR is emptied. For each of compiling, --save, checkpoints and --metrics, onto files that exist,
and each of write, fsync, rename, open and close: the k-th call on a file of the output's folder
fails, for every k that a run reaches. Then memory: the first FIRST allocations and SEEDED others.
After every run the old file or the new one is whole, nothing else is in the folder, and the
process has ended by itself with a documented exit code and, when that is not 0, a message.
"""

import argparse
import errno
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

# What each call can fail of, and whether it then goes on failing.
FAULTS = [("write", errno.ENOSPC, False), ("write", errno.ENOSPC, True),
          ("fsync", errno.EIO, False), ("rename", errno.EACCES, False),
          ("open", errno.EACCES, False), ("close", errno.EIO, False)]
MAX_CALLS = 400  # more of one kind would be another program


def digest(path):
    """Of a file, or of all files of a folder."""
    if path.is_dir():
        return [(entry.name, digest(entry)) for entry in sorted(path.iterdir())]
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Scenario:
    """A command that writes below `folder`, which a run finds as prepare() leaves it."""

    def __init__(self, base, name, command, codes, prepare, check):
        self.name, self.command, self.codes = name, command, codes
        self.folder, self.prepare, self.check = base / name, prepare, check
        self.mark, self.count = base / "mark", base / "count"

    def run(self, library, settings):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.prepare(self.folder)
        self.mark.unlink(missing_ok=True)
        environment = {**os.environ, "LD_PRELOAD": library, "FAIL_BELOW": str(self.folder),
                       "FAIL_MARK": str(self.mark), "FAIL_COUNT": str(self.count),
                       **{key: str(value) for key, value in settings.items()}}
        return subprocess.run([str(part) for part in self.command(self.folder)], env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def problem(self, result, codes):
        """What is wrong after a run; None when nothing is."""
        error = result.stderr.decode(errors="replace")
        if result.returncode not in codes:
            return f"ended with {result.returncode}: {error[-600:]}"
        if result.returncode != 0 and "error: " not in error:
            return f"ended with {result.returncode} without a message: {error[-600:]}"
        return self.check(self.folder, result.returncode)


def check_file(name, old, new):
    """A whole file, and no other; of a run that says 0 the new one."""
    def check(folder, code):
        names = sorted(entry.name for entry in folder.iterdir())
        if names != [name]:
            return f"the folder holds {names}"
        found = digest(folder / name)
        if found not in (old, new) or (code == 0 and found != new):
            return f"ended with {code}, and {name} is neither whole nor right"
        return None
    return check


def check_metrics(folder, code):
    names = sorted(entry.name for entry in folder.iterdir())
    if names != ["m.jsonl"]:
        return f"the folder holds {names}"
    text = (folder / "m.jsonl").read_text()
    if text == "old\n" and code != 0:
        return None
    try:
        events = [json.loads(line)["event"] for line in text.splitlines()]
    except (ValueError, KeyError):
        return f"not lines of JSON: {text[-200:]}"
    if not text.endswith("\n") or (code == 0 and events[-1:] != ["end"]):
        return f"ended with {code}, and the lines are incomplete: {text[-200:]}"
    return None


def check_checkpoints(old, new):
    """Checkpoints that count are whole, the old one or the new one."""
    whole = {**old, **new}
    def check(folder, code):
        found = {entry.name: digest(entry) for entry in folder.iterdir() if entry.is_dir()}
        counted = {name: value for name, value in found.items() if not name.startswith(".")}
        if not counted or any(whole.get(name) != value for name, value in counted.items()):
            return f"ended with {code}, and not all of {sorted(counted)} are whole"
        if code == 0 and not new.keys() <= counted.keys():
            return f"ended with 0 without {sorted(new)}"
        # What a process leaves that had no memory to tidy up, the next one removes.
        left = sorted(entry.name for entry in folder.iterdir()
                      if entry.name not in counted and entry.name != ".boost-run.lock"
                      and not (code not in (0, 6) and entry.name.startswith(".saving-")))
        return f"the folder holds {left}" if left else None
    return check


def run_plain(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def scenarios(base, model):
    compile_ = ["boostc", model, "--target=cpu", "--threads=1"]
    train = ["boost-run", base / "program.so", "--no-eval", "--progress=none"]
    run_plain(*compile_, "-o", base / "program.so")
    run_plain(*compile_, "--set", "seed=2", "-o", base / "old.so")
    run_plain(*train, "--epochs=1", "--save", base / "weights.st")
    run_plain(*train, "--epochs=1", "--checkpoint-dir", base / "ck1")
    shutil.copytree(base / "ck1", base / "ck2")
    run_plain(*train, "--checkpoint-dir", base / "ck2")
    stored = [{entry.name: digest(entry) for entry in (base / name).iterdir() if entry.is_dir()}
              for name in ("ck1", "ck2")]

    def copy(source, name):
        return lambda folder: shutil.copy(source, folder / name)

    def copy_checkpoints(folder):
        shutil.copytree(base / "ck1", folder, dirs_exist_ok=True)

    old = digest(base / "old.so")
    yield Scenario(base, "compile", lambda folder: [*compile_, "-o", folder / "x.so"], {0, 2},
                   copy(base / "old.so", "x.so"),
                   check_file("x.so", old, digest(base / "program.so")))
    yield Scenario(base, "save", lambda folder: [*train, "--epochs=1", "--save",
                                                 folder / "w.st"], {0, 6},
                   copy(base / "old.so", "w.st"),
                   check_file("w.st", old, digest(base / "weights.st")))
    yield Scenario(base, "checkpoint", lambda folder: [*train, "--checkpoint-dir", folder], {0, 6},
                   copy_checkpoints, check_checkpoints(*stored))
    yield Scenario(base, "metrics", lambda folder: [*train, "--metrics", folder / "m.jsonl"],
                   {0, 2}, lambda folder: (folder / "m.jsonl").write_text("old\n"), check_metrics)


def check_calls(scenario, library):
    """Every call that a run makes on files; the findings and the number of runs."""
    findings, runs = [], 0
    for kind, number, goes_on in FAULTS:
        for at in range(1, MAX_CALLS):
            result = scenario.run(library, {"FAIL_KIND": kind, "FAIL_AT": at,
                                            "FAIL_ERRNO": number, "FAIL_ON": int(goes_on)})
            runs += 1
            problem = scenario.problem(result, scenario.codes)
            if problem:
                findings.append(f"{scenario.name}: {kind} {at}{' on' * goes_on}: {problem}")
            if not scenario.mark.exists():
                break
        else:
            findings.append(f"{scenario.name}: more than {MAX_CALLS} calls of {kind}")
        if at == 1:
            findings.append(f"{scenario.name}: no call of {kind} was seen")
    return findings, runs


def check_allocations(scenario, library, first, seeded, seed):
    """The first allocations after main() and some of all others."""
    scenario.count.unlink(missing_ok=True)
    scenario.run(library, {"FAIL_KIND": "alloc", "FAIL_AT": 0})
    total = int(scenario.count.read_text())
    chosen = list(range(1, min(first, total) + 1))
    chosen += random.Random(seed).sample(range(1, total + 1), min(seeded, total))
    findings = []
    # Want of memory is an internal error of boostc, whose libraries end it, and a limit of the
    # machine for boost-run; a file that is not read or written for it has the code of that.
    codes = scenario.codes | {1, 2, 3, 8, 70}
    for at in chosen:
        result = scenario.run(library, {"FAIL_KIND": "alloc", "FAIL_AT": at,
                                        "FAIL_ERRNO": errno.ENOMEM})
        # Where a library lets no exception through, the process ends at once, and the next run
        # removes what it leaves.
        if result.stderr.endswith(b"error: out of memory\n"):
            for left in scenario.folder.glob(".saving-*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
        problem = scenario.problem(result, codes)
        if problem:
            findings.append(f"{scenario.name}: allocation {at} of {total}: {problem}")
    return findings, len(chosen)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--allocations", default="100,200", metavar="FIRST,SEEDED")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only")
    options = parser.parse_args()
    first, seeded = map(int, options.allocations.split(","))
    base = options.directory.resolve()
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir(parents=True)
    library = str(options.library.resolve())
    findings = []
    for scenario in scenarios(base, options.model.resolve()):
        if options.only and scenario.name != options.only:
            continue
        found, runs = check_calls(scenario, library)
        more, allocations = check_allocations(scenario, library, first, seeded, options.seed)
        print(f"{scenario.name}: {runs} failing calls, {allocations} failing allocations, "
              f"{len(found) + len(more)} findings", flush=True)
        findings += found + more
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
