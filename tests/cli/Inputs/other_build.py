"""Change the digest of the build in a program: other_build.py HEADER PROGRAM."""
import re
import sys

header, program = sys.argv[1:]
text = open(header).read()
own = int(re.search(r"0x([0-9a-f]{16})", text).group(1), 16)
data = open(program, "rb").read()
assert own.to_bytes(8, "little") in data
other = own ^ 1
open(program, "wb").write(
    data.replace(own.to_bytes(8, "little"), other.to_bytes(8, "little")))
