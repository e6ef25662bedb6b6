"""What names a failure: the cause and not its echo, never a line that any
failure ends with.  Usage: cause.py CULPRIT DIR"""

import json
import os
import random
import subprocess
import sys

import toy

CI_END = "##[error]Process completed with exit code 1.\nERROR: Job failed: exit status 1\nCleaning up project directory and file based variables\n"
STACK = "\n".join(line for line in toy.crash(random.Random(1))[0] if "Assertion" not in line) + "\n"
ERROR = "a.mlir:%d:4: error: failed to legalize operation 'toy.%s' that was explicitly marked illegal\n"
THROWN = "terminate called after throwing an instance of 'toy::PlanError'\n  what():  no plan for %s\n"
ASSERTION = "toy-opt: /b/lib/Rewrite.cpp:12: void toy::apply(toy::Op*): Assertion `op->use_empty()' failed.\n"

# name: (text, how the run ended: the first words of the title).  Of a message
# and what followed it, the first gives the text, the last the kind.
ENDS = {
    "assertion": (ERROR % (3, "a") + ASSERTION + STACK, "diagnostic: failed to legalize operation 'toy.a'"),
    "no-assertion": (ERROR % (5, "a"), None),
    "shell": (ERROR % (3, "b") + "run.sh: line 3:   912 Segmentation fault      (core dumped) toy-opt b.mlir\n", "crash (SIGSEGV): failed to legalize operation 'toy.b'"),
    "no-shell": (ERROR % (7, "b"), None),
    "ctest": ("      Start  3: toy_pad\n3/4 Test  #3: toy_pad ......***Exception: SegFault  0.10 sec\n" + ERROR % (3, "c"), "diagnostic: failed to legalize operation 'toy.c'"),
    "status": (ERROR % (3, "d") + "Error: Process completed with exit code 139.\n", "crash (SIGSEGV): failed to legalize operation 'toy.d'"),
    "aborted": (ERROR % (3, "e") + "Aborted (core dumped)\n", "crash (SIGABRT): failed to legalize operation 'toy.e'"),
    "fatal": (ERROR % (3, "f") + "LLVM ERROR: pipeline failed\n", "diagnostic: failed to legalize operation 'toy.f'"),
    "thrown": (ERROR % (3, "g") + THROWN % "g" + "Aborted (core dumped)\n", "uncaught exception: failed to legalize operation 'toy.g'"),
    "thrown-alone": (THROWN % "h" + "Aborted (core dumped)\n", "uncaught exception: toy::PlanError: no plan for h"),
    "thrown-python": (THROWN % "i" + "Fatal Python error: Aborted\n", "uncaught exception: toy::PlanError: no plan for i"),
    "raised-aborted": ("Traceback (most recent call last):\n  File \"p.py\", line 3, in plan_j\n    x()\nKeyError: 'j'\nAborted (core dumped)\n", "uncaught exception: KeyError: 'j'"),
    "raised-crash": ("Traceback (most recent call last):\n  File \"p.py\", line 3, in plan_k\n    x()\nKeyError: 'k'\nSegmentation fault (core dumped)\n", "crash (SIGSEGV): KeyError: 'k'"),
    "dump": ("PLEASE submit a bug report\n" + STACK.replace("toy", "hoist") + "Segmentation fault (core dumped)\n", "crash (SIGSEGV) in hoist"),
    "earlier": ("setup.sh: line 1: 7 Segmentation fault (core dumped) probe\n" + ERROR % (3, "m"), "diagnostic: failed to legalize operation 'toy.m'"),
}  # fmt: skip
# ... and with or without its end a failure is one bug.
SAME = [("assertion", "no-assertion"), ("shell", "no-shell")]

