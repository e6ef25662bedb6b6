#!/usr/bin/env python3
"""starts.py REPORT LOG REPORT LOG: the LOG of slow_compiler.py has a line for
each run of the first REPORT, and fewer than two of three in the second.  Runs
that only compare are runs, too."""
import json
import sys


def runs_and_starts(report, log):
    with open(report, encoding="utf-8") as f:
        runs = json.load(f)["runs"]
    with open(log, encoding="utf-8") as f:
        return runs["executed"] + runs["compared"], len(f.readlines())


own_runs, own_starts = runs_and_starts(*sys.argv[1:3])
runs, starts = runs_and_starts(*sys.argv[3:5])
assert own_starts == own_runs, (own_starts, own_runs)
assert 3 * starts < 2 * runs, (starts, runs)
