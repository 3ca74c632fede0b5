"""assemble.py PTXAS FILE.ptx...: assembles each file for sm_80 and sm_90; fails unless every
kernel is told to spill nothing.
"""
import re
import subprocess
import sys


def check(log, entries):
    """Problems with what ptxas -v says of `entries` kernels."""
    stacks = re.findall(r"(\d+) bytes stack frame, (\d+) bytes spill stores, "
                        r"(\d+) bytes spill loads", log)
    if len(stacks) != entries:
        return f"{entries} kernels, but ptxas tells of {len(stacks)}"
    spills = [stack for stack in stacks if stack[1:] != ("0", "0")]
    return f"{len(spills)} kernels spill" if spills else None


ptxas, *files = sys.argv[1:]
for path in files:
    entries = len(re.findall(r"\.entry\b", open(path).read()))
    for architecture in ("sm_80", "sm_90"):
        done = subprocess.run([ptxas, "-v", f"-arch={architecture}", path, "-o", "/dev/null"],
                              stderr=subprocess.PIPE, text=True)
        problem = done.returncode != 0 or entries == 0 or check(done.stderr, entries)
        if problem:
            sys.exit(f"{path} for {architecture}: {problem}\n{done.stderr}")
        print(f"{path}: {architecture}: {entries} kernels without spills")
