#!/usr/bin/env python3
"""faults.py BUILD [POINTS] [SEED] [--job NAME]... [--only POINT]...
                 [--points FILE] [--list]

Injects POINTS faults (default 10000) into small jobs of culprit, several a core
at a time, and judges each: see judge().  The last line is "N passed, N failed";
each failure comes with the command that repeats it.

A point is JOB/WHAT:
  reduce-text/main:rename:3:EIO   a fault of tests/fault/inject.c
  reduce-text/at:0.42:kill        a signal after that share of the job's time
  hostile-reduce/tool:NAME        a tool of tests/fault/tools.txt

The n-th call is the same one wherever the checkout and TMPDIR are: all runs
below a path of one length, in one environment.
"""

import argparse
import concurrent.futures
import os
import random
import re
import shutil
import signal
import sys
import time

import jobs
import tools
from place import Counts, Place, copy_programs, make_scratch

PER_CORE = 4  # a point waits for most of its time: for processes, and for patience
LIMIT = 60.0  # seconds for what takes one: the machine may be busy
STATUS = {0: "done", 1: "internal", 5: "budget", 6: "environment", 130: "interrupted"}

# What is injected where.  Roles and calls that a job does not have fall out.
ERRORS = {
    "malloc": ["ENOMEM", "ENOMEM:0"],
    "open": ["EMFILE", "EIO", "EACCES", "EMFILE:30", "EINTR"],
    "read": ["EIO", "EINTR", "short"],
    "write": ["ENOSPC", "ENOSPC:0", "EIO", "EINTR", "short"],
    "fsync": ["EIO", "ENOSPC:0"],
    "rename": ["EIO", "ENOSPC", "EACCES:0"],
    "link": ["EACCES"],
    "unlink": ["EACCES", "EIO:0"],
    "make": ["ENOSPC", "EACCES", "EMFILE"],
    "fork": ["EAGAIN", "EAGAIN:5", "ENOMEM"],
    "pipe": ["EMFILE", "ENFILE:8"],
    "exec": ["EAGAIN", "ENOMEM"],
    "mmap": ["ENOMEM"],
    "truncate": ["ENOSPC", "EIO"],
    "lock": ["EINTR", "EAGAIN"],
    "stat": ["EIO", "EACCES"],
    "poll": ["EINTR", "EINTR:50"],
    "wait": ["EINTR", "EINTR:20"],
    "sandbox": ["EPERM", "ENOSYS:0"],
    "sqlite": ["busy", "locked", "nomem", "readonly", "ioerr", "corrupt", "full", "full:0", "cantopen"],
    "clock": ["real+7200", "real-7200", "mono+1"],
}
# Where a signal is aimed: right before and after what changes something.
AIMED = ["write", "fsync", "rename", "unlink", "make", "fork", "pipe", "exec", "sqlite", "poll", "kill", "truncate"]
SIGNALS = {
    "main": ["kill", "kill-after", "term", "int", "int-after", "quit", "stop", "deep"],
    "guard": ["kill", "kill@main", "term@main", "stop"],
    "start": ["kill", "kill@main"],
    "fork": ["kill", "kill@main"],
    "worker": ["kill", "kill@main", "stop"],
    "child": ["kill", "stop"],
}
AT_ANY_TIME = ["kill", "term", "int", "hup", "usr1", "quit"]

# What may be left behind, beside what the undisturbed job leaves.
KEPT_ALWAYS = re.compile(r"home/\.cache(/culprit(/cache\.db(\.lock)?)?)?$|log$|digests$|work/bugs\.db\.lock$")
# Until the job has been resumed: what SQLite goes on with, and the candidate on
# which the test could not run.
KEPT_FAULTED = re.compile(r"work/.*\.broken$|home/\.cache/culprit/cache\.db-(wal|shm|journal)$|work/bugs\.db-(wal|shm|journal)$")
# The same, of kill -9 of culprit itself: what it had no time to remove.
KEPT_KILLED = re.compile(r"tmp/culprit-[^/]+(/.*)?$|work/.*\.(part|lock|[0-9a-v]{12})$")
# A lock that another job is said to hold: that job would remove it.
KEPT_OF_OTHERS = re.compile(r"work/.*\.lock$")
# What cannot be removed stays.
KEPT_IF_NOT_REMOVED = re.compile(r"tmp/culprit-[^/]+(/.*)?$|work/.*\.(part|lock)$")
# A store that cannot be read is set aside.
KEPT_DAMAGED = re.compile(r"home/\.cache/culprit/cache\.db[.-].*$|work/bugs\.db[.-].*$")


