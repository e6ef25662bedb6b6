"""far_build_killed.py REPO COMMAND DIR SIGNAL: end culprit while a build is made
by --on COMMAND, whose home is DIR, and see that all ends there within 5 s; the
next job builds the commit from its sources alone."""
import os
import subprocess
import sys

import ends_there

repo, command, place, name = sys.argv[1:]
seconds = f"7{os.getpid()}"


def bisect(build):
    return ["culprit", "bisect", "commits", "--repo", repo, "--good", "c0", "--bad", "c39", "--build", build, "--work",
            f"{place}/killed-work", "--no-cache", "--on", command, "--", "./built"]


job = subprocess.Popen(bisect(f"touch half; setsid sleep {seconds} & sleep {seconds}"), stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
ends_there.end(job, name, seconds, f"{place}/tmp")
again = subprocess.run(bisect("test ! -e half && sh ./build"), capture_output=True, text=True)
assert again.returncode == 0 and "commit c23" in again.stdout, (again.stdout, again.stderr)
