"""same_reports.py ONE OTHER [KEY...]: two reports of bisections are the same, but
for times and what these keys hold."""
import json
import sys

left_out = {"seconds", *sys.argv[3:]}


def bare(value):
    if isinstance(value, dict):
        return {key: bare(one) for key, one in value.items() if key not in left_out}
    return [bare(one) for one in value] if isinstance(value, list) else value


one, other = (bare(json.load(open(name))) for name in sys.argv[1:3])
for key in sorted(set(one) | set(other)):
    assert one.get(key) == other.get(key), f"{key}: {one.get(key)} here, {other.get(key)} there"