# name: (text, what the title holds, what follows it; what the title must not hold)
LOGS = {
    "legalize": ("a.mlir:3:4: error: failed to legalize operation 'toy.pad' that was explicitly marked illegal\n" + ASSERTION + STACK,
                 "failed to legalize operation 'toy.pad'", "op->use_empty()", None),
    "abort": (ASSERTION + "==7==ERROR: AddressSanitizer: ABRT on unknown address 0x000000000007 (pc 0x7f01 bp 0x1 sp 0x2 T0)\n"
              "    #0 0x7f01 in raise (/lib/libc.so.6+0x1)\n    #1 0x401 in toy::apply(toy::Op*) /b/Rewrite.cpp:12:3\n", "assertion: op->use_empty()", "AddressSanitizer: ABRT", "AddressSanitizer"),
    "chain": ("Traceback (most recent call last):\n  File \"p.py\", line 3, in plan_tiles\n    x()\nKeyError: 'tile'\n\nThe above exception was the direct cause of the following exception:\n\n"
              "Traceback (most recent call last):\n  File \"p.py\", line 9, in compile\n    y()\ntoy.errors.PlanError: kernel mm has no plan\n", "KeyError: 'tile'", "toy.errors.PlanError: kernel mm has no plan", "PlanError"),
    "status": ("E0101 10:11:12.123456 77 status_macros.cc:58] INTERNAL: RET_CHECK failure (toy/copy.cc:42) param != root\n"
               "F0101 10:11:13.123456 77 run.cc:9] Check failed: status.ok() no plan\n", "param != root", "status.ok() no plan", "status.ok"),
    "module": ("Traceback (most recent call last):\n  File \"run.py\", line 3, in <module>\n    go()\n  File \"run.py\", line 2, in lower\n    f()\n"
               "  File \"/usr/lib/python3/unittest/case.py\", line 9, in assertEqual\n    raise\nAssertionError: 3 != 4\n", "in lower", None, "in <module>"),
    "interceptor": ("==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602 at pc 0x1\nWRITE of size 8 at 0x602 thread T0\n"
                    "    #0 0x7f01 in ___interceptor_memcpy (/b/toy+0x7f01)\n    #1 0x401 in toy::copy(toy::Op*) /b/Copy.cpp:12:3\n", "in toy::copy", None, "interceptor"),
    "crash": ("a.mlir:3:4: error: failed to legalize operation 'toy.fold' that was explicitly marked illegal\nPLEASE submit a bug report\n" + STACK.replace("toy", "fold") + "Segmentation fault (core dumped)\n",
              "failed to legalize operation 'toy.fold'", "crash", None),
    "chromium": ("[77:77:0101/101112.123456:FATAL:planner.cc(42)] Check failed: tiles.size() == 4 (3 vs. 4)\n==77==ERROR: AddressSanitizer: ILL on unknown address 0x55d0 (pc 0x55d0 bp 0x1 sp 0x2 T0)\n"
                 "    #0 0x55d0 in toy::PlanTiles(toy::Op*) /b/planner.cc:42:3\n", "assertion: tiles.size() ==", "AddressSanitizer: ILL", "AddressSanitizer"),
    "handler": ("*** SIGSEGV received at time=1 on cpu 3 ***\nPC: @ 0x55d0  (unknown)  toy::plan()\n    @ 0x7f01  absl::AbslFailureSignalHandler()\n    @ 0x7f02  (unknown)\n"
                "    @ 0x55d0  toy::plan()\n    @ 0x55d1  toy::all()\n", "in toy::plan", None, "Handler"),
    "nameless-a": ("==7==ERROR: AddressSanitizer: ABRT on unknown address 0x7 (pc 0x7f01 T0)\n    #0 0x7f01 (/lib/libc.so.6+0x1f01)\n    #1 0x42b1 (/b/fold+0x42b1)\n    #2 0x42c7 (/b/fold+0x42c7)\n",
                   "AddressSanitizer: ABRT in fold", None, None),
    "nameless-b": ("==7==ERROR: AddressSanitizer: ABRT on unknown address 0x7 (pc 0x7f01 T0)\n    #0 0x7f01 (/lib/libc.so.6+0x1f01)\n    #1 0x52b1 (/b/pack+0x52b1)\n    #2 0x52c7 (/b/pack+0x52c7)\n",
                   "AddressSanitizer: ABRT in pack", None, None),
    "host": ("Cloning into 'x'...\nfatal: unable to access 'https://x.example/y.git/': Could not resolve host: x.example\n" + CI_END, "infrastructure: network", None, "exit code"),
    "disk": ("[3/9] Linking toy\nfatal error: error writing to /tmp/x.s: No space left on device\n" + CI_END, "infrastructure: disk", None, "exit code"),
    "werror": ("a.c:3:4: error: unused variable 'x' [-Werror=unused-variable]\ncc1: all warnings being treated as errors\n" + CI_END, "unused variable", None, "warnings being"),
    "lost": ("step 3\nThe hosted runner lost communication with the server. Anything in your workflow may be lost.\n", "infrastructure: worker", None, None),
    "cancelled": ("step 3\n##[error]The operation was canceled.\n", "infrastructure: cancelled", None, None),
    "limit": ("step 3\nERROR: Job failed: execution took longer than 1h0m0s seconds\n", "timeout: time limit", None, None),
    "odd-a": ("frobnicator: the widget is broken beyond repair\nsee the wiki: the farm is bad today\n" + CI_END, "diagnostic (guess): frobnicator", None, "farm"),
    "odd-b": ("see the wiki: the farm is bad today\nzapper: invalid charge in cell twelve\n" + CI_END, "diagnostic (guess): zapper", None, "farm"),
    "odd-c": ("see the wiki: the farm is bad today\nmixer: cannot stir what is missing\n" + CI_END, "diagnostic (guess): mixer", None, "farm"),
    "odd-d": ("see the wiki: the farm is bad today\nhoover: bag has too many holes\n" + CI_END, "diagnostic (guess): hoover", None, "farm"),
}  # fmt: skip


