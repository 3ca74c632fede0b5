"""Exit codes are the same everywhere: in the enumeration, in the one table of the user guide,
in --help of boost-run and wherever a page names one.

  check-exit-codes.py SOURCE
"""

import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
status = (source / "runtime/support/Status.h").read_text()
enumeration = status[status.index("enum class ExitCode"):]
codes = {int(code) for code in re.findall(r"= (\d+),", enumeration[:enumeration.index("};")])}
assert len(codes) > 5, codes

guide = (source / "docs/user-guide.md").read_text()
section = guide[guide.index("\n## Exit codes"):]
table = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
assert table == codes, f"the table has {sorted(table)}, the enumeration {sorted(codes)}"

help_text = subprocess.run(["boost-run", "--help"], capture_output=True, text=True).stdout
listed = {int(code) for code in
          re.findall(r"(\d+) [a-z]", help_text[help_text.index("Exit codes:"):])}
assert listed == codes, f"--help has {sorted(listed)}, the enumeration {sorted(codes)}"

pages = [source / "README.md", *sorted((source / "docs").glob("*.md"))]
named = 0
for page in pages:
    for match in re.finditer(r"exit (?:code|status) (\d+)", page.read_text()):
        named += 1
        assert int(match.group(1)) in codes, f"{page.name}: {match.group(0)}"
print(len(codes), "codes,", "named" if named else "not named")
