"""A terminal's screen, as far as boost-run's output needs one.

Lines that are longer than the screen is wide wrap, and as most terminals of
today do, a screen that becomes narrower or wider wraps its lines anew: the
cursor stays on the character where it was.
"""

import re

ESCAPE = re.compile(rb"\x1b\[([0-9;]*)([A-Za-z])")


class Screen:
    def __init__(self, columns):
        self.columns = columns
        self.lines = [[]]  # of characters; a line takes several rows when it wraps
        self.line, self.at = 0, 0  # the cursor, in characters
        self.pending = b""  # the beginning of an escape sequence

    def resize(self, columns):
        self.columns = columns

    def rows(self):
        """How many rows of the screen and of what has scrolled off are used."""
        return sum(max(1, -(-len(line) // self.columns)) for line in self.lines)

    def texts(self):
        return ["".join(line).rstrip() for line in self.lines]

    def row_start(self):
        """Where the cursor's row begins in its line; a row that is full keeps the cursor."""
        if self.at > 0 and self.at % self.columns == 0:
            return self.at - self.columns
        return self.at - self.at % self.columns

    def feed(self, data):
        data = self.pending + data
        self.pending = b""
        position = 0
        while position < len(data):
            if data[position:position + 1] == b"\x1b":
                match = ESCAPE.match(data, position)
                if not match:
                    self.pending = data[position:]
                    return
                self.escape(match.group(1), match.group(2))
                position = match.end()
                continue
            self.put(chr(data[position]))
            position += 1

    def put(self, character):
        if character == "\r":
            self.at = self.row_start()
        elif character == "\n":
            self.line += 1
            self.at = 0
            if self.line == len(self.lines):
                self.lines.append([])
        else:
            assert 32 <= ord(character) < 127, repr(character)
            line = self.lines[self.line]
            line.extend(" " * (self.at + 1 - len(line)))
            line[self.at] = character
            self.at += 1

    def escape(self, number, kind):
        line = self.lines[self.line]
        if kind == b"J":
            assert number in (b"", b"0"), number
            del line[self.at:]
            del self.lines[self.line + 1:]
        elif kind == b"K":
            assert number in (b"", b"0"), number
            row_end = self.row_start() + self.columns
            line[self.at:row_end] = " " * (min(row_end, len(line)) - self.at)
            while line and line[-1] == " ":
                line.pop()
        else:
            assert kind == b"m", kind  # colour, which takes no room
