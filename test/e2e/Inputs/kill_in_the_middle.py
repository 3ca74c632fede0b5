"""Kills a run after its second checkpoint.

  kill_in_the_middle.py [--stop] DIRECTORY COMMAND...

DIRECTORY is where COMMAND keeps its checkpoints. Fails when the run ends by itself. With
--stop the run is asked to stop, and fails unless it saves and ends with exit code 7.
"""
import pathlib
import signal
import subprocess
import sys
import time

arguments = sys.argv[1:]
stops = arguments[0] == "--stop"
folder, *command = arguments[stops:]
directory = pathlib.Path(folder)
sent, expected = (signal.SIGTERM, 7) if stops else (signal.SIGKILL, -signal.SIGKILL)
run = subprocess.Popen(command)
while run.poll() is None and (not directory.exists() or
                              len(list(directory.glob("*.ckpt"))) < 2):
    time.sleep(0.002)
run.send_signal(sent)
if run.wait() != expected:
    sys.exit(f"exit code {run.returncode}: the run was not {'stopped' if stops else 'killed'}")
