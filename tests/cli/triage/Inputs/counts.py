"""Logs of harnesses and build tools: how many failures each holds, and what is
said of it.

counts.py FOLDER CASES: CASES (a file) holds logs, each below a line

  #### NAME: FIRST LINE OF THE ANSWER [| WORDS]...

FIRST LINE is what culprit triage begins with, cut behind the log count, or
behind "passed"; each of WORDS stands in what it prints.  "!WORDS" do not.
\\e stands for an escape.  What differs is printed, and ends with status 1.
"""

import os
import re
import subprocess
import sys


def cases(path):
    head, lines = None, []
    for line in open(path, encoding="utf-8"):
        found = re.match(r"#### ([\w.-]+): (.*)", line)
        if found and head:
            yield head, "".join(lines)
        if found:
            head, lines = found, []
        else:
            lines.append(line.replace("\\e", "\x1b"))
    yield head, "".join(lines)


def main():
    folder, source = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    n = bad = 0
    for head, text in cases(source):
        path = os.path.join(folder, head[1])
        first, *words = [part.strip() for part in head[2].split("|")]
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        said = subprocess.run(["culprit", "triage", path], capture_output=True, text=True).stdout
        wrong = [] if said.startswith(first) or "; " + first in said.split("\n")[0] else [first]
        for word in words:
            if (word.lstrip("!") in said) == word.startswith("!"):
                wrong.append(word)
        n += 1
        bad += bool(wrong)
        if wrong:
            print(f"{head[1]}: not {wrong}:\n{said}")
    print(f"{n} logs, {bad} read otherwise")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
