"""Logs with several failures, or none, in the forms of build tools and
harnesses, and what must come of them.  Usage: many.py CULPRIT DIR"""

import base64
import gzip
import json
import os
import random
import subprocess
import sys
import zipfile
import zlib
from xml.sax.saxutils import escape, quoteattr

import toy


def crash(n):
    return "\n".join(toy.crash(random.Random(n))[0]) + "\n"


def function(n):
    return toy.crash(random.Random(n))[1]


def junit(cases):
    body = "".join(
        " <testcase classname=%s name=%s>%s</testcase>\n"
        % (quoteattr("suite.a"), quoteattr(name), "" if text is None else "<failure message=\"\" type=\"x\">%s</failure>" % escape(text))
        for name, text in cases
    )
    return "<?xml version=\"1.0\"?>\n<testsuites>\n<testsuite name=\"a\">\n%s</testsuite></testsuites>\n" % body


def ctest(cases):
    body = ""
    for k, (name, text) in enumerate(cases):
        if text is None:
            value, status = "<Value>fine</Value>", "passed"
        elif k % 2:
            packed = base64.b64encode(zlib.compress(text.encode())).decode()
            value, status = "<Value encoding=\"base64\" compression=\"gzip\">%s</Value>" % packed, "failed"
        else:
            value, status = "<Value>%s</Value>" % escape(text), "failed"
        body += ("\t<Test Status=\"%s\">\n\t\t<Name>%s</Name>\n\t\t<Path>.</Path>\n\t\t<Results>\n"
                 "\t\t\t<NamedMeasurement type=\"text/string\" name=\"Exit Code\">\n\t\t\t\t<Value>SEGFAULT</Value>\n\t\t\t</NamedMeasurement>\n"
                 "\t\t\t<Measurement>\n\t\t\t\t%s\n\t\t\t</Measurement>\n\t\t</Results>\n\t</Test>\n" % (status, name, value))  # fmt: skip
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Site BuildName=\"x\">\n<Testing>\n<TestList>\n<Test>./a</Test>\n</TestList>\n%s</Testing>\n</Site>\n" % body


LOOP = "".join("running case %d\n%srun.sh: line 3: %d Aborted                 (core dumped) toy-opt in.mlir\n" % (n, crash(n), 900 + n) for n in (1, 2, 3))
NINJA = "[1/9] Building CXX object lib/a.cpp.o\n" + "".join("FAILED: lib/%s.o \n/usr/bin/clang++ -c %s\n%s[%d/9] Building CXX object lib/x%d.cpp.o\n" % (n, n, crash(n), n, n) for n in (4, 5, 6)) + "ninja: build stopped: subcommand failed.\n"
BARE = "a.sh\n" + "".join("toy: %s.cpp:3: void toy::f%d(): Assertion `x > %s' failed.\nAborted (core dumped)\n" % (w, k, w.lower()) for k, w in enumerate(("Pad", "Fuse", "Tile")))

