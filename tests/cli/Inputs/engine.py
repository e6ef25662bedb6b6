#!/usr/bin/env python3
"""engine.py REPORT NAME [OTHER]: a report says that NAME ran its candidates.

Runs that only compare are counted apart, so that the search takes as many runs
in OTHER, the report of the same job with another engine.  There the confirmation
may find a record of the command more, and here one of a comparison.
"""
import json
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


report = read(sys.argv[1])
engine, runs = report["engine"], report["runs"]
inside = sys.argv[2] == "in-process"
assert engine["name"] == sys.argv[2], engine
assert (engine["runs"] > 0) == inside, engine
assert (engine["words"] is None) != inside, engine
assert runs["compared"] > 0 or not inside, runs
for path in sys.argv[3:]:
    other = read(path)["runs"]
    for name in "asked search minimal".split():
        assert runs[name] == other[name], (name, runs, other)
    assert runs["confirm"] + runs["compared"] >= other["confirm"], (runs, other)
