"""night.py DIR: logs of fake-compiler over some modules, and a list of them.

Two bugs, each in modules of several sizes and one under another command; one
that is fixed, one whose module is missing, one that fails every second time.
"""

import json
import os
import sys

folder = sys.argv[1]
os.makedirs(folder)
lines = []


def module(name, op, extra):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("func.func @f(%a: f32) -> f32 {\n")
        last = "%a"
        for n in range(extra):
            file.write("  %%%d = arith.addf %s, %%a : f32\n" % (n, last))
            last = "%%%d" % n
        file.write("  %%r = math.%s %s : f32\n  return %%r : f32\n}\n" % (op, last))
    return path


def failure(name, text, path, *command):
    log = os.path.join(folder, name + ".log")
    with open(log, "w", encoding="utf-8") as file:
        file.write("LLVM ERROR: %s\n" % text)
    lines.append({"log": log, "module": path, "command": list(command)})


for name, size in (("big", 9), ("small", 3)):
    path = module("tan-%s.mlir" % name, "tan", size)
    failure("tan-" + name, "no tangent", path, "fake-compiler", "--has", "math.tan", "--fatal", "no tangent", "@@")
failure("tan-other", "no tangent", module("tan-other.mlir", "tan", 5), "fake-compiler", "--like", "math.ta", "--fatal", "no tangent", "@@")
failure("erf", "no error function", module("erf.mlir", "erf", 4), "fake-compiler", "--has", "math.erf", "--fatal", "no error function", "@@")
failure("fixed", "no sine", module("sin.mlir", "sin", 2), "fake-compiler", "--has", "math.cos", "--fatal", "no sine", "@@")
failure("missing", "no cosine", os.path.join(folder, "nowhere.mlir"), "fake-compiler", "@@")
failure("changed", "no root", module("sqrt.mlir", "sqrt", 2), "fake-compiler", "--has", "math.sqrt", "--fatal", "something else", "@@")
with open(os.path.join(folder, "list.jsonl"), "w", encoding="utf-8") as file:
    for line in lines:
        file.write(json.dumps(line) + "\n")
