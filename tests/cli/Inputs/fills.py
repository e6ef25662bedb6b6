"""fills.py LIBRARY DISK COMMAND...: the disk DISK becomes full at the n-th
write of a process, for many n.  Whenever the command fails it has to say so
with status 6, and the output DISK/out.mlir is whole or absent.
"""
import os
import re
import subprocess
import sys

library, disk, command = sys.argv[1], sys.argv[2], sys.argv[3:]
out = os.path.join(disk, "out.mlir")
# SQLite has words of its own for it.
REASON = re.compile("No space left on device|disk is full|disk I/O error")
statuses = []
for n in [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 60, 90, 150]:
    subprocess.run(["rm", "-rf", disk], check=True)
    os.makedirs(os.path.join(disk, "tmp"))
    env = dict(
        os.environ, LD_PRELOAD=library, FULL=disk, FULL_AFTER=str(n),
        TMPDIR=os.path.join(disk, "tmp"),
        XDG_CACHE_HOME=os.path.join(disk, "cache"),
    )
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    statuses.append(done.returncode)
    if done.returncode not in (0, 6):
        sys.exit(f"fills.py: n={n}: status {done.returncode}: {done.stderr}")
    if done.returncode == 6 and not REASON.search(done.stderr):
        sys.exit(f"fills.py: n={n}: does not say why: {done.stderr}")
    if os.path.exists(out):
        text = open(out).read()
        if text.count("{") != text.count("}") or "atan2" not in text:
            sys.exit(f"fills.py: n={n}: torn output: {text}")
    elif done.returncode == 0:
        sys.exit(f"fills.py: n={n}: done, but no output")
print("statuses:", *statuses)
sys.exit(not (0 in statuses and 6 in statuses))
