"""late.py CULPRIT FOLDER: errors of a GPU that are met late, of several projects."""

import json
import os
import subprocess
import sys

SAID = "torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n"


def trace(*functions):
    frames = ["  File \"/w/p/%s.py\", line %d, in %s\n" % (f, n + 3, f) for n, f in enumerate(functions)]
    return "Traceback (most recent call last):\n" + "".join(frames) + SAID


LOGS = {
    # one work, noticed at two places; another work
    "a1": trace("main", "train_toy", "backward"),
    "a2": trace("main", "train_toy", "step", "item"),
    "b1": trace("main", "serve_toy", "backward"),
    # nothing but the message: two logs are not one bug for it
    "c1": SAID,
    "d1": SAID,
    # the kernel is named: where it was met does not count
    "e1": "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x7f. Reason: Unknown.\nKernel Name: scale_rows\n",
    "e2": trace("main", "other").replace(SAID, "") + "Memory access fault by GPU node-3 (Agent handle: 0x9) on address 0x1f. Reason: Unknown.\nKernel Name: scale_rows\n",
    "f1": "Memory access fault by GPU node-1 (Agent handle: 0x1) on address 0x7f. Reason: Unknown.\nKernel Name: add_rows\n",
}

program, folder = sys.argv[1:]
os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
for name, text in LOGS.items():
    with open(os.path.join(folder, "logs", name + ".log"), "w", encoding="utf-8") as file:
        file.write(text)


def buckets(*options):
    subprocess.run([program, "triage", "-q", "-o", os.path.join(folder, "report"), *options, os.path.join(folder, "logs")], check=True)
    with open(os.path.join(folder, "report", "buckets.jsonl"), encoding="utf-8") as lines:
        members = [json.loads(line) for line in lines]
    return {os.path.basename(m["log"])[:2]: m["bucket"] for m in members}, members


at, members = buckets("--db", os.path.join(folder, "db"))
assert at["a1"] == at["a2"], at
assert at["e1"] == at["e2"], at
assert len(set(at.values())) == 6, at
again, _ = buckets("--db", os.path.join(folder, "db"))
assert again == at, (at, again)
with open(os.path.join(folder, "report", "report.md"), encoding="utf-8") as report:
    assert "Perhaps the same as" in report.read()