# name: (text, failures, names of their tests, passed)
LOGS = {
    "loop.log": (LOOP, 3, set(), 0),
    "ninja.log": (NINJA, 3, {"lib/4.o", "lib/5.o", "lib/6.o"}, 0),
    "asserts.log": (BARE, 3, set(), 0),
    "junit.xml": (junit([("t_fold", crash(7)), ("t_ok", None), ("t_pad", "AssertionError: 3 != 4")]), 2, {"suite.a::t_fold", "suite.a::t_pad"}, 1),
    "Test.xml": (ctest([("fold", crash(8)), ("pad", crash(9)), ("ok", None)]), 2, {"fold", "pad"}, 1),
    "pytest.json": (json.dumps({"tests": [{"nodeid": "t.py::a", "outcome": "passed"}, {"nodeid": "t.py::b", "outcome": "failed", "call": {"longrepr": "def b():\n>  f()\nE   ValueError: shape (3) is odd\n\nt.py:3: ValueError"}}]}), 1, {"t.py::b"}, 1),
    "gtest.json": (json.dumps({"testsuites": [{"name": "S", "testsuite": [{"name": "A", "classname": "S", "result": "COMPLETED"}, {"name": "B", "classname": "S", "result": "COMPLETED", "failures": [{"failure": "s_test.cc:3\nExpected equality of these values:\n  f()\n  4"}]}]}]}), 1, {"S.B"}, 1),
    "pytest-short.log": ("=== short test summary info ===\nFAILED t/a.py::test_x[4] - ValueError: no such shape\nFAILED t/b.py::test_y - TypeError: 3 is no type\n=== 2 failed, 3 passed in 1.02s ===\n", 2, {"t/a.py::test_x[4]", "t/b.py::test_y"}, 0),
    "lit-short.log": ("FAIL: Toy :: a.mlir (1 of 4)\nPASS: Toy :: b.mlir (2 of 4)\nFAIL: Toy :: c.mlir (3 of 4)\n", 2, {"Toy :: a.mlir", "Toy :: c.mlir"}, 0),
    "ctest-short.log": ("80% tests passed, 2 tests failed out of 10\n\nThe following tests FAILED:\n\t  3 - lib/fold (Failed)\n\t  4 - lib/pad (SEGFAULT)\nErrors while running CTest\n", 2, {"lib/fold", "lib/pad"}, 0),
    "gtest-short.log": ("[==========] 3 tests ran.\n[  PASSED  ] 1 test.\n[  FAILED  ] 2 tests, listed below:\n[  FAILED  ] S.A\n[  FAILED  ] S.B\n\n 2 FAILED TESTS\n", 2, {"S.A", "S.B"}, 0),
    "go.log": ("=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: wrong shape\n--- FAIL: TestB (0.00s)\nFAIL\n", 1, {"TestB"}, 0),
    "asan.log": ("==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x1 bp 0x2 sp 0x3\nREAD of size 8 at 0x602000000010 thread T0\n"
                 "    #0 0x401 in toy::use(toy::Op*) /b/use.cpp:3:4\n    #1 0x402 in main /b/main.cpp:3:4\n\nfreed by thread T0 here:\n    #0 0x403 in free (/b/toy+0x403)\n    #1 0x404 in toy::drop() /b/drop.cpp:9:1\n"
                 "SUMMARY: AddressSanitizer: heap-use-after-free /b/use.cpp:3:4 in toy::use(toy::Op*)\n==7==ABORTING\n", 1, set(), 0),
    "launcher.log": ("Traceback (most recent call last):\n  File \"train.py\", line 3, in step\nValueError: shape (3) is odd\nTraceback (most recent call last):\n  File \"launch.py\", line 9, in main\n"
                     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\n", 1, set(), 0),
    "green-pytest.log": ("collected 3 items\nt.py ...\n============ 3 passed in 0.31s ============\n", 0, set(), 1),
    "green-ninja.log": ("[1/2] Building CXX object a.o\n[2/2] Linking toy\nAll tests passed\n", 0, set(), 1),
    "green-ctest.log": ("100% tests passed, 0 tests failed out of 12\n\nTotal Test time (real) =   0.21 sec\n", 0, set(), 1),
    "green-unittest.log": ("test_a (t.A.test_a) ... ok\n\n------\nRan 1 test in 0.001s\n\nOK\n", 0, set(), 1),
    "notes.md": ("# How to build\nRun ninja.\n", 0, set(), 0),
    "compile_commands.json": ("[{\"file\": \"a.c\"}]", 0, set(), 0),
    "page.html": ("<html><pre>" + escape(crash(11)) + "</pre></html>\n", 1, set(), 0),
}  # fmt: skip


def main():
    program, folder = sys.argv[1:]
    logs = os.path.join(folder, "logs")
    os.makedirs(logs, exist_ok=True)
    for name, (text, *_) in LOGS.items():
        with open(os.path.join(logs, name), "w", encoding="utf-8") as file:
            file.write(text)
    job = "2031-01-01T00:00:00.0000001Z step one\n" + crash(12) + "##[error]Process completed with exit code 134.\n"
    with zipfile.ZipFile(os.path.join(logs, "archive.zip"), "w") as archive:
        archive.writestr("build (gcc)/1_Set up job.txt", "ok\n")
        archive.writestr("build (gcc)/2_Run tests.txt", job)
        archive.writestr("0_build (gcc).txt", "ok\n" + job)
    with open(os.path.join(logs, "cut.log.gz"), "wb") as file:
        file.write(gzip.compress((crash(13) + "".join(random.Random(1).choices("abcdef\n", k=3000))).encode())[:-20])
    report = os.path.join(folder, "report")
    said = subprocess.run([program, "triage", "-o", report, logs], check=True, capture_output=True, text=True).stdout
    found = {}
    with open(os.path.join(report, "buckets.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            member = json.loads(line)
            found.setdefault(os.path.basename(member["log"]), []).append(member)
    bad = []
    for name, (_, n, tests, _) in LOGS.items():
        members = found.get(name, [])
        if len(members) != n or len({m["bucket"] for m in members}) != n or {m.get("test") for m in members if m.get("test")} != tests:
            bad.append("%s: %s" % (name, [(m.get("test"), m["title"]) for m in members]))
    for n, name in enumerate(("loop.log", "ninja.log")):
        for k, member in enumerate(sorted(found.get(name, []), key=lambda m: m["signature"]["title"])):
            if not any(function(3 * n + i) in member["signature"]["title"] for i in (1, 2, 3)):
                bad.append("%s: %s" % (name, member["signature"]["title"]))
    if [len(found.get(f, [])) for f in ("archive.zip!0_build (gcc).txt", "cut.log.gz")] != [1, 1]:
        bad.append("archives: %s" % sorted(found))
    counts = "; %d passed; 2 files skipped (no log)" % sum(entry[3] for entry in LOGS.values())
    if counts not in said:
        bad.append("not said: %s\n%s" % (counts, said))
    sys.exit("\n".join(bad) or 0)


main()
