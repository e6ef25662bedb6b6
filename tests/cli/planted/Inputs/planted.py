"""Networks of 1,000 operations of which a compiler gets one wrong:
planted.py KIND SEED... [-o DIR] [--operations N] [--commands LIB,LIB...]

Each has one operation that the suspect's passes miscompile: a transform script
that changes it, or a pass of MLIR 22 that is wrong for it.  `culprit extract`
has to name exactly that one, by its line, in at most 15 runs, all of them
counted: those that classify the failure, those that look for it, and that of
repro.sh, which has to show it once more when the network is gone.  Prints the
runs of each.

--operations: so many in place of 1,000.

--commands: the suspect and the reference are commands, mlir-opt and mlir-runner
with these libraries; the network is a program that prints, and the suspect's
command changes the operation's text."""
import json
import os
import random
import subprocess
import sys

USUAL_OPERATIONS = 1000
MOST_RUNS = {"bound": 20}  # turns of a loop are searched, and the memory that it writes
USUAL_RUNS = 15
SCRIPT = """module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%%m: !transform.any_op) {
    %%op = transform.structured.match ops{["%s"]} attributes {tag} in %%m : (!transform.any_op) -> !transform.any_op
    %%p = transform.param.constant %s -> !transform.any_param
    transform.annotate %%op "%s" = %%p : !transform.any_op, !transform.any_param
    transform.yield
  }
}
"""


LOWER = """builtin.module(func.func(convert-elementwise-to-linalg),empty-tensor-to-alloc-tensor,
one-shot-bufferize{bufferize-function-boundaries},func.func(convert-linalg-to-loops),convert-vector-to-scf,
lower-affine,convert-scf-to-cf,expand-strided-metadata,lower-affine,convert-math-to-libm,convert-vector-to-llvm,
convert-arith-to-llvm,finalize-memref-to-llvm,convert-index-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,
reconcile-unrealized-casts)""".replace("\n", "")
COMMAND = """#!/bin/bash
set -o pipefail
sed '%s' "$1" | mlir-opt --pass-pipeline='%s' | mlir-runner -e main -entry-point-result=void -shared-libs=%s
"""
WRONG_TEXT = {"predicate": "/{tag}/s/ slt/ sge/", "constant": "/{tag}/s/{tag} /&1/"}


