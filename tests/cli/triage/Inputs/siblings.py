"""siblings.py DIR: lists of failures with one message in modules of DIR; by the
functions in their stacks they are different bugs.

siblings.py DIR saved BEFORE AFTER: what `culprit triage --reduce` printed of the
same failure, without a recipe and with one that fits: at least half of the
runs is saved; siblings.py DIR lost BEFORE AFTER: with one that does not: at most
four are lost."""

import json
import os
import re
import sys

SAME = ("vector.insert", "vector.transfer_read")
OTHER = ("math.rsqrt", "linalg.matmul")
STACK = (
    "LLVM ERROR: no such thing\n"
    " #0 0x000055d0a0000111 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/b/toy-opt+0x111)\n"
    " #1 0x000055d0a0000222 toy::%s(toy::Op*) (/b/toy-opt+0x222)\n"
    " #2 0x000055d0a0000333 toy::run(toy::Op*) (/b/toy-opt+0x333)\n"
)


def failure(folder, name, words):
    command = ["fake-compiler", "--fatal", "no such thing"]
    for word in words:
        command += ["--has", word]
    module = os.path.join(folder, name + ".mlir")
    return {"name": name, "text": STACK % name, "module": module, "command": command + ["@@"]}


def write(folder, name, failures):
    with open(os.path.join(folder, name + ".jsonl"), "w", encoding="utf-8") as out:
        for one in failures:
            out.write(json.dumps(one) + "\n")


def runs(path, label):
    with open(path, encoding="utf-8") as text:
        found = re.search(r"^%s: reduced .*, (\d+) runs(.*)$" % label, text.read(), re.M)
    return int(found[1]), found[2]


folder = os.path.abspath(sys.argv[1])
if len(sys.argv) == 2:
    one, two = (failure(folder, name, SAME) for name in ("padOne", "padTwo"))
    wrong = failure(folder, "padTwo", OTHER)
    write(folder, "one", [one])
    write(folder, "two", [two])
    write(folder, "both", [one, two])
    write(folder, "one-and-wrong", [one, wrong])
    write(folder, "wrong", [wrong])
else:
    what, before, after = sys.argv[2:]
    (before, _), (after, how) = runs(before, "B1"), runs(after, "B2")
    if what == "saved":
        assert 2 * after <= before and ", as B1 was" in how, (before, after, how)
    else:
        assert after <= before + 4 and "as B1" not in how, (before, after, how)
