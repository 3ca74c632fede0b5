"""Writes a data set of six tokens a sample into a folder, as numpy.save would.

The class is whether token 1 stands before token 2; both are in every sample once. The
targets say the same in numbers: 1 and -1, or -1 and 1.
"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from data_files import write_npy


def main():
    folder = pathlib.Path(sys.argv[1])
    draw = random.Random(1)
    for split, count in (("train", 2000), ("test", 400)):
        tokens, labels, targets = [], [], []
        for _ in range(count):
            sample = [draw.randrange(3, 20) for _ in range(6)]
            first, second = draw.sample(range(6), 2)
            sample[first], sample[second] = 1, 2
            tokens += sample
            labels.append(int(first < second))
            targets += [1.0, -1.0] if first < second else [-1.0, 1.0]
        write_npy(folder / f"{split}_features.npy", "<i4", (count, 6), tokens)
        write_npy(folder / f"{split}_labels.npy", "<i4", (count,), labels)
        write_npy(folder / f"{split}_targets.npy", "<f4", (count, 2), targets)


main()
