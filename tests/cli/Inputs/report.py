"""report.py FILE: a report of culprit reduce holds what it always holds."""
import json
import sys

ALWAYS = {
    "culprit_version": str, "job": str, "command": list, "form": str,
    "located": bool,
    "tool": {"path": str, "identity": str, "version": (str, type(None))},
    "signature": {
        "kind": str, "title": str, "key": str, "frames": list, "version": int,
    },
    "flake": {"fails": int, "runs": int},
    "initial": {"ops": int, "bytes": int, "lines": int},
    "final": {"ops": int, "bytes": int, "lines": int},
    "runs": {
        "asked": int, "cached": int, "executed": int, "compared": int, "invalid": int,
        "timeouts": int, "classify": int, "search": int, "minimal": int,
        "confirm": int,
    },
    "seconds": {
        "wall": (int, float), "oracle_cpu": (int, float), "own_cpu": (int, float),
        "idle": (int, float),
    },
    "peak_rss_bytes": int,
    "result": str,
}
STEP = {"t": (int, float), "mutation": str, "ops": int, "bytes": int, "executed": int}
MUTATION = {
    "name": str, "sites": int, "tried": int, "invalid": int, "accepted": int,
    "ops_removed": int,
}


def check(value, shape, where):
    if isinstance(shape, dict):
        assert isinstance(value, dict), f"{where} is not an object"
        for key, inner in shape.items():
            assert key in value, f"{where}.{key} is missing"
            check(value[key], inner, f"{where}.{key}")
    else:
        assert isinstance(value, shape), f"{where} is {value!r}"


with (sys.stdin if sys.argv[1] == "-" else open(sys.argv[1])) as file:
    report = json.load(file)
check(report, ALWAYS, "report")
assert report["result"] in ("done", "budget", "interrupted")
assert report["steps"] and report["mutations"]
for step in report["steps"]:
    check(step, STEP, "step")
for mutation in report["mutations"]:
    check(mutation, MUTATION, "mutation")
    assert mutation["accepted"] + mutation["invalid"] <= mutation["tried"]
runs = report["runs"]
phases = ("classify", "search", "minimal", "confirm")
assert runs["executed"] == sum(runs[phase] for phase in phases), runs
sizes = [report["initial"]["ops"]] + [step["ops"] for step in report["steps"]]
assert sizes == sorted(sizes, reverse=True), "a step grew the subject"
