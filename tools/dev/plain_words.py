"""Finds words that a reader has to translate, where plain English has a shorter way (tools/dev/lint).

Places are `diagnostics` (literals of the compiler, the dialects, the runtime and the simulated
GPU), `guides` (the pages that users read first), `docs` (all other pages) and `comments`.
"""

import pathlib
import re

import error_texts

GAP = r"[\s/*#\"]+"  # also from one line of a comment or literal to the next
PATTERNS = {
    "behind": r"\bbehind\b",  # after
    "beside": r"\bbeside\b",  # next to, concurrently with
    "in front of": rf"\bin{GAP}front{GAP}of\b",  # before
    "stands": rf"\bstands\b(?!{GAP}for\b)",  # is, is stored
    "is no": rf"(?<!there )\bis{GAP}no\b(?!{GAP}longer\b)",  # is not a
    "nobody": r"\bnobody\b",
    "whoever": r"\bwhoever\b",
    "somebody": r"\bsomebody\b",
    # Where a comment begins: the line before it has none.
    "Of": r"\n[^\S\n]*\n[^\S\n]*(?://+|/\*+|#)[^\S\n]*(?-i:Of)\b",
}
WORDS = {word: re.compile(pattern, re.IGNORECASE) for word, pattern in PATTERNS.items()}
CODE = ("compiler/", "dialects/", "runtime/", "sim/")
GUIDES = ("README.md", "docs/user-guide.md", "docs/model-format.md")
HASH_COMMENT = re.compile(r"(?<!\S)#[^\n]*")


def only(text, spans):
    """The spans of the text, on their lines."""
    blank = lambda piece: " " + "\n" * piece.count("\n")
    out, at = [], 0
    for begin, end in spans:
        out += [blank(text[at:begin]), text[begin:end]]
        at = end
    return "".join(out) + blank(text[at:])


def texts_of(name, text):
    """(place, text with the rest of the file blanked)."""
    suffix = pathlib.PurePath(name).suffix
    if suffix == ".md":
        if name in GUIDES:
            yield "guides", text
        elif name.startswith("docs/"):
            yield "docs", text
    elif suffix in (".cpp", ".h", ".c", ".td", ".mlir"):
        tokens = list(error_texts.TOKEN.finditer(text))
        yield "comments", only(text, [m.span() for m in tokens if m.group(0).startswith("/")])
        if name.startswith(CODE) and suffix in (".cpp", ".h"):
            yield "diagnostics", only(
                text, [m.span() for m in tokens if m.group(0).startswith(('"', "R"))])
    elif suffix in (".py", ".cmake", ".txt", ".sh", ""):
        yield "comments", only(text, [m.span() for m in HASH_COMMENT.finditer(text)])


def occurrences(texts):
    """(place, word, name, line) of each, in texts (name -> content)."""
    for name, text in texts.items():
        for place, content in texts_of(name, text):
            for word, pattern in WORDS.items():
                if word == "Of" and place != "comments":
                    continue
                for match in pattern.finditer(content):
                    yield place, word, name, content.count("\n", 0, match.end()) + 1
