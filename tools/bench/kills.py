#!/usr/bin/env python3
"""Kills a training again and again, resumes it, and compares the weights with those of an
undisturbed run.

  tools/bench/kills.py PROGRAM.so --data SOURCE --kills N [--epochs E] [--every STEPS]

The moments are random, but the same for a seed. Each run resumes the newest checkpoint and is
killed (SIGKILL) between --min-seconds and --max-seconds after its start; after the last kill one runs
to its end. The weights must have the same bits. A line of JSON says what happened; the exit
status is 1 when the bits differ or a run failed by itself.
"""

import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--data", required=True)
    parser.add_argument("--kills", type=int, required=True)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--steps", type=int, help="end after so many, whatever --epochs says")
    parser.add_argument("--every", type=int, default=20, help="steps between checkpoints")
    parser.add_argument("--min-seconds", type=float, default=0.3)
    parser.add_argument("--max-seconds", type=float, default=2.0)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    base = [arguments.build / "bin/boost-run", arguments.program, "--device=cpu",
            f"--data={arguments.data}", f"--epochs={arguments.epochs}", "--no-eval",
            "--progress=none", "--seed=1", f"--ranks={arguments.ranks}"]
    if arguments.steps:
        base.append(f"--steps={arguments.steps}")
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as scratch:
        undisturbed, killed = (pathlib.Path(scratch, name) for name in ("undisturbed", "killed"))
        subprocess.run([*base, f"--save={undisturbed}"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        resuming = [*base, f"--save={killed}", f"--checkpoint-dir={scratch}/checkpoints",
                    f"--checkpoint-every={arguments.every}", "--resume=auto"]
        begin, early = time.monotonic(), 0
        for kill in range(1, arguments.kills + 1):
            process = subprocess.Popen(resuming, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True)
            try:
                _, errors = process.communicate(
                    timeout=draw.uniform(arguments.min_seconds, arguments.max_seconds))
            except subprocess.TimeoutExpired:
                # A checkpoint may be under way, or the start.
                early += not any(pathlib.Path(scratch).glob("checkpoints/*"))
                process.send_signal(signal.SIGKILL)
                process.communicate()
                continue
            if process.returncode == 0:
                sys.exit(f"kills: it ended after {kill - 1} kills; give it more --epochs")
            sys.exit(f"kills: it failed after {kill - 1} kills: {errors.strip()}")
        done = subprocess.run(resuming, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True)
        if done.returncode != 0:
            sys.exit(f"kills: the last run failed: {done.stderr.strip()}")
        same = undisturbed.read_bytes() == killed.read_bytes()
        print(json.dumps({"program": arguments.program.name, "kills": arguments.kills,
                          "before_a_checkpoint": early, "same_bits": same,
                          "seconds": round(time.monotonic() - begin, 1)}))
        sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
