"""Files of data sets and of weights, without NumPy."""

import json
import pathlib
import struct


def npy_file(kind, shape, data):
    """An array file of NumPy's."""
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data


def write_npy(path, kind, shape, values):
    code = {"<i4": "i", "<f4": "f"}[kind]
    data = struct.pack(f"<{len(values)}{code}", *values)
    pathlib.Path(path).write_bytes(npy_file(kind, shape, data))


def write_blank_npy(folder, splits, count):
    """Pictures as those of MNIST, all black, of class 0."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    for split in splits:
        (folder / f"{split}_images.npy").write_bytes(
            npy_file("|u1", (count, 1, 28, 28), bytes(count * 784)))
        (folder / f"{split}_labels.npy").write_bytes(npy_file("|u1", (count,), bytes(count)))


def idx_file(extents, data):
    """A file of bytes in the format of MNIST."""
    return struct.pack(f">{1 + len(extents)}I", 0x800 + len(extents), *extents) + data


def write_mnist(folder, splits):
    """Splits are 'train' and 't10k', each with pairs of a label and a picture's bytes."""
    folder = pathlib.Path(folder)
    folder.mkdir()
    for split, samples in splits.items():
        labels, pictures = zip(*samples)
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(
            idx_file((len(labels),), bytes(labels)))
        (folder / f"{split}-images-idx3-ubyte").write_bytes(
            idx_file((len(labels), 28, 28), b"".join(pictures)))


def write_blank_mnist(folder, count):
    write_mnist(folder, {split: [(0, bytes(784))] * count for split in ("train", "t10k")})


def read_header(path):
    """The header of a safetensors file, and where its data begins."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        return json.loads(file.read(length)), 8 + length


def read_weights(path):
    """name -> values, of a safetensors file of f32."""
    header, data = read_header(path)
    header.pop("__metadata__", None)
    content = pathlib.Path(path).read_bytes()
    return {name: struct.unpack_from(f"<{(end - begin) // 4}f", content, data + begin)
            for name, entry in header.items() for begin, end in [entry["data_offsets"]]}