def triage(program, logs, folder):
    os.makedirs(folder, exist_ok=True)
    path, report = os.path.join(folder, "list.jsonl"), os.path.join(folder, "report")
    with open(path, "w", encoding="utf-8") as file:
        for name, (text, *_) in logs.items():
            file.write(json.dumps({"name": name, "text": text}) + "\n")
    subprocess.run([program, "triage", "-q", "-o", report, path], check=True)
    with open(os.path.join(report, "buckets.jsonl"), encoding="utf-8") as lines:
        return {m["log"]: m for m in map(json.loads, lines)}, report


def check_ends(program, folder):
    alone = {}
    for name, log in ENDS.items():
        alone.update(triage(program, {name: log}, os.path.join(folder, name))[0])
    bad = ["%s: title is %s" % (name, alone[name]["title"]) for name, (_, title) in ENDS.items() if title and not alone[name]["title"].startswith(title)]
    found, report = triage(program, ENDS, os.path.join(folder, "all"))
    listed = os.path.join(report, "buckets.jsonl")
    subprocess.run([program, "triage", "-q", "-o", report + "-again", listed], check=True)
    with open(listed, "rb") as first, open(os.path.join(report + "-again", "buckets.jsonl"), "rb") as second:
        if first.read() != second.read():
            bad.append("the list of ends gives another one")
    for with_end, without in SAME:
        if found[with_end]["bucket"] != found[without]["bucket"]:
            bad.append("%s and %s are two" % (with_end, without))
    if len({m["bucket"] for m in found.values()}) != len(ENDS) - len(SAME):
        bad.append("some ends share a bucket")
    return bad


def main():
    program, folder = sys.argv[1:]
    found, report = triage(program, LOGS, folder)
    bad = check_ends(program, os.path.join(folder, "ends"))
    for name, (_, title, then, other) in LOGS.items():
        member = found[name]
        if title not in member["title"] or (other and other in member["title"]):
            bad.append("%s: title is %s" % (name, member["title"]))
        if then and then not in " ".join(member.get("then", [])):
            bad.append("%s: then %s" % (name, member.get("then")))
    if len({m["bucket"] for m in found.values()}) != len(LOGS):
        bad.append("some share a bucket")
    for file, words in (("report.md", "## Infrastructure"), ("index.html", "<h2>Infrastructure</h2>")):
        with open(os.path.join(report, file), encoding="utf-8") as text:
            if words not in text.read():
                bad.append("%s: no section for infrastructure" % file)
    sys.exit("\n".join(bad) or 0)


main()