class Baseline:
    """A job left alone: its answer, and how many calls of each kind it makes."""

    def __init__(self, build, scratch, job):
        first = self._run(build, scratch, job, "1", count=True)
        second = self._run(build, scratch, job, "2", count=False)
        self.calls = first[0]
        self.answers = [first[1], second[1]]
        self.runs = max(first[2], second[2])
        self.uncached = max(first[2] - first[3], second[2] - second[3])
        self.again = max(first[4], second[4])
        self.seconds = second[5]
        self.kept = first[6] | second[6]
        if first[1] != second[1]:
            raise SystemExit(f"{job.name}: two runs of it differ: {first[1]} and {second[1]}")

    @staticmethod
    def _run(build, scratch, job, suffix, count):
        place = Place(build, os.path.join(scratch, f"9{jobs.JOBS.index(job):03}{suffix}"))
        job.put(place)
        ended = place.run(job.command(place), LIMIT, count=count)
        if ended.status != 0 or ended.orphans:
            raise SystemExit(f"{job.name}: undisturbed, status {ended.status}: {ended.err} {ended.orphans}")
        runs, records, kept = place.runs(), place.records(), set(place.listing())
        answer = job.answer(place, ended.out)
        calls = Counts(place.root + ".counts").calls
        again = place.run(job.command(place), LIMIT)
        more = place.runs() - runs
        place.remove()
        if again.status != 0:
            raise SystemExit(f"{job.name}: again, status {again.status}: {again.err}")
        return calls, answer, runs, records, more, ended.seconds, kept


def plan(job, base, rng):
    """All points of a job, in strata: lists whose members are alike."""
    strata = []
    for (role, kind), n in sorted(base.calls.items()):
        if not n:
            continue
        actions = list(ERRORS.get(kind, ()))
        if role in ("worker", "child") and kind == "write":
            actions = ["EPIPE", "EINTR"]  # they write to sockets alone
        if kind in AIMED:
            actions += SIGNALS[role]
        for action in actions:
            action, _, times = action.partition(":")
            tail = f"{action}:{times}" if times else action
            picked = list(range(1, n + 1))
            rng.shuffle(picked)
            strata.append([f"{job.name}/{role}:{kind}:{at}:{tail}" for at in picked])
    for sig in AT_ANY_TIME:
        strata.append([f"{job.name}/at:{rng.uniform(0, 1.05):.4f}:{sig}" for _ in range(200)])
    return strata


def choose(strata, wanted, rng):
    """Evenly over the classes of calls, and over the strata of each."""
    classes, chosen = {}, []
    rng.shuffle(strata)
    for points in strata:
        what = points[0].split("/", 1)[1].split(":")
        name = "at" if what[0] == "at" else what[1]
        classes.setdefault(name, []).append(points)
    while classes and len(chosen) < wanted:
        for name in sorted(classes):
            points = classes[name].pop(0)
            chosen.append(points.pop())
            classes[name] += [points] if points else []
            if not classes[name]:
                del classes[name]
    return chosen[:wanted]


class Fault:
    """One point of a job."""

    def __init__(self, what):
        self.inject, self.at, self.share = None, None, None
        if what.startswith("at:"):
            _, share, name = what.split(":")
            self.share, self.action = float(share), name
            self.signal = getattr(signal, "SIG" + name.upper())
        else:
            self.inject = what
            self.role, self.kind, _, self.action, *times = what.split(":")
            self.lasts = bool(times)
        self.ends_main = self.share is not None or self.action.endswith("@main") or (
            self.role == "main" and self.action.split("-")[0] in ("kill", "term", "int", "hup", "quit", "usr1")
        )
        self.killed = self.ends_main and self.action.startswith("kill")
        self.overflows = bool(self.inject) and self.action == "deep"
        # Without memory, too, it ends where it stands, and so does what cleans up behind it.
        self.stands = self.killed or self.overflows or (self.inject and self.role in ("main", "fork") and self.action.startswith("ENOMEM"))

    def statuses(self):
        if self.killed:
            return {0, 137}
        if self.ends_main:
            return {0, 130}
        if self.overflows:
            return {0, 6}
        if self.share is None and self.kind == "malloc":
            return {0, 1, 6}
        if self.share is None and (self.action == "stop" or self.kind in ("clock", "poll", "wait")):
            return {0}
        if self.share is None and self.kind in ("open", "read", "stat"):
            return {0, 2, 6}  # 2: the input or the repository itself
        return {0, 6}

    def spares_records(self, hit):
        """Must what was recorded be found again?  Not where the tool's identity
        could not be reckoned: its files could not be read."""
        if not self.inject or self.ends_main or self.overflows:
            return True
        if self.kind in ("read", "stat", "mmap", "malloc"):
            return False
        if self.kind == "write" and self.role == "start":
            return False  # what is to become the tool could not say how to trace it
        if self.kind == "open" and self.role == "guard" and self.lasts:
            return False  # the tool could not be looked at, for longer than anybody waits
        return self.kind != "open" or "/culprit-faults-" in hit


