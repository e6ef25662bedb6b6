"""ends_in.py SECONDS SIGNAL WHEN COMMAND...: run COMMAND; after WHEN seconds it
gets SIGNAL (0: none).  Exits with its status, or with 99 where it has not ended
SECONDS later, or a process of it is left.  A line of standard error tells."""

import os
import signal
import subprocess
import sys
import time

limit, number, when = float(sys.argv[1]), sys.argv[2], float(sys.argv[3])
job = subprocess.Popen(sys.argv[4:], start_new_session=True)


def below(pid):
    """All processes that descend from pid, by /proc."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    fields = f.read().rpartition(")")[2].split()
                if fields[0] not in "ZX":
                    parents[int(name)] = int(fields[1])
            except OSError:
                pass
    found = {pid}
    while True:
        more = {p for p, parent in parents.items() if parent in found} - found
        if not more:
            return found - {pid}
        found |= more


def fail(why, pids):
    print(f"ends_in.py: {why}", file=sys.stderr)
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    sys.exit(99)


seen = set()
start = time.monotonic()
sent = number == "0"
while job.poll() is None:
    seen |= below(job.pid)
    now = time.monotonic() - start
    if not sent and now >= when:
        sent = True
        job.send_signal(getattr(signal, "SIG" + number))
    if now > when + limit:
        fail(f"it goes on after {now:.1f} s", below(job.pid) | {job.pid})
    time.sleep(0.05)
took = time.monotonic() - start - (when if number != "0" else 0)
print(f"ended after {took:.1f} s", file=sys.stderr)
for _ in range(20):
    left = set()
    for pid in seen:
        try:
            with open(f"/proc/{pid}/stat") as f:
                if f.read().rpartition(")")[2].split()[0] not in "ZX":
                    left.add(pid)
        except OSError:
            pass
    if not left:
        break
    time.sleep(0.1)
else:
    fail(f"{len(left)} processes are left", left)
sys.exit(job.returncode if job.returncode >= 0 else 128 - job.returncode)
