"""wait_child.py MUTATION go-on|attach|end COMMAND...: COMMAND with CULPRIT_WAIT_CHILD=MUTATION.

The candidate that says that it waits is what it says it is, and really waits;
then it is let go on, a debugger attaches to it, or the command is killed and the candidate ends with it.
Prints what ps(1) shows of COMMAND's processes meanwhile, and COMMAND's standard
error.
"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import time

LIMIT = 60
mutation, then, command = sys.argv[1], sys.argv[2], sys.argv[3:]
mark = f"WAIT_CHILD_TEST={os.getpid()}"


def until(what):
    end = time.monotonic() + LIMIT
    while not what():
        if time.monotonic() > end:
            sys.exit("it did not come to that")
        time.sleep(0.05)


def ours():
    """Numbers of the processes that COMMAND's environment was handed down to."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue
    return found


def is_there(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def attach(pid):
    """As a debugger does, for a second; who may not says SIGCONT."""
    if os.fork() == 0:
        seize = 0x4206  # PTRACE_SEIZE
        if ctypes.CDLL(None, use_errno=True).ptrace(seize, pid, 0, 0) < 0:
            os.kill(pid, signal.SIGCONT)
        time.sleep(1)
        os._exit(0)
    os.wait()


env = dict(os.environ, CULPRIT_WAIT_CHILD=mutation)
name, value = mark.split("=")
env[name] = value
with open(os.environ["WAIT_LOG"], "w+b") as log:
    job = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=log)
    said = re.compile(rb"process (\d+) makes a candidate of")

    def waits():
        log.seek(0)
        return said.search(log.read())

    until(waits)
    pid = int(waits().group(1))
    time.sleep(0.5)
    if not is_there(pid):
        sys.exit("it does not wait")
    sys.stdout.write(subprocess.run(["ps", "-ww", "-o", "comm,args", *ours()], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout)
    sys.stdout.write(subprocess.run(["ps", "-o", "comm=", str(pid)], check=True, text=True,
                                    stdout=subprocess.PIPE).stdout.replace("culprit", "waits: culprit"))
    if then == "end":
        job.kill()
        job.wait()
        until(lambda: not is_there(pid))
        print("ended")
    else:
        if then == "attach":
            attach(pid)
        else:
            os.kill(pid, signal.SIGCONT)
        print("status", job.wait(LIMIT))
    log.seek(0)
    print(log.read().decode())
