"""Fails when --help of a program and the user guide do not name the same options.

  check-options.py PAGE COMMAND...     COMMAND without --help: "boost-run eval"
"""

import re
import subprocess
import sys

# MLIR's, which --help names by an example only, and what every program has.
OTHERS = {"--help", "--version", "--mlir-", "--mlir-print-ir-after-all", "--mlir-timing"}


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - OTHERS


page = open(sys.argv[1], encoding="utf-8").read()
page = re.sub(r"```.*?```", "", page, flags=re.DOTALL)  # sessions have misspelt ones
helped, failed = set(), False
for command in sys.argv[2:]:
    helped |= options_in(subprocess.run([*command.split(), "--help"], check=True,
                                        stdout=subprocess.PIPE, text=True).stdout)
documented = options_in(page)
# `--eval` is `--no-eval`'s default.
for name, missing in (("the page", helped - documented - {"--eval"}),
                      ("--help", documented - helped)):
    for option in sorted(missing):
        print(f"{name} lacks {option}")
        failed = True
print(f"{len(documented)} options are documented")
sys.exit(failed)
