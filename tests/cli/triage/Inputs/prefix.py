"""Logs of made-up failures behind every prefix of ci.py fall where the bare logs
fall.  Usage: prefix.py CULPRIT DIR [RECALL]"""

import itertools
import json
import os
import random
import subprocess
import sys

import ci
import toy

BUGS = 30


def triage(program, folder, logs):
    path = os.path.join(folder, "list.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for name, text in logs.items():
            file.write(json.dumps({"name": name, "text": text}) + "\n")
    report = os.path.join(folder, "report")
    subprocess.run([program, "triage", "-q", "-o", report, path], check=True)
    found = {}
    with open(os.path.join(report, "buckets.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            member = json.loads(line)
            found.setdefault(member["log"], set()).add(member["bucket"])
    return found


def shared(found, names):
    return sum(1 for a, b in itertools.combinations(names, 2) if found[a] & found[b])


def main():
    program, folder, least = sys.argv[1], sys.argv[2], float(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    bugs = {}
    for n in range(BUGS):
        rng = random.Random(n)
        noise = ["[%d/40] Building CXX object lib/%s.cpp.o" % (k + 1, rng.choice(toy.NOUNS)) for k in range(rng.randrange(6))]
        bugs["bug%02d" % n] = "\n".join(noise + toy.crash(rng, n % 3 != 0)[0]) + "\n"
    bad = []
    for system in ci.SYSTEMS:
        logs = dict(bugs)
        for n, (name, text) in enumerate(bugs.items()):
            logs[name + "@" + system] = ci.apply(system, text, random.Random(n))
        found = triage(program, folder, logs)
        behind = [name + "@" + system for name in bugs]
        same = sum(1 for name in bugs if found[name] & found[name + "@" + system])
        false = shared(found, behind) - shared(found, list(bugs))
        if same < least * BUGS or false > 0:
            bad.append("%s: %d of %d with the bare log, %d more false pairs" % (system, same, BUGS, false))
    if len(ci.SYSTEMS) < 30:
        bad.append("fewer than 30 systems")
    sys.exit("\n".join(bad) or 0)


main()
