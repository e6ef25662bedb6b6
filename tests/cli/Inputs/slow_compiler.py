#!/usr/bin/env python3
"""slow_compiler.py LOG HOW FILE: fails where FILE holds tanh.

LOG gets a line per start.  HOW: plain; forked: a fork of it passes."""
import os
import sys

with open(sys.argv[1], "a", encoding="utf-8") as log:
    print("start", file=log)
STARTED_AS = os.getpid()

with open(sys.argv[3], encoding="utf-8") as f:
    text = f.read()
if sys.argv[2] == "forked" and os.getpid() != STARTED_AS:
    sys.exit(0)
if "tanh" in text:
    raise RuntimeError("cannot lower tanh")
