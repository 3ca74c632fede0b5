"""Defects of tools/dev/defects, and a copy of the tree that has them all, each with a switch.

A defect is an edit of one file: `text`, which occurs there once (any blanks match any blanks), is
replaced by `planted`, where DEFECT is an expression that is true while the defect is switched on.
Both may be lists of equal length. `shows` says in which use a new defect can be seen.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFECTS = ROOT / "tools/dev/defects"
COPY = ROOT / "build-defects/source"


class Defect:
    def __init__(self, name, number, entry):
        self.name, self.number, self.what = name, number, entry["what"]
        self.file, self.shows = entry["file"], entry.get("shows")
        texts, planted = ([entry[key]] if isinstance(entry[key], str) else entry[key]
                          for key in ("text", "planted"))
        self.edits = list(zip(texts, planted, strict=True))


def read_defects():
    """All defects, in the order of their files' names. Numbers are those of switches, from 1."""
    defects = []
    for path in sorted(DEFECTS.glob("*.toml")):
        entries = tomllib.loads(path.read_text())["defect"]
        defects += [Defect(f"{path.stem}/{place}", len(defects) + place, entry)
                    for place, entry in enumerate(entries, 1)]
    return defects


def find(text, content):
    words = re.findall(r"\w+|[^\w\s]", text)
    return list(re.finditer(r"\s*".join(map(re.escape, words)), content))


def check(defects):
    """What is wrong with the defects in this tree, a line each."""
    problems, taken = [], {}
    for defect in defects:
        path = ROOT / defect.file
        content = path.read_text() if path.exists() else ""
        for text, planted in defect.edits:
            places = find(text, content)
            if len(places) != 1:
                problems.append(f"{defect.name}: {len(places)} times in {defect.file}: {text}")
                continue
            start, end = places[0].span()
            for other, (begin, stop) in taken.setdefault(defect.file, []):
                if start < stop and begin < end:
                    problems.append(f"{defect.name}: overlaps {other}: {text}")
            taken[defect.file].append((defect.name, (start, end)))
            if "DEFECT" not in planted:
                problems.append(f"{defect.name}: nothing switches it: {planted}")
    return problems


def plant(content, defects):
    """The content of a file with its defects."""
    places = []
    for defect in defects:
        for text, planted in defect.edits:
            switch = f"::boostc::isPlanted({defect.number})"
            match = find(text, content)[0]
            places.append((*match.span(), re.sub(r"\bDEFECT\b", switch, planted.strip())))
    for start, end, planted in sorted(places, reverse=True):
        content = content[:start] + planted + content[end:]
    return '#include "tools/dev/defects/PlantedDefect.h"\n' + content


def copy_tree(defects):
    """Brings the copy up to date. A file that did not change keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    by_file = {}
    for defect in defects:
        by_file.setdefault(defect.file, []).append(defect)
    for name in names:
        content = (ROOT / name).read_bytes()
        if name in by_file:
            content = plant(content.decode(), by_file[name]).encode()
        copy = COPY / name
        if not copy.exists() or copy.read_bytes() != content:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
        shutil.copymode(ROOT / name, copy)
    known = {COPY / name for name in names}
    for folder, folders, files in os.walk(COPY):
        if pathlib.Path(folder) == COPY:
            folders[:] = [name for name in folders if name != "build"]
        for name in files:
            if pathlib.Path(folder) / name not in known:
                (pathlib.Path(folder) / name).unlink()


def build_copy():
    """Builds the copy and tells where."""
    for command in (["cmake", "--preset", "release"],
                    ["ninja", "-C", COPY / "build"]):
        if subprocess.run(command, cwd=COPY, check=False).returncode:
            sys.exit("plant-defects: the copy with all defects does not build, see above")
    return COPY / "build"
