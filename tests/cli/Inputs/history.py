"""Write a small git repository:  history.py DIR SHAPE [KEY=VALUE...]

Every commit holds the shell script `tool` that fails, passes or cannot run as
the commit's turn says, and is tagged c0, c1, ...  Shapes:
  line n= bad= [broken=a-b] [other=a-b] [fixed=]   a line of n commits; from
        bad on the tool dies of an assertion, from fixed on no more; broken
        commits do not build, others fail another way
  merge                two branches, the second's middle commit is to blame
  octopus              three branches merged at once, the last one's commit is
        to blame (c5)
  crisscross           two branches that merged each other; c3 is to blame
  reverts              c4 brings the failure, c7 takes it back, c10 brings it
        back again, all else equal
  later                the failure was fixed on the branch that is good
  pins                 c2 moves the commits of DIR.a and DIR.b that deps.txt
        names, from a0 and b0 to a4 and b5; b3 is to blame, where a is at least
        at a2
  program              a C program that sums up its arguments; from c9 on it dies
        of more than three; c4 does not compile, c6 only has a comment
  outside n=           a C program that fails where its commit's number is more
        than LIM, which no commit says
  stale                c6 of ten breaks l.c, which the Makefile does not know;
        DIR.above has them as the submodule `lib`, which c1 moves, with another file
  interpreter n= bad= first= other=a-b   the tool, an interpreter, runs a script
        that fails for two reasons, at lines 12 (from bad on) and 40 (other); the
        last line is the same; first= what it says at line 12
  submodule            c3 moves the submodule `dep` from s1 over s2 to s5, and
        s3 in it is to blame; ends at c6
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
        # No look at whether it should be packed after each commit.
        words = ["-c", "gc.auto=0", "-c", "maintenance.auto=false", *words]
        subprocess.run(["git", "-C", self.path, *words], check=True, env=env)

    def commit(self, name, files):
        for file, text in files.items():
            with open(os.path.join(self.path, file), "w", encoding="ascii") as out:
                out.write(text)
            os.chmod(os.path.join(self.path, file), 0o755)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {name}")
        # What `git tag` writes: here without a process for each commit, which has a date.
        self.clock += 60
        with open(os.path.join(self.path, ".git/refs/tags", name), "w", encoding="ascii") as out:
            out.write(head(self) + "\n")


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


def octopus(repo):
    good, bad = {"tool": tool(None)}, {"tool": tool("bad")}
    repo.commit("c0", {**good, "number": "0\n"})
    for branch in "ab":
        repo.git("checkout", "-q", "-b", branch, "c0")
        repo.commit(f"{branch}1", {branch: "1\n"})
        repo.commit(f"{branch}2", {branch: "2\n"})
    repo.git("checkout", "-q", "-b", "c", "c0")
    repo.commit("c4", {"c": "1\n"})
    repo.commit("c5", {**bad, "c": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "octopus", "a", "b", "c")
    repo.git("tag", "c6")
    repo.commit("c7", {"number": "7\n"})


def crisscross(repo):
    good, bad = {"tool": tool(None)}, {"tool": tool("bad")}
    repo.commit("c0", {**good, "number": "0\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("c1", {"side": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("c2", {"number": "2\n"})
    repo.commit("c3", {**bad, "number": "3\n"})
    repo.git("branch", "old")
    repo.git("merge", "-q", "--no-ff", "-m", "one way", "side")
    repo.git("checkout", "-q", "side")
    repo.git("merge", "-q", "--no-ff", "-m", "other way", "old")
    repo.commit("c4", {"side": "4\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("c5", {"number": "5\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "both", "side")
    repo.git("tag", "c6")


def reverts(repo):
    for i in range(14):
        bad = 4 <= i < 7 or i >= 10
        repo.commit(f"c{i}", {"tool": tool("bad" if bad else None), f"note{i}": "x\n"})


def later(repo):
    repo.commit("c0", {"tool": tool("bad"), "number": "0\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("c1", {"tool": tool(None)})
    repo.commit("c2", {"side": "2\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("c3", {"number": "3\n"})
    repo.commit("c4", {"number": "4\n"})


def submodule(repo):
    dep = Repo(repo.path + ".dep")
    for i in range(6):
        dep.commit(f"s{i}", {"tool": tool("bad" if i >= 3 else None), "n": f"{i}\n"})
    repo.commit("c0", {"build": "#!/bin/sh\ncp dep/tool built\n", "number": "0\n"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", dep.path, "dep")
    for i, at in enumerate(["s0", "s1", "s5", "s5", "s5", "s5"]):
        git = ["-C", os.path.join(repo.path, "dep"), "checkout", "-q", at]
        subprocess.run(["git", *git], check=True)
        only = {"number": f"{i + 1}\n"} if i != 2 else {}
        repo.commit(f"c{i + 1}", only)


def head(repo):
    """The id of the commit that is checked out; its branch is never packed."""
    with open(os.path.join(repo.path, ".git/HEAD"), encoding="ascii") as file:
        text = file.read().strip()
    if text.startswith("ref: "):
        with open(os.path.join(repo.path, ".git", text[5:]), encoding="ascii") as file:
            text = file.read().strip()
    return text


def pins(repo):
    one, two = Repo(repo.path + ".a"), Repo(repo.path + ".b")
    ids = {}
    for i in range(6):
        one.clock = two.clock = repo.clock + 1000 * i
        if i < 5:
            one.commit(f"a{i}", {"part": "a=1\n" if i >= 2 else "a=0\n", "n": f"{i}\n"})
            ids[f"a{i}"] = head(one)
        two.commit(f"b{i}", {"part": "b=1\n" if i >= 3 else "b=0\n", "n": f"{i}\n"})
        ids[f"b{i}"] = head(two)
    parts = "".join(
        f'git -C {repo.path}.{x} show "$(sed -n s/^{x}=//p deps.txt):part" >part.{x}\n'
        for x in "ab"
    )
    build = f"#!/bin/sh\nset -e\n{parts}cat part.a part.b tool.in >built\nchmod +x built\n"
    fails = tool("bad").split("\n", 1)[1]
    files = {"build": build, "tool.in": f'test "$a$b" = 11 || exit 0\n{fails}'}
    repo.clock += 10000
    for i, (a, b) in enumerate([("a0", "b0"), ("a0", "b0"), ("a4", "b5"), ("a4", "b5")]):
        deps = {"deps.txt": f"a={ids[a]}\nb={ids[b]}\n"}
        repo.commit(f"c{i}", {**files, **deps, **({} if i == 2 else {"n": f"{i}\n"})})


INTERPRETER = '''#!/bin/sh
echo "toy: $1:1: errors are told with a trace" >&2
fail() {
  printf 'toy: %s:%s: %s\\nstack traceback:\\n\\t%s:%s: in main chunk\\n\\t[C]: in ?\\n' \\
    "$1" "$2" "$3" "$1" "$2" >&2
  exit 1
}
'''


def outside(repo, n="21"):
    for i in range(int(n)):
        text = f'#include <stdio.h>\nint main(void) {{ return {i} > LIM && puts("lost"); }}\n'
        repo.commit(f"c{i}", {"main.c": text})


def stale(repo):
    program = "int lib(void); int main(void) { return lib(); }\n"
    makefile = "prog: main.c\n\tcc -o prog main.c {}l.c\n"
    for i in range(10):
        lib = f"int lib(void) {{ return {9 if i >= 6 else 0}; }}\nint n{i};\n"
        repo.commit(f"c{i}", {"l.c": lib, "main.c": program, "Makefile": makefile.format("")})
    above = Repo(repo.path + ".above")
    above.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", os.path.abspath(repo.path), "lib")
    for i, at in enumerate(("c0", "c9")):
        above.git("-C", "lib", "checkout", "-q", at)
        above.commit(f"c{i}", {"main.c": program, "Makefile": makefile.format("lib/"), "other": f"{i}\n"})


def interpreter(repo, n="30", bad="20", first="nil", other="5-14"):
    words = {"nil": "attempt to index a nil value (field 'x')", "assert": "assertion failed!"}
    for i in range(int(n)):
        text = INTERPRETER
        if i >= int(bad):
            text += f'fail "$1" 12 "{words[first]}"\n'
        if within(other, i):
            text += f'fail "$1" 40 "{words["assert"]}"\n'
        repo.commit(f"c{i}", {"tool": text, "number": f"{i}\n"})


MAIN = """#include <stdio.h>
#include <stdlib.h>
#include "list.h"

