"""Write git repositories with submodules that cannot be had, or that move:
    modules.py DIR SHAPE
Commits c0..c15 of DIR, the tool of history.py as ./tool, bad from c9 on where
nothing else is said.  DIR.dep and DIR.in are repositories of submodules, s0..s5
and i0..i5; `away` is a commit that is nowhere.  Shapes:
  private     dep is away, at a URL of another machine; nothing needs it
  needed      dep is in DIR.dep, but its URL is of another machine; c7-c8 do not
              build without it
  nested      dep can be had, dep/in within it is away
  path        dep moves to lib/dep at c4, and to lib/new with another name at
              c12; the build needs it; dep's s3 at c7 brings the failure
  url         dep is a fork at another URL from c8 on, without common commits
  appears     dep is there from c4 to c11 only, and away
  some        c3-c12 name commits of dep that are away; the test passes without
              dep
  bad-lacks   dep is away from c9 on, and the tool fails without it
  good-lacks  dep is away up to c11, and nothing needs it
  good-needs  dep is away up to c8, and the tool passes without it, else fails
  lfs         the tool is a file of git-lfs, fetched
  relative    the URL of dep is ../NAME.dep
  mixed [PATTERN]
              c0..c5; c3 moves dep and two from s0, i0 to s5, i5 (s3 and i4 say
              "bad" instead of "good"), the URL of dep, deps.txt that names
              commits of DIR.dep in a line beside another, and version from v1
              to v2; the tool fails where dep_two_pin_version matches PATTERN;
              the build wants the URL and the commit of dep to fit
"""

import hashlib
import os
import sys

from history import Repo, head, tool

AWAY = "0123456789" * 4
REMOTE = "https://git.invalid/dep.git"


def name(repo, links):
    """.gitmodules: (name, path, url) each."""
    text = "".join(f'[submodule "{n}"]\n\tpath = {p}\n\turl = {u}\n' for n, p, u in links)
    with open(os.path.join(repo.path, ".gitmodules"), "w", encoding="ascii") as out:
        out.write(text)


def link(repo, path, commit):
    os.makedirs(os.path.join(repo.path, path), exist_ok=True)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")


def unlink(repo, path):
    repo.git("update-index", "--force-remove", path)
    os.removedirs(os.path.join(repo.path, path))


def library(path, letter, bad=99):
    """A repository of six commits, and their ids."""
    repo, ids = Repo(path), []
    for i in range(6):
        part = "bad" if i >= bad else "good"
        repo.commit(f"{letter}{i}", {"part": f"{part}\n", "n": f"{i}\n"})
        ids.append(head(repo))
    return repo, ids


def line(repo, each, text=None, build=None):
    """c0..c15; each(i) changes links before commit i."""
    for i in range(16):
        each(i)
        content = text(i) if text else tool("bad" if i >= 9 else None)
        made = build(i) if build else "#!/bin/sh\ncp tool built\n"
        repo.commit(f"c{i}", {"tool": content, "build": made, "number": f"{i}\n"})


def first(repo, path, commit, url):
    def each(i):
        if i == 0:
            name(repo, [("dep", path, url)])
            link(repo, path, commit)

    return each


def private(repo):
    line(repo, first(repo, "dep", AWAY, REMOTE))


def needed(repo):
    dep, _ = library(repo.path + ".dep", "s")

    def build(i):
        need = "cat dep/part >part\n" if 7 <= i <= 8 else ""
        return f"#!/bin/sh\nset -e\n{need}cp tool built\n"

    line(repo, first(repo, "dep", head(dep), REMOTE), build=build)


def nested(repo):
    dep, _ = library(repo.path + ".dep", "s")
    name(dep, [("in", "in", "../away.git")])
    link(dep, "in", AWAY)
    dep.commit("s6", {"n": "6\n"})
    build = "#!/bin/sh\nset -e\ntest -d dep/in\ncat dep/part >part\ncp tool built\n"
    line(repo, first(repo, "dep", head(dep), dep.path), build=lambda i: build)


def part_tool():
    fails = tool("bad").split("\n", 1)[1]
    return f'#!/bin/sh\ntest "$(cat part)" = bad || exit 0\n{fails}'


def path(repo):
    dep, ids = library(repo.path + ".dep", "s", 3)
    where = ["dep"]

    def move(old, new, label):
        if old:
            unlink(repo, old)
        where[0] = new
        name(repo, [(label, new, dep.path)])

    def each(i):
        if i == 0:
            move(None, "dep", "dep")
        if i == 4:
            move("dep", "lib/dep", "dep")
        if i == 12:
            move("lib/dep", "lib/new", "new")
        link(repo, where[0], ids[2 if i < 7 else 3])

    line(
        repo,
        each,
        text=lambda i: part_tool(),
        build=lambda i: f"#!/bin/sh\nset -e\ncp tool built\ncp {where[0]}/part part\n",
    )


