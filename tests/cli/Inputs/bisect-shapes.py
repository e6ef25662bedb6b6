"""Bisect small repositories of many shapes, several ways each, and compare
with what is known of them:  bisect-shapes.py DIR"""

import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# shape, its arguments; options; the tag that is to blame, or a set of tags
TABLE = [
    ("line", "n=12 bad=5", "--good c0 --bad c11", "c5"),
    ("line", "n=12 bad=1", "--good c0 --bad c11", "c1"),
    ("line", "n=12 bad=11", "--good c0 --bad c11", "c11"),
    ("line", "n=33 bad=1", "--good c0 --bad c32", "c1"),
    ("line", "n=33 bad=9", "--good c0 --bad c32", "c9"),
    ("line", "n=12 bad=5", "--good c0 --good c3 --bad c11 -j 3", "c5"),
    ("line", "n=12 bad=5", "--bad c11", "c5"),
    ("line", "n=12 bad=5", "--good c4 --bad c5", "c5"),
    ("line", "n=16 bad=9 broken=2-4", "--good c0 --bad c15", "c9"),
    ("line", "n=16 bad=9 other=5-6", "--good c0 --bad c15", "c9"),
    ("line", "n=16 bad=9 broken=8-11", "--good c0 --bad c15", "c8 c9 c10 c11 c12"),
    ("line", "n=20 bad=3 fixed=11", "--find-fix --bad c5 --good c19", "c11"),
    ("merge", "", "--good c0 --bad c7", "c2"),
    ("merge", "", "--good c0 --bad c7 --first-parent", "c6"),
    ("merge", "", "--good c0 --good c5 --bad c7 -j 2", "c2"),
    ("octopus", "", "--good c0 --bad c7", "c5"),
    ("crisscross", "", "--good c0 --bad c6", "c3"),
    ("line", "n=40 bad=23", "--good c0 --bad c39 --paths tool", "c23"),
    ("reverts", "", "--good c0 --bad c6 --paths note2 --paths note4", "c4"),
    ("reverts", "", "--good c0 --bad c6 --paths note2 --paths note6", "c4"),
    ("merge", "", "--good c0 --bad c7 --paths side", "c2"),
    ("merge", "", "--good c0 --bad c7 --paths number", "c2"),
    ("reverts", "", "--good c8 --bad c13", "c10"),
    ("reverts", "", "--good c0 --bad c6", "c4"),
]


def bisect(root, i, row):
    shape, words, options, _ = row
    repo = os.path.join(root, f"{shape}-{words}".replace(" ", "-"))
    if not os.path.exists(repo):
        make = [sys.executable, os.path.join(HERE, "history.py"), repo, shape]
        subprocess.run([*make, *words.split()], check=True, stdout=subprocess.DEVNULL)
    out = os.path.join(root, f"{i}.json")
    command = ["culprit", "bisect", "commits", "--quiet", "--no-cache", "--repo", repo]
    command += ["--work", os.path.join(root, f"{i}.work"), "--json", out, *options.split()]
    if "broken" in words:
        command += ["--build", "sh ./build", "--", "./built"]
    else:
        command += ["--", "./tool"]
    status = subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode
    with open(out, encoding="utf-8") as file:
        report = json.load(file)
    assert status == (0 if report["culprit"] else 9), (row, status)
    return repo, report


def commit(repo, tag):
    words = ["git", "-C", repo, "rev-parse", tag + "^{commit}"]
    return subprocess.check_output(words, text=True).strip()


def words_of(row):
    return sorted(word for word in row[2].split() if word.startswith("-"))


def main():
    wrong = 0
    for i, row in enumerate(TABLE):
        repo, report = bisect(sys.argv[1], i, row)
        want = {commit(repo, tag) for tag in row[3].split()}
        unique = len(want) == 1
        right = set(report["suspects"]) == want if unique else want >= set(report["suspects"])
        right &= report["culprit"] == want.pop() if unique else report["culprit"] is None
        plain = words_of(row) == ["--bad", "--good"] and row[1].count("=") == 2
        if plain:  # in git's builds and the two ends
            right &= report["builds"]["done"] <= math.ceil(math.log2(report["commits"])) + 2
        if not right:
            wrong += 1
            print("wrong:", row, report["culprit"], report["suspects"], report["builds"])
    print(f"{len(TABLE)} histories, {wrong} wrong")


main()
