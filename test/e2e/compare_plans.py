"""compare_plans.py MIB: standard input has two lines "memory: planned A MiB, measured peak B MiB",
the first of which plans so much more, to within 0.02. Prints both and exits 1 when that is not so.
"""
import re
import sys

found = re.findall(r"^memory: planned ([0-9.]+) MiB", sys.stdin.read(), re.MULTILINE)
print(found)
holds = len(found) == 2 and abs(float(found[0]) - float(found[1]) - float(sys.argv[1])) <= 0.02
sys.exit(0 if holds else 1)