def claims(job, place, ended):
    """What the output says that is not so."""
    text, out = ended.out + ended.err, job.output(place)
    wrong = []
    for named in re.findall(r"best (?:result )?(?:so far )?is (?:in (\S+)|on disk|written)", text):
        if not job.still_fails(place, place.path("work", named.rstrip(";,.:")) if named else out or ""):
            wrong.append("it says that the best result is there, and it is not")
    if out and os.path.lexists(out) and not job.still_fails(place, out):
        wrong.append(f"{os.path.basename(out)} does not fail")
    return wrong


def judge_end(fault, job, place, ended):
    if ended.status is None:
        return [f"it did not end within {LIMIT:.0f} s"]
    wrong = []
    begun = ended.out or ended.err or place.runs()
    if fault.share is not None and not begun and ended.status == 128 + fault.signal:
        return []  # the handler did not stand yet
    if ended.status not in fault.statuses():
        wrong.append(f"status {ended.status}, not one of {sorted(fault.statuses())}")
    if ended.status in (1, 2, 6) and not re.search(r"^culprit: .+\n  ?.+", ended.err, re.M):
        wrong.append("it does not say why, and what to do")
    if ended.orphans:
        wrong.append(f"left running: {ended.orphans}")
    return wrong + claims(job, place, ended)


def strays(place, before, base, patterns):
    """What is there that nobody asked for, and what is gone or changed."""
    now = place.listing()
    new = [p for p in sorted(set(now) - set(before) - base.kept) if not any(r.match(p) for r in patterns)]
    # Below a directory of the job's own, names differ from run to run.
    new = [p for p in new if not any(p.startswith(k + "/") and k.startswith(("work/", "tmp/workspaces")) for k in base.kept)]
    gone = [p for p in sorted(before) if now.get(p) != before[p]]
    return [f"stray: {p}" for p in new[:5]] + [f"changed: {p}" for p in gone[:5]]


def lost_records(job, base, place, ran, records, before):
    """Was a run made again that was recorded?  Where the tool tells its files,
    those are counted that it met before and after: how many candidates a job
    tries ahead depends on the load of the machine."""
    more, unrecorded = place.runs() - ran, max(ran - records, 0)
    told = f"{ran} runs, {records} recorded, then {more} runs more"
    if before or place.digests():
        repeated = len(set(before) & set(place.digests()[len(before):]))
        if repeated > unrecorded + base.again + job.jobs:
            return [f"lost records: {told}, {repeated} of the same files"]
    elif more > max(base.runs - records, 0) + base.again + job.jobs:
        return [f"lost records: {told}; {base.runs} undisturbed"]
    return []


def judge(fault, job, base, place):
    """The point, injected and then resumed; a list of what is wrong."""
    before = place.listing()
    at = (base.seconds * fault.share, fault.signal) if fault.share is not None else None
    ended = place.run(job.command(place), LIMIT, inject=fault.inject, at=at)
    hit = Counts(place.root + ".counts").hit
    wrong = judge_end(fault, job, place, ended)
    damaged = [KEPT_DAMAGED] if fault.inject and fault.kind in ("sqlite", "read", "write", "truncate") else []
    kept = [KEPT_ALWAYS, *damaged]
    if fault.inject and fault.kind == "unlink":
        kept.append(KEPT_IF_NOT_REMOVED)
    for_now = [KEPT_FAULTED] + ([KEPT_KILLED] if fault.stands else [])
    if fault.inject and fault.kind == "lock" and fault.action == "EAGAIN":
        for_now.append(KEPT_OF_OTHERS)
    wrong += strays(place, before, base, kept + for_now)
    first = job.answer(place, ended.out)
    unread = "culprit: not read: " in ended.err  # it is said, and the rest is told of
    if ended.status == 0 and first not in base.answers and not unread:
        wrong.append(f"status 0 with another answer: {first}")
    ran, records, before_resumed = place.runs(), place.records(), place.digests()
    for _ in range(2):
        resumed = place.run(job.command(place), LIMIT)
        if resumed.status == 0:
            break
    if resumed.status != 0:
        return wrong + [f"resumed: status {resumed.status}: {resumed.err[-300:]}"], hit, ended
    if resumed.orphans:
        wrong.append(f"resumed, left running: {resumed.orphans}")
    again = job.answer(place, resumed.out)
    if not any(same(again, a, ended.status == 0) for a in base.answers) and first not in base.answers and not unread:
        wrong.append(f"resumed: another answer: {again}")
    # Whoever opens the store next clears what a killed process left of it; where
    # all was known, the resumed job did not.
    if place.has_log_of_store():
        place.run(["culprit", "cache", "stats"], LIMIT)
    wrong += strays(place, before, base, kept)
    if records is not None and fault.spares_records(hit):
        wrong += lost_records(job, base, place, ran, records, before_resumed)
    return wrong, hit, ended


