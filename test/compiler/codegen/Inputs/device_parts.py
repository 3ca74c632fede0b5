"""Of a program whose cubins are those of ptxas.py: for each architecture the number of its cubins,
and whether each kernel of the PTX is in exactly one of them, in the PTX's order."""

import re
import sys

with open(sys.argv[1], "rb") as file:
    program = file.read().decode("latin-1")
start = program.index(".version 7.0")
text = program[start:program.index("\0", start)]
kernels = re.findall(r"\.visible \.entry (\w+)", text)
print(f"{text.count('.version')} header, {len(kernels)} kernels")
cubins = re.findall(r"<cubin (sm_\d+) ([^>]*)>", program)
for arch in ("sm_80", "sm_90"):
    own = [names.split() for owner, names in cubins if owner == arch]
    same = "the PTX's" if sum(own, []) == kernels else "other"
    print(f"{arch}: {len(own)} cubins, {same} kernels")
