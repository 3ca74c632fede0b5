#!/usr/bin/env python3
"""Runs every kind of test of a build and adds up the single tests.

Kinds:
  unit  GoogleTest programs: all executables in BUILD/test/unit
  lit   lit tests below BUILD/test/lit
  e2e   of both, those that are named e2e: programs `e2e-*`, lit tests `e2e/...`
  quick all of unit, and the lit tests of the compiler and the dialects

The last line is `N passed, M failed, K skipped`. A program that crashes, hangs or
gives no results is one failed test more. A kind of which nothing ran is a
failure too: an empty suite is a broken build, not a success.
"""

import argparse
import concurrent.futures
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

KINDS = ("unit", "lit", "e2e")
QUICK, QUICK_LIT = "quick", "(^|/| )(compiler|dialects)/"
LIT = "/usr/lib/llvm-22/bin/lit"
UNIT_LIMIT, LIT_LIMIT = 900, 3600  # seconds
# Programs whose ranks mostly wait for each other, and the parts they run in: they take no CPU from
# the others.
WAITING = {"comm-test": 4}
# Parameters in a part of a program; those that are named e2e compile for each.
PARAMETERS, E2E_PARAMETERS = 500, 40
LIT_PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
LIT_SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


class Tally:
    """Single tests by outcome, and the names of those that failed."""

    def __init__(self):
        self.passed, self.skipped, self.failed, self.failures = 0, 0, 0, []

    def fail(self, name):
        self.failed += 1
        self.failures.append(name)

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def run(command, limit, output=None):
    """Exit status; None when the time limit was hit. What it prints may go to a file, which
    unlike a pipe does not have to wait for processes that it leaves behind."""
    try:
        return subprocess.run(command, timeout=limit, stdout=output,
                              stderr=output and subprocess.STDOUT).returncode
    except subprocess.TimeoutExpired:
        return None


def unit_programs(build, kind):
    directory = build / "test" / "unit"
    programs = sorted(path for path in directory.glob("*")
                      if path.is_file() and os.access(path, os.X_OK))
    return [path for path in programs
            if path.name.startswith("e2e-") == (kind == "e2e")]


def add_gtest_results(tally, program, results):
    """Adds a report of --gtest_output=json; returns whether a test failed."""
    any_failed = False
    for suite in results["testsuites"]:
        for test in suite["testsuite"]:
            if test["status"] == "NOTRUN" or test["result"] == "SUPPRESSED":
                continue
            if test["result"] == "SKIPPED":
                tally.skipped += 1
            elif test.get("failures"):
                any_failed = True
                tally.fail(f"{program}: {suite['name']}.{test['name']}")
            else:
                tally.passed += 1
    return any_failed


