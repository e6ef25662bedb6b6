"""far_install_killed.py COMMAND DIR SIGNAL WORDS...: end culprit bisect
packages WORDS while --on COMMAND, whose home is DIR, makes an installation, and
see that all ends there within 5 s and that nothing half made is left; DIR/slow
has the seconds that the test's pip sleeps for."""
import os
import subprocess
import sys

import ends_there

command, place, name, *words = sys.argv[1:]
seconds = f"7{os.getpid()}"
with open(f"{place}/slow", "w") as slow:
    slow.write(seconds)
job = subprocess.Popen(["culprit", "bisect", "packages", "--no-cache", "--on", command, *words],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
ends_there.end(job, name, seconds, f"{place}/tmp")
os.remove(f"{place}/slow")
kept = f"{place}/.cache/culprit/environments"
made = {file[: -len(".made")] for file in os.listdir(kept) if file.endswith(".made")}
half = {file for file in os.listdir(kept) if os.path.isdir(f"{kept}/{file}")} - made
assert not half, half
