"""terminal_says.py WORD COMMAND...: run it on a terminal on which somebody
answers the first question with WORD; print what it shows."""

import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    try:
        os.execvp(sys.argv[2], sys.argv[2:])
    finally:
        os._exit(127)
said = b""
answered = False
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    said += part
    if not answered and b"[y/N]" in said:
        answered = True
        os.write(terminal, sys.argv[1].encode() + b"\n")
os.waitpid(pid, 0)
sys.stdout.buffer.write(said.replace(b"\r\n", b"\n"))
