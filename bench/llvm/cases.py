#!/usr/bin/env python3
"""cases.py DIR: write ten LLVM IR inputs with a failure, or a behaviour, in each.

A case is a folder: `input.ll`, some 1,000 lines, and `test.sh FILE`, which says
with 0 that the behaviour shows.  The tools are those of LLVM 22.  Every module
is filled with functions that call each other, branch, loop, and use globals,
structs and attributes; what shows the behaviour is planted in one of them."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import case_folder  # noqa: E402

HEADER = """source_filename = "{name}.c"
{target}
%struct.node = type {{ i32, float, [4 x i32], ptr }}

@table = internal constant [8 x i32] [i32 3, i32 1, i32 4, i32 1, i32 5, i32 9, i32 2, i32 6], align 16
@counter = global i32 0, align 4
@scale = internal unnamed_addr constant float 2.500000e+00, align 4
@nodes = global [4 x %struct.node] zeroinitializer, align 16
@name = private unnamed_addr constant [6 x i8] c"hello\\00", align 1
"""

FOOTER = """
attributes #0 = {{ nounwind uwtable "frame-pointer"="all" "no-trapping-math"="true"{cpu} }}
attributes #1 = {{ nofree nounwind "frame-pointer"="all" }}

!llvm.module.flags = !{{!0, !1, !2}}
!llvm.ident = !{{!3}}

