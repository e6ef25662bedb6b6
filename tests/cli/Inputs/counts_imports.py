#!/usr/bin/env python3
"""counts_imports.py REPORT LOG: the LOG of tests/cli/reduce/imports.test has a
line for less than a third of the runs of REPORT.
counts_imports.py make DIR: makes its modules."""
import json
import os
import sys

# What fails does so in a module, so that the import stays.
LOWER = """

def lower():
    if FAILS:
        raise RuntimeError("cannot lower tanh")
"""
MODULES = {
    # slow and counted
    "slow_module": """import os, time
time.sleep(0.5)
FAILS = True
with open(os.environ["LOG"], "a", encoding="utf-8") as log:
    print("import", file=log)
""" + LOWER,
    # what the environment says when it is imported
    "says_flag": """import os
FAILS = os.environ.get("FLAG") == "set"
""" + LOWER,
    "prints_module": "print('imported')\n",
    "warns_module": "import sys\nprint('imported', file=sys.stderr)\n",
    "threads_module": """import threading
event = threading.Event()
threading.Thread(target=event.wait, daemon=True).start()
FAILS = True
""" + LOWER,
    # what it registers is missing where nothing imports it
    "registers_module": "import registry\nregistry.FAILS = True\n",
    "registry": "FAILS = False\n" + LOWER,
}

if sys.argv[1] == "make":
    os.makedirs(sys.argv[2], exist_ok=True)
    for name, text in MODULES.items():
        with open(os.path.join(sys.argv[2], name + ".py"), "w", encoding="utf-8") as f:
            f.write(text)
else:
    with open(sys.argv[1], encoding="utf-8") as f:
        runs = json.load(f)["runs"]
    made = runs["executed"] + runs["compared"]
    with open(sys.argv[2], encoding="utf-8") as f:
        imports = len(f.readlines())
    assert 3 * imports < made, (imports, made)
