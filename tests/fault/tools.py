"""The hostile tools of tools.txt under each command, and what must hold of all."""

import os
import re
import shutil
import stat
import subprocess

import jobs
from place import Place

HERE = os.path.dirname(os.path.abspath(__file__))
# Seconds.  A tool whose answer is known meets no deadline, however busy the
# machine is; the others may hang.
TIMEOUT, MAX_TIME = 1, 10
LONG_TIMEOUT, LONG_MAX_TIME = 30, 90


def limit(words):
    """What --max-time may be outlasted by is 5 s; the rest is for a busy machine."""
    return (LONG_MAX_TIME if "same" in words else MAX_TIME) + 5 + 15

PROLOGUE = """#!/bin/sh
for file; do :; done
text=$(cat "$file" 2>/dev/null)
echo run >>"$FAULT_LOG"
n=$(wc -l <"$FAULT_LOG")
# A process above, where it is what it is taken for.
ours() { grep -qs "^$2" "/proc/$1/comm" && grep -qs "$MARK" "/proc/$1/environ" && echo "$1"; }
guard=$(ours "$PPID" culprit-guard)
culprit=
[ -n "$guard" ] && culprit=$(ours "$(cut -d ' ' -f 4 "/proc/$guard/stat")" 'culprit$')
NEEDLE={needle} MARK={mark}
# A directory of the user, in which the tool was pointed to a file.
theirs() { case $1 in "$FAULT_ROOT"/work*) true ;; *) false ;; esac; }
"""
EPILOGUE = """
case "$* $text" in *"$NEEDLE"*) echo "LLVM ERROR: cannot lower this" >&2 && kill -ABRT $$ ;; esac
exit 0
"""

MODULES = {"a.ll": "one\nfour\n", "b.ll": "two\n", "c.ll": "four\n"}


def put_modules(work):
    os.makedirs(os.path.join(work, "modules"))
    for name, text in MODULES.items():
        jobs.put(os.path.join(work, "modules", name), text)


def command(name, needle, argv, outputs, **more):
    tool = ["{root}/bin/tool"]
    argv = [w for word in argv for w in (tool if word == "TOOL" else [word])]
    job = jobs.Job(name, argv, outputs, **more)
    job.needle = needle
    return job


TIMES = ["--timeout", "TIMEOUT", "--max-time", "MAX_TIME"]
JOBS = [
    command("hostile-reduce", "four", ["reduce", "in.txt", "-o", "out.txt", "-j", "2", *TIMES, "--", "TOOL", "@@"], ["out.txt"],
            failing=jobs.HAS_FOUR),
    command("hostile-extract", "atan2", ["extract", "in.mlir", "-o", "out", *TIMES, "--", "TOOL", "@@"], ["out/repro.mlir"],
            failing=jobs.HAS_ATAN),
    command("hostile-bisect", "--c", ["bisect", "flags", "x.txt", "--bundle", "bundle", *TIMES, "--", "TOOL", "--x", "--a", "--c",
                              "--z", "@@"], [], said=r"^flags:.*$"),
    command("hostile-triage", "four", ["triage", "modules", "--run", "{root}/bin/tool @@", "-o", "report", "-j", "2", *TIMES],
            ["report/buckets.csv"], put_more=put_modules),
]
COMMANDS = [job.name for job in JOBS]


