"""bench/corpus --yield: what each mutation did, and what it is worth.

Summed over all cases, from each report.json: sites listed, candidates tried,
invalid and accepted, operations removed.  Then, mutation by mutation, the
cases in which something of it was accepted are reduced without it, the
shortest first, until one result is larger ("worth" names it).  A mutation
without which no result grows is one to remove, unless a model of tests/yield
needs it.
"""
import argparse
import collections
import json

NUMBERS = ["sites", "tried", "invalid", "accepted", "ops_removed"]


def report_of(folder, name):
    path = folder / name / "report.json"
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return {}


def size_of(report):
    final = report.get("final") or {}
    return final.get("ops"), final.get("bytes")


def larger(size, than):
    return None not in size and None not in than and size > than


def without(name, case, command, options, run_case):
    """The size of the case's result without one mutation."""
    home = options.results / case.parent.name / case.name
    changed = argparse.Namespace(**vars(options))
    changed.results = options.results / "without" / name
    changed.cache = home / "cache"  # most runs are known
    changed.extra = [*options.extra, "--without", name]
    shown = f"{case.parent.name}/{case.name}"
    report = report_of(changed.results, shown)
    if not report or options.again:
        run_case(case, command, changed)
        report = report_of(changed.results, shown)
    return size_of(report)


def worth_of(name, used, options, run_case):
    """(cases run, the first whose result is larger without it, by how much)"""
    for n, (report, case, command) in enumerate(used[: options.most_cases], 1):
        size, had = without(name, case, command, options, run_case), size_of(report)
        if larger(size, had):
            return n, (f"{case.parent.name}/{case.name}: "
                       f"{had[0]} -> {size[0]} ops, {had[1]} -> {size[1]} bytes")
    return min(len(used), options.most_cases), None


def show_line(name, sums, tried, worth):
    cells = "".join(f"{sums[key]:>12d}" for key in NUMBERS)
    if worth is None:
        worth = "never accepted" if not sums["accepted"] else (
            f"no result grows without it, in {tried} cases" if tried else "")
    print(f"{name:28s}{cells}  {worth}", flush=True)


def show(cases, options, run_case):
    """cases: (folder of the case, its command)."""
    sums, used = collections.OrderedDict(), collections.defaultdict(list)
    for case, command in cases:
        report = report_of(options.results, f"{case.parent.name}/{case.name}")
        for entry in report.get("mutations", []):
            name = entry["name"]
            sums.setdefault(name, collections.Counter()).update(
                {key: entry[key] for key in NUMBERS})
            if entry["accepted"]:
                used[name].append((report, case, command))
    print(f"\n{'mutation':28s}" + "".join(f"{key:>12s}" for key in NUMBERS) + "  worth")
    for name, counts in sums.items():
        used[name].sort(key=lambda item: item[0]["seconds"]["wall"])
        tried, worth = (0, None) if options.sums_only else worth_of(
            name, used[name], options, run_case)
        show_line(name, counts, tried, worth)
