"""Writes images/colors.txt: what Pillow makes of colours, for ColorJitterTest.cpp.

Run with Pillow 13.0.0 and NumPy in the directory of this file. A line is an operation,
its number, the image's channels, and the image as hexadecimal bytes, channels first; the
image before is i * 37 % 251, of 5 x 7 pixels. For `hsv` and `rgb`, the conversions of
Pillow from and to RGB, the number is the CRC-32 of the three bytes of all 2^24 colours.
"""

import pathlib
import zlib

import numpy as np
from PIL import Image, ImageEnhance

FOLDER = pathlib.Path(__file__).parent / "images"
FACTORS = (0, 0.1, 0.5, 0.77, 1, 1.3, 2.5, 40)
SHIFTS = (-0.5, -0.31, -0.002, 0, 0.1, 0.25, 0.5)


def hue(image, turns):
    """As torchvision's adjust_hue: the shift is rounded towards 0."""
    if image.mode == "L":
        return image
    h, s, v = image.convert("HSV").split()
    shifted = (np.asarray(h, np.int32) + int(turns * 255)) % 256
    h = Image.fromarray(shifted.astype(np.uint8), "L")
    return Image.merge("HSV", (h, s, v)).convert("RGB")


OPERATIONS = {
    "brightness": (lambda image, x: ImageEnhance.Brightness(image).enhance(x), FACTORS),
    "contrast": (lambda image, x: ImageEnhance.Contrast(image).enhance(x), FACTORS),
    "saturation": (lambda image, x: ImageEnhance.Color(image).enhance(x), FACTORS),
    "hue": (hue, SHIFTS),
}


def main():
    axis = np.arange(256, dtype=np.uint8)
    colors = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1)
    colors = colors.reshape(4096, 4096, 3)
    to_hsv = Image.fromarray(colors, "RGB").convert("HSV")
    to_rgb = Image.fromarray(colors, "HSV").convert("RGB")
    text = ""
    for name, image in (("hsv", to_hsv), ("rgb", to_rgb)):
        text += f"{name} {zlib.crc32(np.asarray(image).tobytes())} 0 -\n"
    for channels in (3, 1):
        planes = (np.arange(channels * 35) * 37 % 251).astype(np.uint8)
        planes = planes.reshape(channels, 5, 7)
        image = Image.fromarray(planes.transpose(1, 2, 0).copy() if channels == 3 else planes[0])
        for name, (change, numbers) in OPERATIONS.items():
            for number in numbers:
                changed = change(image, number)
                made = b"".join(band.tobytes() for band in changed.split())
                text += f"{name} {number} {channels} {made.hex()}\n"
    (FOLDER / "colors.txt").write_text(text)


main()
