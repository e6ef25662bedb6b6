"""first-output.py FILE COMMAND...: COMMAND, whose tool waits for FILE, prints
something before.  FILE is made then; 0 where it did not take 30 seconds."""
import pathlib
import select
import subprocess
import sys

child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
ready, _, _ = select.select([child.stdout], [], [], 30)
pathlib.Path(sys.argv[1]).touch()
child.communicate()
sys.exit(not ready)
