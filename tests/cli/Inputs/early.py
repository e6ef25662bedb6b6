"""early.py DIR: a repository of 40 commits, c0 to c39, with two files.  `value`
is bad from c23 on; `setup` is broken in three of five commits, but not in the
ends, c22 and c23, and is the same in all of these."""

import subprocess
import sys

subprocess.run(["git", "init", "-q", "-b", "main", sys.argv[1]], check=True)
out = []
for n in range(40):
    setup = "broken\n" if n % 5 in (1, 2, 4) and n not in (22, 23, 39) else "whole\n"
    value = "bad\n" if n >= 23 else "good\n"
    title = f"commit c{n}"
    out.append(f"commit refs/heads/main\nmark :{n + 1}\ncommitter A <a@example.org> {1_700_000_000 + 60 * n} +0000\n"
               f"data {len(title)}\n{title}\n" + (f"from :{n}\n" if n else ""))
    for name, text in (("setup", setup), ("value", value), ("n", f"{n}\n")):
        out.append(f"M 644 inline {name}\ndata {len(text)}\n{text}")
    out.append(f"\nreset refs/tags/c{n}\nfrom :{n + 1}\n\n")
subprocess.run(["git", "-C", sys.argv[1], "fast-import", "--quiet"], input="".join(out), text=True, check=True)
