#!/usr/bin/env python3
"""Trains a model on different numbers of threads and compares the bits of the weights.

  check_thread_bits.py WORK_DIR NAME MODEL [FLAG OF boostc]...

Compiled with --reproducible=strict, fifty steps of eight micro-batches have the same
bits on 1, 2 and 3 threads, however ranks share the micro-batches, and so has a program
that was planned for another number. Fails when a file differs. Says how many files differ
without strict: that depends on what oneDNN takes for a CPU (with --cpu=x86-64-v3 some do).
"""

import hashlib
import pathlib
import subprocess
import sys

work, name, model, *flags = sys.argv[1:]
work = pathlib.Path(work, name)
work.mkdir()
WINDOW, BATCH = 8, 16
# 12 full windows and one of 3 micro-batches, the last of one sample.
DATA = f"digits:train={12 * WINDOW * BATCH + 2 * BATCH + 1},test=20"


def program(ranks, planned, level):
    path = work / f"{ranks}-{planned}-{level}.so"
    if not path.exists():
        subprocess.run(
            ["boostc", model, *flags, "--target", "cpu", "--threads", str(planned),
             f"--reproducible={level}", "--set", f"batch_size={BATCH}", "--boost",
             f"grad_accumulation_step={WINDOW // ranks}", "-o", path], check=True)
    return path


def digest(ranks, threads, planned=3, level="strict"):
    save = work / "weights.safetensors"
    subprocess.run(
        ["boost-run", program(ranks, planned, level), "--data", DATA, "--steps", "50",
         "--no-eval", "--progress", "none", "--device", "cpu", "--threads",
         str(threads), "--ranks", str(ranks), "--comm", "local", "--save", save],
        check=True)
    return hashlib.sha256(save.read_bytes()).hexdigest()


found = {(ranks, threads, planned): digest(ranks, threads, planned)
         for ranks, threads, planned in (
             (1, 1, 3), (1, 2, 3), (1, 3, 3), (1, 1, 1), (1, 2, 2), (2, 2, 3),
             (4, 1, 3), (4, 3, 3), (8, 1, 1), (8, 2, 2))}
if len(set(found.values())) != 1:
    sys.exit(f"{name}: weights differ by (ranks, threads, planned for): {found}")
usual = {threads: digest(1, threads, 3, "on") for threads in (1, 2, 3)}
print(f"{name}: {len(found)} runs with the same bits; without strict "
      f"{len(set(usual.values()))} different of {len(usual)}")
