"""What tools/dev/new-op and tools/dev/new-pass share."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fail(message):
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def words_of(name, separator):
    """The words of `name`, which has to be written in the style of its place."""
    if not re.fullmatch(rf"[a-z][a-z0-9]*({separator}[a-z0-9]+)*", name):
        fail(f"'{name}' is no name here; write it in lower case, words separated by "
             f"'{separator}'")
    return name.split(separator)


def camel(words):
    return "".join(word.capitalize() for word in words)


def fill(template, **values):
    """The template with every __key__ replaced."""
    text = re.sub(r"__([A-Za-z]+)__", lambda match: values[match.group(1)], template)
    return text.lstrip("\n")


def create(path, text):
    path = ROOT / path
    if path.exists():
        fail(f"{path.relative_to(ROOT)} is there already")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    print(f"created {path.relative_to(ROOT)}")


def edit(path, function):
    path = ROOT / path
    path.write_text(function(path.read_text()))
    print(f"changed {path.relative_to(ROOT)}")


def insert_sorted(text, new, is_peer):
    """`text` with the line `new` before the first line of its kind that sorts after it,
    or after the last one."""
    lines = text.splitlines(keepends=True)
    peers = [index for index, line in enumerate(lines) if is_peer(line)]
    if not peers:
        fail(f"found no place for the line '{new.strip()}'")
    after = [index for index in peers if lines[index].strip() > new.strip()]
    lines.insert(after[0] if after else peers[-1] + 1, new)
    return "".join(lines)
