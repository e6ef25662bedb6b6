"""terminal.py GO COMMAND...: run COMMAND on a terminal.  Its tool waits until the
file GO is there; it is made once the command has shown something of a run.
Prints what the terminal got, a line per line that stood there."""

import os
import sys

import on_terminal

go, command = sys.argv[1], sys.argv[2:]


def watch(said):
    if b": run" in said and not os.path.exists(go):
        open(go, "w").close()
    return b""


got, status = on_terminal.run(command, watch)
assert os.path.exists(go), got
for line in got.decode(errors="replace").replace("\r", "\n").split("\n"):
    line = line.replace("\x1b[K", "")
    if line:
        print(line)
sys.exit(status)
