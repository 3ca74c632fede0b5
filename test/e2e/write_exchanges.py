#!/usr/bin/env python3
"""Writes a step with every op of dialect coll in place of its all-reduces.

  write_exchanges.py STEP.mlir [--without-sum]

Gradients are summed in slices and gathered. Those of one rank, which all take before that,
less what a second broadcast makes of them, are nothing, and are taken off: on any number of
ranks the step means what it meant before, to the last bit. Loss and count are summed, and
taken from one rank; with --without-sum they are not summed, so that ranks cannot train with
it.
"""

import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
without_sum = "--without-sum" in sys.argv
begin = text.index("func.func @update")
end = text.index("func.func", begin + 1)
update = text[begin:end]

ALL_REDUCE = re.compile(
    r"(%\w+)(?::\d+)? = coll\.all_reduce index\(\d+\) over all parameters \[(.*?)\]"
    r"\((.*?) : (.*?)\)(?: loc\((#\w+)\))?\n")
number = 0
lines = []  # in place of one all-reduce


def emit(name, values, types, op, parameters, own, place):
    """Writes an op; its results."""
    global number
    count = len(values)
    lines.append(f"{name}{f':{count}' if count > 1 else ''} = coll.{op} index({number}) over "
                 f"all parameters [{parameters}]{own} ({', '.join(values)} : {', '.join(types)})"
                 f"{f' loc({place})' if place else ''}\n")
    number += 1
    return [f"{name}#{i}" for i in range(count)] if count > 1 else [name]


def emit_chain(name, values, types, ops, parameters, place):
    """Writes ops one after the other; the results of the last."""
    for k, (op, own) in enumerate(ops if values else []):
        values = emit(f"{name}_{k}", values, types, op, parameters, own, place)
    return values


def emit_differences(name, firsts, seconds, types, place):
    """Writes first - second for each pair; the results."""
    results = [f"{name}_{i}" for i in range(len(firsts))]
    lines.extend(f"{result} = nn.sub {first}, {second} : {of}{f' loc({place})' if place else ''}\n"
                 for result, first, second, of in zip(results, firsts, seconds, types))
    return results


SUM = [("reduce_scatter", ""), ("all_gather", "")]
LOSS = ([] if without_sum else [("all_reduce", "")]) + [("broadcast", " root(-1)")]

while found := ALL_REDUCE.search(update):
    name, parameters, values, types, place = found.groups()
    name, values, types = name[1:], values.split(", "), types.split(", ")
    count = len(parameters.split(", ")) if parameters else 0
    own, of = values[:count], types[:count]
    lines.clear()
    sums = emit_chain(f"%s{name}", own, of, SUM, parameters, place)
    taken = emit_chain(f"%b{name}", own, of, [("broadcast", " root(2)")], parameters, place)
    passed = emit_chain(f"%p{name}", taken, of, [("broadcast", " root(0)")], parameters, place)
    nothing = emit_differences(f"%n{name}", passed, taken, of, place)
    results = (emit_differences(f"%g{name}", sums, nothing, of, place)
               + emit_chain(f"%l{name}", values[count:], types[count:], LOSS, "", place))
    rest = re.sub(rf"%{name}(?:#(\d+))?(?![\w#:])",
                  lambda use: results[int(use.group(1) or 0)], update[found.end():])
    update = update[:found.start()] + "".join(lines) + rest

sys.stdout.write(text[:begin] + update + text[end:])
