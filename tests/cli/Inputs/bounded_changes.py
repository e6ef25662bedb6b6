"""bounded_changes.py REPORT INPUT RESULT: each step of a reduction of a text says
what it changed: bounded, and, added up, all of it."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    changes = [step["change"] for step in json.load(file)["steps"]]
lines = []
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        lines.append(len(file.read().splitlines()))
left = lines[0]
for change in changes:
    text = change["text"].splitlines()
    assert len(change["text"].encode()) <= 4096, len(change["text"])
    assert all(len(line) <= 243 and line[0] in "-+ @" for line in text), text
    if not change["cut"]:
        assert sum(line[0] == "-" for line in text) == change["removed"], change
        assert sum(line[0] == "+" for line in text) == change["added"], change
    left += change["added"] - change["removed"]
assert left == lines[1], (left, lines)
assert any(change["cut"] for change in changes)
assert any(line.endswith("xxx...") for change in changes for line in change["text"].splitlines())
