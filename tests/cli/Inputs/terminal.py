"""terminal.py GO COMMAND...: run COMMAND on a terminal.  Its tool waits until the
file GO is there; it is made once the command has shown something of a run.
Prints what the terminal got, a line per line that stood there."""
import os
import pty
import sys

go, command = sys.argv[1], sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
got = b""
while True:
    try:
        some = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not some:
        break
    got += some
    if b": run" in got and not os.path.exists(go):
        open(go, "w").close()
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert os.path.exists(go), got
for line in got.decode(errors="replace").replace("\r", "\n").split("\n"):
    line = line.replace("\x1b[K", "")
    if line:
        print(line)
sys.exit(status)
