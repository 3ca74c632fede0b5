"""count_accesses.py SHAPE LAYER...: reads and writes of the kernels of layers, on phase `rt` (stdin).

Counted are, for the kernels of @micro that compute at least a part of one of the layers, the
elements of buffers of this shape (32x16x8x8) that they load and store, divided by the elements of
one buffer: 2.00 reads are two passes over the activations. An iteration of the loops counts as
often as they run it. What an iteration stored before, or loaded already, it has in a register, and
it is not counted again. A masked access counts as a whole vector: loops must be a number of these.
"""
import collections
import math
import re
import sys

LOOP = re.compile(r"scf\.for %\S+ = (%\S+) to (%\S+) step (%\S+)")
ACCESS = re.compile(r"(memref|vector)\.(load|store) (?:%[^,\[]+, )?(%[\w#]+)\[([^\]]*)\]"
                    r" : memref<.*?>(?:, vector<(\d+)x\w+>)?$")
MASKED = re.compile(r"(vector)\.masked(load|store) (%[\w#]+)\[([^\]]*)\], .*"
                    r" : memref<.*?>, vector<(\d+)xi1>")
VIEW = re.compile(r"(%\S+) = memref\.(?:reinterpret_cast|subview|collapse_shape|expand_shape) (%\S+)")
NUMBER = re.compile(r"(%\S+) = arith\.constant (-?\d+) : index")


class Locations:
    """The layers that a location names, and whether it is their backward."""

    def __init__(self, text):
        self.table = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))

    def layers(self, location):
        text = self.table.get(location, location)
        backward = text.startswith('fused<"backward of">')
        name = re.match(r'"([^"]*)"\(', text)
        if name:
            return {(name.group(1), False)}
        return {(layer, backward or inner) for part in re.findall(r"#loc\d*", text)
                for layer, inner in self.layers(part)}


def count(kernel, extent, shape):
    """Elements that the text of a kernel loads and stores, by kind."""
    signature, *lines = kernel.split("\n")
    wanted = set(re.findall(r"(%\w+): memref<" + shape + "xf32[,>]", signature))
    begin, end = re.findall(r"(%\w+): index", signature)[:2]
    numbers, base = {}, {argument: argument for argument in wanted}
    blocks = [(1, set())]  # how often it runs, what it has in registers
    totals = collections.Counter()
    for line in lines:
        if line.lstrip().startswith("}"):
            blocks.pop()
        if number := NUMBER.search(line):
            numbers[number.group(1)] = int(number.group(2))
        if view := VIEW.search(line):
            base[view.group(1)] = base.get(view.group(2))
        if access := MASKED.search(line) or ACCESS.search(line):
            _, kind, buffer, index, lanes = access.groups()
            argument = base.get(buffer)
            known = any((argument, index) in block[1] for block in blocks)
            if argument and not (kind == "load" and known):
                totals[kind] += math.prod(times for times, _ in blocks) * int(lanes or 1)
            if argument:
                blocks[-1][1].add((argument, index))
        if line.rstrip().endswith("{"):
            loop = LOOP.search(line)
            times = 1
            if loop:
                low, high, step = loop.groups()
                length = extent if (low, high) == (begin, end) else numbers[high] - numbers[low]
                times = math.ceil(length / numbers[step])
                if length % numbers[step] and "vector.masked" in kernel:
                    sys.exit("a loop is not a number of whole vectors: choose another shape")
            blocks.append((times, set()))
    return totals


def main():
    shape, layers = sys.argv[1], set(sys.argv[2:])
    text = sys.stdin.read()
    locations = Locations(text)
    bare = re.sub(r" loc\([^()]*(?:\([^()]*\))*[^()]*\)", "", text)
    kernels = {name: body for name, body in
               re.findall(r"func\.func private @(\w+)(\(.*?\n    \}\n)", bare, re.S)}
    size = math.prod(map(int, shape.split("x")))
    totals = {False: collections.Counter(), True: collections.Counter()}
    # Other functions may launch the same kernels.
    begin = text.index("func.func @micro(")
    end = text.find("func.func", begin + 1)
    for name, extent, location in re.findall(
            r"rt\.launch @(\w+)\(.* extent\((\d+)\).* loc\((.*)\)$", text[begin:end], re.M):
        directions = {backward for layer, backward in locations.layers(location) if layer in layers}
        if directions:
            totals[max(directions)].update(count(kernels[name], int(extent), shape))
    for backward, name in ((False, "forward"), (True, "backward")):
        counted = totals[backward]
        print(f"{name}: {counted['load'] / size:.2f} reads, {counted['store'] / size:.2f} writes")


main()
