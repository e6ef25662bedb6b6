#!/usr/bin/env python3
"""slow_compiler.py LOG HOW FILE: fails where FILE holds tanh.

LOG gets a line per start.  HOW: plain; forked: a fork of it passes; counted:
the file $RUNS gets a line per run, and a run waits where its first line says a
smaller number than it has."""
import os
import sys
import time

with open(sys.argv[1], "a", encoding="utf-8") as log:
    print("start", file=log)
STARTED_AS = os.getpid()

with open(sys.argv[3], encoding="utf-8") as f:
    text = f.read()
if sys.argv[2] == "forked" and os.getpid() != STARTED_AS:
    sys.exit(0)
if sys.argv[2] == "counted":
    with open(os.environ["RUNS"], "a", encoding="utf-8") as runs:
        print("run", file=runs)
    with open(os.environ["RUNS"], encoding="utf-8") as runs:
        lines = runs.readlines()
        if len(lines) > int(lines[0]):
            time.sleep(600)
if "tanh" in text:
    raise RuntimeError("cannot lower tanh")
