#!/usr/bin/env python3
"""Every page of culprit's help: its width, its examples, its main options."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios


def say(*words):
    return subprocess.run(["culprit", *words], capture_output=True, text=True, check=True).stdout


def say_on_terminal(columns, *words):
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvp("culprit", ["culprit", *words])
    out = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        out += part
    os.waitpid(pid, 0)
    return out.decode().replace("\r\n", "\n")


def widest(text):
    return max(map(len, text.splitlines()))


def options(text):
    return re.findall(r"^  (?:-\w,|   ) --([\w-]+)", text, re.M)


wrong = []
overview = say("help")
if len(overview.splitlines()) > 24 or widest(overview) > 80:
    wrong.append("the overview is larger than a screen")
names = [n[4:] for n in say("--print", "list").split() if n.startswith("man:") and n != "man:culprit"]
tops = {n for n in names if subprocess.run(["culprit", "help", n], capture_output=True).returncode == 0}
assert len(tops) >= 10 and len(names) > len(tops)
for name in names:
    words = [name] if name in tops else name.split("-", 1)
    text = say("help", *words)
    known = set(options(text))
    if widest(text) > 80:
        wrong.append(f"{name}: a line of {widest(text)} characters without a terminal")
    for columns in (50, 132):
        at = say_on_terminal(columns, "help", *words)
        if set(options(at)) != known:
            wrong.append(f"{name}: other options on {columns} columns")
        long = [line for line in at.splitlines() if len(line) > columns and line.lstrip().count(" ")
                and not re.search(r"culprit|^  .{3} --", line)]
        if long:
            wrong.append(f"{name}: {long[0]!r} on {columns} columns")
        if columns == 132 and len(known) > 20 and widest(at) <= 80:
            wrong.append(f"{name}: no wider on {columns} columns")
    examples = re.search(r"^Examples:\n((?:  .*\n)+)", text, re.M).group(1).splitlines()
    lines = [e.strip() for e in examples if re.match(r"  culprit ", e)]
    if len(lines) != 3 or len(set(lines)) != 3:
        wrong.append(f"{name}: {len(lines)} examples")
    for line in lines:
        theirs = re.sub(r"'[^']*'", "''", line.split(" -- ")[0]).split()
        # An example may be one of another command.
        whose = theirs[1:3] if " ".join(theirs[1:3]) in [n.replace("-", " ", 1) for n in names] else theirs[1:2]
        has = known if whose == words else set(options(say("help", *(whose if whose != ["help"] else words))))
        for word in theirs:
            if word.startswith("--") and word[2:] not in has:
                wrong.append(f"{name}: the example {line!r} has no {word}")
    first = re.search(r"^Main options:\n((?:  .*\n)+)", text, re.M)
    main = options(first.group(1)) if first else []
    if len(main) > 10 or (len(known) > 14 and len(main) < 8):
        wrong.append(f"{name}: {len(main)} main options of {len(known)}")
    if "Other options:" in text:
        wrong.append(f"{name}: an option without a group")
    if len(options(text)) != len(known):
        wrong.append(f"{name}: an option stands there twice")
for line in overview.splitlines():
    match = re.match(r"  (culprit \S+(?: \S+)?)", line)
    if match and not any(line.strip().startswith(f"culprit {n.replace('-', ' ', 1)}") for n in names):
        wrong.append(f"the overview shows {line!r}")
print("\n".join(wrong))
sys.exit(bool(wrong))
