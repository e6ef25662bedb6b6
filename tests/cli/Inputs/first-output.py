"""first-output.py SECONDS COMMAND...: the first byte comes within SECONDS."""
import select
import subprocess
import sys
import time

start = time.monotonic()
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
ready, _, _ = select.select([child.stdout], [], [], 30)
took = time.monotonic() - start
child.communicate()
print(f"first output after {took * 1000:.0f} ms")
sys.exit(not ready or took > float(sys.argv[1]))
