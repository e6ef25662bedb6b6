"""kept.py DIR COMMAND...: files are numbered from 1 without a gap; the command
fails on those that are named so, or have no verdict in their name, and on no
other."""
import os
import subprocess
import sys

names = sorted(os.listdir(sys.argv[1]))
numbers = [int(name[:4]) for name in names]
if len(names) < 3 or numbers != list(range(1, len(names) + 1)):
    sys.exit(f"kept.py: {names}")
for name in names:
    same = "-" not in name or "-same" in name
    failed = subprocess.run(sys.argv[2:] + [os.path.join(sys.argv[1], name)],
                            stderr=subprocess.DEVNULL).returncode != 0
    if failed != same:
        sys.exit(f"kept.py: {name}: {'fails' if failed else 'passes'}")
