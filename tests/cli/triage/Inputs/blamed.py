"""blamed.py DIR: DIR/repo, a repository of a compiler that is a shell script,
and DIR/list.jsonl, failures of it.  Commit c2 brought one of them, c5 the others:
two that have nothing in common, and one that two commands show.  At c6 the
first says other words, of another bug."""

import json
import os
import subprocess
import sys

folder = os.path.abspath(sys.argv[1])
repo = os.path.join(folder, "repo")
os.makedirs(repo)
BUGS = {"erf": 2, "tan": 5, "sqrt": 5}
SINE = """if [ "$2" = --all ]; then words="--has math.sin --has math.cos"; said="no sine beside a cosine"
else words="--has math.sin"; said="no sine"; fi
fake-compiler $words --fatal "$said" "$1" || exit $?
"""


def git(*words):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null")
    for who in ("AUTHOR", "COMMITTER"):
        env.update({"GIT_%s_NAME" % who: "A", "GIT_%s_EMAIL" % who: "a@example.org"})
        env["GIT_%s_DATE" % who] = "1700000000 +0000"
    subprocess.run(["git", "-C", repo, *words], check=True, env=env)


def words_of(op, number):
    return "another thing" if op == "erf" and number == 6 else "no " + op


git("init", "-q", "-b", "main")
for number in range(9):
    tool = os.path.join(repo, "tool")
    with open(tool, "w", encoding="ascii") as out:
        out.write("#!/bin/sh\n# revision %d\n" % number)
        for op, since in BUGS.items():
            if number >= since:
                out.write('fake-compiler --has math.%s --fatal "%s" "$1" || exit $?\n' % (op, words_of(op, number)))
        if number >= 5:
            out.write(SINE)
    os.chmod(tool, 0o755)
    git("add", "-A")
    git("commit", "-q", "-m", "commit c%d" % number)
    git("tag", "c%d" % number)


def failure(name, said, ops, *words):
    module = os.path.join(folder, name + ".mlir")
    with open(module, "w", encoding="ascii") as text:
        body = "".join("  %%%d = math.%s %%a : f32\n" % pair for pair in enumerate(ops))
        text.write("func.func @f(%%a: f32) -> f32 {\n%s  return %%0 : f32\n}\n" % body)
    return {"name": name, "text": "LLVM ERROR: %s\n" % said, "module": module, "command": [tool, "@@", *words]}


with open(os.path.join(folder, "list.jsonl"), "w", encoding="ascii") as out:
    for op in BUGS:
        out.write(json.dumps(failure(op, "no " + op, [op])) + "\n")
with open(os.path.join(folder, "sine.jsonl"), "w", encoding="ascii") as out:
    out.write(json.dumps(failure("sine", "no sine", ["sin"])) + "\n")
    out.write(json.dumps(failure("both", "no sine beside a cosine", ["sin", "cos"], "--all")) + "\n")