class Network:
    """Lines of a function body; values by type, the last ones first in use."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.sum = "%b"
        self.values = {
            "i32": ["%a", "%b"],
            "vector<4xi32>": ["%v", "%w"],
            "f32": ["%x", "%y"],
            "tensor<4x4xi32>": ["%t", "%u"],
        }

    def pick(self, kind):
        chosen = self.values[kind]
        return self.random.choice(chosen[-5:-1] + 2 * chosen[:2])

    def add(self, kind, text):
        """text: the operation, {0} the last value of the kind, {1} another."""
        name = f"%n{len(self.lines)}"
        last = self.values[kind][-1]
        self.lines.append(f"  {name} = " + text.format(last, self.pick(kind)))
        self.values[kind].append(name)

    def mix(self, kind, shift):
        """No error is lost: x ^ x >> 7 and an odd factor can be undone."""
        last = self.values[kind][-1]
        self.add(kind, f"arith.shrui {{0}}, {shift} : {kind}")
        self.add(kind, f"arith.xori {{0}}, {last} : {kind}")

    def combine(self, kind, given):
        """What comes along is no neighbour: they would cancel.  Those are
        added up beside."""
        op = self.random.choice(["addi", "subi", "xori"])
        self.add(kind, f"arith.{op} {{0}}, {self.random.choice(given)} : {kind}")
        if kind == "i32" and self.random.random() < 0.5:
            side = f"%n{len(self.lines)}"
            self.lines.append(f"  {side} = arith.muli {self.values[kind][-1]}, {self.pick(kind)} : i32")
            self.lines.append(f"  %n{len(self.lines)} = arith.addi {self.sum}, {side} : i32")
            self.sum = f"%n{len(self.lines) - 1}"

    def step(self):
        draw = self.random.random()
        if draw < 0.35:
            self.combine("i32", ["%a", "%b"])
        elif draw < 0.55:
            self.mix("i32", "%c7")
        elif draw < 0.65:
            self.combine("vector<4xi32>", ["%v", "%w"])
        elif draw < 0.75:
            self.mix("vector<4xi32>", "%k7")
        elif draw < 0.9:
            op = self.random.choice(["addf", "subf"])
            self.add("f32", f"arith.{op} {{0}}, {{1}} : f32")
            self.add("f32", "math.sin {0} : f32")
        elif draw < 0.94:
            last, vector = self.values["i32"][-1], self.values["vector<4xi32>"][-1]
            self.add("i32", f"vector.extract {vector}[{self.random.randrange(4)}] : i32 from vector<4xi32>")
            self.add("i32", f"arith.addi {{0}}, {last} : i32")
        elif draw < 0.98:
            self.add("vector<4xi32>", "vector.shuffle {0}, {1} [1, 2, 3, 0] : vector<4xi32>, vector<4xi32>")
        else:
            self.add("tensor<4x4xi32>", "arith.addi {0}, %t : tensor<4x4xi32>")

    # What is planted: the line that is wrong, and what makes it wrong.

    def predicate(self):
        a, b = self.pick("i32"), self.values["i32"][-1]
        wrong = f"%n{len(self.lines)}"
        self.lines.append(f"  {wrong} = arith.cmpi slt, {a}, {b} {{tag}} : i32")
        self.add("i32", f"arith.select {wrong}, {{0}}, {a} : i32")
        return -2, ("arith.cmpi", "5 : i64", "predicate")

    def constant(self):
        value = self.random.randrange(100)
        c = f"%n{len(self.lines)}"
        self.lines.append(f"  {c} = arith.constant {{tag}} {value} : i32")
        self.add("i32", f"arith.addi {{0}}, {c} : i32")
        return -2, ("arith.constant", f"{value + 1} : i32", "value")

    def bound(self):
        n = self.random.randrange(3, 9)
        name = f"%n{len(self.lines)}"
        self.lines.append(
            f"  {name} = affine.for %i = 0 to {n} iter_args(%s = {self.values['i32'][-1]}) -> (i32) "
            f"{{ %q = arith.addi %s, {self.pick('i32')} : i32 affine.yield %q : i32 }} {{tag}}"
        )
        self.values["i32"].append(name)
        return -1, ("affine.for", f"affine_map<() -> ({n - 1})>", "upperBoundMap")

    def layout(self):
        t = self.values["tensor<4x4xi32>"][-1]
        e = f"%n{len(self.lines)}"
        self.lines.append(f"  {e} = tensor.empty() : tensor<4x4xi32>")
        self.add(
            "tensor<4x4xi32>",
            f"linalg.transpose ins({t} : tensor<4x4xi32>) outs({e} : tensor<4x4xi32>) permutation = [1, 0] {{{{tag}}}}",
        )
        return -1, ("linalg.transpose", "array<i64: 0, 1>", "permutation")

    def reduction(self):
        """lower-vector-multi-reduction forgets what is added to."""
        vector = self.values["vector<4xi32>"]
        a, b = f"%n{len(self.lines)}", f"%n{len(self.lines) + 1}"
        self.lines.append(f"  {a} = vector.shape_cast {vector[-1]} : vector<4xi32> to vector<2x2xi32>")
        self.lines.append(f"  {b} = vector.multi_reduction <add>, {a}, {a} [] : vector<2x2xi32> to vector<2x2xi32>")
        vector.append(f"%n{len(self.lines)}")
        self.lines.append(f"  {vector[-1]} = vector.shape_cast {b} : vector<2x2xi32> to vector<4xi32>")
        return -2, None

    def mask(self):
        n = self.random.randrange(1, 4)
        m = f"%n{len(self.lines)}"
        self.lines.append(f"  {m} = vector.constant_mask [{n}] {{tag}} : vector<4xi1>")
        self.add("vector<4xi32>", f"arith.select {m}, {{0}}, %v : vector<4xi1>, vector<4xi32>")
        return -2, ("vector.constant_mask", f"array<i64: {n + 1}>", "mask_dim_sizes")


def build(kind, seed, size):
    net = Network(f"{kind} {seed}")
    place = net.random.randrange(size // 20, size * 19 // 20)
    planted = None
    while len(net.lines) < size:
        if planted is None and len(net.lines) >= place:
            back, script = getattr(net, kind)()
            planted = len(net.lines) + back
        net.step()
    head = (
        "func.func @net(%a: i32, %b: i32, %x: f32, %y: f32, %t: tensor<4x4xi32>, %u: tensor<4x4xi32>) -> "
        "(i32, i32, f32, tensor<4x4xi32>) {\n  %v = vector.from_elements %a, %b, %b, %a : vector<4xi32>\n"
        "  %w = vector.from_elements %b, %a, %a, %a : vector<4xi32>\n"
        "  %c7 = arith.constant 7 : i32\n  %k7 = arith.constant dense<7> : vector<4xi32>\n"
    )
    last = net.values
    end = f"  %lanes = vector.reduction <add>, {last['vector<4xi32>'][-1]} : vector<4xi32> into i32\n"
    end += f"  %end = arith.addi %lanes, {last['i32'][-1]} : i32\n"
    end += f"  return {net.sum}, %end, {last['f32'][-1]}, {last['tensor<4x4xi32>'][-1]} : i32, i32, f32, tensor<4x4xi32>\n}}\n"
    return head + "\n".join(net.lines) + "\n" + end, planted + 6, script


def passes_of(script, path):
    if script is None:
        return "builtin.module(func.func(lower-vector-multi-reduction))"
    with open(path, "w") as out:
        out.write(SCRIPT % script)
    return f"builtin.module(transform-preload-library{{transform-library-paths={path}}},transform-interpreter)"


def as_program(text):
    """The function's arguments are constants, its results are printed."""
    lines = text.splitlines()
    end = lines[-2].replace("  return ", "").split(" : ")[0].split(", ")
    head = ["func.func @main() {"]
    head += [f"  %{name} = arith.constant {value} : i32" for name, value in (("a", 5), ("b", -3))]
    head += [f"  %{name} = arith.constant {value} : f32" for name, value in (("x", 0.5), ("y", 3.0))]
    head += [f"  %{name} = arith.constant dense<{value}> : tensor<4x4xi32>" for name, value in (("t", 3), ("u", 2))]
    tail = [f"  vector.print {value} : {kind}" for value, kind in zip(end[:3], ("i32", "i32", "f32"))]
    return "\n".join(head + lines[1:-2] + tail + ["  return", "}"]) + "\n", len(head) - 1


