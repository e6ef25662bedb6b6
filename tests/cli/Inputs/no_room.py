"""no_room.py FOLDER: every command under less and less memory (ulimit -v) ends
with its answer, or with words and status 6; the best so far is kept."""

import os
import resource
import shutil
import subprocess
import sys

TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"
TOOL = """#!/bin/sh
for last; do :; done
grep -q four "$last" || exit 0
echo 'error: the number four' >&2
exit 1
"""
FOUR = ["--no-cache", "-j1", "--sandbox=off", "--", "./four", "--x", "@@"]
JOBS = {
    "reduce": (["reduce", "in.txt", "-o", "out", "--bundle", "b", "-q", *FOUR], (0,)),
    "check": (["check", "in.txt", *FOUR], (0,)),
    "extract": (["extract", "in.txt", "-o", "part", *FOUR], (0, 2)),
    "log": (["extract", "log.txt", "-o", "part"], (0, 2, 3)),
    "flags": (["bisect", "flags", "in.txt", *FOUR], (0,)),
    "versions": (["bisect", "versions", "--axis", "v=1,2", "in.txt", *FOUR[:-1], "@{v}", "@@"], (2,)),
    "matrix": (["matrix", "--axis", "v=1,2", "in.txt", *FOUR[:-1], "@{v}", "@@"], (0,)),
    "triage": (["triage", "log.txt", "-o", "report"], (0,)),
    "triage-reduce": (["triage", "list.jsonl", "--reduce", "-o", "report", *FOUR[:3]], (0,)),
    "replay": (["replay", "made"], (0,)),
    "compare": (["compare", "numbers.txt", "numbers.txt"], (0, 2)),
    "env": (["env"], (0,)),
}


def run(folder, words, limit=None):
    def less():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run(["culprit", *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=less if limit else None, timeout=100)


def make_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    files = {"in.txt": TEXT, "four": TOOL, "numbers.txt": "1 2 3\n" * 1000, "log.txt": "tool: in.mlir:1:1: error: the number four\n" * 20000}
    files["list.jsonl"] = '{"name": "a", "text": "error: the number four", "module": "in.txt", "command": ["%s/four", "@@"]}\n' % folder
    for name, text in files.items():
        with open(os.path.join(folder, name), "w") as out:
            out.write(text)
    os.chmod(os.path.join(folder, "four"), 0o755)
    made = [word if word != "b" else "made" for word in JOBS["reduce"][0]]
    assert run(folder, made).returncode == 0


def clear(folder):
    for name in ("out", "b", "part", "report"):
        path = os.path.join(folder, name)
        shutil.rmtree(path, ignore_errors=True)
        if os.path.exists(path):
            os.unlink(path)


def main(folder):
    folder = os.path.abspath(folder)
    os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "cache")
    make_folder(folder)
    failed = refused = 0
    for name, (words, ends) in JOBS.items():
        for mib in (16, 20, 22, 24, 26, 28, 32, 48):
            clear(folder)
            done = run(folder, words, mib << 20)
            refused += done.returncode == 6
            good = done.returncode in (*ends, 6, 127)  # 127: no room for libraries
            good &= done.returncode != 6 or done.stderr.startswith(b"culprit: ") or b"\nculprit: " in done.stderr
            try:
                with open(os.path.join(folder, "out")) as out:
                    good &= "four" in out.read()
            except FileNotFoundError:
                pass
            if not good:
                failed += 1
                print("FAILED: %s in %d MiB: status %d\n%s" % (name, mib, done.returncode, done.stderr.decode(errors="replace")[-600:]))
    print("%d failed, %d refused" % (failed, refused))
    sys.exit(failed > 0 or refused == 0)


main(sys.argv[1])
