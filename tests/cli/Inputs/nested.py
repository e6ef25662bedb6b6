"""nested.py FOLDER: whatever is nested 100,000 deep, each command ends as
documented, with words where it has no answer; what it leaves still fails."""

import os
import shutil
import subprocess
import sys

DEEP = 100000
TOOL = """#!/bin/sh
for last; do :; done
grep -q four "$last" || exit 0
echo 'error: the number four' >&2
exit 1
"""
FOUR = '"test.four"() : () -> ()\n'


def around(left, middle, right):
    return left * DEEP + middle + right * DEEP


FILES = {
    "round.txt": around("(", "\nfour\n", ")"),
    "lines.txt": around("(\n", "four\n", ")\n"),
    "deep.py": "x = " + around("(", "four", ")") + "\n",
    "steps.py": "".join(" " * i + "if 1:\n" for i in range(1000)) + " " * 1000 + "four\n",
    "deep.ll": "@four = global i32 0\n@x = global " + around("[1 x ", "i32", "]") + " zeroinitializer\n",
    "deep.spvasm": "%four = OpTypeVoid\n" + "(" * DEEP,
    "regions.mlir": around("module {\n", FOUR, "}\n"),
    "attribute.mlir": '"test.four"() {a = ' + around("[", "", "]") + "} : () -> ()\n",
    "type.mlir": '"test.four"() {a = ' + around("tuple<", "i32", ">") + "} : () -> ()\n",
    "where.mlir": FOUR.rstrip() + " loc(" + around('callsite("a" at ', '"b"', ")") + ")\n",
    "deep.json": around("[", "", "]"),
    "list.jsonl": '{"log": "x", "x": ' + around("[", "", "]") + "}\n",
    "frames.log": "LLVM ERROR: x\n #0 0x55 in foo" + " (BuildId:)" * DEEP + "\n #1 0x56 in bar\n",
    "name.log": "error: in _ZN" + "N" * DEEP + "E\n #0 0x55 in _Z1f" + "P" * DEEP + "i (/lib/x.so+0x1)\n",
    "bundle/report.json": '{"command": ' + around("[", "", "]") + "}\n",
    "bundle/env.json": around('{"a":', "1", "}"),
}
TESTED = ["--no-cache", "-j1", "--", "./four"]
PIPELINE = "--pass-pipeline=" + "f(" * 20000 + "cse" + ")" * 20000


def commands():
    """Each, and whether it leaves "out"."""
    for name in FILES:
        if "." in name and name.split(".")[1] in ("txt", "py", "ll", "spvasm", "mlir"):
            yield ["reduce", name, "-o", "out", "-q", "--max-time", "2s", *TESTED, "@@"], True
    for name in ("regions.mlir", "attribute.mlir"):
        yield ["extract", name, "-o", "part", "--max-time", "5s", *TESTED, "@@"], False
    for name in ("deep.json", "list.jsonl", "frames.log", "name.log", "attribute.mlir"):
        yield ["triage", name, "-o", "report"], False
        yield ["extract", name, "-o", "part"], False
        yield ["compare", name, name], False
    yield ["env", "bundle"], False
    yield ["env", "--diff", "deep.json", "list.jsonl"], False
    yield ["replay", "bundle"], False
    yield ["check", "round.txt", *TESTED, PIPELINE, "@@"], False
    yield ["bisect", "passes", "round.txt", *TESTED, PIPELINE, "@@"], False
    yield ["reduce", "deep.py", "-o", "out", "-q", "--max-time", "2s", *TESTED, PIPELINE, "@@"], True


def make_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "bundle"))
    for name, text in {**FILES, "four": TOOL}.items():
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    os.chmod(os.path.join(folder, "four"), 0o755)


def wrong(folder, words, leaves):
    out = os.path.join(folder, "out")
    for name in ("part", "report"):
        shutil.rmtree(os.path.join(folder, name), ignore_errors=True)
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run(["culprit", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (range(8) if not leaves else (0, 5)):
        return "status %d: %s" % (done.returncode, said[-600:])
    if done.returncode not in (0, 7) and "culprit: " not in said:
        return "status %d without a word" % done.returncode
    if leaves and not os.path.exists(out) and "2s" in words:  # a busy machine
        return wrong(folder, ["30s" if word == "2s" else word for word in words], leaves)
    if leaves:
        with open(out) as file:
            return None if "four" in file.read() else "what it left does not fail"
    return None


def main(folder):
    folder = os.path.abspath(folder)
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    make_folder(folder)
    failed = tried = 0
    for words, leaves in commands():
        tried += 1
        found = wrong(folder, words, leaves)
        if found:
            failed += 1
            print("FAILED: %.200s: %s" % (" ".join(words), found))
    print("%d tried, %d failed" % (tried, failed))
    sys.exit(failed > 0)


main(sys.argv[1])
