"""listed.py FILE COMMAND...: once FILE is there `culprit jobs` says that the
job runs; after SIGKILL, that it was killed, and how it goes on."""
import json
import os
import signal
import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[2:], start_new_session=True)
while not os.path.exists(sys.argv[1]) and child.poll() is None:
    time.sleep(0.01)


def listed():
    out = subprocess.run(["culprit", "jobs", "--json", "-"], check=True,
                         stdout=subprocess.PIPE).stdout
    return [(job["state"], job["resumable"])
            for job in json.loads(out)["jobs"] if job["output"] == sys.argv[1]]


running = listed()
if child.poll() is not None:
    sys.exit("listed.py: ended too early")
child.send_signal(signal.SIGKILL)
child.wait()
killed = listed()
if (running, killed) != ([("running", False)], [("killed", True)]):
    sys.exit(f"listed.py: {running}, then {killed}")
