"""times_the_file.py OUT MOST: what bench/large measured took at most MOST times
the file's size in memory, and a candidate was accepted."""
import re
import sys

said = open(sys.argv[1]).read()
found = re.search(r"memory ([0-9.]+) x the file", said)
if not found or float(found.group(1)) > float(sys.argv[2]):
    sys.exit(f"more than {sys.argv[2]} times the file:\n{said}")