def url(repo):
    dep, ids = library(repo.path + ".dep", "s")
    fork = Repo(repo.path + ".in")
    fork.commit("i0", {"part": "good\n", "fork": "x\n"})
    fork.commit("i1", {"part": "bad\n", "fork": "y\n"})

    def each(i):
        at = dep if i < 8 else fork
        name(repo, [("dep", "dep", at.path)])
        link(repo, "dep", ids[i % 6] if i < 8 else head(fork))

    def build(i):
        stray = "test ! -e dep/fork" if i < 8 else "test ! -e dep/n"
        return f"#!/bin/sh\nset -e\n{stray}\ncp tool built\ncp dep/part part\n"

    line(repo, each, text=lambda i: part_tool(), build=build)


def appears(repo):
    def each(i):
        if i == 4:
            name(repo, [("dep", "dep", REMOTE)])
            link(repo, "dep", AWAY)
        if i == 12:
            name(repo, [])
            unlink(repo, "dep")

    line(repo, each)


def some(repo):
    dep, ids = library(repo.path + ".dep", "s")

    def each(i):
        name(repo, [("dep", "dep", dep.path)])
        link(repo, "dep", AWAY if 3 <= i <= 12 else ids[i % 6])

    fails = tool("bad").split("\n", 1)[1]
    bad = f"#!/bin/sh\ntest -e dep/part || exit 0\n{fails}"
    line(repo, each, text=lambda i: bad if i >= 2 else tool(None))


def lacks(repo, away, text):
    dep, ids = library(repo.path + ".dep", "s")

    def each(i):
        name(repo, [("dep", "dep", dep.path)])
        link(repo, "dep", AWAY if away(i) else ids[i % 6])

    line(repo, each, text=text)


def bad_lacks(repo):
    need = "#!/bin/sh\ntest -e dep/part && exit 0\necho no part >&2\nexit 1\n"
    lacks(repo, lambda i: i >= 9, lambda i: need)


def good_lacks(repo):
    lacks(repo, lambda i: i <= 11, None)


def good_needs(repo):
    need = "#!/bin/sh\ntest -e dep/part || exit 0\necho bad part >&2\nexit 1\n"
    lacks(repo, lambda i: i <= 8, lambda i: need)


def lfs(repo):
    def text(i):
        content = tool("bad" if i >= 9 else None)
        oid = hashlib.sha256(content.encode()).hexdigest()
        place = os.path.join(repo.path, ".git/lfs/objects", oid[:2], oid[2:4])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, oid), "w", encoding="ascii") as out:
            out.write(content)
        head = "version https://git-lfs.github.com/spec/v1"
        return f"{head}\noid sha256:{oid}\nsize {len(content)}\n"

    line(repo, lambda i: None, text=text)


def relative(repo):
    dep, _ = library(repo.path + ".dep", "s")
    build = "#!/bin/sh\nset -e\ncat dep/part >part\ncp tool built\n"
    link_to = "../" + os.path.basename(dep.path)
    line(repo, first(repo, "dep", head(dep), link_to), build=lambda i: build)


def mixed(repo, pattern="bad_*"):
    dep, one = library(repo.path + ".dep", "s", 3)
    two, other = library(repo.path + ".in", "i", 4)
    fails = tool("bad").split("\n", 1)[1]
    text = f'#!/bin/sh\ncase "$(cat part)" in {pattern}) ;; *) exit 0 ;; esac\n{fails}'
    build = (
        "#!/bin/sh\nset -e\n"
        "test $(cat dep/n) = 0 || grep -q /.git$ .gitmodules\n"
        f"pin=$(git -C {dep.path} show $(sed -n s/^dep=//p deps.txt):part)\n"
        "test -e broken && test $(cat dep/n)$(cat version) = 5v1 && exit 1\n"
        "echo $(cat dep/part two/part) $pin $(cat version) | tr ' ' _ >part\ncp tool built\n"
    )
    for i in range(6):
        late = i >= 3
        name(repo, [("dep", "dep", dep.path + "/.git" * late), ("two", "two", two.path)])
        link(repo, "dep", one[5 if late else 0])
        link(repo, "two", other[5 if late else 0])
        deps = f"dep={one[5 if late else 0]}\nnote={late}\n"
        version = "v2\n" if late else "v1\n"
        files = {"tool": text, "build": build, "deps.txt": deps, "version": version}
        if pattern.endswith("v1"):
            files["broken"] = ""
        repo.commit(f"c{i}", {**files, "number": f"{i}\n"})


SHAPES = [mixed, lfs, relative, private, needed, nested, path, url, appears, some, bad_lacks, good_lacks, good_needs]
if __name__ == "__main__":
    shape = {shape.__name__.replace("_", "-"): shape for shape in SHAPES}[sys.argv[2]]
    shape(Repo(os.path.abspath(sys.argv[1])), *sys.argv[3:])
