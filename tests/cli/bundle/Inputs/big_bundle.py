"""big_bundle.py DIR: a bundle of a long reduction, 1,000 steps and a result of
1 MB, whose words are meant for a browser."""

import json
import os
import sys

HOSTILE = (
    "</pre></script><script>document.title='PWNED'</script>"
    "<img src=x onerror=\"document.title='PWNED'\"> \x1b[2J \u202e right to left \u2066"
    " <!-- ' \" & \u05d0\u05d1"
)

out = sys.argv[1]
os.makedirs(out)

lines = ["module {\n", "  // " + HOSTILE + "\n"]
while sum(map(len, lines)) < 1_000_000:
    lines.append(f'  %{len(lines)} = "x.op{len(lines)}"() {{a = "{len(lines)}"}} : () -> i32\n')
with open(f"{out}/repro.mlir", "wb") as file:
    file.write(("".join(lines) + "}\n").encode() + b"\xff\x00\x9b\n")
lines[500] = lines[500].replace("i32", "i64")
with open(f"{out}/passing.mlir", "w", encoding="utf-8") as file:
    file.write("".join(lines) + "}\n")

signature = {
    "kind": "signal",
    "status": 11,
    "title": "crash in " + HOSTILE,
    "key": "00ff",
    "pass": HOSTILE,
    "frames": [{"name": f"f{i}::" + HOSTILE, "module": "m", "relevant": True} for i in range(64)],
}
steps = [
    {"t": i * 0.5, "mutation": "erase" if i else HOSTILE, "ops": 2000 - i, "bytes": 9, "executed": 3 * i}
    for i in range(1, 1500)
]
for i, step in enumerate(steps):
    line = f'-  %{i} = "x.op"() : () -> i32 // ' + HOSTILE + "\n"
    step["change"] = {"removed": 20, "added": 1, "cut": 10, "text": line * 10 + "+" + HOSTILE + "\n"}
steps[7]["change"]["text"] = "-\n" * 1_000_000
report = {
    "culprit_version": "1.2.3",
    "result": "done",
    "form": "native",
    "input": "in.mlir",
    "command": ["/usr/bin/x-opt", "--" + HOSTILE, "@@"],
    "tool": {"path": "/usr/bin/x-opt", "version": HOSTILE, "identity": "abcd"},
    "system": {"os": "OS 1", "kernel": "1", "machine": "m64", "cores": 2},
    "signature": signature,
    "flake": {"fails": 3, "runs": 3},
    "initial": {"ops": 2000, "bytes": 1},
    "final": {"ops": 501, "bytes": 1},
    "runs": {"executed": 5000, "asked": 6000},
    "seconds": {"wall": 800.0, "oracle_cpu": 700.0},
    "peak_rss_bytes": 1 << 30,
    "passing": {"edit": "retype", "when": "`" + HOSTILE + "` is gone"},
    "origins": [{"operation": "x.op", "location": f"/a/{HOSTILE if i == 3 else 'b'}.mlir:{i}:1", "line": i} for i in range(5000)],
    "other_failures": [signature] * 3,
    "steps": steps,
    "mutations": [
        {"name": "erase", "sites": 9, "tried": 8, "invalid": 1, "accepted": 7, "ops_removed": 6},
        {"name": "idle", "sites": 0, "tried": 0, "invalid": 0, "accepted": 0, "ops_removed": 0},
    ],
}
with open(f"{out}/report.json", "w", encoding="utf-8") as file:
    json.dump(report, file)
