"""stuck.py HOW COMMAND...: COMMAND says "stuck" on standard error and hangs.

HOW: twice: SIGTERM, which it does not obey, and SIGTERM again after a second: it
ends with status 130; killed: SIGKILL.  Soon after that the directory $TMPDIR is empty, and
no process of the job is left: each is known by a variable in its environment.
"""
import os
import signal
import subprocess
import sys
import time

from left_over import left_over

how, command = sys.argv[1], sys.argv[2:]
mark = f"STUCK_TEST={os.getpid()}"


child = subprocess.Popen(["env", mark, *command], stderr=subprocess.PIPE)
said = b""
while b"stuck" not in said:
    more = os.read(child.stderr.fileno(), 1024)
    if not more:
        sys.exit(f"stuck.py: ended before it was stuck: {said.decode()}")
    said += more
if not os.listdir(os.environ["TMPDIR"]):
    sys.exit("stuck.py: nothing in TMPDIR: what is left would not show")
if how == "twice":
    child.send_signal(signal.SIGTERM)
    time.sleep(1.2)
    if child.poll() is not None:
        sys.exit("stuck.py: it obeyed the first signal")
    child.send_signal(signal.SIGTERM)
else:
    child.kill()
try:
    status = child.wait(10)
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("stuck.py: did not end within ten seconds")
if status != (130 if how == "twice" else -signal.SIGKILL):
    sys.exit(f"stuck.py: status {status}")
end = time.monotonic() + 10
while (processes := left_over(mark)) or os.listdir(os.environ["TMPDIR"]):
    if time.monotonic() > end:
        sys.exit(f"stuck.py: left: {processes} {os.listdir(os.environ['TMPDIR'])}")
    time.sleep(0.02)