def commands_of(kind, where, libs):
    """What culprit is told to compare, written as scripts."""
    for name, edit in (("right", ""), ("wrong", WRONG_TEXT[kind])):
        path = os.path.join(where, name)
        with open(path, "w") as out:
            out.write(COMMAND % (edit, LOWER, libs))
        os.chmod(path, 0o755)
    return ["--ref", f"{where}/right @@", "--", f"{where}/wrong", "@@"]


def run(kind, seed, top, size, libs):
    where = os.path.join(top, f"{kind}-{seed}")
    os.makedirs(where, exist_ok=True)
    model, out, report = (os.path.join(where, name) for name in ("net.mlir", "out", "report.json"))
    text, line, script = build(kind, seed, size)
    if libs:
        text, more = as_program(text)
        line += more
    with open(model, "w") as file:
        file.write(text)
    if libs:
        what = commands_of(kind, where, libs)
    else:
        what = ["--passes", passes_of(script, os.path.join(where, "schedule.mlir"))]
    done = subprocess.run(
        ["culprit", "extract", model, "-o", out, "--json", report, "--mismatch", *what],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "not found" not in done.stderr, f"{kind} {seed}: {done.stdout}{done.stderr}"
    with open(report) as file:
        result = json.load(file)
    got, runs = result["divergence"]["location"], result["runs"]
    count = runs["classify"] + runs["suspect"] + runs["reference"]
    assert got.startswith(f"{model}:{line}:"), f"{kind} {seed}: {got}, not line {line}: {text.splitlines()[line - 1]}"
    assert count <= MOST_RUNS.get(kind, USUAL_RUNS), f"{kind} {seed}: {count} runs"
    os.remove(model)
    shown = subprocess.run(["bash", os.path.join(out, "repro.sh")], capture_output=True)
    assert shown.returncode == 0 and b"same bits" not in shown.stdout, f"{kind} {seed}: repro.sh"
    segment = result["segment"]
    return count, runs["classify"], result["operations"], segment["last"] - segment["first"] + 1


def main():
    args = sys.argv[1:]
    top = args.pop(args.index("-o") + 1) if "-o" in args else "."
    size = int(args.pop(args.index("--operations") + 1)) if "--operations" in args else USUAL_OPERATIONS
    libs = args.pop(args.index("--commands") + 1) if "--commands" in args else None
    kind, seeds = args[0], [a for a in args[1:] if a not in ("-o", "--operations", "--commands")]
    for seed in seeds:
        count, classify, operations, alone = run(kind, seed, top, size, libs)
        print(
            f"{kind} {seed}: named exactly among {operations} operations in {count} runs "
            f"({classify} of them to classify); alone: {alone} operation(s)"
        )
    print(f"{len(seeds)} of {len(seeds)}")


if __name__ == "__main__":
    main()
