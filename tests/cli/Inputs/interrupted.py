"""interrupted.py FILE COMMAND...: SIGINT once FILE is there, twice as timeout(1)
sends it; the command has to end with status 130 within five seconds of it."""
import os
import signal
import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[2:])
while not os.path.exists(sys.argv[1]) and child.poll() is None:
    time.sleep(0.01)
if child.poll() is not None:
    sys.exit(f"interrupted.py: ended before the signal, status {child.returncode}")
child.send_signal(signal.SIGINT)
time.sleep(0.02)
child.send_signal(signal.SIGINT)
try:
    status = child.wait(5)
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("interrupted.py: did not end within five seconds")
sys.exit(0 if status == 130 else f"interrupted.py: status {status}, not 130")
