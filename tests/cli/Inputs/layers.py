"""layers.py PREFIX KIND LAYER...: reduce a network of 12 layers (network.py) by
a script that wants its signature and the weights of these layers.  What is
left after drop-repeated-layers, and how many runs it took, must be right."""
import json
import os
import subprocess
import sys

prefix, kind, *wanted = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
model, script, report, out = (prefix + end for end in (".mlir", ".sh", ".json", ".out"))
for name in (report, out):
    if os.path.exists(name):
        os.remove(name)
with open(model, "w") as file:
    subprocess.run([sys.executable, f"{here}/network.py", kind, "12"], stdout=file, check=True)

# The last weights of layer i are i + 4.5, as written first or printed again.
values = [int(i) + 4.5 for i in wanted]
tests = [f"grep -q 'dense<{v}>.*2x23x15\\|dense<{v:e}>.*2x23x15' \"$1\"" for v in values]
tests.append("grep -q '@forward(%[a-z0-9]*: tensor<2x11x15xf32>) -> tensor<2x11x15xf32>' \"$1\"")
with open(script, "w") as file:
    file.write("#!/bin/sh\n" + " && ".join(tests) + "\n")
os.chmod(script, 0o755)

command = ["culprit", "reduce", model, "-o", out, "--json", report, "--script", script, "--no-cache", "-j", "1"]
# The first 24 runs: more than enough for the layers.
subprocess.run(command + ["--max-runs", "24"], stderr=subprocess.DEVNULL)
with open(report) as file:
    r = json.load(file)
asked = [m for m in r["mutations"] if m["name"] == "drop-repeated-layers"][0]
left = [s["ops"] for s in r["steps"] if s["mutation"] == "drop-repeated-layers"]
assert left and left[-1] < 125 * len(wanted), (r["steps"], asked)
assert asked["tried"] <= (6 if len(wanted) == 1 else 18), asked
