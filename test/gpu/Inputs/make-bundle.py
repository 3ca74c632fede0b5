"""Makes a bundle whose boost-run claims a GPU and runs on the simulated one instead.

  make-bundle.py FOLDER BOOSTC_RUN PROGRAM...

FAKE_GPU= (empty): there is no GPU; FAKE_GPUS=n: there are n. FAKE_SCALE=x: weights from the
GPU are x times as large. FAKE_RANDOM=1: they differ from run to run. FAKE_LOSS=null: the
losses of the GPU. FAKE_EXIT=n: runs on the GPU end so. FAKE_NCCL= (empty): there is no NCCL; in
its place ranks speak as simulated GPUs do. FAKE_OTHER=1: those ranks have another seed.
FAKE_SUITE: what the tests of transports print. A compute-sanitizer lies in FOLDER/sanitizer; FAKE_SANITIZER is what it prints before it runs
the program.
"""

import json
import pathlib
import shutil
import sys

BOOSTC_RUN = '''#!{python}
import array, json, os, re, struct, subprocess, sys, time
arguments, real = sys.argv[1:], {boost_run!r}
value = lambda flag: next(a.split("=", 1)[1] for a in arguments if a.startswith(flag + "="))
if arguments[0] == "doctor":
    gpu = os.environ.get("FAKE_GPU", "NVIDIA Fake")
    print(json.dumps({{"driver": {{"works": True, "cuda": "13.0"}} if gpu else
                      {{"works": False, "failure": "this machine is made up"}},
                      "gpus": [{{"name": gpu, "architecture": 90, "usable": True}}]
                      * (int(os.environ.get("FAKE_GPUS", 1)) if gpu else 0),
                      "files": [{{"name": "libnccl.so.2", "path": "made/up"}}
                                if os.environ.get("FAKE_NCCL", "1") else
                                {{"name": "libnccl.so.2", "failure": "not found"}}]}}))
    sys.exit()
if "--device=cuda" not in arguments:
    sys.exit(subprocess.run([real, *arguments]).returncode)
if "FAKE_EXIT" in os.environ:
    sys.exit("boost-run: error: made up" if os.environ["FAKE_EXIT"] == "1" else 0)
arguments[arguments.index("--device=cuda")] = "--device=sim"
if "--comm=nccl" in arguments:
    arguments[arguments.index("--comm=nccl")] = "--comm=auto"
    if "FAKE_OTHER" in os.environ:
        arguments[arguments.index("--seed=1")] = "--seed=2"
if "FAKE_ALONE" in os.environ and "--epochs=1000000" in arguments:
    open(value("--metrics"), "w").write('{{"event":"step"}}')
    sys.exit(time.sleep(60))
status = subprocess.run([real, *arguments]).returncode
if status or not any(a.startswith("--save=") for a in arguments):
    sys.exit(status)
content = open(value("--save"), "rb").read()
start = 8 + struct.unpack_from("<Q", content)[0]
weights = array.array("f", content[start:])
scale = float(os.environ.get("FAKE_SCALE", 1))
if "FAKE_RANDOM" in os.environ:
    scale += int.from_bytes(os.urandom(2), "little") * 1e-11 + 1e-7
if scale != 1:
    weights = array.array("f", [w * scale for w in weights])
open(value("--save"), "wb").write(content[:start] + weights.tobytes())
if "FAKE_LOSS" in os.environ:
    text = open(value("--metrics")).read()
    text = re.sub('"loss":[^,]*', '"loss":' + os.environ["FAKE_LOSS"], text)
    open(value("--metrics"), "w").write(text)
'''
SUITE = '''#!{python}
import os, sys
print(os.environ.get("FAKE_SUITE", "[  PASSED  ] 12 tests.|[  SKIPPED ] 3 tests, listed below:")
      .replace("|", chr(10)))
sys.exit("FAKE_SUITE" in os.environ)
'''
SANITIZER = '''#!{python}
import os, subprocess, sys
command = sys.argv[sys.argv.index("all") + 1:]
tool = sys.argv[sys.argv.index("--tool") + 1]
name = "RACECHECK" if tool == "racecheck" else "ERROR"
text = os.environ.get("FAKE_SANITIZER", "========= " + name + " SUMMARY: 0 errors")
print("========= COMPUTE-SANITIZER")
print(text.replace("|", chr(10)))
sys.exit(subprocess.run(command).returncode)
'''

folder, boost_run, *programs = map(pathlib.Path, sys.argv[1:])
files = {"bin/boost-run": BOOSTC_RUN, "bin/comm-test": SUITE,
         "sanitizer/compute-sanitizer": SANITIZER}
for name, text in files.items():
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(python=sys.executable, boost_run=str(boost_run)))
    path.chmod(0o755)
(folder / "programs").mkdir()
for program in programs:
    shutil.copy(program, folder / "programs")
(folder / "bundle.json").write_text(json.dumps(
    {"programs": [{"file": f"programs/{program.name}"} for program in programs]}))
