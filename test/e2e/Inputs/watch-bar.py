"""boost-run in a terminal: its bar is one line, however wide that is.

  watch-bar.py COLUMNS[,COLUMNS...] PROGRAM [FLAG...]

Runs boost-run in a terminal of 24 lines of so many columns; with several widths
the terminal changes to the next after every third drawing. After three drawings
of the last, or after 50 lines where there is no bar, a run that has not ended
yet is stopped. The program's plain lines must be on the screen as they are
without a bar, and nothing else; while it runs, the bar may take one row more.
Prints how the bar looked at each width.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from screen import Screen


def set_size(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def is_bar(text):
    return re.match(r"epoch \d+/\d+ ", text) is not None


def read_some(terminal):
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux's word for the end
        return b""


def resize(run, terminal, screen, columns):
    """While boost-run does not draw; returns what it had drawn before."""
    run.send_signal(signal.SIGSTOP)
    os.waitpid(run.pid, os.WUNTRACED)
    data = b""
    while select.select([terminal], [], [], 0)[0]:
        data += read_some(terminal)
    screen.feed(data)
    set_size(terminal, columns)
    screen.resize(columns)
    run.send_signal(signal.SIGCONT)
    return data


def main():
    widths = [int(width) for width in sys.argv[1].split(",")]
    terminal, inside = pty.openpty()
    set_size(terminal, widths[0])
    screen = Screen(widths[0])
    begin = time.monotonic()
    run = subprocess.Popen(["boost-run", *sys.argv[2:]], stdin=inside, stdout=inside,
                           stderr=inside)
    os.close(inside)
    output, looks, redraws, is_stopped = b"", {}, 0, False
    while data := read_some(terminal):
        # One drawing at a time, so that the screen is seen after each.
        for piece in re.split(rb"(?=\r\x1b\[J)", data):
            screen.feed(piece)
            lines = [text for text in screen.texts() if text]
            bars = [text for text in lines if is_bar(text)]
            assert len(bars) <= 1, lines
            if bars and piece.endswith(b"\r"):
                assert len(bars[0]) < screen.columns, bars[0]
                looks.setdefault(screen.columns, bars[0])
                redraws += 1
        output += data
        if redraws >= 3 and len(widths) > 1:
            redraws = 0
            widths.pop(0)
            output += resize(run, terminal, screen, widths[0])
        if not is_stopped and (redraws >= 3 or output.count(b"\n") >= 50):
            is_stopped = True
            run.send_signal(signal.SIGTERM)
    assert run.wait() in (0, 7), output.decode()
    seconds = time.monotonic() - begin
    drawn = len(re.findall(rb"epoch \d+/", output))
    assert drawn <= 10 * seconds + 1, "redrawn more than 10 times a second"

    # What was written without the bar is what is left.
    plain = re.sub(rb"\r\x1b\[J(?:(?:\x1b\[36m)?epoch \d+/\d+[^\r\n]*\r(?!\n))?", b"", output)
    expected = plain.decode().replace("\r\n", "\n").split("\n")
    assert screen.texts() == expected, (screen.texts(), expected)
    print("a bar" if looks else "no bar")
    for columns, look in sorted(looks.items()):
        print(columns, re.sub(r"[0-9.:]+", "N", look))
    print("colour" if b"\x1b[36m" in output else "no colour")
    print("escapes" if b"\x1b" in output else "no escapes")


main()
