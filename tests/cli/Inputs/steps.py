"""steps.py REPORT: the accepted steps of a reduction, one per line."""
import json
import sys

with open(sys.argv[1]) as file:
    for step in json.load(file)["steps"]:
        print(step["mutation"], step["ops"], step["bytes"])
