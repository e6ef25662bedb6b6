#!/usr/bin/env python3
"""weave.py [OPTION...] FILE: a compiler of a dialect that nobody knows.

Reads modules in generic form, one operation a line, verifies them, and prints
those that hold, or (--lower) dies of a weave.snap.  It knows no part of MLIR.

  --split-input-file  FILE is many modules
  --no-split          --split-input-file is an unknown option
  --all               print what does not hold, too
  --mesh, --roll, --bolt, --spool
                      --lower dies only where there is one of these, too
  --frail             the verifier dies of a weave.frail without `brace`
"""
import os
import re
import sys

# Of each operation: attributes that must be there, those that may be, those
# that are there together or not at all.
RULES = {
    "weave.warp": ({"count"}, {"twist", "color"}, set()),
    "weave.weft": (set(), {"color"}, {"lo", "hi"}),
    "weave.frail": (set(), {"brace", "color"}, set()),
    "weave.snap": ({"at", "tension"}, {"k", "axis", "type", "values", "value", "step"}, set()),
    "weave.mesh": ({"sizes"}, {"color"}, set()),
    "weave.roll": ({"order", "ends"}, {"color"}, set()),
    "weave.bolt": (set(), {"color"}, set()),
    "weave.spool": (set(), {"color"}, set()),
    "func.func": ({"sym_name", "function_type"}, set(), set()),
    "func.return": (set(), set(), set()),
    "builtin.module": (set(), {"sym_name"}, set()),
    "builtin.unrealized_conversion_cast": (set(), set(), set()),
}
OPERATION = re.compile(r'(?:%[\w#:]+ = )?"([\w.]+)"\((.*?)\)')
NAMES = re.compile(r"(\w+) = ")


class Invalid(Exception):
    pass


def attributes(line):
    """The names in all dictionaries of the line; types have none."""
    return {name for part in re.findall(r"\{([^{}]*)\}", line) for name in NAMES.findall(", " + part)}


def verify(lines, frail):
    known = set(re.findall(r"(%\w+)(?::\d+)? = ", "\n".join(lines)))
    known |= {name for line in lines if line.lstrip().startswith("^") for name in re.findall(r"(%\w+):", line)}
    for line in lines:
        found = OPERATION.search(line)
        if not found:
            continue
        name, operands = found.groups()
        if name not in RULES:
            raise Invalid(f"unknown operation {name}")
        if missing := set(re.findall(r"%\w+", operands)) - known:
            raise Invalid(f"{name}: nothing defines {missing}")
        if name.startswith("weave."):
            verify_attributes(name, attributes(line), frail)
        if name == "weave.mesh":
            verify_mesh(line)
        if name == "weave.roll":
            verify_roll(line)
        if name == "weave.bolt":
            verify_bolt(line)
        if name == "weave.spool":
            verify_spool(line)
        if name.endswith("_cast") and line.rstrip().endswith("-> ()"):
            raise Invalid("a cast gives something")


def verify_mesh(line):
    """Its sizes are those of its result, which has the elements of the operand,
    and the operand's first size is the result's second."""
    sizes = re.search(r"sizes = array<i64: (\d+), (\d+)>", line)
    types = re.search(r" : \(tensor<(\d+)x(\w+)>\) -> tensor<(\d+)x(\d+)x(\w+)>", line)
    if not sizes or not types or sizes.groups() != types.group(3, 4):
        raise Invalid("weave.mesh: sizes are not the result's")
    if types.group(1) != types.group(4) or types.group(2) != types.group(5):
        raise Invalid("weave.mesh: the operand does not fit")


def verify_roll(line):
    """Dimension i of its result is dimension order[i] of the operand, of which
    at least one is left; each has an end."""
    lists = {key: re.search(key + r" = array<i64: ([\d, ]+)>", line) for key in ("order", "ends")}
    types = re.search(r" : \(tensor<([\dx]+)x(\w+)>, index.*\) -> tensor<([\dx]+)x(\w+)>", line)
    if not types or not all(lists.values()) or types.group(2) != types.group(4):
        raise Invalid("weave.roll: not a roll")
    order, ends = ([int(number) for number in lists[key].group(1).split(",")] for key in ("order", "ends"))
    old, new = (types.group(i).split("x") for i in (1, 3))
    if sorted(order) != list(range(len(old))) or [old[i] for i in order] != new:
        raise Invalid("weave.roll: the order is another")
    if len(ends) != len(old) or line.count("index") != len(old):
        raise Invalid("weave.roll: an end and a start for each dimension")


def verify_bolt(line):
    """The first of its memrefs is in some space, the next two are in the same
    or in none, and so are the tensors with encodings, of which the first has one."""
    types = re.search(r" : \(memref<4xi8, \w+>, memref<4xi8(.*?)>, memref<4xi8(.*?)>, memref<4xi8.*?>, "
                      r"tensor<4xi8, .*?>, tensor<4xi8.*?>\) -> \(\)", line)
    if not types or types.group(1) != types.group(2):
        raise Invalid("weave.bolt: a memref is elsewhere")


def verify_spool(line):
    """Eight tensors: the first two have one size, the third and the last another."""
    sizes = re.findall(r"tensor<(\d+)xi8>", line)
    if len(sizes) != 8 or sizes[0] != sizes[1] or sizes[2] != sizes[7]:
        raise Invalid("weave.spool: a tensor does not fit")


def verify_attributes(name, there, frail):
    must, may, both = RULES[name]
    if frail and name == "weave.frail" and "brace" not in there:
        os.abort()
    if missing := must - there:
        raise Invalid(f"{name} requires {sorted(missing)}")
    if there & both and both - there:
        raise Invalid(f"{name} has one of {sorted(both)}")
    if extra := there - must - may - both:
        raise Invalid(f"{name} knows no {sorted(extra)}")


def main(options, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "--split-input-file" in options:
        if "--no-split" in options:
            sys.exit("weave: unknown option --split-input-file")
        parts = text.split("// -----\n")
    else:
        parts = [text]
    failed = False
    for part in parts:
        try:
            verify(part.splitlines(), "--frail" in options)
        except Invalid as why:
            print(f"error: {why}", file=sys.stderr)
            failed = True
            if "--all" not in options:
                continue
        if "--lower" not in options:
            print(part, flush=True)
        elif all(f'"weave.{name}"' in part for name in ("snap", "mesh", "roll", "bolt", "spool") if name == "snap" or "--" + name in options):
            sys.exit("weave.cpp:7: void lower(): Assertion `!snapped' failed.")
    sys.exit(failed)


main(sys.argv[1:-1], sys.argv[-1])
