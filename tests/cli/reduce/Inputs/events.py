"""events.py FILE OUT: what --progress=json said of a reduction by two workers, to
its end, whose result is in OUT."""
import json
import sys

events = [json.loads(line) for line in open(sys.argv[1])]
of = lambda name: [e for e in events if e["event"] == name]
assert {e["event"] for e in events} <= {"phase", "progress", "step", "end", "working", "note"}
assert [e["phase"] for e in of("phase")][:2] == ["classify", "form"]
assert all(e["words"] for e in of("phase"))
last = None
for e in of("progress"):
    assert e["workers"] == 2 and 0 <= e["running"] <= 2, e
    assert e["unit"] in ("operation", "operations") and e["initial_ops"] > 200, e
    assert e["eta"] is None, e  # the first minute
    assert not last or e["candidates"] >= last["candidates"] and e["t"] > last["t"]
    last = e
assert last and last["per_second"] > 0, last
assert of("step")[-1]["ops"] == of("end")[0]["final"]["ops"]
end = events[-1]
assert end["event"] == "end" and end["status"] == 0 and end["error"] is None, end
assert end["output"] == sys.argv[2], end
