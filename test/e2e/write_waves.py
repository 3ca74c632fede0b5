"""Writes a data set of waves into a folder: samples and nothing beside them.

A sample is a mixture of two waves over eight places, so two numbers say all of it.
"""
import math
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import write_npy


def main():
    folder = pathlib.Path(sys.argv[1])
    draw = random.Random(1)
    for split, count in (("train", 1000), ("test", 200)):
        samples = []
        for _ in range(count):
            a, b = draw.uniform(-1, 1), draw.uniform(-1, 1)
            samples += [a * math.sin(place) + b * math.cos(2 * place) for place in range(8)]
        write_npy(folder / f"{split}_features.npy", "<f4", (count, 8), samples)


main()
