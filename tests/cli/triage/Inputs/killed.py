"""killed.py DIR: a triage with --check --reduce --confirm is killed (SIGKILL)
after several numbers of runs; the same command continues.  Nothing of it is left
running, what it finds is what it finds when left alone, and no more runs are
made than those that the kill cut short.
"""

import json
import os
import signal
import subprocess
import sys
import time

folder = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
log = os.path.join(folder, "runs")
subprocess.run([sys.executable, os.path.join(here, "night.py"), os.path.join(folder, "night")], check=True)
with open(os.path.join(folder, "night", "list.jsonl"), encoding="utf-8") as file:
    jobs = [json.loads(line) for line in file]
with open(os.path.join(folder, "list.jsonl"), "w", encoding="utf-8") as file:
    for job in jobs:
        # So slow that little is run in the 0.1 s in which records wait.
        job["command"][1:1] = ["--log", log, "--burn", "30"]
        file.write(json.dumps(job) + "\n")


def command(name):
    words = ["culprit", "triage", "-q", os.path.join(folder, "list.jsonl"), "--check", "--reduce", "--confirm"]
    words += ["--db", os.path.join(folder, name + ".db"), "--cache", os.path.join(folder, name + ".cache")]
    return words + ["-o", os.path.join(folder, name), "-j", "2"]


def count():
    try:
        return os.path.getsize(log) // len("run\n")
    except OSError:
        return 0


def left(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                if mark.encode() in file.read():
                    found.append(pid)
        except OSError:
            continue
    return found


def found(name):
    """What the reports say, without the numbers of runs."""
    with open(os.path.join(folder, name, "buckets.jsonl"), encoding="utf-8") as file:
        members = [json.loads(line) for line in file]
    modules = {}
    for label in {m["bucket"] for m in members}:
        path = os.path.join(folder, name, label + ".mlir")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                modules[label] = file.read()
    return [(m["log"], m["bucket"], m["state"], m.get("checked")) for m in members], modules


subprocess.run(command("alone"), check=True)
alone = count()
assert alone > 40, alone
for kill_at in (3, 15, 40):
    os.unlink(log)
    name, mark = "killed-%d" % kill_at, "TRIAGE_KILLED=%d-%d" % (os.getpid(), kill_at)
    child = subprocess.Popen(["env", mark, *command(name)])
    while count() < kill_at and child.poll() is None:
        time.sleep(0.002)
    assert child.poll() is None, "it ended before it could be killed"
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    end = time.monotonic() + 20
    while left(mark):
        assert time.monotonic() < end, "something is still running"
        time.sleep(0.02)
    subprocess.run(["env", mark, *command(name)], check=True)
    assert found(name) == found("alone"), (kill_at, found(name), found("alone"))
    # Two workers, each with a run under way, and what a batch of records holds.
    assert count() <= alone + 12, (kill_at, count(), alone)
    print("killed after %d: %d runs, %d alone" % (kill_at, count(), alone), file=sys.stderr)
print("the same each time")