!0 = !{{i32 1, !"wchar_size", i32 4}}
!1 = !{{i32 8, !"PIC Level", i32 2}}
!2 = !{{i32 7, !"uwtable", i32 2}}
!3 = !{{!"culprit bench"}}
!4 = !{{!5, !5, i64 0}}
!5 = !{{!"int", !6, i64 0}}
!6 = !{{!"omnipotent char", !7, i64 0}}
!7 = !{{!"Simple C/C++ TBAA"}}
"""

DATALAYOUT = {
    "x86_64-unknown-linux-gnu":
        "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128",
    "nvptx64-nvidia-cuda": "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
    "amdgcn-amd-amdhsa":
        "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32"
        "-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1",
}


class Function:
    """The lines of one function, and the values that are known in its block."""

    def __init__(self, chance, number, callees):
        self.chance, self.number, self.callees = chance, number, callees
        self.lines, self.n, self.blocks = [], 0, 0
        self.block = "entry"
        self.ints, self.floats = ["%n", "%k"], ["%x"]

    def new(self, prefix="v"):
        self.n += 1
        return f"%{prefix}{self.n}"

    def add(self, line):
        self.lines.append("  " + line)

    def label(self, name):
        self.lines.append(f"\n{name}:")
        self.block = name

    def value(self, text, kind, prefix="v"):
        name = self.new(prefix)
        self.add(f"{name} = {text}")
        (self.ints if kind == "i" else self.floats).append(name)
        return name

    def int(self):
        return self.chance.choice(self.ints[-6:] + [str(self.chance.randrange(1, 99))])

    def float(self):
        return self.chance.choice(self.floats[-5:] + ["3.000000e+00", "5.000000e-01"])

    def arithmetic(self):
        op = self.chance.choice(["add nsw", "sub", "mul", "xor", "and", "or", "shl", "lshr"])
        right = str(self.chance.randrange(1, 9)) if op in ("shl", "lshr") else self.int()
        self.value(f"{op} i32 {self.chance.choice(self.ints)}, {right}", "i")

    def real(self):
        op = self.chance.choice(["fadd", "fmul", "fsub", "fmul fast"])
        self.value(f"{op} float {self.chance.choice(self.floats)}, {self.float()}", "f")

    def memory(self):
        kind = self.chance.randrange(4)
        at = self.new("p")
        if kind == 0:
            wide = self.new("w")
            self.add(f"{wide} = zext i32 {self.chance.choice(self.ints)} to i64")
            self.add(f"{at} = getelementptr inbounds i32, ptr %a, i64 {wide}")
            self.value(f"load i32, ptr {at}, align 4, !tbaa !4", "i")
        elif kind == 1:
            field = self.chance.randrange(4)
            self.add(f"{at} = getelementptr inbounds [4 x %struct.node], ptr @nodes, i64 0, i64 {field}, i32 1")
            self.value(f"load float, ptr {at}, align 4", "f")
        elif kind == 2:
            self.add(f"{at} = getelementptr inbounds [8 x i32], ptr @table, i64 0, i64 {self.chance.randrange(8)}")
            self.value(f"load i32, ptr {at}, align 4", "i")
        else:
            self.add(f"{at} = getelementptr inbounds i8, ptr %b, i64 {4 * self.chance.randrange(16)}")
            self.add(f"store i32 {self.int()}, ptr {at}, align 4, !tbaa !4")

    def call(self):
        if not self.callees:
            return self.arithmetic()
        to = self.chance.choice(self.callees)
        self.value(f"call i32 @work{to}(ptr %a, ptr %b, i32 {self.int()}, i32 {self.int()}, float {self.float()})", "i")

    def keep(self, value):
        """Make sure that what is planted is used: in its block, and at once."""
        at = self.new("p")
        self.add(f"{at} = getelementptr inbounds i8, ptr %b, i64 {60 + 4 * self.n}")
        self.add(f"store {value}, ptr {at}, align 4")

    def straight(self, n):
        for _ in range(n):
            self.chance.choice([self.arithmetic] * 4 + [self.real] * 2 + [self.memory] * 3 + [self.call])()

    def diamond(self):
        self.blocks += 1
        k = self.blocks
        test = self.new("c")
        self.add(f"{test} = icmp slt i32 {self.chance.choice(self.ints)}, {self.int()}")
        self.add(f"br i1 {test}, label %then{k}, label %else{k}")
        before = list(self.ints), list(self.floats)
        ends = []
        for side in ("then", "else"):
            self.ints, self.floats = list(before[0]), list(before[1])
            self.label(f"{side}{k}")
            self.straight(self.chance.randrange(2, 5))
            ends.append((self.chance.choice(self.ints), self.block))
            self.add(f"br label %join{k}")
        self.ints, self.floats = before
        self.label(f"join{k}")
        self.value("phi i32 " + ", ".join(f"[ {v}, %{b} ]" for v, b in ends), "i")

    def loop(self):
        self.blocks += 1
        k, before = self.blocks, self.block
        start = self.chance.choice(self.ints)
        self.add(f"br label %loop{k}")
        self.label(f"loop{k}")
        self.add(f"%i{k} = phi i32 [ 0, %{before} ], [ %next{k}, %loop{k} ]")
        self.add(f"%sum{k} = phi i32 [ {start}, %{before} ], [ %more{k}, %loop{k} ]")
        self.ints += [f"%i{k}", f"%sum{k}"]
        self.straight(self.chance.randrange(2, 5))
        self.add(f"%more{k} = add i32 %sum{k}, {self.chance.choice(self.ints)}")
        self.add(f"%next{k} = add nuw nsw i32 %i{k}, 1")
        self.add(f"%done{k} = icmp eq i32 %next{k}, %n")
        self.add(f"br i1 %done{k}, label %after{k}, label %loop{k}")
        self.label(f"after{k}")
        self.ints.append(f"%more{k}")

    def choices(self):
        self.blocks += 1
        k, before = self.blocks, self.block
        known = list(self.ints), list(self.floats)
        keep = self.chance.choice(self.ints)
        cases = "\n".join(f"    i32 {v}, label %case{k}.{v}" for v in range(3))
        self.add(f"switch i32 {self.chance.choice(self.ints)}, label %end{k} [\n{cases}\n  ]")
        ends = [(keep, before)]
        for v in range(3):
            self.ints, self.floats = list(known[0]), list(known[1])
            self.label(f"case{k}.{v}")
            self.straight(2)
            ends.append((self.chance.choice(self.ints), self.block))
            self.add(f"br label %end{k}")
        self.ints, self.floats = known
        self.label(f"end{k}")
        self.value("phi i32 " + ", ".join(f"[ {v}, %{b} ]" for v, b in ends), "i")

    def body(self, n, plant):
        at = self.chance.randrange(n // 3, n)
        for i in range(n):
            self.chance.choice([self.diamond, self.loop, self.choices, lambda: self.straight(4)])()
            if plant and i == at:
                plant(self)
        whole = self.new()
        self.add(f"{whole} = fptosi float {self.chance.choice(self.floats)} to i32")
        last = self.new()
        self.add(f"{last} = add i32 {whole}, {self.chance.choice(self.ints)}")
        self.add(f"ret i32 {last}")

    def text(self):
        head = (f"define i32 @work{self.number}(ptr noalias %a, ptr nocapture %b, i32 noundef %n, i32 %k, "
                "float %x) #0 {\nentry:\n")
        return head + "\n".join(self.lines) + "\n}\n"


def module(seed, triple, plant, extra="", cpu="", functions=9):
    """Some 1,000 lines; plant is called in one function."""
    chance = random.Random(seed)
    target = f'target datalayout = "{DATALAYOUT[triple]}"\ntarget triple = "{triple}"\n'
    out = [HEADER.format(name="case", target=target)]
    chosen = chance.randrange(functions // 3, functions)
    for number in range(functions):
        callees = [] if triple.startswith(("amdgcn", "nvptx")) and number == chosen else list(range(number))
        function = Function(chance, number, callees[-3:])
        function.body(7, plant if number == chosen else None)
        out.append(function.text())
    out.append(extra)
    out.append(FOOTER.format(cpu=f' "target-cpu"="{cpu}"' if cpu else ""))
    return "\n".join(out)


# ---- what is planted ----


def workitem(f):
    v = f.value("call i32 @llvm.amdgcn.workitem.id.x()", "i")
    f.keep("i32 " + f.value(f"add i32 {v}, {f.int()}", "i"))


def thread(f):
    v = f.value("call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "i")
    f.keep("i32 " + f.value(f"mul i32 {v}, {f.int()}", "i"))


def umin(f):
    c = f.new("c")
    a, b = f.ints[-1], f.ints[0]
    f.add(f"{c} = icmp ult i32 {a}, {b}")
    f.keep("i32 " + f.value(f"select i1 {c}, i32 {a}, i32 {b}", "i"))


def relative(f):
    wide, at, v = f.new("w"), f.new("p"), f.new("p")
    f.add(f"{wide} = sext i32 {f.ints[-1]} to i64")
    f.add(f"{at} = getelementptr inbounds [3 x ptr], ptr @texts, i64 0, i64 {wide}")
    f.add(f"{v} = load ptr, ptr {at}, align 8")
    f.keep("i32 " + f.value(f"load i32, ptr {v}, align 1", "i"))


def remainder(f):
    wide, rest = f.new("q"), f.new("q")
    f.add(f"{wide} = fpext float {f.floats[-1]} to fp128")
    f.add(f"{rest} = frem fp128 {wide}, 0xL00000000000000004000900000000000")
    f.keep("float " + f.value(f"fptrunc fp128 {rest} to float", "f"))


def products(f):
    for i in range(4):
        p, q, v, m = f.new("p"), f.new("p"), f.new("f"), f.new("f")
        f.add(f"{p} = getelementptr inbounds float, ptr %a, i64 {i}")
        f.add(f"{v} = load float, ptr {p}, align 4")
        f.add(f"{m} = fmul float {v}, {f.floats[0]}")
        f.add(f"{q} = getelementptr inbounds float, ptr %b, i64 {i}")
        f.add(f"store float {m}, ptr {q}, align 4")


def clear(f):
    f.blocks += 1
    k, before = f.blocks, f.block
    f.add(f"br label %fill{k}")
    f.label(f"fill{k}")
    f.add(f"%j{k} = phi i64 [ 0, %{before} ], [ %jn{k}, %fill{k} ]")
    f.add(f"%jp{k} = getelementptr inbounds i32, ptr %b, i64 %j{k}")
    f.add(f"store i32 0, ptr %jp{k}, align 4")
    f.add(f"%jn{k} = add nuw nsw i64 %j{k}, 1")
    f.add(f"%jd{k} = icmp eq i64 %jn{k}, 128")
    f.add(f"br i1 %jd{k}, label %filled{k}, label %fill{k}")
    f.label(f"filled{k}")


def four(f):
    base = f.new("g")
    f.add(f"{base} = addrspacecast ptr %a to ptr addrspace(1)")
    parts = []
    for i in range(4):
        p, v = f.new("p"), f.new("f")
        f.add(f"{p} = getelementptr inbounds float, ptr addrspace(1) {base}, i64 {i}")
        f.add(f"{v} = load float, ptr addrspace(1) {p}, align {16 if i == 0 else 4}")
        parts.append(v)
    for v in parts:
        f.keep("float " + f.value(f"fadd float {v}, {f.float()}", "f"))


def dot(f):
    p, a, b = f.new("p"), f.new("m"), f.new("m")
    f.add(f"{p} = getelementptr inbounds i8, ptr %a, i64 32")
    f.add(f"{a} = load <16 x i16>, ptr %a, align 2")
    f.add(f"{b} = load <16 x i16>, ptr {p}, align 2")
    wide = [f.new("m") for _ in range(2)]
    f.add(f"{wide[0]} = sext <16 x i16> {a} to <16 x i32>")
    f.add(f"{wide[1]} = sext <16 x i16> {b} to <16 x i32>")
    m = f.new("m")
    f.add(f"{m} = mul nsw <16 x i32> {wide[0]}, {wide[1]}")
    f.keep("i32 " + f.value(f"call i32 @llvm.vector.reduce.add.v16i32(<16 x i32> {m})", "i"))


def pair(f):
    p = f.new("l")
    i, v, w = f.new("i"), f.new("s"), f.new("s")
    f.add(f"{i} = and i32 {f.ints[-1]}, 31")
    base, q = f.new("l"), f.new("l")
    f.add(f"{base} = addrspacecast ptr %a to ptr addrspace(3)")
    f.add(f"{p} = getelementptr inbounds i32, ptr addrspace(3) {base}, i32 {i}")
    f.add(f"{q} = getelementptr inbounds i32, ptr addrspace(3) {p}, i32 8")
    f.add(f"{v} = load i32, ptr addrspace(3) {p}, align 4")
    f.add(f"{w} = load i32, ptr addrspace(3) {q}, align 4")
    f.keep("i32 " + f.value(f"sub i32 {v}, {w}", "i"))


TEXTS = """@.s0 = private unnamed_addr constant [5 x i8] c"zero\\00", align 1
@.s1 = private unnamed_addr constant [4 x i8] c"one\\00", align 1
@.s2 = private unnamed_addr constant [4 x i8] c"two\\00", align 1
@texts = private unnamed_addr constant [3 x ptr] [ptr @.s0, ptr @.s1, ptr @.s2], align 8
"""
X86, NVPTX, AMDGPU = DATALAYOUT
LLC = "llc-22 {options} -o - \"$1\" 2>&1 | grep -q '{text}'"
# Emitted, and not there before.
OPT = "! grep -q '{text}' \"$1\" && opt-22 {options} -S -o - \"$1\" 2>/dev/null | grep -q '{text}'"

CASES = [
    ("x86-select", X86, workitem, "declare i32 @llvm.amdgcn.workitem.id.x()\n", "",
     LLC.format(options="", text="Cannot select: intrinsic %llvm.amdgcn.workitem.id.x")),
    ("opt-umin", X86, umin, "", "", OPT.format(options="-O3", text="call .*@llvm.umin.i32")),
    ("opt-load-relative", X86, relative, TEXTS, "",
     OPT.format(options="-passes=rel-lookup-table-converter -relocation-model=pic", text="call .*@llvm.load.relative")),
    ("nvptx-frem", NVPTX, remainder, "", "sm_80",
     LLC.format(options="", text="LLVM ERROR: unsupported library call operation")),
    ("amdgpu-select", AMDGPU, thread, "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n", "gfx90a",
     LLC.format(options="", text="Cannot select: intrinsic %llvm.nvvm.read.ptx.sreg.tid.x")),
    ("opt-slp", X86, products, "", "", OPT.format(options="-passes=slp-vectorizer", text="fmul <4 x float>")),
    ("opt-memset", X86, clear, "", "",
     OPT.format(options="-passes='loop-simplify,loop(loop-idiom)'", text="call void @llvm.memset")),
    ("nvptx-vector-load", NVPTX, four, "", "sm_80", LLC.format(options="", text="ld.global.v4")),
    ("x86-pmaddwd", X86, dot, "declare i32 @llvm.vector.reduce.add.v16i32(<16 x i32>)\n", "haswell",
     LLC.format(options="", text="vpmaddwd")),
    ("amdgpu-read2", AMDGPU, pair, "", "gfx90a",
     LLC.format(options="", text="ds_read2_b32")),
]


def main():
    root = sys.argv[1]
    for seed, (name, triple, plant, extra, cpu, command) in enumerate(CASES):
        case_folder.write(os.path.join(root, name), "ll", module(seed + 1, triple, plant, extra, cpu),
                          f"#!/bin/sh\n{command}\n")


if __name__ == "__main__":
    main()
