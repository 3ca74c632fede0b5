#!/usr/bin/env python3
"""Trains a model on 1, 2, 4 and 8 ranks and compares the bits of the weights.

  check_rank_bits.py WORK_DIR NAME MODEL [FLAG OF boostc]...

A step has eight micro-batches of two samples, whatever the number of ranks; fifty
steps, over four ends of epochs with windows that are not full. Then the same training
in pieces: a rank, chosen by a fixed rule, is killed five times, and each time another
number of ranks goes on. Fails when a file differs, when a killed run is not reported as
one (exit code 5, or 137 of a job in one process), or when any rank blames another than
the one that was killed. KILLS=N: more kills than five.
"""

import hashlib
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

work, name, model, *flags = sys.argv[1:]
work = pathlib.Path(work, name)
work.mkdir()
STEPS = 50
KILLS = int(os.environ.get("KILLS", 5))
# 12 full windows and one of 3 micro-batches, the last of one sample.
DATA = "digits:train=197,test=20"
BATCH, WINDOW = 2, 8


def program(ranks):
    return work / f"{WINDOW // ranks}.so"


def train(ranks, comm, *more):
    return ["boost-run", program(ranks), "--data", DATA, "--steps", str(STEPS),
            "--no-eval", "--progress", "none", "--device", "cpu", "--threads", "1",
            "--ranks", str(ranks), "--comm", comm, "--check-replicas", "5",
            *map(str, more)]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


for ranks in (1, 2, 4, 8):
    subprocess.run(
        ["boostc", model, *flags, "--target", "cpu", "--threads", "1", "--set",
         f"batch_size={BATCH}", "--boost",
         f"grad_accumulation_step={WINDOW // ranks}", "-o", program(ranks)],
        check=True)

digests = {}
for comm in ("local", "gloo"):
    for ranks in (1, 2, 4, 8):
        save = work / f"{comm}-{ranks}.safetensors"
        subprocess.run(train(ranks, comm, "--save", save), check=True)
        digests[save.name] = digest(save)
expected = digests["local-1.safetensors"]
if set(digests.values()) != {expected}:
    sys.exit(f"{name}: weights differ: {digests}")


def ranks_of(launcher):
    """The job's ranks and their processes."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            environ = (folder / "environ").read_bytes().split(b"\0")
        except (OSError, IndexError):
            continue
        if int(fields[1]) == launcher:
            for variable in environ:
                if variable.startswith(b"BOOSTC_RANK="):
                    found.append((int(variable.split(b"=")[1]), int(folder.name)))
    return sorted(found)


def wrong_blame(rank, process, error):
    """What in the messages names another rank than the one that was killed."""
    if f"error: rank {rank} (pid {process}) was killed by SIGKILL" not in error:
        return "the launcher does not name it"
    for line in error.splitlines():
        blamed = re.search(r"error: rank (\d+)", line)
        if blamed and int(blamed[1]) != rank:
            return line
    return None


choose = random.Random(7)
for comm in ("local", "gloo"):
    folder = work / f"checkpoints-{comm}"
    save = work / f"killed-{comm}.safetensors"
    kills = 0
    for attempt in range(20 * KILLS):
        ranks = choose.choice((2, 4, 8))
        run = subprocess.Popen(
            train(ranks, comm, "--checkpoint-dir", folder, "--checkpoint-every",
                  3, "--save", save),
            stderr=subprocess.PIPE, text=True)
        victim = None
        if kills < KILLS:
            # Until it has got somewhere, so that five kills are in one run.
            before = set(os.listdir(folder)) if folder.exists() else set()
            while run.poll() is None and not (
                    folder.exists() and set(os.listdir(folder)) - before):
                time.sleep(0.002)
            time.sleep(choose.random() * 0.01)
            victims = [(0, run.pid)] if comm == "local" else ranks_of(run.pid)
            if run.poll() is None and victims:
                victim = choose.choice(victims)
                os.kill(victim[1], signal.SIGKILL)
        error = run.communicate()[1]
        if run.returncode == 0:
            break
        wanted = -signal.SIGKILL if comm == "local" else 5
        if victim is None or run.returncode != wanted:
            sys.exit(f"{name}, {comm}: exit code {run.returncode}, expected "
                     f"{wanted}:\n{error}")
        if comm == "gloo" and (wrong := wrong_blame(*victim, error)):
            sys.exit(f"{name}: {victim} was killed: {wrong}\n{error}")
        kills += 1
    if run.returncode != 0 or digest(save) != expected:
        sys.exit(f"{name}, {comm}: {kills} kills, exit code {run.returncode}, "
                 f"weights {digest(save) if save.exists() else 'missing'}, "
                 f"expected {expected}\n{error}")
    print(f"{name}, {comm}: the same bits after {kills} kills")
