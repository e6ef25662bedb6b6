#!/usr/bin/python3 -IS
"""pairs.py WHAT FILE: a compiler whose verifier counts the operations t.*: one
alone never goes.

    even    each body holds an even number of them, t.return aside
    nested  t.begin and t.end come in pairs, each end behind its begin
    twins   t.left {k = N} and t.right {k = N}: both or neither

Then it fails where the module holds t.fail and t.also."""
import re
import sys


def verify(what, names, text):
    if what == "even":
        for body in text.split("func.func")[1:]:
            if len(re.findall(r"\bt\.\w+", body)) % 2:
                return "an odd number of operations"
    depth = 0
    for name in names if what == "nested" else []:
        depth += {"t.begin": 1, "t.end": -1}.get(name, 0)
        if depth < 0:
            return "t.end without t.begin"
    if depth:
        return "t.begin without t.end"
    left, right = (sorted(re.findall(rf'{side}"?\(.*k = (\d+)', text))
                   for side in (r"t\.left", r"t\.right"))
    return "not both of two" if what == "twins" and left != right else None


def main(what, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    names = re.findall(r"\bt\.\w+", text)
    wrong = verify(what, names, text)
    if wrong:
        sys.exit(f"error: {wrong}")
    if "t.fail" in names and "t.also" in names:
        sys.exit("error: cannot lower t.fail")


main(*sys.argv[1:])
