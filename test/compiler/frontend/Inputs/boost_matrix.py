#!/usr/bin/env python3
"""Compiles a model for every cell of the matrix of docs/model-format.md.

  boost_matrix.py BOOSTC DOCS MODEL FOLDER

A cell that says yes compiles to phase `step` and has what both features put there. One that is
refused is an error that says so.
"""

import pathlib
import re
import subprocess
import sys

SWITCHES = {
    "amp": ["--set", "amp.level=O2"],
    "amp.loss_scale": ["--set", "amp.level=O2", "--set",
                       'amp.loss_scale={"type":"dynamic","initial":1024}'],
    "grad_accumulation": ["--boost", "grad_accumulation_step=2"],
    "grad_freeze": ["--boost", "grad_freeze=true", "--boost", "param_groups=2"],
    "loss_scale_group": ["--boost", "loss_scale_group=true", "--boost", 'groups=[["*"]]'],
    "thor": ["--set", "optimizer.type=thor"],
}
# What phase `step` has of a feature.
SIGNS = {"less_bn": "train.center_gradient", "grad_freeze": "@update_frozen_1",
         "adasum": "coll.adasum", "grad_accumulation": "micro_batches(2)",
         "loss_scale_group": "train.adjust_group_scale", "dim_reduce": "train.subspace_step",
         "amp": "bf16", "amp.loss_scale": "train.adjust_loss_scale",
         "thor": "thor.precondition"}


def rows(text, title):
    """The cells of the table after a line that begins with `title`."""
    lines = text[text.index(title):].splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    table = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip().strip("`") for cell in line.strip("|").split("|")])
    return [table[0]] + table[2:]


def main():
    boostc, docs, model, folder = sys.argv[1:]
    text = pathlib.Path(docs).read_text(encoding="utf-8")
    reasons = {frozenset(re.findall(r"[\w.]+", row[0])): row[1]
               for row in rows(text, "| refused | why |")[1:]}
    matrix = rows(text, "Any two go together")
    cells, failures = 0, []
    for row in matrix[1:]:
        for other, cell in zip(matrix[0][1:], row[1:]):
            if not cell:
                continue
            cells += 1
            pair = (row[0], other)
            options = [word for name in pair
                       for word in SWITCHES.get(name, ["--boost", f"{name}=true"])]
            run = subprocess.run([boostc, model, *options, "--emit=step", "-o",
                                  f"{folder}/step.mlir"], capture_output=True, text=True)
            if cell == "refused":
                expected = reasons[frozenset(pair)]
                if run.returncode == 0 or "cannot be combined with" not in run.stderr or \
                        expected not in run.stderr:
                    failures.append(f"{pair}: expected a refusal, found {run.stderr}")
            else:
                step = pathlib.Path(f"{folder}/step.mlir").read_text(encoding="utf-8") \
                    if run.returncode == 0 else ""
                failures += [f"{pair}: no {SIGNS[name]} {run.stderr}" for name in pair
                             if SIGNS[name] not in step]
    print(f"{cells} cells")
    if cells != 36 or len(reasons) != sum(row.count("refused") for row in matrix):
        failures.append("the matrix is not of nine features, or a refusal has no reason")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
