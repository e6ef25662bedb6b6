"""far_build_killed.py REPO COMMAND DIR SIGNAL: end culprit while a build is made
by --on COMMAND, whose home is DIR, and see that all ends there within 5 s; the
next job builds the commit from its sources alone."""
import os
import signal
import subprocess
import sys
import time

repo, command, place, name = sys.argv[1:]
seconds = f"7{os.getpid()}"


def alive():
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", seconds.encode()]:
            found.append(pid)
    return found


def bisect(build):
    return ["culprit", "bisect", "commits", "--repo", repo, "--good", "c0", "--bad", "c39", "--build", build, "--work",
            f"{place}/killed-work", "--no-cache", "--on", command, "--", "./built"]


job = subprocess.Popen(bisect(f"touch half; setsid sleep {seconds} & sleep {seconds}"), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
for _ in range(200):
    if len(alive()) >= 2:
        break
    time.sleep(0.05)
assert len(alive()) >= 2, "it does not build there"
job.send_signal(getattr(signal, "SIG" + name))
started = time.monotonic()
while (alive() or os.listdir(f"{place}/tmp")) and time.monotonic() - started < 5:
    time.sleep(0.05)
assert not alive(), "processes are left"
assert not os.listdir(f"{place}/tmp"), f"files are left: {os.listdir(f'{place}/tmp')}"
job.wait(10)
again = subprocess.run(bisect("test ! -e half && sh ./build"), capture_output=True, text=True)
assert again.returncode == 0 and "commit c23" in again.stdout, (again.stdout, again.stderr)
