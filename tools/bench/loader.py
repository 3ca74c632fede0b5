#!/usr/bin/env python3
"""How many photographs a core decodes, crops and resizes for training.

  python3 tools/bench/loader.py --build build --data FOLDER

FOLDER has train/ and val/ with JPEGs. A network that computes next to nothing (a mean of each channel and a
dense layer) trains on random crops of 224 pixels with flips, on one thread, with 1, 2 and 4 workers that
load. For each: CPU time of all threads for an image, what is computed included, from the difference of a
long and a short run, and images for a second of it; time as it passes says the same on idle cores alone.
Weights must have the same bits whatever the number of workers. The last lines are djpeg's CPU time for the
same files, where it is installed (libjpeg-turbo-progs), at the whole size and at half, without its start.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import time

from training_step import run

SIZE = 224
MODEL = {
    "name": "loader", "batch_size": 32, "epochs": 1,
    "input": {"image": {"shape": [3, SIZE, SIZE], "dtype": "u8"}, "label": {"classes": 2}},
    "layers": [{"op": "global_avg_pool"}, {"name": "fc", "op": "dense", "units": 2}],
    "loss": {"op": "softmax_cross_entropy"},
    "optimizer": {"type": "sgd", "learning_rate": 0.001},
    "data": {"transforms": [{"op": "random_resized_crop", "size": [SIZE, SIZE]},
                            {"op": "random_flip"},
                            {"op": "normalize", "mean": [123.675, 116.28, 103.53],
                             "std": [58.395, 57.12, 57.375]}],
             "eval_transforms": [{"op": "resize_short", "size": 256},
                                 {"op": "center_crop", "size": [SIZE, SIZE]},
                                 {"op": "normalize", "mean": [123.675, 116.28, 103.53],
                                  "std": [58.395, 57.12, 57.375]}]},
}


def measure(command):
    """Seconds that pass, and CPU seconds."""
    begin = time.monotonic()
    _, cpu = run(command)
    return time.monotonic() - begin, cpu


def train(arguments, folder, workers, repeat):
    program = folder / f"{workers}-{repeat}.so"
    saved = folder / f"{workers}-{repeat}.safetensors"
    run([arguments.build / "bin/boostc", folder / "model.json", "--target=cpu", "--threads=1",
         "--set", f"data.workers={workers}", "--set", f"data.repeat={repeat}", "-o", program])
    seconds = measure([arguments.build / "bin/boost-run", program, "--data",
                       f"imagefolder:{arguments.data}", "--seed", 1, "--no-eval", "--progress",
                       "none", "--save", saved])
    return seconds, saved.read_bytes()


def measure_djpeg(files, scale):
    tool = shutil.which("djpeg")
    if not tool:
        return None
    decode = ["-scale", f"{scale}/8", "-outfile", "/dev/null"]
    cpu = min(sum(measure([tool, *decode, file])[1] for file in files) for _ in range(3))
    start = min(measure([tool, "-version"])[1] for _ in range(20))
    return cpu / len(files) - start


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--repeat", type=int, default=40, help="passes over the images")
    arguments = parser.parse_args()
    files = sorted((arguments.data / "train").rglob("*.jp*g"))
    classes = sum(path.is_dir() for path in (arguments.data / "train").iterdir())
    MODEL["input"]["label"]["classes"] = MODEL["layers"][1]["units"] = classes
    images, kept = len(files) * (arguments.repeat - 1), set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.json").write_text(json.dumps(MODEL), encoding="utf-8")
        for workers in (1, 2, 4):
            short, _ = train(arguments, folder, workers, 1)
            whole, weights = train(arguments, folder, workers, arguments.repeat)
            kept.add(weights)
            passed, cpu = whole[0] - short[0], whole[1] - short[1]
            print(f"{workers} workers: {cpu / images * 1e3:.3f} ms of CPU time an image, "
                  f"{images / cpu:.0f} images for a second of it; {images / passed:.0f} images/s",
                  flush=True)
    for scale in (8, 4):
        if (seconds := measure_djpeg(files, scale)) is not None:
            print(f"djpeg -scale {scale}/8: {seconds * 1e3:.3f} ms of CPU time an image")
    if len(kept) != 1:
        sys.exit("weights differ with the number of workers")


if __name__ == "__main__":
    main()
