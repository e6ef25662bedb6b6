"""Gives every value of the axes in FILE to opt and llc once.

    culprit --print axes:llvm | python3 llvm_axes.py FILE

FILE is LLVM IR.  Prints what a tool refuses, and how many values there are; the
exit status is 1 if one is refused.  The axes up to "interleave" are opt's.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "systems", "Inputs"))
from axes import values  # noqa: E402

OPT = {"level", "without", "with", "width", "interleave"}
TRIPLES = {"cuda": "nvptx64", "hip": "amdgcn"}


def refusal(name, text):
    if name in OPT:
        argv = ["opt", *([] if name == "level" else ["-O3"])]
    else:
        argv = ["llc", "--mtriple=" + TRIPLES.get(name, "x86_64")]
    argv += [*filter(None, [text]), sys.argv[1], "-o", "/dev/null"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    # llc goes on with a chip that it does not know.
    return done.stderr[:400] if done.returncode or "not a recognized processor" in done.stderr else ""


n = refused = 0
for name, label, text in values(sys.stdin.read()):
    n += 1
    if said := refusal(name, text):
        refused += 1
        print(f"{name}={label}, {text}: {said}")
print(f"{n} values, {refused} refused")
sys.exit(refused > 0)
