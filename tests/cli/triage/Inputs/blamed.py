"""blamed.py DIR: DIR/repo, a repository of a compiler that is a shell script,
and DIR/list.jsonl, three failures of it.  Commit c2 brought one of them, c5 the
two others."""

import json
import os
import subprocess
import sys

folder = os.path.abspath(sys.argv[1])
repo = os.path.join(folder, "repo")
os.makedirs(repo)
BUGS = {"erf": 2, "tan": 5, "sqrt": 5}


def git(*words):
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null")
    for who in ("AUTHOR", "COMMITTER"):
        env.update({"GIT_%s_NAME" % who: "A", "GIT_%s_EMAIL" % who: "a@example.org"})
        env["GIT_%s_DATE" % who] = "1700000000 +0000"
    subprocess.run(["git", "-C", repo, *words], check=True, env=env)


git("init", "-q", "-b", "main")
for number in range(9):
    tool = os.path.join(repo, "tool")
    with open(tool, "w", encoding="ascii") as out:
        out.write("#!/bin/sh\n# revision %d\n" % number)
        for op, since in BUGS.items():
            if number >= since:
                out.write('fake-compiler --has math.%s --fatal "no %s" "$1" || exit $?\n' % (op, op))
    os.chmod(tool, 0o755)
    git("add", "-A")
    git("commit", "-q", "-m", "commit c%d" % number)
    git("tag", "c%d" % number)
with open(os.path.join(folder, "list.jsonl"), "w", encoding="ascii") as out:
    for op in BUGS:
        module = os.path.join(folder, op + ".mlir")
        with open(module, "w", encoding="ascii") as text:
            text.write("func.func @f(%%a: f32) -> f32 {\n  %%r = math.%s %%a : f32\n  return %%r : f32\n}\n" % op)
        line = {"name": op, "text": "LLVM ERROR: no %s\n" % op, "module": module, "command": [tool, "@@"]}
        out.write(json.dumps(line) + "\n")
