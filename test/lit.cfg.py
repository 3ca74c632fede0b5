# lit.cfg.py - the lit suite: textual IR (.mlir) and command lines (.test), in
# folders that mirror the source tree.
import os
import pathlib
import shutil
import subprocess
import sys

import lit.formats

sys.path.insert(0, os.path.dirname(__file__))
sys.dont_write_bytecode = True  # nothing in the source tree
from free_port import free_ports

config.name = "boostc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "runtime"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.boost_build_dir + "/test/lit"

# Our tools first, then FileCheck, not and count.
config.environment["PATH"] = os.pathsep.join(
    [config.boost_build_dir + "/bin", config.llvm_tools_dir, os.environ["PATH"]])
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"  # nothing in the source tree
if "BOOSTC_DEFECT" in os.environ:  # switches on a defect of tools/dev/plant-defects
    config.environment["BOOSTC_DEFECT"] = os.environ["BOOSTC_DEFECT"]

config.substitutions.append(("%source", config.boost_source_dir))
config.substitutions.append(("%build", config.boost_build_dir))
# `%exits 2 COMMAND` succeeds if the command ends with exit code 2.
config.substitutions.append(("%exits", f"sh {config.test_source_root}/Inputs/exits"))

# What measures or limits memory says `UNSUPPORTED: sanitizer`, or leaves that
# line out: sanitizers take memory of their own, and terabytes of address space.
if config.boost_sanitize:
    config.available_features.add("sanitizer")

# What takes minutes says `REQUIRES: long`; `tools/test --long` sets the variable, which the
# programs of test/e2e read as well (Cells.h).
if "BOOSTC_LONG_TESTS" in os.environ:
    config.available_features.add("long")

# The real data sets are never downloaded by a test: what needs one says
# `REQUIRES: mnist` or `REQUIRES: cifar10`.
mnist_dirs = [os.environ.get("BOOSTC_MNIST_DIR"), os.environ.get("DATA_PATH"),
              config.boost_source_dir + "/MNIST_Data",
              config.boost_source_dir + "/../shared/data/mnist"]
for directory in map(pathlib.Path, filter(None, mnist_dirs)):
    if any(directory.glob("train-images-idx3-ubyte*")) or any(
            directory.glob("train/train-images-idx3-ubyte*")):
        config.available_features.add("mnist")
        config.substitutions.append(("%mnist", str(directory.resolve())))
        break
cifar10_dirs = [os.environ.get("BOOSTC_CIFAR10_DIR"), os.environ.get("DATA_PATH"),
                config.boost_source_dir + "/CIFAR10_Data",
                config.boost_source_dir + "/../shared/data/cifar10"]
for directory in map(pathlib.Path, filter(None, cifar10_dirs)):
    if any(directory.glob("test_batch.bin*")):
        config.available_features.add("cifar10")
        config.substitutions.append(("%cifar10", str(directory.resolve())))
        break

# Tiles of bf16, by which mixed precision is several times as fast.
cpuinfo = pathlib.Path("/proc/cpuinfo")
if cpuinfo.exists() and " amx_bf16" in cpuinfo.read_text(encoding="utf-8"):
    config.available_features.add("amx")

# A second opinion on the JSON schema: Debian's python3-jsonschema.
if subprocess.run(["python3", "-c", "import jsonschema"], capture_output=True).returncode == 0:
    config.available_features.add("jsonschema")

# PyTorch, for what is compared with it while tests run: Debian's python3-torch, or another one.
for python in ("python3", "/usr/bin/python3"):
    if subprocess.run([python, "-c", "import torch"], capture_output=True).returncode == 0:
        config.available_features.add("torch")
        config.substitutions.append(("%torch_python", python))
        break

# NVIDIA's assembler, the judge of the PTX we generate: on PATH or where CUDA is installed. What
# it makes, no simulated GPU runs: programs do without, but where a test says `--ptxas=%ptxas`.
config.environment["BOOSTC_PTXAS"] = "off"
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# Where the ranks of servers meet, for each test that has several: a port that is free when the
# tests begin. (Ranks of one server find a free one themselves.)
for name, port in zip(("%launch_port", "%adasum_port", "%counts_port", "%folders_port"),
                      free_ports(4)):
    config.substitutions.append((name, str(port)))

# Open MPI's launcher, as many processes as asked for, also where root runs the tests.
if shutil.which("mpirun"):
    config.available_features.add("mpirun")
    config.substitutions.append(("%mpirun", "mpirun --allow-run-as-root --oversubscribe"))