def same(answer, wanted, done):
    """Of a second run after one that was done, failures are known."""
    def plain(parts):
        return [(n, re.sub(r"\bnew( *)", r"known\1", t or "")) for n, t in parts] if done else parts

    return plain(answer) == plain(wanted)


def try_point(build, scratch, bases, number, point):
    """(what is wrong, whether something was injected, seconds)."""
    name, what = point.split("/", 1)
    start = time.monotonic()
    place = Place(build, os.path.join(scratch, f"{number:05}"))
    try:
        if what.startswith("tool:"):
            wrong = tools.judge(build, place, name, what[5:])
            return wrong, True, time.monotonic() - start
        job = next(j for j in jobs.JOBS if j.name == name)
        job.put(place)
        wrong, hit, ended = judge(Fault(what), job, bases[name], place)
        if wrong and hit:
            wrong.append(f"at {hit}")
        if wrong and ended.err:
            wrong.append("it said: " + ended.err[-300:].strip())
        return wrong, what.startswith("at:") or bool(hit), time.monotonic() - start
    finally:
        place.end_processes()
        place.remove()


def read_points(path):
    """A file of points, one a line, beside empty lines and comments (#)."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return [line for line in lines if line and not line.startswith("#")]


def take_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("points", nargs="?", type=int, default=10000)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--job", action="append", default=[])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--points", dest="only", type=read_points, help="a file of points, one a line")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("-j", "--jobs", type=int, default=PER_CORE * len(os.sched_getaffinity(0)))
    return parser.parse_args()


def main():
    args = take_arguments()
    rng = random.Random(args.seed)
    top, scratch = make_scratch()
    wanted = args.job or sorted({p.split("/")[0] for p in args.only}) or [j.name for j in jobs.JOBS] + tools.COMMANDS
    try:
        build = copy_programs(os.path.abspath(args.build), scratch)
        bases = {j.name: Baseline(build, scratch, j) for j in jobs.JOBS if j.name in wanted}
        hostile = [p for p in tools.points() if p.split("/")[0] in wanted]
        strata = [s for j in jobs.JOBS if j.name in bases for s in plan(j, bases[j.name], rng)]
        rng.shuffle(hostile)
        # One of eight is a hostile tool, while there are any.
        few = hostile[: args.points // 8 if strata else args.points]
        tools.learn(build, scratch, wanted)
        points = args.only or few + choose(strata, args.points - len(few), rng)
        if args.list:
            print("\n".join(points))
            return 0
        return run_all(args, build, scratch, bases, points)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def ended(pool, tasks):
    """As they end; where this program is to end, no further one begins, and
    those under way clean up behind themselves."""
    try:
        yield from concurrent.futures.as_completed(tasks)
    except BaseException:
        pool.shutdown(wait=True, cancel_futures=True)
        raise


def run_all(args, build, scratch, bases, points):
    passed = failed = missed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        tasks = {
            pool.submit(try_point, build, scratch, bases, i, p): p for i, p in enumerate(points)
        }
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
        for task in ended(pool, tasks):
            wrong, met, seconds = task.result()
            missed += not met
            passed, failed = passed + (not wrong), failed + bool(wrong)
            if wrong:
                print(f"FAILED {tasks[task]} ({seconds:.1f} s)")
                print("".join(f"  {line}\n" for line in wrong), end="")
                print(f"  repeat: tests/fault/faults.py {args.build} --only '{tasks[task]}'", flush=True)
    if missed:
        print(f"{missed} points were not met: the job made fewer such calls this time")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
