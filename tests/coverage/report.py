#!/usr/bin/env python3
"""report.py BUILD [--lines FOLDER]: which lines of the product ran, by folder.

BUILD is one with -DCULPRIT_COVERAGE=ON in which tests were run.  A line counts
as run where any object that holds it ran it.  Lines "of faults" stand apart:
they are reached only where the machine refuses something or an invariant is
broken, which ./bootstrap faults injects, and no test of one command.  Such a
line did not run, and it, or the line above or below it, calls what FAULT names.
Folders in which less than BAR percent of the others ran are printed last; the
exit status is 1 where there is one.  --lines: the lines of one folder that did
not run.
"""
import collections
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ("base cache pipeline runners oracles probe systems issue reducer bisect triage "
         "cli").split()
BAR = 85
FAULT = re.compile(r"cul_fail|cul_bug|cul_no_memory|cul_wait_again|cul_is_transient|cul_status_transient|"
                   r"strerror|\b_exit\(|\babort\(|CUL_EENV|CUL_ELOST|CUL_MACHINE")


def counts_of(objects):
    """The counts of gcov for the objects, file by file."""
    run = subprocess.run(["gcov", "--json-format", "--stdout", *objects], check=False,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    for line in run.stdout.splitlines():
        if line.startswith(b"{"):
            data = json.loads(line)
            for file in data["files"]:
                path = os.path.normpath(os.path.join(data["current_working_directory"],
                                                     file["file"]))
                yield path, file["lines"]


def read(build):
    """Path of a source -> number of the line -> how often it ran."""
    lines = collections.defaultdict(collections.Counter)
    notes = sorted(map(str, build.rglob("*.gcno")))
    for at in range(0, len(notes), 50):
        for path, counted in counts_of(notes[at:at + 50]):
            name = os.path.relpath(path, ROOT)
            if name.split("/")[0] in HOUSE and name.endswith((".c", ".h")):
                for line in counted:
                    lines[name][line["line_number"]] += line["count"]
    return lines


def is_of_fault(text, number):
    return any(FAULT.search(line) for line in text[max(0, number - 2):number + 1])


class Folder:
    def __init__(self):
        self.ran = self.faults = self.missed = 0
        self.missing = []

    def percent(self):
        return 100 * self.ran / max(1, self.ran + self.missed)

    def add(self, name, lines):
        text = (ROOT / name).read_text().splitlines()
        for number, count in sorted(lines.items()):
            if count:
                self.ran += 1
            elif is_of_fault(text, number):
                self.faults += 1
            else:
                self.missed += 1
                self.missing.append(f"{name}:{number}: {text[number - 1].strip()}")


def main():
    build = Path(sys.argv[1]).resolve()
    folders = collections.defaultdict(Folder)
    for name, lines in read(build).items():
        folders[os.path.dirname(name)].add(name, lines)
    if not any(folder.ran for folder in folders.values()):
        sys.exit(f"{build}: nothing ran there")
    if "--lines" in sys.argv:
        print("\n".join(folders[sys.argv[-1]].missing))
        return 0
    print(f"{'folder':24} {'lines':>7} {'ran':>7} {'%':>6} {'of faults, not run':>20}")
    for name, folder in sorted(folders.items()):
        print(f"{name:24} {folder.ran + folder.missed:7} {folder.ran:7} {folder.percent():6.1f} "
              f"{folder.faults:20}")
    below = [name for name, folder in sorted(folders.items()) if folder.percent() < BAR]
    print(f"below {BAR} %: {' '.join(below) or 'none'}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
