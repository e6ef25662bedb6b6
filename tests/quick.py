#!/usr/bin/env python3
"""quick.py BUILD [--list]: the tests of what was touched.

Touched is what differs from the commit that this branch and its upstream have
in common (HEAD where there is none; SINCE names another), and what git does not
know yet.  Runs all
unit tests but the slow ones, the fast lints, and what tests/quick.map says of
the touched paths, as far as it fits into SECONDS of command tests (by the
times that lit keeps); what is left out is said.  --list: says it, runs nothing.
"""
import collections
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = int(os.environ.get("SECONDS_OF_COMMANDS", "24"))  # on one processor
UNKNOWN = 1  # seconds of a command test that was never run
MOST_USERS = 6  # tests of mutations that include a touched file
# Read by hand, or once a change is whole.
SLOW_LINTS = {"lint/selftest", "lint/headers", "lint/shell"}


def git(*arguments):
    run = subprocess.run(["git", *arguments], cwd=ROOT, text=True, check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return run.stdout.split("\0") if "-z" in arguments else run.stdout.split()


def touched():
    since = os.environ.get("SINCE")
    base = [since] if since else git("merge-base", "HEAD", "@{upstream}") or ["HEAD"]
    paths = git("diff", "-z", "--name-only", base[0])
    paths += git("ls-files", "-z", "--others", "--exclude-standard")
    return sorted({path for path in paths if path})


def rows():
    for line in (ROOT / "tests/quick.map").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, tests = line.split("\t")
            yield re.compile(pattern), tests.split()


def mutations_in(path):
    """Names of the mutations that a file defines, as users write them."""
    try:
        text = (ROOT / path).read_text()
    except OSError:
        return []
    return [name.replace("_", "-") for name in
            re.findall(r"^const struct cul_mutation cul_mutation_(\w+)", text, re.M)]


def mutation_tests(path):
    """Of those in the file; of a helper, of the files that include its header."""
    names = mutations_in(path)
    if not names:
        header = f'"{Path(path).stem}.h"'
        users = [user for user in sorted((ROOT / path).parent.glob("*.c"))
                 if header in user.read_text()]
        names = [name for user in users for name in mutations_in(user)][:MOST_USERS]
    return [word for name in names for word in (f"cli/mutations/{name}.*", f"yield/{name}")]


def wanted(paths):
    """What the map says: expressions of ctest's names, patterns of files; and
    which paths it says nothing of."""
    names, files, unknown = set(), set(), []
    for path in paths:
        words = []
        for pattern, tests in rows():
            match = pattern.fullmatch(path)
            for word in tests if match else ():
                words += mutation_tests(path) if word == "mutations" else [match.expand(word)]
        if not words:
            unknown.append(path)
        names.update(word for word in words if not word.startswith("cli/"))
        files.update(word for word in words if word.startswith("cli/"))
    return names, files, unknown


def command_tests(patterns):
    """Each test, and whether it is meant itself, not its whole folder."""
    found = {}
    for pattern in sorted(patterns):
        for path in sorted((ROOT / "tests").glob(pattern)):
            tests = [path] if path.is_file() else [
                test for end in ("*.test", "*.mlir") for test in path.glob(end)]
            for test in tests:
                if test.suffix in (".test", ".mlir"):
                    found[test] = found.get(test, False) or path.is_file()
    return found


def times(build):
    """Seconds of each command test, the last time that it was run."""
    try:
        lines = (build / "tests/cli/.lit_test_times.txt").read_text().splitlines()
    except OSError:
        return {}
    return {words[1]: float(words[0]) for words in map(str.split, lines) if len(words) == 2}


def fit(tests, build):
    """Those meant themselves first, and the short ones, until the time is over;
    and the others."""
    known, left = times(build), float(SECONDS)
    cost = {test: known.get(str(test.relative_to(ROOT / "tests/cli")), UNKNOWN) for test in tests}
    taken, rest = [], []
    for test in sorted(tests, key=lambda test: (not tests[test], cost[test], test)):
        if cost[test] <= left:
            left -= cost[test]
            taken.append(test)
        else:
            rest.append(test)
    return taken, rest


def all_tests(build):
    said = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                          stdout=subprocess.PIPE).stdout
    for test in json.loads(said)["tests"]:
        labels = next((p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"), [])
        yield test["name"], set(labels)


def choose(build, names):
    chosen, left_out = [], []
    for name, labels in all_tests(build):
        asked = any(re.fullmatch(pattern, name) for pattern in names)
        usual = ("unit" in labels and "slow" not in labels) or \
                ("lint" in labels and name not in SLOW_LINTS)
        if asked or usual:
            chosen.append(name)
        elif labels & {"unit", "lint"}:
            left_out.append(name)
    return chosen, left_out


def short(tests):
    """Their names; of many, how many there are of each folder."""
    names = sorted(str(test.relative_to(ROOT / "tests")) for test in tests)
    folders = collections.Counter(os.path.dirname(name) for name in names)
    if len(names) <= 12:
        return " ".join(names)
    return ", ".join(f"{n} of {folder}" for folder, n in sorted(folders.items()))


def main():
    build, only_list = Path(sys.argv[1]).resolve(), "--list" in sys.argv
    paths = touched()
    names, files, unknown = wanted(paths)
    chosen, left_out = choose(build, names)
    commands, rest = fit(command_tests(files), build)
    print(f"touched:   {' '.join(paths) or 'nothing'}")
    usual = [name for name in chosen if not any(re.fullmatch(p, name) for p in names)]
    print(f"runs:      {len(usual)} unit tests and lints; of what was touched "
          f"{' '.join(sorted(set(chosen) - set(usual))) or 'none'}")
    print(f"           {len(commands)} command tests: {short(commands)}")
    print(f"left out:  {' '.join(left_out)}; {short(rest) or 'no command test of what was touched'}; "
          "what other paths have: ./bootstrap test")
    if unknown:
        print(f"untold:    tests/quick.map has no row for {' '.join(unknown)}")
    sys.stdout.flush()
    if only_list:
        return 0
    jobs = int(os.environ.get("JOBS", os.cpu_count() or 1))
    os.environ["CULPRIT_TOUCHED"] = "\n".join(paths)  # tests/lint/style.sh
    # Half of the unit tests wait for something.
    expression = "^(" + "|".join(re.escape(name) for name in chosen) + ")$"
    bad = subprocess.run(["ctest", "--test-dir", build, "-j", str(2 * jobs), "--output-on-failure",
                          "--no-tests=error", "--progress", "--timeout", "120", "-R", expression],
                         check=False, stdout=None).returncode
    if commands:
        bad |= subprocess.run(["lit-22", "-sv", "-j", str(jobs + 1), "-D", f"build={build}",
                               *commands], check=False).returncode
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
