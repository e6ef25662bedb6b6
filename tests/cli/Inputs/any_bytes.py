"""Arguments and names of files of any bytes: a reduction, its report, replay
and repro.sh have exactly the same ones.  any_bytes.py DIR"""
import json, os, random, shutil, subprocess, sys

ROUNDS = 8
TOOL = rb"""#!/bin/sh
# Fails where its arguments but the last are those of the file "wanted".
for last; do :; done
grep -q four "$last" || exit 0
while [ $# -gt 1 ]; do printf '%s\0' "$1"; shift; done >"$TMPDIR/args"
cmp -s "$TMPDIR/args" "$WANTED" || exit 0
echo 'error: the number four' >&2
exit 1
"""


def word(random):
    """Bytes without NUL, and nothing that is a placeholder."""
    kind = random.randrange(3)
    if kind == 0:
        text = bytes(random.randrange(1, 256) for _ in range(random.randrange(1, 20)))
    elif kind == 1:
        text = b"".join(random.choice([b"\xc3", b"\xc3\xa4", b"\n", b"'", b"$(touch PWNED)", b"\xff", b" ", b"\x1b[2J", b"`"]) for _ in range(6))
    else:
        text = b"--plain=%d" % random.randrange(100)
    return text.replace(b"@", b"a")


def name(random):
    return b"in" + word(random).replace(b"/", b"-") + random.choice([b".txt", b"", b".\xfe", b".t\nt"])


def decode(json_word):
    return os.fsencode(json_word) if isinstance(json_word, str) else bytes.fromhex(json_word["bytes"])


def run(what, args, cwd, env):
    done = subprocess.run(args, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    if done.returncode:
        sys.exit("%s: status %d: %r\n%s" % (what, done.returncode, args, done.stdout.decode(errors="backslashreplace")))


def journey(folder, case, dice):
    words = [word(dice) for _ in range(dice.randrange(1, 5))]
    file = name(dice)
    os.makedirs(folder)
    with open(os.path.join(folder, file), "wb") as out:
        out.write(b"one\ntwo\nthree\nfour\nfive\n")
    with open(os.path.join(folder, b"wanted"), "wb") as out:
        out.write(b"".join(w + b"\0" for w in words))
    tool = os.path.join(folder, b"tool" + case)
    with open(tool, "wb") as out:
        out.write(TOOL)
    os.chmod(tool, 0o755)
    env = dict(os.environb)
    env[b"WANTED"] = os.path.join(folder, b"wanted")
    env[b"XDG_CACHE_HOME"] = os.path.join(folder, b"cache")
    bundle = b"bundle\xff\n" + case
    reduce = [b"culprit", b"reduce", file, b"-o", b"out\xfe\n.txt", b"--bundle", bundle, b"-q", b"--", tool, *words, b"@@"]
    run("reduce", reduce, folder, env)
    with open(os.path.join(folder, b"out\xfe\n.txt"), "rb") as out:
        assert b"four" in out.read()
    with open(os.path.join(folder, bundle, b"report.json"), "rb") as report:
        report = json.load(report)
    assert [decode(w) for w in report["command"]] == [tool, *words, b"@@"], report["command"]
    assert decode(report["input"]) == file, report["input"]
    run("replay", [b"culprit", b"replay", bundle], folder, env)
    run("repro.sh", [b"sh", os.path.join(bundle, b"repro.sh")], folder, env)
    run("reduce, stored", reduce, folder, env)
    assert not os.path.exists(os.path.join(folder, b"PWNED"))


def main(top):
    shutil.rmtree(top, ignore_errors=True)
    dice = random.Random(7)
    for round in range(ROUNDS):
        journey(os.path.join(os.fsencode(os.path.abspath(top)), b"%d" % round), b"\xf0%d" % round, dice)


main(sys.argv[1])
