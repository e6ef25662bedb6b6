"""A tool of 200 decisions, told by a pattern which of them to take (as
golang.org/x/tools/cmd/bisect has it): decisions.py PATTERN FILE.  It reports
those that it takes, and fails where 17 and 130, or 55, are taken."""
import hashlib
import sys


def hash_of(name):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")


def matches(pattern, value):
    if pattern in ("y", "n"):
        return pattern == "y"
    low = format(value, "064b")
    return any(low.endswith(suffix) for suffix in pattern[1:].split("+"))


taken = set()
for i in range(200):
    name = f"tile.c:{i}"
    if matches(sys.argv[1], hash_of(name)):
        taken.add(i)
        print(f"{name}: [bisect-match {hash_of(name):#x}]", file=sys.stderr)
if {17, 130} <= taken or 55 in taken:
    print("error: wrong tile", file=sys.stderr)
    sys.exit(1)
