#!/usr/bin/env python3
"""Writes a step with every op of dialect coll in place of its all-reduces.

  write_exchanges.py STEP.mlir [--without-sum]

Gradients change places and come back before they are summed in slices, gathered, and
taken from one rank: on any number of ranks the step means what it meant before, to the
last bit. Loss and count are summed, and taken from one rank; with --without-sum they are
not summed, so that ranks cannot train with it.
"""

import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
without_sum = "--without-sum" in sys.argv
begin = text.index("func.func @update")
end = text.index("func.func", begin + 1)
update = text[begin:end]

ALL_REDUCE = re.compile(
    r"(%\w+)(?::\d+)? = coll\.all_reduce number\(\d+\) over all serves \[(.*?)\]"
    r"\((.*?) : (.*?)\)(?: loc\((#\w+)\))?\n")
number = 0


def emit(name, values, types, op, serves, own, place):
    """The line of an op, and its results."""
    global number
    count = len(values)
    line = (f"{name}{f':{count}' if count > 1 else ''} = coll.{op} number({number}) over "
            f"all serves [{serves}]{own} ({', '.join(values)} : {', '.join(types)})"
            f"{f' loc({place})' if place else ''}\n")
    number += 1
    return line, [f"{name}#{i}" for i in range(count)] if count > 1 else [name]


while found := ALL_REDUCE.search(update):
    name, serves, values, types = found.group(1), *(found.group(i) for i in (2, 3, 4))
    values, types = values.split(", "), types.split(", ")
    served = len(serves.split(", ")) if serves else 0
    chains = [(serves, values[:served], types[:served],
               [("all_to_all", ""), ("all_to_all", ""),
                ("send_recv", " distance(1)"), ("send_recv", " distance(-1)"),
                ("reduce_scatter", ""), ("all_gather", ""), ("broadcast", " root(2)")]),
              ("", values[served:], types[served:],
               ([] if without_sum else [("all_reduce", "")])
               + [("broadcast", " root(-1)")])]
    lines, results = "", []
    for i, (serves, values, types, ops) in enumerate(chains):
        for k, (op, own) in enumerate(ops if values else []):
            line, values = emit(f"%x{name[1:]}_{i}_{k}", values, types, op, serves,
                                own, found.group(5))
            lines += line
        results += values
    rest = re.sub(re.escape(name) + r"(?:#(\d+))?(?![\w#:])",
                  lambda use: results[int(use.group(1) or 0)], update[found.end():])
    update = update[:found.start()] + lines + rest

sys.stdout.write(text[:begin] + update + text[end:])
