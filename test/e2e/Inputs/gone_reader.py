"""gone_reader.py COMMAND...: runs a command whose standard output is a pipe without a reader, and
fails unless SIGPIPE ends it."""
import os
import signal
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
code = subprocess.run(sys.argv[1:], stdout=writer).returncode
if code != -signal.SIGPIPE:
    sys.exit(f"expected an end by SIGPIPE, found {code}")
