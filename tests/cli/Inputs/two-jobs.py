"""two-jobs.py OUT INPUT: while one job writes OUT, two more are turned away."""
import os
import subprocess
import sys
import time

out, model = sys.argv[1:]
go = out + ".go"
tool = ["--", "bash", "-c", f"until [ -e {go} ]; do sleep 0.05; done; exec fake-compiler --has atan2 @@"]
command = ["culprit", "reduce", model, "-o", out, "--no-cache", "-q"]
first = subprocess.Popen(command + tool)
while not os.path.exists(out + ".lock"):
    assert first.poll() is None
    time.sleep(0.02)
for _ in range(2):
    other = subprocess.run(command + ["--", "fake-compiler", "--has", "atan2", "@@"], stderr=subprocess.PIPE, text=True)
    assert other.returncode == 6, other
    assert "another job is writing" in other.stderr, other
    assert os.path.exists(out + ".lock")
open(go, "w").close()
assert first.wait() == 0
assert not os.path.exists(out + ".lock")
