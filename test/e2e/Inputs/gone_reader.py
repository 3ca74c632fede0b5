"""gone_reader.py CODE COMMAND...: runs a command whose standard output is a pipe without a reader,
and fails unless it ends with CODE, as a shell counts: 141 is an end by SIGPIPE."""
import os
import subprocess
import sys

reader, writer = os.pipe()
os.close(reader)
code = subprocess.run(sys.argv[2:], stdout=writer).returncode
code = 128 - code if code < 0 else code
if code != int(sys.argv[1]):
    sys.exit(f"expected exit code {sys.argv[1]}, found {code}")
