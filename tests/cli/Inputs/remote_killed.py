#!/usr/bin/env python3
"""remote_killed.py COMMAND DIR SIGNAL: end culprit while a run is made by --on
COMMAND, whose TMPDIR is DIR/tmp, and see that all ends there within 5 s."""
import os
import subprocess
import sys

import ends_there

command, place, name = sys.argv[1:]
seconds = f"9{os.getpid()}"
tmp = os.path.join(place, "tmp")
os.makedirs(tmp, exist_ok=True)
with open("killed.txt", "w") as out:
    out.write("some text\n")
job = subprocess.Popen(
    ["culprit", "check", "killed.txt", "--timeout", "100000", "--on", command, "--",
     "sh", "-c", f"setsid sleep {seconds} & sleep {seconds}", "x", "@@"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ends_there.end(job, name, seconds, tmp)
