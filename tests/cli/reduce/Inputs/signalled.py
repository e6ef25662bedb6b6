"""signalled.py SIGNAL FORM COMMAND...: run COMMAND, which prints the events of
--progress=json, and send it SIGNAL once its subject goes on in FORM."""
import json
import signal
import subprocess
import sys

number = getattr(signal, sys.argv[1])
child = subprocess.Popen(sys.argv[3:], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True)
for line in child.stderr:
    event = json.loads(line) if line.startswith("{") else {"event": "text"}
    if event["event"] == "form" and event["form"] == sys.argv[2]:
        child.send_signal(number)
        break
else:
    sys.exit(f"signalled.py: no step in form {sys.argv[2]}")
child.stderr.read()
status = child.wait()
wanted = 130 if number == signal.SIGINT else -number
sys.exit(0 if status == wanted else f"signalled.py: status {status}, not {wanted}")
