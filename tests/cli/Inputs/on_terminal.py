"""Run a command on a terminal."""

import os
import pty

# Whatever the tests themselves are started in.
os.environ.setdefault("TERM", "xterm")


def run(words, watch=lambda said: b""):
    """Everything that the terminal was sent, and the exit status.  watch sees all
    so far after each part; what it returns is typed."""
    said = b""
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.execvp(words[0], words)
        finally:
            os._exit(127)
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
        os.write(terminal, watch(said))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return said, status
