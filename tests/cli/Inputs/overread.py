"""overread.py FILE: a text of 41 lines of which one makes fake-overread look
behind its table, and which lies so that it dies of that."""

import subprocess
import sys

lines = ["noise %d of some length" % n for n in range(40)]
lines.insert(17, "use the table")
for n in range(1000):
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\nlast %d\n" % n)
    if subprocess.run(["fake-overread", sys.argv[1]], check=False).returncode < 0:
        sys.exit(0)
sys.exit("no text of these dies")
