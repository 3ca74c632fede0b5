"""Scaffolds an op and passes in a copy of the tree and compiles what was written.

  check-skeletons.py SOURCE BUILD SCRATCH

Only the syntax is checked, with the flags by which BUILD compiles files of the same
folder, against TableGen's output for the copy.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SOURCE, BUILD, SCRATCH = map(pathlib.Path, sys.argv[1:])
TBLGEN = "mlir-tblgen"
GENERATED = SCRATCH / "generated"


def run(command, **options):
    result = subprocess.run(list(map(str, command)), text=True, **options,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode != 0:
        sys.exit(f"{shlex.join(map(str, command))}\n{result.stdout}")
    return result.stdout


def include_flags(command):
    """The include folders of a compilation, the copy's first."""
    flags = [f"-I{GENERATED}", f"-I{SCRATCH}"]
    for index, word in enumerate(command):
        if word == "-isystem":
            flags.append(f"-I{command[index + 1]}")
        elif word.startswith("-I"):
            flags.append(word)
    return flags


def command_of(folder):
    """How the build compiles some file of a folder of the source tree."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    for entry in entries:
        if pathlib.Path(entry["file"]).is_relative_to(SOURCE / folder):
            return shlex.split(entry["command"])
    sys.exit(f"nothing of {folder} is compiled in {BUILD}")


def compile_file(file, folder):
    command = command_of(folder)
    cut = command.index("-o")
    run([command[0], *include_flags(command)[:2], *command[1:cut], "-fsyntax-only",
         "-Werror", SCRATCH / file], cwd=BUILD)
    print(f"{file} compiles")


def tablegen(source, output, folder, *flags):
    output = GENERATED / output
    output.parent.mkdir(parents=True, exist_ok=True)
    run([TBLGEN, *flags, *include_flags(command_of(folder)), source, "-o", output])


def check_op(name, camel, *options):
    print(run([SCRATCH / "tools/dev/new-op", name, *options]))
    lines = (SCRATCH / "dialects/nn/CMakeLists.txt").read_text()
    ops = re.findall(r"boost_op\((\w+)\)", lines)
    if ops != sorted(ops) or camel not in ops:
        sys.exit(f"boost_op({camel}) is not in its place:\n{lines}")
    dialect = SCRATCH / "NnOps.td"
    dialect.write_text('include "dialects/nn/NnBase.td"\n' + "".join(
        f'include "dialects/nn/ops/{op}/{op}.td"\n' for op in ops))
    tablegen(dialect, "dialects/nn/NnOps.h.inc", "dialects/nn", "-gen-op-decls")
    compile_file(f"dialects/nn/ops/{camel}/{camel}.cpp", "dialects/nn")


def check_pass(place, name, file):
    library = "compiler/" + place.partition("/")[0]
    print(run([SCRATCH / "tools/dev/new-pass", place, name]))
    if file not in (SCRATCH / library / "CMakeLists.txt").read_text():
        sys.exit(f"{library}/CMakeLists.txt lacks {file}")
    folder = f"compiler/{place}"
    tablegen(SCRATCH / folder / "Passes.td", f"{folder}/Passes.h.inc", folder,
             "-gen-pass-decls", "-name", "Scaffold")
    compile_file(f"{library}/{file}", folder)


def main():
    shutil.rmtree(SCRATCH, ignore_errors=True)
    for folder in ("dialects", "compiler", "tools/dev"):
        shutil.copytree(SOURCE / folder, SCRATCH / folder)
    check_op("hard_swish", "HardSwish")
    check_op("soft_sign", "SoftSign", "--activation")
    check_pass("lowering/cpu", "fold-scale", "cpu/FoldScale.cpp")
    check_pass("transforms", "drop-scale", "DropScale.cpp")


if __name__ == "__main__":
    main()