def read_tools():
    """name: (words, text)"""
    text = jobs.read(os.path.join(HERE, "tools.txt"))
    found = {}
    for part in re.split(r"^#--- ", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        name, *words = head.split()
        found[name] = (words, body)
    return found


TOOLS = read_tools()


def points():
    """Of a list of tests, the file is the user's own: what a tool does to it is
    nobody else's doing."""
    return [
        f"{job}/tool:{name}"
        for job in COMMANDS
        for name in sorted(TOOLS)
        if job != "hostile-triage" or not name.startswith("input-")
    ]


def argv_of(job, place, words):
    same = "same" in words
    times = {"TIMEOUT": LONG_TIMEOUT if same else TIMEOUT, "MAX_TIME": LONG_MAX_TIME if same else MAX_TIME}
    return [str(times.get(word, word)) for word in job.command(place)]


def put_tool(place, job, words, body):
    os.makedirs(place.path("bin"))
    if "once" in words:
        body = 'if [ "$n" = 3 ]; then\n' + body + "fi\n"
    prologue = PROLOGUE.replace("{needle}", f"'{job.needle}'").replace("{mark}", f"'{place.mark}'")
    jobs.put(place.path("bin/tool"), prologue + body + EPILOGUE, 0o755)


def can_be_alone():
    done = subprocess.run(["unshare", "-pf", "--kill-child", "--mount-proc", "true"], capture_output=True, check=False)
    return done.returncode == 0


WANTED = {}


def learn(build, scratch, commands):
    """The answers with a tool that only compiles, and what that leaves."""
    for job in JOBS:
        if job.name not in commands:
            continue
        place = Place(build, os.path.join(scratch, f"8{JOBS.index(job):04}"))
        job.put(place)
        put_tool(place, job, *TOOLS["plain"])
        ended = place.run(argv_of(job, place, ["same"]), limit(["same"]))
        WANTED[job.name] = (job.answer(place, ended.out), set(place.listing()))
        place.remove()
        if ended.status != 0:
            raise SystemExit(f"{job.name}: with a plain tool, status {ended.status}: {ended.err}")


def leftovers(place, before, kept):
    wrong = []
    now = place.listing()
    allowed = re.compile(
        r"home/\.cache(/culprit(/.*)?)?$|log$|work/(bundle|out|report)(/.*)?$|work/[^/]*\.lock$|(work|home)/evil[^/]*$"
        r"|tmp/evil.*|work/modules/.*|work/out\.txt(/evil)?$|work/[^/]*\.part$"
    )
    for path in sorted(set(now) - set(before) - kept):
        if not allowed.match(path):
            wrong.append(f"stray: {path!r}")
    for path in sorted(before):
        if path.startswith(("precious", "home/")) and now.get(path) != before[path]:
            wrong.append(f"changed: {path}")
    return wrong[:8]


def controls(place, ended):
    """Control characters that are shown as they are."""
    bad = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
    wrong = [name for name, text in (("its output", ended.out), ("its messages", ended.err)) if bad.search(text)]
    for folder, _, files in os.walk(place.path("work")):
        for name in files:
            path = os.path.join(folder, name)
            if name not in ("report.md", "repro.sh", "index.html", "junit.xml", "report.sarif"):
                continue
            if not stat.S_ISREG(os.lstat(path).st_mode):
                continue
            with open(path, encoding="utf-8", errors="replace") as file:
                if bad.search(file.read()):
                    wrong.append(name)
    return [f"control characters in {name}" for name in wrong]


def judge(build, place, command_name, name):
    job = next(j for j in JOBS if j.name == command_name)
    words, body = TOOLS[name]
    argv_front = []
    if "alone" in words:
        if not can_be_alone():
            return []
        argv_front = ["unshare", "-pf", "--kill-child", "--mount-proc"]
    answer, kept = WANTED[command_name]
    job.put(place)
    put_tool(place, job, words, body)
    before = place.listing()
    ended = place.run(argv_front + argv_of(job, place, words), limit(words))
    wrong = [] if ended.status is not None else [f"it did not end within {limit(words)} s"]
    statuses = {0, 3, 4, 5, 6} | {int(w[4:]) for w in words if w.startswith("may=")}
    # What was refused a write decides nothing; it is said which.
    refused = "refused" in words and "--writable PATH" in ended.out + ended.err
    same = "same" in words and not refused
    if same and "which the sandbox forbids" not in ended.err:
        statuses = {0} | (statuses - {3, 4, 5, 6})
    if ended.status not in statuses | {None}:
        wrong.append(f"status {ended.status}, not one of {sorted(statuses)}")
    if ended.status in (3, 4, 6) and not re.search(r"^culprit: .+\n  ?.+", ended.err, re.M):
        wrong.append("it does not say why, and what to do")
    if ended.orphans:
        wrong.append(f"left running: {sorted(set(ended.orphans))[:3]}, {len(ended.orphans)} in all")
    if ended.status == 0 and same and job.answer(place, ended.out) != answer:
        wrong.append(f"another answer: {job.answer(place, ended.out)}")
    output = job.output(place)
    if output and (ended.status == 0 or "best so far is" in ended.err) and not os.path.isfile(output):
        wrong.append(f"status {ended.status}, and {os.path.basename(output)} is not there: {ended.err[-200:]!r}")
    elif output and ended.status == 0 and job.failing and not job.still_fails(place, output):
        wrong.append(f"{os.path.basename(output)} does not fail")
    if ended.status != 137:
        wrong += leftovers(place, before, kept)
    if ended.status is not None:
        wrong += controls(place, ended)
    if wrong and ended.err:
        wrong.append("it said: " + repr(ended.err[-300:].strip()))
    return wrong


