"""compare_memory.py KEEPS LEAST BYTES: what `boost-run info --json` says of two programs for CPUs.

The second one reserves the bytes that the file BYTES holds, and four fifths of the first one's
transient arena at most.
"""
import json
import sys


def read(path):
    memory = json.load(open(path))["targets"][0]["memory"]
    transient = [c["bytes"] for c in memory["categories"] if c["category"] == "transient"]
    return memory["total_bytes"], transient[0]


(keeps, keeps_transient), (least, least_transient) = read(sys.argv[1]), read(sys.argv[2])
assert least == int(open(sys.argv[3]).read()), least
assert least < keeps and least_transient <= 0.8 * keeps_transient, (keeps_transient, least_transient)
