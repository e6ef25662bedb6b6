"""fits.py DOM N SCHEME: what try_document.py's page found of N pages is that
each fits, and can be read, in this colour scheme; on paper always a light one."""

import html
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    found = re.findall(r"<pre>(\d+ pixels.*?)</pre>", file.read(), re.S)
wrong = len(found) != int(sys.argv[2])
for one in found:
    lines = html.unescape(one).split("\n")
    scheme = "light" if " of paper" in lines[0] else sys.argv[3]
    wanted = ["closed: fits", "opened: fits", scheme, "hard to read: none"]
    if lines[1:5] != wanted:
        print(lines[0], lines[1:5])
        wrong = True
if wrong:
    sys.exit(f"{len(found)} pages, not all as they should be")
