"""Writes the images of ImageDecoderTest.cpp, and what Pillow makes of them.

Run with Pillow 13.0.0 in the directory of this file. images/golden.txt has a line for
each image and case: name, case, height, width, and the pixels, channels first, as
hexadecimal bytes.
"""

import pathlib

from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "images"


def draw(width, height):
    """A smooth picture with an edge."""
    image = Image.new("RGB", (width, height))
    for y in range(height):
        for x in range(width):
            edge = 90 if x > y else 0
            image.putpixel((x, y), (9 * x % 256, 11 * y + edge, (x * y + 3 * edge) % 256))
    return image


def line(name, case, image):
    pixels = image.convert("RGB")
    planes = b"".join(channel.tobytes() for channel in pixels.split())
    return f"{name} {case} {pixels.height} {pixels.width} {planes.hex()}\n"


def main():
    small, large = draw(19, 13), draw(64, 48)
    images = {
        "420.jpg": (small, {"quality": 90, "subsampling": 2}),
        "444.jpg": (small, {"quality": 60, "subsampling": 0}),
        "progressive.jpg": (small, {"quality": 80, "progressive": True}),
        "grey.jpg": (small.convert("L"), {"quality": 85}),
        "cmyk.jpg": (small.convert("CMYK"), {"quality": 85}),
        "large.jpg": (large, {"quality": 70}),
        "rgb.png": (small, {}),
        "rgba.png": (small.convert("RGBA"), {}),
        "palette.png": (small.quantize(16), {}),
        "grey.png": (small.convert("L"), {}),
    }
    text = ""
    for name, (image, options) in images.items():
        path = FOLDER / name
        image.save(path, **options)
        rgb = Image.open(path).convert("RGB")
        if name == "large.jpg":
            # A quarter is decoded, then resized.
            draft = Image.open(path)
            draft.draft("RGB", (16, 12))
            assert draft.size == (16, 12)
            text += line(name, "draft", draft.resize((11, 9), Image.BILINEAR))
            continue
        text += line(name, "whole", rgb)
        text += line(name, "resized", rgb.resize((10, 7), Image.BILINEAR))
        text += line(name, "enlarged", rgb.resize((23, 15), Image.BILINEAR))
        part = rgb.crop((3, 2, 3 + 11, 2 + 9))
        text += line(name, "window", part.resize((4, 6), Image.BILINEAR))
        # The shorter side becomes 8; of 8 x 11 pixels the middle is kept, as
        # torchvision rounds: half of 1 is 0, half of 5 is 2.
        short = rgb.resize((11, 8), Image.BILINEAR)
        text += line(name, "short", short.crop((2, 0, 2 + 6, 0 + 7)))
    (FOLDER / "golden.txt").write_text(text)


main()
