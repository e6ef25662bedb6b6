"""The jobs into which faults are injected: small, quick, and of one answer."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
HISTORY = os.path.join(HERE, "..", "cli", "Inputs", "history.py")

MAKING = threading.Lock()

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"
MODULE = """func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %a : tensor<4xf32>
  %1 = math.atan2 %0, %b : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""
# Fails where it is given --a and --b=2, or --c.
FLAGS = """#!/bin/sh
echo run >>"$FAULT_LOG"
a= b= c=
for x; do case $x in --a) a=1 ;; --b=2) b=1 ;; --c) c=1 ;; esac; done
[ "$a$b" = 11 ] || [ "$c" ] || exit 0
echo "error: bad tile" >&2
exit 1
"""
# A run of it takes longer than records wait in memory for others.
SLOW = """#!/bin/sh
sleep 0.15
exec fake-compiler --log "$FAULT_LOG" --digests "$FAULT_ROOT/digests" --has four "$1"
"""
OPT = """#!/bin/sh
echo run >>"$FAULT_LOG"
exec fake-opt "$@"
"""
COMPILER = ["fake-compiler", "--log", "{root}/log", "--digests", "{root}/digests"]


def put(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def put_subjects(work):
    put(os.path.join(work, "in.txt"), TEXT)
    put(os.path.join(work, "in.mlir"), MODULE)
    put(os.path.join(work, "x.txt"), "x\n")
    for name, text in (("flags", FLAGS), ("slow", SLOW), ("opt", OPT)):
        put(os.path.join(work, name), text, 0o755)


def put_night(work):
    """Two bugs in three modules."""
    lines = []
    for name, op, extra in (("big", "tan", 3), ("small", "tan", 1), ("erf", "erf", 1)):
        body = "".join(f"  %{i} = arith.addf %a, %a : f32\n" for i in range(extra))
        module = os.path.join(work, name + ".mlir")
        put(module, f"func.func @f(%a: f32) -> f32 {{\n{body}  %r = math.{op} %a : f32\n  return %r : f32\n}}\n")
        log = os.path.join(work, name + ".log")
        put(log, f"LLVM ERROR: no {op}\n")
        root = os.path.dirname(work)
        command = [w.replace("{root}", root) for w in COMPILER]
        command += ["--has", "math." + op, "--fatal", "no " + op, "@@"]
        lines.append(json.dumps({"log": log, "module": module, "command": command}))
    put(os.path.join(work, "list.jsonl"), "\n".join(lines) + "\n")


def put_history(work):
    """A copy of one that is made once, beside the places of all points."""
    made = os.path.join(work, "..", "..", "history")
    with MAKING:
        if not os.path.exists(made):
            subprocess.run([sys.executable, HISTORY, made, "line", "n=6", "bad=3"], check=True)
    shutil.copytree(made, os.path.join(work, "repo"), symlinks=True)


def put_log(work):
    put(
        os.path.join(work, "ci.log"),
        "ptxas stderr:\n.version 8.0\n.target sm_90a\n.address_size 64\n.extern .func f;\n"
        ".visible .entry k(\n\t.param .u64 k_0\n)\n{\n\tret;\n\n}\n\t// -- End\n"
        "ptxas fatal   : Unresolved extern function 'f'\n"
        "Repro command: ptxas --gpu-name=sm_90a /tmp/x.ptx -o /dev/null\n",
    )


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Job:
    """argv: of culprit; outputs: below work/, whose bytes are the answer; said:
    what of standard output is part of it; failing: is a file still a failure?"""

    def __init__(self, name, argv, outputs=(), said=None, put_more=None, jobs=1, failing=None, worker=False):
        self.name, self.argv, self.outputs, self.said = name, argv, outputs, said
        self.put_more, self.jobs, self.failing, self.worker = put_more, jobs, failing, worker

    def put(self, place):
        work = place.path("work")
        put_subjects(work)
        if self.put_more:
            self.put_more(work)

    def command(self, place):
        return ["culprit"] + [word.replace("{root}", place.root) for word in self.argv]

    def answer(self, place, out):
        parts = []
        for name in self.outputs:
            path = place.path("work", name)
            parts.append((name, canonical(read(path), place.root) if os.path.exists(path) else None))
        for line in re.findall(self.said, out, re.M) if self.said else ():
            parts.append(("said", canonical(line, place.root)))
        return parts

    def output(self, place):
        return place.path("work", self.outputs[0]) if self.outputs else None

    def still_fails(self, place, path):
        if not os.path.isfile(path) or not stat.S_ISREG(os.lstat(path).st_mode):
            return False
        if not self.failing:
            return True
        done = subprocess.run(
            [*self.failing, path], env=place.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )
        return done.returncode != 0


def canonical(text, root):
    """Without the place and the time of the run."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "@time", text.replace(root, "@"))


HAS_FOUR = ["fake-compiler", "--has", "four"]
HAS_ATAN = ["fake-compiler", "--has", "atan2"]


JOBS = [
    Job("reduce-text", ["reduce", "in.txt", "-o", "out.txt", "-j", "1", "--", *COMPILER, "--has", "four", "@@"],
        ["out.txt"], failing=HAS_FOUR),
    Job("reduce-mlir", ["reduce", "in.mlir", "-o", "out.mlir", "-j", "2", "--", *COMPILER, "--has", "atan2", "@@"],
        ["out.mlir"], jobs=2, failing=HAS_ATAN, worker=True),
    Job("reduce-bundle", ["reduce", "in.txt", "-o", "out.txt", "-j", "2", "--bundle", "bundle", "--json", "report.json",
                          "--", *COMPILER, "--has", "four", "@@"],
        ["out.txt", "bundle/repro.txt", "bundle/repro.sh"], jobs=2, failing=HAS_FOUR),
    Job("reduce-slow", ["reduce", "in.txt", "-o", "out.txt", "-j", "2", "--", "{root}/work/slow", "@@"],
        ["out.txt"], jobs=2, failing=HAS_FOUR),
    Job("extract", ["extract", "in.mlir", "-o", "out", "--", *COMPILER, "--has", "atan2", "@@"],
        ["out/repro.mlir"], jobs=2, failing=HAS_ATAN, worker=True),
    Job("extract-each", ["extract", "in.mlir", "--each-op", "-o", "out", "--", *COMPILER, "--has", "atan2", "@@"],
        ["out/op-001.mlir"], jobs=2, failing=HAS_ATAN, worker=True),
    Job("extract-log", ["extract", "ci.log", "-o", "out"], ["out/repro.ptx", "out/repro.sh"], put_more=put_log),
    Job("bisect-commits", ["bisect", "commits", "--repo", "repo", "--good", "c0", "--bad", "c5", "--build", "sh ./build",
                           "--work", "{root}/tmp/workspaces", "--bundle", "bundle", "--retry-pause", "0.7", "--",
                           "sh", "-c", "echo run >>{root}/log; exec ./built"],
        ["bundle/repro.sh"], said=r"^.*commit c\d+.*$", put_more=put_history),
    Job("bisect-flags", ["bisect", "flags", "x.txt", "--bundle", "bundle", "-j", "1", "--", "{root}/work/flags",
                         "--x", "--a", "--z", "--b=2", "--w", "--c", "@@"],
        ["bundle/repro.sh"], said=r"^(?:command|needed):.*$"),
    Job("bisect-passes", ["bisect", "passes", "x.txt", "--bundle", "bundle", "--", "{root}/work/opt",
                          "--pass-pipeline=any(nop,add-b,add-a,nop,boom-a,nop,nop)", "@@"],
        ["bundle/before.txt", "bundle/repro.sh"], said=r"^pass:.*$"),
    Job("triage", ["triage", "list.jsonl", "--db", "bugs.db", "-o", "report"], ["report/buckets.csv"],
        said=r"^ *B\d+ .*$", put_more=put_night),
    Job("triage-work", ["triage", "list.jsonl", "--check", "--reduce", "--db", "bugs.db", "-o", "report", "-j", "2"],
        ["report/B1.mlir", "report/B2.mlir"], put_more=put_night, jobs=2, worker=True),
]
