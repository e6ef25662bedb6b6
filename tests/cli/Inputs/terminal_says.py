"""terminal_says.py WORD COMMAND...: run it on a terminal on which somebody
answers the first question with WORD; print what it shows."""

import os
import sys

import on_terminal

answers = [os.fsencode(sys.argv[1]) + b"\n"]


def watch(said):
    return answers.pop() if answers and b"[y/N]" in said else b""


said, _ = on_terminal.run(sys.argv[2:], watch)
sys.stdout.buffer.write(said.replace(b"\r\n", b"\n"))
