"""far_builds.py REPO DIR: four builds at a time, of a second each, by four
workers behind a fake latency, and four at a time here: about the same time, and
the same answer."""
import json
import os
import subprocess
import sys
import time

repo, place = sys.argv[1], os.path.abspath(sys.argv[2])
inputs = os.path.dirname(os.path.abspath(__file__))


def bisect(name, *more):
    command = ["culprit", "bisect", "commits", "--repo", repo, "--good", "c0", "--bad", "c199", "--build", "sleep 1; sh ./build",
               "--work", f"{place}/work-{name}", "--no-cache", "--json", f"{place}/{name}.json", *more, "--", "./built"]
    began = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(f"{place}/{name}.json") as file:
        return time.monotonic() - began, json.load(file)


os.makedirs(f"{place}/far")
with open(f"{place}/far/delay", "w") as out:
    out.write("50")
here, one = bisect("here", "-j4")
there, other = bisect("there", "--on", f"4*{inputs}/far {place}/far")
assert one["culprit"] == other["culprit"], (one["culprit"], other["culprit"])
# A run and a build have a round trip each, and runs at the ends come one by one.
rounds = 0.1 * (other["runs"] + 2 * other["builds"]["done"])
print(f"here {here:.1f} s ({one['builds']['done']} builds), there {there:.1f} s ({other['builds']['done']} builds), "
      f"of which round trips {rounds:.1f} s")
assert there < 1.5 * here + rounds + 3, (here, there, rounds)
assert other["builds"]["done"] <= one["builds"]["done"] + 4, (other["builds"], one["builds"])