def divide(program):
    """The tests of a program in parts that run on their own. Tests of a parameter stay
    together: they share what is compiled for it."""
    listed = subprocess.run([program, "--gtest_list_tests"], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    suite, tests = "", {}
    for line in listed.splitlines():
        name = line.split("#")[0].rstrip()
        if not line.startswith("  "):
            suite = name
        else:
            test, _, parameter = name.strip().partition("/")
            tests.setdefault((suite, parameter or test), []).append(suite + name.strip())
    groups = list(tests.values())
    size = E2E_PARAMETERS if program.name.startswith("e2e-") else PARAMETERS
    parts = max(WAITING.get(program.name, 1), math.ceil(len(groups) / size))
    return [list(itertools.chain(*groups[part::parts])) for part in range(parts)]


def run_part(program, tests, limit):
    """Exit status, the report, which is null where it is missing or damaged, and what it prints."""
    with tempfile.TemporaryDirectory() as directory:
        report, flags, output = (pathlib.Path(directory) / name
                                 for name in ("report.json", "flags", "output"))
        # In a file, which may be longer than a command line.
        flags.write_text("--gtest_filter=" + (":".join(tests) or "*"))
        with output.open("w") as file:
            status = run([program, "--gtest_brief=1", f"--gtest_flagfile={flags}",
                          f"--gtest_output=json:{report}"], limit, file)
        printed = output.read_text(errors="replace")
        try:
            results = json.loads(report.read_text())
            return status, results if "testsuites" in results else None, printed
        except (OSError, ValueError):
            return status, None, printed


def run_units(programs, limit, until_failure=False):
    """Runs programs, each with the tally for it, on all CPUs; one prints what it has to say
    when it has ended. `until_failure` begins none after a failure. Those that mostly wait run
    at the same time as the others."""
    jobs = [(program, tests, tally) for program, tally in programs for tests in divide(program)]
    waiting = [job for job in jobs if job[0].name in WAITING]
    computing = [job for job in jobs if job[0].name not in WAITING]

    def run_job(job):
        began = time.monotonic()
        return job, *run_part(job[0], job[1], limit), time.monotonic() - began

    pool = concurrent.futures.ThreadPoolExecutor
    with pool(len(waiting) or 1) as waiters, pool(len(os.sched_getaffinity(0))) as computers:
        begun = [waiters.submit(run_job, job) for job in waiting]
        begun += [computers.submit(run_job, job) for job in computing]
        for ended in concurrent.futures.as_completed(begun):
            (program, tests, tally), status, results, output, seconds = ended.result()
            print(f"--- {program.name}: {len(tests)} tests\n{output}{seconds:.0f} s", flush=True)
            if results is None:
                ending = "timed out" if status is None else f"ended with status {status}"
                tally.fail(f"{program.name}: {ending} without results")
            elif not add_gtest_results(tally, program.name, results) and status != 0:
                tally.fail(f"{program.name}: its tests passed, but it ended with {status}")
            if until_failure and tally.failed:
                for executor in (waiters, computers):
                    executor.shutdown(wait=False, cancel_futures=True)
                return


def run_lit(build, lit, options, limit, output=None):
    """Exit status of lit and the outcomes of its tests, each a path below the suite's root and
    a code; null where its report is missing or damaged."""
    command = [lit, "-v", "--no-progress-bar", "--time-tests", *options]
    with tempfile.TemporaryDirectory() as directory:
        report = pathlib.Path(directory) / "report.json"
        status = run(command + ["-o", str(report), str(build / "test" / "lit")], limit, output)
        if status == 0 and not report.exists():
            return status, []  # the filter left nothing; the caller notices
        try:
            # "suite :: path/of/test.mlir"
            return status, [(test["name"].split(" :: ", 1)[-1], test["code"])
                            for test in json.loads(report.read_text())["tests"]]
        except (OSError, ValueError):
            return status, None


def run_lit_kinds(build, lit, tallies, limit, is_quick):
    # Each kind on its own is asked for by name, so that it alone is run.
    options = []
    if is_quick:
        options = ["--filter", QUICK_LIT]
    elif "e2e" not in tallies:
        options = ["--filter-out", "(^|/| )e2e/"]
    if "lit" not in tallies:
        options = ["--filter", "(^|/| )e2e/", "--allow-empty-runs"]
    status, results = run_lit(build, lit, options, limit)
    if results is None:
        next(iter(tallies.values())).fail(f"lit ended with {status}, no results")
        return
    any_failed = False
    for path, code in results:
        kind = "e2e" if "e2e" in pathlib.PurePath(path).parts[:-1] else "lit"
        if kind not in tallies:
            continue
        if code in LIT_PASSED:
            tallies[kind].passed += 1
        elif code in LIT_SKIPPED:
            tallies[kind].skipped += 1
        else:
            any_failed = True
            tallies[kind].fail(f"{path}: {code}")
    if status != 0 and not any_failed:
        next(iter(tallies.values())).fail(f"lit ended with status {status}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--lit", default=LIT)
    parser.add_argument("--limit", type=int, default=UNIT_LIMIT,
                        help="seconds a program may take (%(default)s)")
    parser.add_argument("--lit-limit", type=int, default=LIT_LIMIT,
                        help="seconds all tests of lit may take (%(default)s)")
    parser.add_argument("kinds", nargs="*", metavar="KIND",
                        help=f"{', '.join(KINDS)}, or {QUICK} alone; default: all but {QUICK}")
    arguments = parser.parse_args()
    is_quick = arguments.kinds == [QUICK]
    for kind in arguments.kinds:
        if kind not in KINDS and not is_quick:
            parser.error(f"'{kind}' is none of {', '.join(KINDS)}; {QUICK} stands alone")
    kinds = ("unit", "lit") if is_quick else arguments.kinds or KINDS
    tallies = {kind: Tally() for kind in KINDS if kind in kinds}
    start = time.monotonic()

    run_units([(program, tallies[kind]) for kind in ("unit", "e2e") if kind in tallies
               for program in unit_programs(arguments.build, kind)], arguments.limit)
    lit_kinds = {kind: tallies[kind] for kind in ("lit", "e2e") if kind in tallies}
    if lit_kinds and (arguments.build / "test" / "lit").is_dir():
        print("--- lit", flush=True)
        run_lit_kinds(arguments.build, arguments.lit, lit_kinds, arguments.lit_limit, is_quick)

    total, is_empty = Tally(), False
    for kind, tally in tallies.items():
        print(f"{kind}: {tally}")
        for failure in tally.failures:
            print(f"  FAILED {failure}")
        if tally.passed + tally.failed == 0:
            is_empty = True
            print("  FAILED no test of this kind ran")
        total.passed += tally.passed
        total.failed += tally.failed
        total.skipped += tally.skipped
    print(f"{time.monotonic() - start:.0f} s")
    print(total)
    return 1 if total.failed or is_empty else 0


if __name__ == "__main__":
    sys.exit(main())
