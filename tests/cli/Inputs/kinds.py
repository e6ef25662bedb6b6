"""kinds.py DIR: a small git repository whose files become links, directories and
programs, come and go; `test` fails from c7 on, and looks at all of them.  The
build changes one of its sources, and leaves a file in a directory of sources."""
import os
import shutil
import subprocess
import sys

top = sys.argv[1]
shutil.rmtree(top, ignore_errors=True)
os.makedirs(top)
os.chdir(top)
clock = 1_700_000_000


def git(*words):
    global clock
    clock += 60
    date = f"{clock} +0000"
    env = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org",
               GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    subprocess.run(["git", *words], check=True, env=env)


def put(name, text, mode=0o644):
    if os.path.islink(name) or os.path.isfile(name):
        os.unlink(name)
    elif os.path.isdir(name):
        shutil.rmtree(name)
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as out:
        out.write(text)
    os.chmod(name, mode)


def link(name, to):
    if os.path.isdir(name) and not os.path.islink(name):
        shutil.rmtree(name)
    elif os.path.lexists(name):
        os.unlink(name)
    os.symlink(to, name)


git("init", "-q", "-b", "main")
put("build", "#!/bin/sh\necho changed >>source\ntest $(cat source | wc -l) = 2 || exit 9\n"
    "ls -F thing data | grep -v made >list\nmkdir -p data\ntouch data/made made.$(cat number)\n")
put("test", "cat list source data/* >/dev/null\ntest -e number || exit 0\n"
    "[ $(cat number) -lt 7 ] || { echo 'error: bad angle' >&2; exit 1; }\n")
put("source", "as it is\n")
for i in range(12):
    put("number", f"{i}\n")
    put(f"data/file {i}", f"{i}\n")
    if i % 3 == 0:
        put("thing", f"file {i}\n", 0o755 if i % 2 else 0o644)
    elif i % 3 == 1:
        link("thing", "source" if i % 2 else "data")
    else:
        os.unlink("thing")
        put("thing/inner/deep", f"{i}\n")
    if i > 3:
        os.unlink(f"data/file {i - 4}")
    git("add", "-A")
    git("commit", "-q", "-m", f"commit c{i}")
    git("tag", f"c{i}")
