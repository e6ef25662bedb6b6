"""interrupted.py SECONDS COMMAND...: SIGINT after SECONDS; the command has to
end with status 130 within five seconds of it."""
import signal
import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[2:])
time.sleep(float(sys.argv[1]))
if child.poll() is not None:
    sys.exit(f"interrupted.py: ended before the signal, status {child.returncode}")
child.send_signal(signal.SIGINT)
try:
    status = child.wait(5)
except subprocess.TimeoutExpired:
    child.kill()
    sys.exit("interrupted.py: did not end within five seconds")
sys.exit(0 if status == 130 else f"interrupted.py: status {status}, not 130")
