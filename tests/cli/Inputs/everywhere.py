"""everywhere.py OUT TMP COMMAND...: SIGINT at moments all over a job.

COMMAND, which leaves its result in OUT, is run once undisturbed; then it is
interrupted when it has done a tenth of its runs of the tool, two tenths ... with a
store of its own, and run again until it ends by itself.  Each run of the tool adds
a line to the file $RUNS and waits where that has $HOLD lines, so that the job is
still there when it is interrupted.  It has to end with status 130 within a minute,
what is in OUT then is whole and fails, no process and nothing in TMP is left, and
the end is as that of the undisturbed one.
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from left_over import left_over

out, tmp, command = sys.argv[1], sys.argv[2], sys.argv[3:]
runs_file = out + ".runs"
mark = f"EVERYWHERE_TEST={os.getpid()}"
PARTS = 10


def start(store, hold=1 << 30):
    """The first line of the file says when a run is to wait: a variable would be part of the
    environment, which answers are kept under."""
    lines = [] if not os.path.exists(runs_file) else open(runs_file).readlines()[1:]
    with open(runs_file, "w") as file:
        file.writelines([f"{hold}\n", *lines])
    env = dict(os.environ, RUNS=runs_file, TMPDIR=tmp, XDG_CACHE_HOME=store)
    return subprocess.Popen(["env", mark, *command], env=env, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)


def runs():
    try:
        with open(runs_file) as file:
            return file.read().count("\n") - 1
    except FileNotFoundError:
        return 0


def forget():
    for path in (out, runs_file, out + ".store"):
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)


def expect_nothing_left(when):
    end = time.monotonic() + 10
    while (processes := left_over(mark)) or os.listdir(tmp):
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
for part in range(PARTS):
    forget()
    hold = 1 + part * whole // PARTS
    child = start(out + ".store", hold)
    while runs() < hold and child.poll() is None:
        time.sleep(0.002)
    held = child.poll() is None  # two workers may need fewer runs than the undisturbed job did
    when = f"after {runs()} of {whole} runs"
    child.send_signal(signal.SIGINT)
    status, said = finish(child, when)
    if status != (130 if held else 0):
        sys.exit(f"{when}: status {status}: {said}")
    if part == 0 and not held:
        sys.exit(f"{when}: it ended before it was interrupted")
    if os.path.exists(out) and "tanh" not in result():
        sys.exit(f"{when}: what is left does not fail")
    status, said = finish(start(out + ".store"), f"again {when}")
    if status != 0:
        sys.exit(f"again {when}: status {status}: {said}")
    # What the interrupt cut short is run again, and what a batch of records holds.
    if runs() > whole + 12:
        sys.exit(f"{when}: {runs()} runs in all, {whole} undisturbed")
    if result() != expected:
        sys.exit(f"{when}: then another result:\n{result()}not:\n{expected}")
