#!/usr/bin/env python3
"""remote_killed.py COMMAND DIR SIGNAL: end culprit while a run is made by --on
COMMAND, whose TMPDIR is DIR/tmp, and see that all ends there within 5 s."""
import os
import signal
import subprocess
import sys
import time

command, place, name = sys.argv[1:]
seconds = f"9{os.getpid()}"


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


def left():
    return os.listdir(os.path.join(place, "tmp"))


os.makedirs(os.path.join(place, "tmp"), exist_ok=True)
with open("killed.txt", "w") as out:
    out.write("some text\n")
job = subprocess.Popen(
    ["culprit", "check", "killed.txt", "--timeout", "100000", "--on", command, "--",
     "sh", "-c", f"setsid sleep {seconds} & sleep {seconds}", "x", "@@"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for _ in range(200):
    if len(alive()) >= 2:
        break
    time.sleep(0.05)
assert len(alive()) >= 2, "it does not run there"
assert left(), "the worker has no directory"
job.send_signal(getattr(signal, "SIG" + name))
started = time.monotonic()
while (alive() or left()) and time.monotonic() - started < 5:
    time.sleep(0.05)
assert not alive(), "processes are left"
assert not left(), f"files are left: {left()}"
job.wait(10)
