#!/usr/bin/env python3
"""cases.py DIR: write six MLIR inputs with a planted failure in each.

A case is a folder: `input.mlir`, networks of some 400 operations of arith, math,
tensor, scf and linalg that MLIR 19 and 22 read alike, and `test.sh FILE`, which
says with 0 that mlir-opt-22 reads the module and shows the failure: words in
what it prints after passes."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import case_folder  # noqa: E402

TENSOR = "tensor<8x8xf32>"
UNARY = ("math.exp", "math.tanh", "math.absf", "math.sqrt", "arith.negf")
BINARY = ("arith.addf", "arith.mulf", "arith.subf", "arith.divf")

# What a planted line is made of: {a}, {b} are values before it, {r} its result, of the type TENSOR.
ATAN = ["{r} = math.atan2 {a}, {b} : " + TENSOR]
PAIR = ["{r}p = math.powf {a}, {b} : " + TENSOR, "{r} = math.copysign {r}p, {a} : " + TENSOR]
LOOP = ["{r}l = arith.constant 0 : index", "{r}u = arith.constant 8 : index", "{r}s = arith.constant 1 : index",
        "{r} = scf.for %i = {r}l to {r}u step {r}s iter_args(%acc = {a}) -> (" + TENSOR + ") {",
        "  %t = arith.addf %acc, {b} : " + TENSOR, "  %q = math.rsqrt %t : " + TENSOR,
        "  scf.yield %q : " + TENSOR, "}"]
MATMUL = ["{r}z = arith.constant 0.0 : f32", "{r}e = tensor.empty() : " + TENSOR,
          "{r}f = linalg.fill ins({r}z : f32) outs({r}e : " + TENSOR + ") -> " + TENSOR,
          "{r} = linalg.matmul ins({a}, {b} : " + TENSOR + ", " + TENSOR + ") outs({r}f : " + TENSOR + ") -> " + TENSOR]
BRANCH = ["{r}c = arith.constant true", "{r} = scf.if {r}c -> (" + TENSOR + ") {",
          "  %t = math.floor {a} : " + TENSOR, "  scf.yield %t : " + TENSOR, "} else {",
          "  %t = math.ceil {b} : " + TENSOR, "  scf.yield %t : " + TENSOR, "}"]
FOLD = ["{r}k = arith.constant dense<1.5> : " + TENSOR, "{r}m = arith.mulf {r}k, {r}k : " + TENSOR,
        "{r} = arith.maximumf {r}m, {a} : " + TENSOR]

# Planted lines; passes; words that the printed module then has, in any order.
CASES = {
    "atan": (ATAN, "", ["math.atan2"]),
    "pair": (PAIR, "", ["math.powf", "math.copysign"]),
    "loop": (LOOP, "--convert-scf-to-cf", ["math.rsqrt", "cf.cond_br"]),
    "matmul": (MATMUL, "--linalg-generalize-named-ops", ["linalg.generic", "reduction"]),
    "branch": (BRANCH, "", ["scf.if", "math.floor", "math.ceil"]),
    "fold": (FOLD, "--canonicalize", ["dense<2.25", "arith.maximumf"]),
}

TEST = """#!/bin/sh
printed=$(mlir-opt-22 {passes} "$1" 2>/dev/null) || exit 1
for word in {words}; do
  case $printed in *"$word"*) ;; *) exit 1 ;; esac
done
"""


def function(rng, index, callees, plant):
    values, lines = ["%a", "%b"], [f"  func.func @f{index}(%a: {TENSOR}, %b: {TENSOR}) -> {TENSOR} {{"]
    for i in range(50):
        recent, name = values[-6:], f"%v{i}"
        if plant and i == 35:
            for hole, value in (("{r}", name), ("{a}", values[-1]), ("{b}", values[-3])):
                plant = [line.replace(hole, value) for line in plant]
            lines += ["    " + line for line in plant]
        elif callees and rng.random() < 0.05:
            args = ", ".join(rng.choice(recent) for _ in range(2))
            lines.append(f"    {name} = func.call @{rng.choice(callees)}({args}) : ({TENSOR}, {TENSOR}) -> {TENSOR}")
        elif rng.random() < 0.4:
            lines.append(f"    {name} = {rng.choice(UNARY)} {rng.choice(recent)} : {TENSOR}")
        else:
            lines.append(f"    {name} = {rng.choice(BINARY)} {rng.choice(recent)}, {rng.choice(recent)} : {TENSOR}")
        values.append(name)
    return lines + [f"    return {values[-1]} : {TENSOR}", "  }"]


def write(folder, seed, plant, passes, words):
    rng = random.Random(seed)
    lines = []
    for i in range(8):
        lines += function(rng, i, [f"f{k}" for k in range(i)], plant if i == 5 else None)
    case_folder.write(folder, "mlir", "module {\n" + "\n".join(lines) + "\n}\n",
                      TEST.format(passes=passes, words=case_folder.quoted(words)))


def main():
    for seed, (name, case) in enumerate(CASES.items()):
        write(os.path.join(sys.argv[1], name), seed, *case)


if __name__ == "__main__":
    main()
