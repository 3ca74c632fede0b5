"""Runs an unpacked bundle and checks where its libraries come from.

  run-elsewhere.py BUNDLE BUILD    nothing of BUILD may be used
"""

import json
import os
import pathlib
import re
import subprocess
import sys

bundle, build = (pathlib.Path(path).resolve() for path in sys.argv[1:])
boost_run = bundle / "bin/boost-run"
# LD_DEBUG names every file that is loaded, also later ones.
environment = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": ""}
of_the_machine = re.compile(
    r"(ld-linux[^/]*|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so[.\d]*$")


def run(*arguments, **more):
    return subprocess.run([boost_run, *arguments], env=environment | more, check=True,
                          cwd=bundle, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


print(run("doctor").stdout)
done = run("programs/lenet.so", "--device=sim", "--data=digits:train=80,test=8", "--epochs=1",
           "--no-eval", "--metrics=m.jsonl", LD_DEBUG="files")
events = [json.loads(line) for line in (bundle / "m.jsonl").read_text().splitlines()]
steps = [event for event in events if event["event"] == "step"]
print(f"lenet: {len(steps)} steps")

ours = []
for path in sorted(set(re.findall(r"calling init: (\S+)", done.stderr))):
    path = pathlib.Path(os.path.abspath(bundle / path))
    if bundle in path.parents:
        ours.append(path.name)
    elif not of_the_machine.match(path.name) or build in path.parents:
        sys.exit(f"{path} is not of the bundle")
print("libraries of the bundle:", " ".join(ours))
