#!/usr/bin/env python3
"""Peak memory of a training step of nets on this CPU: boostc and PyTorch.

Each is a process of its own that makes a few steps, nearly the same ones (net_step.py). Of
boost-run the whole process counts: what it is resident with at most, with its code and libraries.
Of PyTorch what it is resident with beyond what it was before it made the network, when libraries
were loaded and batches made. Results that --json has already are not measured again.

  /tmp/bench-venv/bin/python tools/bench/peak_memory.py --build build --net resnet50 --batches 16 \\
      --json memory.jsonl

Nets and the environment are those of net_step.py. Never needed to build or test.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from net_step import NETS, compile_program, torch_variants

STEPS = 3


def resident(field):
    """Bytes: VmRSS is what is resident now, VmHWM what was at most."""
    for line in pathlib.Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def work(net, batch, variant, threads, dtype):
    """As PyTorch's process: prints its bytes and its version."""
    variants, versions = torch_variants(net, batch, threads, dtype)
    before = resident("VmRSS")
    step, wait = variants[variant]()
    for index in range(STEPS):
        wait(step(index))
    print(json.dumps({"bytes": resident("VmHWM") - before, "before": before,
                      "versions": versions}))


def measure_torch(net, batch, variant, arguments):
    command = [sys.executable, __file__, "--worker", variant, "--net", net, "--batches", str(batch),
               "--threads", str(arguments.threads), "--dtype", arguments.dtype, "--json", os.devnull]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure_program(build, program, threads):
    """The peak of the whole process."""
    command = [build / "bin/boost-run", "bench", program, "--device", "cpu", "--threads",
               str(threads), "--steps", str(STEPS), "--warmup", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))}: failed")
    return {"bytes": usage.ru_maxrss * 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--net", nargs="+", choices=NETS, default=["resnet50"])
    parser.add_argument("--batches", type=int, nargs="+", default=[16])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", choices=["f32", "bf16"], default="f32")
    parser.add_argument("--variants", nargs="+",
                        default=["eager", "eager, channels-last", "compile"])
    parser.add_argument("--json", type=pathlib.Path, required=True, help="results, line by line")
    parser.add_argument("--worker", metavar="VARIANT", help="be PyTorch's process")
    arguments = parser.parse_args()
    if arguments.worker:
        work(arguments.net[0], arguments.batches[0], arguments.worker, arguments.threads,
             arguments.dtype)
        return

    known = set()
    if arguments.json.exists():
        for line in arguments.json.read_text(encoding="utf-8").splitlines():
            known.add(tuple(json.loads(line)[key]
                            for key in ("net", "batch", "threads", "dtype", "system")))
    with tempfile.TemporaryDirectory() as folder, \
            arguments.json.open("a", encoding="utf-8") as file:
        for net in arguments.net:
            for batch in arguments.batches:
                for system in ("boostc", *arguments.variants):
                    key = (net, batch, arguments.threads, arguments.dtype, system)
                    if key in known:
                        continue
                    if system == "boostc":
                        program = pathlib.Path(folder) / f"{net}-{batch}.so"
                        compile_program(arguments.build, net, batch, arguments.threads, program,
                                        arguments.dtype)
                        found = measure_program(arguments.build, program, arguments.threads)
                    else:
                        found = measure_torch(net, batch, system, arguments)
                    line = dict(zip(("net", "batch", "threads", "dtype", "system"), key)) | found
                    line |= {"date": time.strftime("%Y-%m-%d")}
                    file.write(json.dumps(line) + "\n")
                    file.flush()
                    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
