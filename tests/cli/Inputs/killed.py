"""killed.py SEED OUT COMMAND...: run COMMAND, kill -9 it after random times,
again and again, until it ends by itself; then print how often it was killed
and exit as it did.  Soon after a kill no process of the job may be left: each
is known by a variable in its environment.

The times grow from 0 to a little more than the whole job takes, so that every
part of it is hit.
"""
import os
import random
import signal
import subprocess
import sys
import time

from left_over import left_over

seed, out, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
rng = random.Random(seed)


def wait_until_gone(mark):
    end = time.monotonic() + 10
    while left := left_over(mark):
        if time.monotonic() > end:
            sys.exit(f"killed.py: still there ten seconds after the kill: {left}")
        time.sleep(0.02)


def run(limit):
    """Exit status, or None where it was killed."""
    mark = f"KILLED_TEST={os.getpid()}"
    child = subprocess.Popen(
        ["env", mark, *command], start_new_session=True
    )
    try:
        return child.wait(limit)
    except subprocess.TimeoutExpired:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        wait_until_gone(mark)
        return None


def best_is_whole():
    """What is on disk after a kill is a whole module, or nothing yet."""
    if not os.path.exists(out):
        return True
    with open(out) as file:
        text = file.read()
    return text.count("{") == text.count("}") and "atan2" in text


kills, limit, status = 0, 0.02, None
while status is None and kills < 200:
    status = run(limit * rng.random() * 2)
    if status is None:
        kills += 1
        limit *= 1.15
        if not best_is_whole():
            sys.exit(f"killed.py: {out} is torn after kill {kills}")
print(f"killed {kills} times, then status {status}")
sys.exit(0 if status == 0 and kills >= 3 else 1)
