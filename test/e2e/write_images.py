"""Writes a directory of PNG files: train/ and val/ with three classes of images.

Class c has a bright channel c, so that a small network learns it. Sizes differ from
image to image. No package is needed.
"""

import pathlib
import struct
import sys
import zlib


def chunk(kind, content):
    return (struct.pack(">I", len(content)) + kind + content
            + struct.pack(">I", zlib.crc32(kind + content)))


def png(width, height, pixel):
    rows = b"".join(b"\0" + bytes(v for x in range(width) for v in pixel(x, y))
                    for y in range(height))
    return (b"\x89PNG\r\n\x1a\n"
            + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main(directory):
    for split, count in (("train", 14), ("val", 5)):
        for label, name in enumerate(("blue", "green", "red")):
            folder = pathlib.Path(directory) / split / name
            folder.mkdir(parents=True, exist_ok=True)
            for i in range(count):
                def pixel(x, y):
                    noise = (x * 37 + y * 91 + i * 53 + label * 17) % 97
                    return [noise + (140 if c == 2 - label else 0) for c in range(3)]
                image = png(12 + 5 * i % 9, 11 + 7 * i % 13, pixel)
                (folder / f"{i:02}.png").write_bytes(image)


main(sys.argv[1])
