"""exit_code.py N COMMAND...: runs the command and succeeds if it exits with N.

In arguments <ff> stands for the byte 0xff, which no test file can hold.
"""
import os
import subprocess
import sys

command = [os.fsencode(word).replace(b"<ff>", b"\xff") for word in sys.argv[2:]]
code = subprocess.run(command).returncode
if code != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, found {code}")