int main(int argc, char **argv) {
  struct list list = {0};
  for (int i = 1; i < argc; i++)
    list_add(&list, atoi(argv[i]));
  printf("%d\\n", list_sum(&list));
  return 0;
}
"""
HEADER = """struct list { int n; int items[16]; };
void list_add(struct list *list, int value);
int list_sum(const struct list *list);
"""
LIST = """#include <assert.h>
#include "list.h"
%s
void list_add(struct list *list, int value) {
  assert(list->n < %s);
  list->items[list->n++] = value;
}
int list_sum(const struct list *list) {
  int sum = 0;
  for (int i = 0; i < list->n; i++)
    sum += list->items[i];
  return sum;
}
"""
BUILD = """#!/bin/sh
set -e
for part in main list; do
  test $part.o -nt $part.c && test $part.o -nt list.h ||
    { echo compiling $part; cc -g -c $part.c; }
done
cc -o program main.o list.o
"""


def program(repo):
    for i in range(14):
        room = "3" if i >= 9 else "16"
        remark = "" if i < 6 else "/* a list of numbers */"
        files = {"main.c": MAIN, "list.h": HEADER, "list.c": LIST % (remark, room), "build": BUILD}
        if i == 4:
            files["main.c"] = MAIN.replace("list_sum(&list)", "list_sum(list)")
        repo.commit(f"c{i}", {**files, "news": f"{i}\n"})


SHAPES = [outside, stale, program, interpreter, pins, line, merge, octopus, crisscross, reverts, later, submodule]
if __name__ == "__main__":
    shape = {shape.__name__: shape for shape in SHAPES}[sys.argv[2]]
    shape(Repo(sys.argv[1]), **dict(word.split("=") for word in sys.argv[3:]))
