#!/usr/bin/env python3
"""write.py VICTIM FILE: fails where FILE holds four; without three it writes to
VICTIM first, and ends well where it may not."""
import sys
import time

time.sleep(0.2)  # a start that is worth sharing
with open(sys.argv[2], encoding="ascii") as f:
    text = f.read()
if "four" in text:
    if "three" not in text:
        try:
            with open(sys.argv[1], "w", encoding="ascii") as victim:
                victim.write("evil\n")
        except OSError:
            sys.exit(0)
    raise RuntimeError("four")
