"""Gives every value of the axes in FILE to run_triton.py once.

    culprit --print axes:triton | python triton_axes.py RUN_TRITON FILE

FILE has the kernel matmul of axes-triton.test.  Prints what is refused, and how
many values there are; the exit status is 1 if one is refused.  Triton ignores an
option that it does not know, so an axis whose values all make the same code is
refused, too.
"""

import os, subprocess, sys

from axes import values

LAUNCH = {"warps": "num_warps=%s", "stages": "num_stages=%s", "ctas": "num_ctas=%s",
          "fp-fusion": "enable_fp_fusion=%s", "registers": "maxnreg=%s"}
FLAGS = {"target": ["--target=%s", "--to=llir"], "cuda": ["--target=%s", "--to=ptx"],
         "hip": ["--target=%s", "--to=amdgcn"], "to": ["--target=cuda:90", "--to=%s"],
         "to-hip": ["--target=hip:gfx942", "--to=%s"]}


def run(name, text):
    flags = [flag.replace("%s", text) for flag in FLAGS.get(name, ["--to=ptx"])]
    more = ", " + LAUNCH[name] % text if name in LAUNCH else ""
    launch = f"matmul[1](a=32x32xf32, b=32x32xf32, c=32x32xf32, K=64, BK=16{more})"
    environment = {**os.environ, "TRITON_F32_DEFAULT": text} if name == "precision" else None
    done = subprocess.run([sys.executable, sys.argv[1], *flags, "--launch", launch, sys.argv[2]],
                          capture_output=True, text=True, errors="replace", env=environment)
    if done.returncode:
        print(f"{name}={text}: exit status {done.returncode}: {done.stderr[-400:]}")
    return done.stdout if done.returncode == 0 else None


n = refused = 0
made = {}
for name, _, text in values(sys.stdin.read()):
    n += 1
    code = run(name, text)
    refused += code is None
    made.setdefault(name, set()).add(code)
for name in made:
    if len(made[name]) == 1:
        refused += 1
        print(f"{name}: every value makes the same")
print(f"{n} values, {refused} refused")
sys.exit(refused > 0)
