"""Writes an interlaced PNG of black pixels: FILE WIDTH HEIGHT. No package is needed."""

import struct
import sys
import zlib

# Where the seven passes begin, and their steps.
PASSES = ((0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
          (1, 0, 2, 1))


def chunk(kind, content):
    return (struct.pack(">I", len(content)) + kind + content
            + struct.pack(">I", zlib.crc32(kind + content)))


path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
size = sum(len(range(top, height, down)) * (1 + 3 * len(range(left, width, right)))
           for top, left, down, right in PASSES)
with open(path, "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n"
               + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 1))
               + chunk(b"IDAT", zlib.compress(bytes(size))) + chunk(b"IEND", b""))
