"""forms.py FORMS LIST            write the logs of FORMS as a list for triage
forms.py FORMS LIST BUCKETS    compare what triage made of them

FORMS: "=== NAME", lines "KEY: VALUE" of what is expected, "---", the log.
Keys: title, issue (its title there), pass, frames (that count), flags (late,
corrupted), input; "passes: yes" of a log without a failure; "test" once for each failure of a log with several, "NAME | TITLE".
"""

import json
import sys


def recursion():
    """Two functions that call each other until the stack is full."""
    names = ["walk_left", "walk_right"]
    frames = [" #%d 0x%x %s (/w/toy-opt+0x%x)" % (n, 0x550000001000 + n % 2, names[n % 2], 0x1000 + n % 2) for n in range(256)]
    return "\n".join(frames)


def read(path):
    with open(path, encoding="utf-8") as file:
        entries = file.read().split("\n=== ")
    for entry in entries[1:]:
        head, text = entry.split("\n---\n", 1)
        name, *wants = head.split("\n")
        want = {"test": []}
        for line in wants:
            key, value = line.split(": ", 1)
            if key == "test":
                want["test"].append(value)
            else:
                want[key] = value
        want["test"].sort()
        yield name, want, text.replace("@RECURSION@", recursion()).replace("\\x1b", "\x1b").rstrip("\n") + "\n"


def frames_of(signature):
    counted = [f["name"] for f in signature["frames"] if f["role"] == "relevant" and f["name"]]
    return ", ".join(counted[:3])


def flags_of(line):
    return ", ".join(key for key in ("late", "corrupted") if line.get(key))


def got(found, want):
    """The expected fields as they are."""
    if "passes" in want and not found:
        return want
    if want["test"]:
        tests = ["%s | %s" % (line.get("test", ""), line["signature"]["title"]) for line in found]
        return dict(want, test=sorted(tests))
    if len(found) != 1:
        return {"failures": len(found)}
    line, signature = found[0], found[0]["signature"]
    fields = {
        "title": signature["title"],
        "issue": line["issue_title"],
        "pass": signature["pass"],
        "input": signature["input"],
        "frames": frames_of(signature),
        "flags": flags_of(line),
    }
    return {key: fields[key] if key in fields else want[key] for key in want}


forms = list(read(sys.argv[1]))
if len(sys.argv) == 3:
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for name, _, text in forms:
            out.write(json.dumps({"name": name, "text": text}) + "\n")
    sys.exit()
with open(sys.argv[3], encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
wrong = 0
for name, want, _ in forms:
    have = got([line for line in lines if line["log"] == name], want)
    if have != want:
        wrong += 1
        print("%s:\n  want %s\n  have %s" % (name, want, have))
print("%d forms, %d wrong" % (len(forms), wrong))
sys.exit(wrong != 0)
