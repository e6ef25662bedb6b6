"""nameless.py DIR: nights of a compiler that is a shell script: it dies with a
signal, and its stack has no names.  DIR/NIGHT.jsonl are failures of modules of
their own under DIR/toy-opt; from the third night on that is to be DIR/build-1,
with other addresses than DIR/build-0."""

import json
import os
import sys

folder = os.path.abspath(sys.argv[1])
os.makedirs(folder)
STACKS = {
    "tan": (0x11A4, 0x2C38, 0x3D5C, 0x41F0),
    "erf": (0x81B4, 0x2C38, 0x3D5C, 0x41F0),
    "cos": (0x91C4, 0x9A28, 0x3D5C, 0x41F0),
}


def stack(op, build, base, path):
    lines = ["Stack dump:", "0.\tProgram arguments: toy-opt --pad %s" % path]
    for number, place in enumerate(STACKS[op]):
        place += build * (0x3210 + 0x10 * number)
        lines.append(" #%d 0x%016x (/b/toy-opt+0x%x)" % (number, base + place, place))
    return "\n".join(lines) + "\n"


def write_tool(build):
    path = os.path.join(folder, "build-%d" % build)
    with open(path, "w", encoding="ascii") as out:
        out.write("#!/bin/sh\n")
        for op in STACKS:
            text = stack(op, build, 0x555555554000, "$2")
            out.write('if grep -q math.%s "$2"; then cat >&2 <<END\n%sEND\nkill -SEGV $$; fi\n' % (op, text))
    os.chmod(path, 0o755)


def failure(night, number, op, build):
    name = "n%d-%d" % (night, number)
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w", encoding="ascii") as out:
        out.write("func.func @f%d(%%a: f32) -> f32 {\n" % number)
        for n in range(number + night):
            out.write("  %%%d = arith.addf %%a, %%a : f32\n" % n)
        out.write("  %%r = math.%s %%a : f32\n  return %%r : f32\n}\n" % op)
    text = stack(op, build, 0x55D0A0000000 + 0x1000 * (7 * night + number), path)
    return {"name": name, "text": text, "module": path, "command": [os.path.join(folder, "toy-opt"), "--pad", "@@"]}


for night, (build, ops) in enumerate(
    [(0, ("tan", "tan", "erf", "erf")), (0, ("erf", "tan")), (1, ("tan", "erf", "cos")), (1, ("cos", "erf"))], 1
):
    write_tool(build)
    with open(os.path.join(folder, "%d.jsonl" % night), "w", encoding="ascii") as out:
        for number, op in enumerate(ops, 1):
            out.write(json.dumps(failure(night, number, op, build)) + "\n")
