"""times_the_file.py OUT MOST [DISK]: what bench/large measured took at most MOST
times the file's size in memory, at most DISK in $TMPDIR, and a candidate was
accepted."""
import re
import sys

said = open(sys.argv[1]).read()
found = re.search(r"memory ([0-9.]+) x the file", said)
if not found or float(found.group(1)) > float(sys.argv[2]):
    sys.exit(f"more than {sys.argv[2]} times the file:\n{said}")
found = re.search(r"\$TMPDIR ([0-9.]+) x the file", said)
if len(sys.argv) > 3 and (not found or float(found.group(1)) > float(sys.argv[3])):
    sys.exit(f"more than {sys.argv[3]} times the file in $TMPDIR:\n{said}")
if "accepted after inf" in said:
    sys.exit(f"nothing was accepted:\n{said}")
