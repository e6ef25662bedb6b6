"""Kill a bisection in its fourth build, see what is left, run it again:
bisect-killed.py REPOSITORY WORK CACHE"""

import json
import os
import signal
import subprocess
import sys
import time

repo, work, cache = sys.argv[1:]
marks = work + ".marks"
log, go = marks + "/log", marks + "/go"
os.makedirs(marks, exist_ok=True)
hang = f"echo x >>{log}; test $(wc -l <{log}) -lt 4 || sleep 1000"
command = ["culprit", "bisect", "commits", "--repo", repo, "--good", "c0"]
command += ["--bad", "c39", "--build", f"test -e {go} || {{ {hang}; }}; sh ./build"]
command += ["--writable", marks, "--work", work, "--cache", cache, "--json", work + ".json", "--", "./built"]


def builds():
    if not os.path.exists(log):
        return 0
    with open(log, encoding="ascii") as file:
        return len(file.readlines())


def holds(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return log.encode() in file.read()
    except OSError:
        return False


def left():
    return [p for p in os.listdir("/proc") if p.isdigit() and holds(p)]


with subprocess.Popen(command, stdout=subprocess.DEVNULL) as job:
    while builds() < 4:
        time.sleep(0.02)
    os.kill(job.pid, signal.SIGKILL)
for _ in range(500):
    if not left():
        break
    time.sleep(0.02)
print("builds left:", len(left()))
with open(go, "w", encoding="ascii"):
    pass
print(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
with open(work + ".json", encoding="utf-8") as file:
    report = json.load(file)
resumed = 0 < report["runs"] < 40 and report["builds"]["cached"] > 0
print("fewer runs:", "yes" if resumed else report)
