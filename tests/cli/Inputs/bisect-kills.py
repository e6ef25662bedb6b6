"""Kill a bisection after its k-th run, for several k, and run it again: the
same answer, and no run but the one in flight is made twice.
bisect-kills.py REPOSITORY DIR"""

import os
import signal
import subprocess
import sys
import time

repo, root = sys.argv[1:]


def command(name):
    log = os.path.join(root, name + ".log")
    words = ["culprit", "bisect", "commits", "--repo", repo, "--good", "c0", "--bad", "c39"]
    words += ["--build", "sh ./build", "--work", os.path.join(root, name + ".work")]
    words += ["--cache", os.path.join(root, name + ".db"), "--"]
    return words + ["sh", "-c", f"echo x >>{log}; exec ./built"], log


def runs(log):
    if not os.path.exists(log):
        return 0
    with open(log, encoding="ascii") as file:
        return len(file.readlines())


def main():
    words, log = command("whole")
    whole = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
    assert "commit c23" in whole.stdout
    base = runs(log)
    for k in (1, 2, 5, 9, 15):
        words, log = command(f"killed-{k}")
        with subprocess.Popen(words, stdout=subprocess.DEVNULL) as job:
            while runs(log) < k and job.poll() is None:
                time.sleep(0.002)
            job.send_signal(signal.SIGKILL)
        again = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True)
        print(f"after {k}:", "commit c23" in again.stdout, runs(log) <= base + 1)


main()
