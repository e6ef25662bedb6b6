"""same_reports.py ONE OTHER: two reports of bisections are the same, times aside."""
import json
import sys


def bare(value):
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items() if key != "seconds"}
    return [bare(one) for one in value] if isinstance(value, list) else value


one, other = (bare(json.load(open(name))) for name in sys.argv[1:])
for key in sorted(set(one) | set(other)):
    assert one.get(key) == other.get(key), f"{key}: {one.get(key)} here, {other.get(key)} there"
