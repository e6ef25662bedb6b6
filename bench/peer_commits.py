"""git bisect run against culprit bisect commits: histories of our own, whose
first bad commit is known."""

import json
import os
import random
import re
import statistics
import subprocess
import time

# How many commits; share of those that cannot be tested; share of branches; how often a bad one fails, in percent.
CASES = {
    "linear": (400, 0, 0, 100),
    "broken": (400, 0.3, 0, 100),
    "branches": (400, 0.1, 0.3, 100),
    "flaky": (400, 0, 0, 60),
    "flaky broken": (300, 0.2, 0.2, 60),
}
TRIES = 4  # of each, with other seeds

TEST = """#!/bin/sh
echo >>{log}
case $(cat state) in
broken) exit 125 ;;
good) exit 0 ;;
esac
[ $(($(od -An -N2 -tu2 /dev/urandom) % 100)) -lt {percent} ] || exit 0
echo 'error: the answer is wrong'
exit 1
"""


def git(repo, *words, **more):
    return subprocess.run(["git", "-C", repo, *words], check=True, capture_output=True, text=True, **more).stdout


def write_history(repo, seed, commits, broken, branches):
    """Returns the good end and the first bad commit."""
    rng = random.Random(seed)
    first_bad = rng.randrange(commits // 5, commits - 5)
    subprocess.run(["git", "init", "-q", "-b", "main", repo], check=True)
    out, heads, bad = [], {1: False}, {}
    main = 1
    for mark in range(1, commits + 1):
        # A commit on a branch leaves from one of the last ten, and is merged by the next one of the main line.
        side = mark > 12 and mark not in (first_bad, first_bad + 1) and rng.random() < branches
        parents = [rng.randrange(max(1, main - 10), main + 1)] if side else [main]
        parents = [p for p in parents if p in bad] or [main]
        if not side:
            parents += [head for head in heads if heads[head]]
            heads = {head: False for head in heads}
        is_bad = mark == first_bad or (mark > 1 and any(bad[p] for p in parents))
        state = "broken" if mark not in (1, commits, first_bad, first_bad - 1) and rng.random() < broken else (
            "bad" if is_bad else "good")
        bad[mark] = is_bad
        text = f"{mark}\n"
        out.append("reset refs/heads/main\n" if mark == 1 else "")
        out.append(f"commit refs/heads/{'side' if side else 'main'}\nmark :{mark}\n"
                   f"committer A <a@example.org> {1_000_000_000 + 60 * mark} +0000\ndata 1\nc\n")
        if mark > 1:
            out.append(f"from :{parents[0]}\n" + "".join(f"merge :{p}\n" for p in parents[1:]))
        out.append(f"M 644 inline state\ndata {len(state)}\n{state}\nM 644 inline n\ndata {len(text)}\n{text}\n")
        if side:
            heads[mark] = True
        else:
            main = mark
    # The marks of the first, the bad one and the last of the main line.
    out.append(f"reset refs/tags/good\nfrom :1\n\nreset refs/tags/answer\nfrom :{first_bad}\n\n")
    subprocess.run(["git", "-C", repo, "fast-import", "--quiet"], input="".join(out), text=True, check=True)
    git(repo, "checkout", "-q", "main")
    return git(repo, "rev-parse", "answer").strip()


def by_git(repo, test, _):
    git(repo, "bisect", "start", "main", "good")
    told = subprocess.run(["git", "-C", repo, "bisect", "run", test], capture_output=True, text=True, check=False)
    found = re.search(r"^([0-9a-f]{40}) is the first bad commit", told.stdout, re.M)
    git(repo, "bisect", "reset")
    return found.group(1) if found else "none"


def by_culprit(repo, test, program):
    report = repo + ".json"
    subprocess.run([program, "bisect", "commits", "--repo", repo, "--good", "good", "--bad", "main", "--script", test,
                    "--cache", repo + ".cache", "--json", report, "-q"], capture_output=True, check=False)
    with open(report, encoding="utf-8") as text:
        return json.load(text)["culprit"]


def judge(how, repo, test, log, answer, program):
    if os.path.exists(log):
        os.remove(log)
    began = time.monotonic()
    found = how(repo, test, program)
    seconds = time.monotonic() - began
    with open(log, encoding="utf-8") as lines:
        runs = len(lines.readlines())
    return {"right": found == answer, "runs": runs, "seconds": seconds}


def compare(root, program):
    """Rows: case -> tool -> list of facts, one for each try."""
    os.makedirs(root)
    rows = {}
    for name, (commits, broken, branches, percent) in CASES.items():
        rows[name] = {"culprit": [], "git bisect run": []}
        for seed in range(TRIES):
            repo = os.path.join(root, f"{name.replace(' ', '-')}-{seed}")
            answer = write_history(repo, seed, commits, broken, branches)
            log, test = repo + ".starts", repo + ".sh"
            with open(test, "w", encoding="utf-8") as out:
                out.write(TEST.format(log=log, percent=percent))
            os.chmod(test, 0o755)
            for tool, how in (("culprit", by_culprit), ("git bisect run", by_git)):
                facts = judge(how, repo, test, log, answer, program)
                rows[name][tool].append(facts)
                print(f"{name:12} {tool:16} {'right' if facts['right'] else 'wrong'} {facts['runs']:4} runs "
                      f"{facts['seconds']:6.1f} s", flush=True)
    return rows


def table(rows):
    lines = ["| histories | tool | right | runs | time |", "|---|---|---|---|---|"]
    for name, row in rows.items():
        base = [facts["seconds"] for facts in row["culprit"]]
        for tool, tries in row.items():
            right = sum(facts["right"] for facts in tries)
            time_ = statistics.median(facts["seconds"] / other for facts, other in zip(tries, base))
            lines.append(f"| {name if tool == 'culprit' else ''} | {tool} | {right} of {len(tries)} | "
                         f"{statistics.median(facts['runs'] for facts in tries):g} | {time_:.2g} |")
    return lines
