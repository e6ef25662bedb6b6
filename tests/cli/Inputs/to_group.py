"""to_group.py COMMAND...: run it in this process group; a signal that comes to
this process goes on to all of the group, as from a terminal.  Exits with its
status."""

import os
import signal
import subprocess
import sys

job = subprocess.Popen(sys.argv[1:])


def pass_on(number, _):
    signal.signal(number, signal.SIG_IGN)
    os.killpg(0, number)


for name in ("INT", "QUIT", "TERM", "HUP"):
    signal.signal(getattr(signal, "SIG" + name), pass_on)
sys.exit(job.wait())
