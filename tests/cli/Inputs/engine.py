#!/usr/bin/env python3
"""engine.py REPORT NAME: a report says that NAME ran its candidates."""
import json
import sys

engine = json.load(open(sys.argv[1]))["engine"]
assert engine["name"] == sys.argv[2], engine
assert (engine["runs"] > 0) == (engine["name"] == "in-process"), engine
assert (engine["words"] is None) == (engine["name"] != "in-process"), engine
