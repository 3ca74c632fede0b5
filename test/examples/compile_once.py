#!/usr/bin/env python3
"""boostc for scripts that compile the same several times: the servers of a job, run.sh again.

  compile_once.py BOOSTC DIR ARGUMENT...

DIR keeps what BOOSTC has made of the same arguments and files, and what it has said.
"""

import fcntl
import hashlib
import pathlib
import shutil
import subprocess
import sys

boostc, directory, *arguments = sys.argv[1:]
if "-o" not in arguments:
    sys.exit(subprocess.run([boostc, *arguments]).returncode)
output = arguments.index("-o") + 1
key = hashlib.sha256()
for index, argument in enumerate(arguments):
    if index == output:
        continue
    path = pathlib.Path(argument)
    if path.is_file():  # whatever way a script has come to it
        key.update(str(path.resolve()).encode() + b"\0" + path.read_bytes() + b"\0")
    else:
        key.update(argument.encode() + b"\0")
kept = pathlib.Path(directory, key.hexdigest())
# Servers compile at the same time.
with open(pathlib.Path(directory, "lock"), "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX)
    if not kept.exists():
        done = subprocess.run([boostc, *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            print(done.stdout, end="")
            sys.exit(done.returncode)
        kept.mkdir()
        (kept / "said").write_text(done.stdout)
        shutil.copy(arguments[output], kept / "program")
print((kept / "said").read_text(), end="")
shutil.copy(kept / "program", arguments[output])
