"""check_memory.py LINES COUNT: what boost-run printed of its memory.

LINES is a file, or a folder of logs of ranks. There must be COUNT lines "memory: planned A MiB,
measured peak B MiB", with A at least 60 and B within 1 % + 4 MiB of it. Prints them and exits 1
when one is not so.
"""
import pathlib
import re
import sys

path = pathlib.Path(sys.argv[1])
files = sorted(path.rglob("stdout")) if path.is_dir() else [path]
lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()
         if line.startswith("memory:")]
holds = len(lines) == int(sys.argv[2])
for line in lines:
    found = re.fullmatch(r"memory: planned ([0-9.]+) MiB, measured peak ([0-9.]+) MiB", line)
    planned, measured = map(float, found.groups()) if found else (0, 0)
    near = planned >= 60 and abs(measured - planned) <= 0.01 * planned + 4
    holds &= near
    print(line, "" if near else "<- not near")
sys.exit(0 if holds else 1)
