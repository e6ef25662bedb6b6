"""everywhere.py OUT TMP COMMAND...: SIGINT at moments all over a job.

COMMAND, which leaves its result in OUT, is run once undisturbed; then it is
interrupted when it has done a tenth of its runs of the tool, two tenths ... (each
adds a line to the file $RUNS), with a store of its own, and run again until it
ends by itself.  Each interrupted run has to end with status 130 within ten seconds,
what is in OUT then is whole and fails, no process and nothing in TMP is left, and
the end is as that of the undisturbed one.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

out, tmp, command = sys.argv[1], sys.argv[2], sys.argv[3:]
runs_file = out + ".runs"
mark = f"EVERYWHERE_TEST={os.getpid()}"
PARTS = 10


def start(store):
    env = dict(os.environ, RUNS=runs_file, TMPDIR=tmp, XDG_CACHE_HOME=store)
    return subprocess.Popen(["env", mark, *command], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def runs():
    try:
        with open(runs_file) as file:
            return file.read().count("\n")
    except FileNotFoundError:
        return 0


def forget():
    for path in (out, runs_file, out + ".store"):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)


def left_over():
    """Processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue  # it ended meanwhile, or is not ours
    return found


def expect_nothing_left(when):
    end = time.monotonic() + 10
    while (processes := left_over()) or os.listdir(tmp):
        if time.monotonic() > end:
            sys.exit(f"{when}: left: {processes} {os.listdir(tmp)}")
        time.sleep(0.02)


def finish(child, when):
    try:
        said = child.communicate(timeout=60)[0].decode()
    except subprocess.TimeoutExpired:
        child.kill()
        sys.exit(f"{when}: did not end")
    expect_nothing_left(when)
    return child.returncode, said


def result():
    with open(out) as file:
        return file.read()


forget()
status, said = finish(start(out + ".store"), "undisturbed")
if status != 0:
    sys.exit(f"undisturbed: status {status}: {said}")
whole, expected = runs(), result()
interrupted = 0
for part in range(PARTS):
    forget()
    child = start(out + ".store")
    while runs() < 1 + part * whole // PARTS and child.poll() is None:
        time.sleep(0.002)
    when = f"after {runs()} of {whole} runs"
    child.send_signal(signal.SIGINT)
    status, said = finish(child, when)
    if status not in (0, 130):
        sys.exit(f"{when}: status {status}: {said}")
    interrupted += status == 130
    if os.path.exists(out) and "tanh" not in result():
        sys.exit(f"{when}: what is left does not fail")
    status, said = finish(start(out + ".store"), f"again {when}")
    if status != 0:
        sys.exit(f"again {when}: status {status}: {said}")
    if result() != expected:
        sys.exit(f"{when}: then another result:\n{result()}not:\n{expected}")
if interrupted < PARTS - 2:
    sys.exit(f"only {interrupted} of {PARTS} were interrupted")
