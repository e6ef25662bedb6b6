"""Write a git repository whose objects git itself would refuse:

    raw_trees.py DIR SHAPE [PATH]

A line of commits c0 to c4, each with `build` and `tool`; from c3 on the tool
dies of an assertion.  The tree of c4 holds in addition, by SHAPE:
  plain       nothing
  dots        ../escaped
  absolute    /PATH/escaped, as one name
  deepdots    a/b/../../../escaped
  git=NAME    NAME/config
  both        a link `sub` to PATH, and a directory `sub` with `planted`
  order       the same, the directory first
  module      a submodule at ../escaped
  modulelink  .gitmodules as a link to PATH
  empty       an entry without a name
  nothing     a link to nothing at all
  long        a name of 300 bytes
  deep        5000 directories in each other
  bomb        a tree of ten trees of ten trees..., 10^12 files
  huge        a file that says to have 3 GiB
  links       valid: a link `sub` to PATH in c2 and c3, a directory `sub` with
              `planted` in c4
  later       valid: the directory alone
"""

import hashlib
import os
import subprocess
import sys
import zlib


class Repo:
    def __init__(self, path):
        self.path = path
        subprocess.run(["git", "init", "-q", "-b", "main", path], check=True)

    def store(self, hexes, packed):
        place = os.path.join(self.path, ".git", "objects", hexes[:2])
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, hexes[2:]), "wb") as out:
            out.write(packed)

    def put(self, kind, data):
        whole = kind.encode() + b" " + str(len(data)).encode() + b"\0" + data
        hexes = hashlib.sha1(whole).hexdigest()
        self.store(hexes, zlib.compress(whole, 1))
        return hexes

    def blob(self, text):
        return self.put("blob", text.encode())

    def tree(self, entries):
        data = b"".join(mode.encode() + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(hexes) for mode, name, hexes in entries)
        return self.put("tree", data)

    def commit(self, tree, parent, n):
        who = f"A <a@example.org> {1700000000 + n} +0000"
        above = f"parent {parent}\n" if parent else ""
        return self.put("commit", f"tree {tree}\n{above}author {who}\ncommitter {who}\n\nc{n}\n".encode())

    def tag(self, name, hexes):
        with open(os.path.join(self.path, ".git", "refs", "tags", name), "w", encoding="ascii") as out:
            out.write(hexes + "\n")


def hostile(repo, shape, path):
    planted = repo.blob("planted\n")
    inside = repo.tree([("100644", "planted", planted)])
    link = repo.blob(path)
    if shape == "dots":
        return [("40000", "..", repo.tree([("100644", "escaped", planted)]))]
    if shape == "absolute":
        return [("100644", f"{path}/escaped", planted)]
    if shape == "deepdots":
        return [("100644", "a/b/../../../escaped", planted)]
    if shape.startswith("git="):
        return [("40000", shape[4:], repo.tree([("100644", "config", planted)]))]
    if shape == "both":
        return [("120000", "sub", link), ("40000", "sub", inside)]
    if shape == "order":
        return [("40000", "sub", inside), ("120000", "sub", link)]
    if shape == "module":
        return [("160000", "../escaped", "1" * 40)]
    if shape == "modulelink":
        return [("120000", ".gitmodules", link)]
    if shape == "empty":
        return [("100644", "", planted)]
    if shape == "nothing":
        return [("120000", "void", repo.blob(""))]
    if shape == "long":
        return [("100644", "n" * 300, planted)]
    if shape == "deep":
        for _ in range(5000):
            inside = repo.tree([("40000", "d", inside)])
        return [("40000", "d", inside)]
    if shape == "bomb":
        for _ in range(12):
            inside = repo.tree([("40000", str(i), inside) for i in range(10)])
        return [("40000", "d", inside)]
    if shape == "huge":
        lie = "2" * 40
        repo.store(lie, zlib.compress(b"blob 3221225472\0" + bytes(1 << 20)))
        return [("100644", "huge", lie)]
    return []


def main():
    where, shape = sys.argv[1:3]
    path = sys.argv[3] if len(sys.argv) > 3 else "/nonexistent"
    repo = Repo(where)
    parent = None
    for n in range(5):
        fails = "echo 'assertion failed: sum' >&2\\nkill -ABRT $$" if n >= 3 else "exit 0"
        entries = [
            ("100755", "build", repo.blob("#!/bin/sh\ncp tool built\n")),
            ("100644", "number", repo.blob(f"{n}\n")),
            ("100755", "tool", repo.blob("#!/bin/sh\n" + fails.replace("\\n", "\n") + "\n")),
        ]
        if shape == "links" and n in (2, 3):
            entries.append(("120000", "sub", repo.blob(path)))
        if shape in ("links", "later") and n == 4:
            entries.append(("40000", "sub", repo.tree([("100644", "planted", repo.blob("planted\n"))])))
        if n == 4:
            entries += hostile(repo, shape, path)
        if shape in ("plain", "links", "later"):
            entries.sort(key=lambda e: e[1] + "/" * (e[0] == "40000"))
        parent = repo.commit(repo.tree(entries), parent, n)
        repo.tag(f"c{n}", parent)
    with open(os.path.join(where, ".git", "refs", "heads", "main"), "w", encoding="ascii") as out:
        out.write(parent + "\n")


main()
