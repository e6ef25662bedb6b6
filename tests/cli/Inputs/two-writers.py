"""two-writers.py DIR NAME PLACE COMMAND...: while a job writes the directory PLACE, the same command is turned away.

The tool of the command waits for the file DIR/NAME.
"""
import os
import subprocess
import sys
import time

folder, name, place, *command = sys.argv[1:]
go = os.path.join(folder, name)
if os.path.exists(go):
    os.unlink(go)
first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
while not os.path.exists(os.path.join(place, ".culprit-files")):
    assert first.poll() is None
    time.sleep(0.02)
before = sorted(os.listdir(place))
other = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
assert other.returncode == 6, other
assert f"another job is writing {place}: process {first.pid} (" in other.stderr, other
assert sorted(os.listdir(place)) == before
open(go, "w").close()
assert first.wait() == 0, first
