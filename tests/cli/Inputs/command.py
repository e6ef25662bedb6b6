"""command.py REPORT PASS HOW MOST COMMAND...: what a job with --reduce-command
made of its command.  PASS and HOW: "-" for none; MOST: runs to find the pass."""

import json
import sys

report = json.load(open(sys.argv[1]))
name, how, most, *command = sys.argv[2:]
found = report["pass"]
assert (found["name"] or "-") == name, found
assert (found["how"] or "-") == how, found
assert found["runs"] <= int(most), found
assert report["command"] == command, report["command"]
