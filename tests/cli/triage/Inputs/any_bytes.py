"""Reduced cases whose modules, and the folders of the reports, have names that
are not UTF-8: found again, moved and confirmed.  any_bytes.py DIR"""
import json, os, shutil, sqlite3, subprocess, sys

TOOL = b"""#!/bin/sh
for last; do :; done
grep -q four "$last" || exit 0
echo 'error: the number four' >&2
exit 1
"""


def run(args, folder):
    done = subprocess.run(args, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    said = done.stdout.decode(errors="backslashreplace")
    if done.returncode not in (0, 1):
        sys.exit("status %d: %r\n%s" % (done.returncode, args, said))
    return said


def decode(word):
    return os.fsencode(word) if isinstance(word, str) else bytes.fromhex(word["bytes"])


def reduced(db):
    with sqlite3.connect(db) as connection:
        rows = connection.execute("SELECT reduced FROM bucket").fetchall()
    assert len(rows) == 1, rows
    return json.loads(rows[0][0])


def main(top):
    shutil.rmtree(top, ignore_errors=True)
    top = os.fsencode(os.path.abspath(top))
    os.makedirs(top)
    module, db = b"in\xff\n.txt", os.path.join(top, b"db")
    with open(os.path.join(top, module), "wb") as out:
        out.write(b"one\ntwo\xfd\nthree\nfour\xfe\nfive\n")
    tool = os.path.join(top, b"tool\xe4")
    with open(tool, "wb") as out:
        out.write(TOOL)
    os.chmod(tool, 0o755)
    words = lambda *options: [{"bytes": tool.hex()}, *options, "@@"]
    lines = [{"text": "error: the number four\n", "module": {"bytes": module.hex()}, "command": words(*o)} for o in ((), ("-x",))]
    with open(os.path.join(top, b"night.jsonl"), "w") as out:
        out.write("".join(json.dumps(line) + "\n" for line in lines))

    first, second = os.path.join(top, b"first\xf0"), os.path.join(top, b"second\xf1")
    said = run([b"culprit", b"triage", b"night.jsonl", b"--db", db, b"-o", first, b"--reduce"], top)
    had = reduced(os.fsdecode(db))
    case = os.path.join(first, b"B1.txt")
    assert decode(had["file"]) == case, had["file"]
    assert decode(had["module"]) == os.path.join(top, module) or decode(had["module"]) == module, had["module"]
    assert had["binary"] and open(case, "rb").read() == b"four\xfe\n", open(case, "rb").read()
    assert r"reduced in\xff" in said or r"in\\xff" in said, said

    # The next night: the case goes along, and is run under the other command.
    said = run([b"culprit", b"triage", b"night.jsonl", b"--db", db, b"-o", second, b"--reduce", b"--confirm"], top)
    case = os.path.join(second, b"B1.txt")
    assert open(case, "rb").read() == b"four\xfe\n"
    had = reduced(os.fsdecode(db))
    assert had["confirmed"] == {"same": 1, "other": 0}, (had, said)


main(sys.argv[1])
