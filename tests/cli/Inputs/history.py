"""Write a small git repository:  history.py DIR SHAPE [KEY=VALUE...]

Every commit holds the shell script `tool` that fails, passes or cannot run as
the commit's turn says, and is tagged c0, c1, ...  Shapes:
  line n= bad= [broken=a-b] [other=a-b] [fixed=]   a line of n commits; from
        bad on the tool dies of an assertion, from fixed on no more; broken
        commits do not build, others fail another way
  merge                two branches, the second's middle commit is to blame
Dates and names are fixed: the same ids everywhere."""

import os
import subprocess
import sys


class Repo:
    def __init__(self, path):
        self.path = path
        self.clock = 1_700_000_000
        os.makedirs(path)
        self.git("init", "-q", "-b", "main")

    def git(self, *words):
        self.clock += 60
        date = f"{self.clock} +0000"
        env = dict(
            os.environ,
            GIT_CONFIG_GLOBAL="/dev/null",
            GIT_AUTHOR_NAME="A",
            GIT_AUTHOR_EMAIL="a@example.org",
            GIT_COMMITTER_NAME="A",
            GIT_COMMITTER_EMAIL="a@example.org",
            GIT_AUTHOR_DATE=date,
            GIT_COMMITTER_DATE=date,
        )
        subprocess.run(["git", "-C", self.path, *words], check=True, env=env)

    def commit(self, name, files):
        for file, text in files.items():
            with open(os.path.join(self.path, file), "w", encoding="ascii") as out:
                out.write(text)
            os.chmod(os.path.join(self.path, file), 0o755)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {name}")
        self.git("tag", name)


def tool(failure):
    """A compiler as a shell script."""
    die = {
        None: "exit 0",
        "bad": "echo \"tool: x.c:7: int f(int): Assertion \\`n > 0' failed.\" >&2; kill -ABRT $$",
        "other": "echo \"tool: y.c:9: int g(int): Assertion \\`m > 0' failed.\" >&2; kill -ABRT $$",
    }[failure]
    return f"#!/bin/sh\n{die}\n"


def within(text, i):
    if not text:
        return False
    first, last = text.split("-")
    return int(first) <= i <= int(last)


def line(repo, n="16", bad="8", broken="", other="", fixed="1000"):
    for i in range(int(n)):
        failure = "bad" if int(bad) <= i < int(fixed) else None
        if within(other, i):
            failure = "other"
        build = "#!/bin/sh\nexit 1\n" if within(broken, i) else "#!/bin/sh\ncp tool built\n"
        repo.commit(f"c{i}", {"tool": tool(failure), "build": build, "number": f"{i}\n"})


def merge(repo):
    good, bad = {"tool": tool(None)}, {"tool": tool("bad")}
    repo.commit("c0", {**good, "number": "0\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("c1", {"side": "1\n"})
    repo.commit("c2", {**bad, "side": "2\n"})
    repo.commit("c3", {"side": "3\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("c4", {"number": "4\n"})
    repo.commit("c5", {"number": "5\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    repo.git("tag", "c6")
    repo.commit("c7", {"number": "7\n"})


if __name__ == "__main__":
    shape = {"line": line, "merge": merge}[sys.argv[2]]
    shape(Repo(sys.argv[1]), **dict(word.split("=") for word in sys.argv[3:]))
