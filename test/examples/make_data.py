"""Small data sets in the files of MNIST and of CIFAR-10, for commands that are to
run as a reader types them. Digits of a 5x7 font at places of their own, on noise;
a function of nothing but the numbers below."""

import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import data_files

TRAIN, TEST = 2560, 320
FONT = {  # a text of '#' and '.' for each row
    0: ".###. #...# #..## #.#.# ##..# #...# .###.",
    1: "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    2: ".###. #...# ....# ..##. .#... #.... #####",
    3: ".###. #...# ....# ..##. ....# #...# .###.",
    4: "...#. ..##. .#.#. #..#. ##### ...#. ...#.",
    5: "##### #.... ####. ....# ....# #...# .###.",
    6: ".###. #.... #.... ####. #...# #...# .###.",
    7: "##### ....# ...#. ..#.. ..#.. .#... .#...",
    8: ".###. #...# #...# .###. #...# #...# .###.",
    9: ".###. #...# #...# .#### ....# ....# .###.",
}
NOISE = bytes(value // 4 for value in range(256))


def rows_of(digit, scale):
    for row in FONT[digit].split():
        text = b"".join((b"\xe0" if dot == "#" else b"\0") * scale for dot in row)
        yield from [text] * scale


def image(draw, digit, size):
    pixels = bytearray(draw.randbytes(size * size).translate(NOISE))
    scale = 3
    top = draw.randrange(size - 7 * scale + 1)
    left = draw.randrange(size - 5 * scale + 1)
    for number, row in enumerate(rows_of(digit, scale)):
        start = (top + number) * size + left
        pixels[start:start + len(row)] = row
    return bytes(pixels)


def samples(seed, count, size):
    draw = random.Random(seed)
    for _ in range(count):
        digit = draw.randrange(10)
        yield digit, image(draw, digit, size)


def write_mnist(folder, train=TRAIN):
    data_files.write_mnist(folder, {"train": samples(1, train, 28), "t10k": samples(2, TEST, 28)})


def write_cifar10(folder):
    folder.mkdir()
    files = [f"data_batch_{number}.bin" for number in range(1, 6)]
    for seed, name in enumerate([*files, "test_batch.bin"]):
        count = TEST if name == "test_batch.bin" else TRAIN // len(files)
        (folder / name).write_bytes(b"".join(
            bytes([digit]) + 3 * pixels for digit, pixels in samples(seed, count, 32)))
