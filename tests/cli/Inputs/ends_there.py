"""What is made elsewhere ends with culprit: for scripts that start a job whose
run or build sleeps there, twice, for a number of seconds of its own."""
import os
import signal
import time


def sleepers(seconds):
    """The processes that sleep for so long."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline", "rb").read().split(b"\0")
        except OSError:
            continue
        if words[:2] == [b"sleep", seconds.encode()]:
            found.append(pid)
    return found


def end(job, name, seconds, tmp):
    """Send the signal once both sleep: within 5 s no process and no file of the
    directory tmp may be left."""
    for _ in range(200):
        if len(sleepers(seconds)) >= 2:
            break
        time.sleep(0.05)
    assert len(sleepers(seconds)) >= 2, "it does not run there"
    assert os.listdir(tmp), "the worker has no directory"
    job.send_signal(getattr(signal, "SIG" + name))
    started = time.monotonic()
    while (sleepers(seconds) or os.listdir(tmp)) and time.monotonic() - started < 5:
        time.sleep(0.05)
    assert not sleepers(seconds), "processes are left"
    assert not os.listdir(tmp), f"files are left: {os.listdir(tmp)}"
    job.wait(10)
