#!/usr/bin/env python3
"""printed.py DIR [--triton PYTHON] [--iree-compile PROGRAM]: write inputs that
real compilers print, in the layout of cases.py: LLVM IR of a kernel of our own
(a matrix product with a bias and a softmax) and of a module of our own (the
same by linalg), and what LLVM 22 does with it.

The compiler's LLVM must not be newer than 22, which reads what is printed:
Triton 3.5.1, IREE 3.8.0.  Neither a GPU nor torch is needed."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

KERNEL = '''
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def attend(q, k, bias, out, rows, columns, depth, R: tl.constexpr, C: tl.constexpr, D: tl.constexpr):
    r = tl.program_id(0) * R + tl.arange(0, R)
    c = tl.program_id(1) * C + tl.arange(0, C)
    d = tl.arange(0, D)
    total = tl.zeros((R, C), dtype=tl.float32)
    for at in range(0, depth, D):
        a = tl.load(q + r[:, None] * depth + (at + d)[None, :], mask=(at + d)[None, :] < depth, other=0.0)
        b = tl.load(k + (at + d)[:, None] * columns + c[None, :], mask=(at + d)[:, None] < depth, other=0.0)
        total = tl.dot(a, b, total)
    total += tl.load(bias + c)[None, :]
    power = tl.exp(total - tl.max(total, axis=1)[:, None])
    share = power / tl.sum(power, axis=1)[:, None]
    tl.store(out + r[:, None] * columns + c[None, :], share.to(tl.float16))


TYPES = {"q": "*fp16", "k": "*fp16", "bias": "*fp32", "out": "*fp16", "rows": "i32", "columns": "i32",
         "depth": "i32", "R": "constexpr", "C": "constexpr", "D": "constexpr"}
source = ASTSource(attend, TYPES, constexprs={"R": 32, "C": 32, "D": 32})
for name, target in (("sm_80", GPUTarget("cuda", 80, 32)), ("gfx950", GPUTarget("hip", "gfx950", 64))):
    with open(name + ".ll", "w", encoding="utf-8") as text:
        text.write(triton.compile(source, target=target).asm["llir"])
'''

MODULE = '''
#all = affine_map<(b, i, j) -> (b, i, j)>
#last = affine_map<(b, i, j) -> (j)>
func.func @attend(%q: tensor<4x32x16xf32>, %k: tensor<4x16x32xf32>, %bias: tensor<32xf32>) -> tensor<4x32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x32x32xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %total = linalg.batch_matmul ins(%q, %k : tensor<4x32x16xf32>, tensor<4x16x32xf32>)
      outs(%none : tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %power = linalg.generic {indexing_maps = [#all, #last, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%total, %bias : tensor<4x32x32xf32>, tensor<32xf32>) outs(%empty : tensor<4x32x32xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %sum = arith.addf %a, %b : f32
    %exp = math.exp %sum : f32
    %max = arith.maximumf %exp, %zero : f32
    linalg.yield %max : f32
  } -> tensor<4x32x32xf32>
  return %power : tensor<4x32x32xf32>
}
'''

LLC = "llc-22 {options} -o - \"$1\" 2>&1 | grep -q '{text}'"
OPT = "! grep -q '{text}' \"$1\" && opt-22 {options} -S -o - \"$1\" 2>/dev/null | grep -q '{text}'"

# Name, file that the compiler printed, test.
OF_TRITON = [
    ("triton-old-card", "sm_80.ll", LLC.format(options="-mtriple=nvptx64 -mcpu=sm_60", text="Cannot select: intrinsic")),
    ("triton-old-chip", "gfx950.ll", LLC.format(options="-mcpu=gfx90a", text="Cannot select: intrinsic")),
]
OF_IREE = [
    ("iree-shift", "codegen.ll", OPT.format(options="-O3", text=" = lshr ")),
    ("iree-amdgpu", "optimized.ll", LLC.format(options="-mtriple=amdgcn-amd-amdhsa", text="must be in addrspace(5)")),
]


def print_triton(python, place):
    with open(os.path.join(place, "attend.py"), "w", encoding="utf-8") as out:
        out.write(KERNEL)
    subprocess.run([python, "attend.py"], check=True, cwd=place,
                   env=dict(os.environ, TRITON_CACHE_DIR=os.path.join(place, "cache")))


def print_iree(program, place):
    with open(os.path.join(place, "attend.mlir"), "w", encoding="utf-8") as out:
        out.write(MODULE)
    subprocess.run([program, "attend.mlir", "-o", os.devnull, "--iree-hal-target-device=local",
                    "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=x86-64-v3",
                    "--iree-hal-dump-executable-intermediates-to=."], check=True, cwd=place)
    for name in os.listdir(place):
        for stage in ("codegen.ll", "optimized.ll"):
            if name.endswith("." + stage):
                os.rename(os.path.join(place, name), os.path.join(place, stage))


def write(root, printer, program, cases):
    with tempfile.TemporaryDirectory(prefix="printed-") as place:
        printer(program, place)
        for name, printed, command in cases:
            case = os.path.join(root, name)
            os.makedirs(case, exist_ok=True)
            shutil.copy(os.path.join(place, printed), os.path.join(case, "input.ll"))
            path = os.path.join(case, "test.sh")
            with open(path, "w", encoding="utf-8") as out:
                out.write(f"#!/bin/sh\n{command}\n")
            os.chmod(path, 0o755)
            if subprocess.run([path, case + "/input.ll"], check=False).returncode:
                sys.exit(f"printed.py: {name}: the behaviour does not show: is the compiler's LLVM newer than 22?")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir")
    parser.add_argument("--triton", metavar="PYTHON")
    parser.add_argument("--iree-compile", metavar="PROGRAM")
    args = parser.parse_args()
    if args.triton:
        write(args.dir, print_triton, args.triton, OF_TRITON)
    if args.iree_compile:
        write(args.dir, print_iree, args.iree_compile, OF_IREE)


if __name__ == "__main__":
    main()
