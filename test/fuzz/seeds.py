"""Small inputs that tools/fuzz begins with: what its targets read, made here or files of the tree."""

import gzip
import json
import lzma
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
from data_files import idx_file, npy_file  # noqa: E402: from the folder above


def safetensors_file(header, data):
    head = json.dumps(header).encode()
    return struct.pack("<Q", len(head)) + head + data


def message(kind, *fields):
    """A message of the control plane (runtime/comm/control/Wire.h)."""
    body = bytes([kind])
    for field in fields:
        body += struct.pack("<Q", field if isinstance(field, int) else len(field))
        body += b"" if isinstance(field, int) else field
    return struct.pack("<I", len(body)) + body


def control():
    hello = message(1, b"boost-control-1", b"token", 0, 2)
    # The first byte says in pieces of how many bytes they come.
    return [b"\x07" + hello + message(4, b"key", b"value") + message(13),
            b"\xff" + message(5, 1, b"key") + message(10, b"cause")]


def idx():
    plain = [idx_file((3, 2, 2), bytes(range(12))), idx_file((3,), b"\0\1\2")]
    return plain + [gzip.compress(file, mtime=0) for file in plain]


def manifest():
    file = {"bytes": 40, "sha256": 64 * "0"}
    return [json.dumps({
        "format": "boost-checkpoint", "version": 3, "program": "m", "epoch": 1, "step": 2,
        "samples": 100, "global_step": 2, "skipped": 0, "skipped_in_row": 0, "ranks": 1,
        "micro_batch": 50, "micro_batches": 1, "seed": 1, "shuffle": True, "recipe_hash": 64 * "0",
        "data_fingerprint": 1, "recipe": "{}", "files": {
            "weights.safetensors": file, "state.safetensors": file}}).encode()]


def npy():
    integers = npy_file("<i4", (3,), struct.pack("<3i", 0, 1, 2))
    return [npy_file("|u1", (2, 3), bytes(6)), npy_file("<f4", (2, 1, 2, 2), bytes(32)),
            npy_file("<i8", (3,), bytes(24)), gzip.compress(integers, mtime=0),
            lzma.compress(integers)]


def safetensors():
    return [safetensors_file({}, b""), safetensors_file({
        "__metadata__": {"format": "pt"},
        "a": {"dtype": "I64", "shape": [], "data_offsets": [0, 8]},
        "fc1.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]}}, bytes(32))]


def files(*patterns):
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))]


# For each target the longest input, and what makes its seeds.
TARGETS = {
    "control": (1 << 12, control),
    "idx": (1 << 10, idx),
    "image": (1 << 14, files("test/runtime/data/images/*.jpg", "test/runtime/data/images/*.png")),
    "manifest": (1 << 12, manifest),
    "npy": (1 << 10, npy),
    "ptx": (1 << 14, files("test/sim/Inputs/*.ptx")),
    "rank-table": (1 << 13, files("examples/*/rank_table*.json")),
    "safetensors": (1 << 12, safetensors),
}
