"""How much of the GPU code of a program's updates a variant of the step has to itself.

  count_own_kernels.py PROGRAM.mlir

Prints the lines of kernels that the update of a single variant launches and no other one, the most
of all variants, as a share of the lines that the update of the whole step launches; and which share
of the kernels of that one is launched by others, too.
"""

import collections
import pathlib
import re
import sys

text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
lines = {name: body.count("\n")
         for name, body in re.findall(r"gpu\.func @(\w+)\((.*?)\n {6}}", text, re.S)}
users = collections.defaultdict(set)
for function, body in re.findall(r"func\.func @(update\w*)\((.*?)\n {4}}", text, re.S):
    for kernel in re.findall(r"rt\.launch_grid @kernels::@(\w+)", body):
        users[kernel].add(function)
own = collections.Counter()
for kernel, functions in users.items():
    if len(functions) == 1:
        own.update({function: lines[kernel] for function in functions})
whole = sum(lines[kernel] for kernel, functions in users.items() if "update" in functions)
most = max(own[function] for functions in users.values() for function in functions)
kernels = [functions for functions in users.values() if "update" in functions]
shared = sum(len(functions) > 1 for functions in kernels)
print(f"{len(set().union(*users.values()))} updates, at most {100 * most / whole:.0f} % of one alone; "
      f"{100 * shared / len(kernels):.0f} % of @update's kernels are others', too")
