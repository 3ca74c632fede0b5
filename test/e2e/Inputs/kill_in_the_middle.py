"""Kills a run after its second checkpoint.

  kill_in_the_middle.py DIRECTORY COMMAND...

DIRECTORY is where COMMAND keeps its checkpoints. Fails when the run ends by itself.
"""
import pathlib
import signal
import subprocess
import sys
import time

directory = pathlib.Path(sys.argv[1])
run = subprocess.Popen(sys.argv[2:])
while run.poll() is None and (not directory.exists() or
                              len(list(directory.glob("*.ckpt"))) < 2):
    time.sleep(0.002)
run.send_signal(signal.SIGKILL)
if run.wait() != -signal.SIGKILL:
    sys.exit(f"exit code {run.returncode}: the run was not killed")
