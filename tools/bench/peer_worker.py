"""What the workers of the benchmarks share: batches, timing, and the conversation
with the script that started them.

A worker prints one JSON line {"versions": ..., "variants": [...], "failed": {...}} when
all variants have compiled and run, then answers each line "VARIANT SECONDS" with one JSON
line {"median_ms", "min_ms", "steps"}. It sleeps between the requests.

A variant is a pair of functions: step(index), which may return before its work is done, and
wait(result). Where one call is several steps, `step.steps` says how many; `step.prepare()` is
called, where there is one, before steps are timed.
"""

import json
import os
import statistics
import subprocess
import sys
import time

BATCHES = 3  # as boost-run bench


class Peer:
    """A worker as a script on the CPU sees it that started it, with its variants compiled.
    `name` is what messages call it."""

    def __init__(self, name, script, *arguments):
        command = [str(argument) for argument in (sys.executable, script, *arguments)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{name} did not start: run {' '.join(command)} to see why")
        self.ready = json.loads(line)
        for variant, error in self.ready["failed"].items():
            print(f"{name}, {variant}: {error}", file=sys.stderr)

    def measure(self, variant, seconds):
        self.process.stdin.write(f"{variant} {seconds}\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def random_batches(model, batch):
    import numpy as np

    random = np.random.default_rng(1)
    return [(random.standard_normal((batch, *model.shape), dtype=np.float32),
             random.integers(0, model.classes, batch)) for _ in range(BATCHES)]


def time_chunk(step, wait, start, calls):
    """Milliseconds of a step, over `calls` calls between two waits."""
    begin = time.perf_counter()
    for index in range(start, start + calls):
        result = step(index)
    wait(result)
    return (time.perf_counter() - begin) * 1e3 / (calls * getattr(step, "steps", 1))


def measure(step, wait, seconds, calls, warmup=0, least=0):
    """Times of chunks for so many seconds, after a fifth of it to warm up; at least
    `warmup` steps before, and `least` steps timed."""
    getattr(step, "prepare", lambda: None)()
    size = calls * getattr(step, "steps", 1)
    warm, end, times = time.monotonic() + seconds / 5, None, []
    start = 0
    while end is None or time.monotonic() < end or len(times) * size < least:
        times.append(time_chunk(step, wait, start, calls))
        start += calls
        if end is None and time.monotonic() >= warm and len(times) * size >= warmup:
            end, times = time.monotonic() + seconds, []
    return {"median_ms": statistics.median(times), "min_ms": min(times),
            "steps": len(times) * size}


def serve(prepare, calls, **limits):
    """`prepare()` gives the makers of variants by name and the versions. `calls` are the
    calls of a chunk, `limits` those of measure()."""
    # What frameworks print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    makers, versions = prepare()
    ready, failed = {}, {}
    for name, maker in makers.items():
        try:
            step, wait = maker()
            time_chunk(step, wait, 0, calls)
            ready[name] = step, wait
        except Exception as error:  # one variant that a framework cannot do is a result too
            failed[name] = str(error).splitlines()[0] if str(error) else repr(error)
    print(json.dumps({"versions": versions, "variants": list(ready), "failed": failed}),
          file=answers)
    for line in sys.stdin:
        name, seconds = line.rstrip("\n").rsplit(" ", 1)
        print(json.dumps(measure(*ready[name], float(seconds), calls, **limits)),
              file=answers)
