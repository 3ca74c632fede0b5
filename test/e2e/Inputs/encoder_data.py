"""encoder_data.py DIR [--one]: tokens and tags for encoder.json, by a formula; with --one only
the first tag of each sequence.

A token is 256 numbers in [-1, 1), of 24 bits. Its tag is the position of the largest of its
first 9 numbers. 19 sequences of 128 tokens for training, 3 for evaluation: the last batch
of each is short.
"""
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
from data_files import write_npy  # noqa: E402: from the folder above

LENGTH, WIDTH, CLASSES = 128, 256, 9
COUNTS = {"train": 19, "test": 3}


def numbers(first, count):
    """Multiples of 2^-23 from a multiplicative hash of the element's index."""
    return [((((first + i) * 2654435761 + 40503) & 0xFFFFFFFF) >> 8) * 2.0**-23 - 1.0
            for i in range(count)]


def samples(split):
    """(numbers, tags) of a split, flat."""
    first = 0 if split == "train" else COUNTS["train"]
    values = numbers(first * LENGTH * WIDTH, COUNTS[split] * LENGTH * WIDTH)
    tags = [max(range(CLASSES), key=lambda c: values[start + c])
            for start in range(0, len(values), WIDTH)]
    return values, tags


def main():
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    for split, count in COUNTS.items():
        values, tags = samples(split)
        write_npy(directory / f"{split}_features.npy", "<f4", (count, LENGTH, WIDTH),
                  values)
        shape = (count, LENGTH)
        if "--one" in sys.argv:
            tags, shape = tags[::LENGTH], (count,)
        write_npy(directory / f"{split}_labels.npy", "<i4", shape, tags)


if __name__ == "__main__":
    main()
