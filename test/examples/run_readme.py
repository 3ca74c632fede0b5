#!/usr/bin/env python3
"""Runs every command that an example's README shows, at small scale.

  run_readme.py SOURCE_DIR BUILD_DIR EXAMPLE WORK_DIR

Commands are the lines that begin with "$ " in console blocks. They run in
WORK_DIR, where `examples` and `build` are links to the real ones, with SMALL=1
in the environment, as a reader would type them. Fails when one fails, when
there is none, and when a training or an evaluation prints no result.
"""

import os
import pathlib
import re
import socket
import subprocess
import sys

source, build, example, work = sys.argv[1:]
work = pathlib.Path(work)
work.mkdir(parents=True)
(work / "examples").symlink_to(f"{source}/examples")
(work / "build").symlink_to(build)

readme = pathlib.Path(source, "examples", example, "README.md").read_text(
    encoding="utf-8")
blocks = re.findall(r"^```console\n(.*?)^```", readme, re.S | re.M)
commands = [line[2:] for block in blocks for line in block.splitlines()
            if line.startswith("$ ")]
if not commands:
    sys.exit(f"{example}/README.md shows no command")
# Where ranks of several servers meet; the default port may be another test's.
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = str(probe.getsockname()[1])
for command in commands:
    print(f"$ {command}", flush=True)
    done = subprocess.run(["bash", "-c", command], cwd=work, text=True,
                          env={**os.environ, "SMALL": "1", "MASTER_PORT": port},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {command}")
    if "result: {" not in done.stdout:
        sys.exit(f"no result: {command}")
