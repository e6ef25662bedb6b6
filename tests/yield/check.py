#!/usr/bin/env python3
"""check.py BUILD [MODEL...]: what every mutation is worth, by a model of it.

A model NAME.mlir of this folder is a module; in its first lines stand, behind
`TOOL: `, what fake-compiler must find in it to fail, and behind `OPTIONS: `
what culprit reduce gets.  It is reduced with all mutations and with
`--without NAME`: then the result is larger (operations, then bytes).  A model
with a line `RUNS: FACTOR` is of one that saves runs: as small a result takes
FACTOR times the executed runs without it.  Without a MODEL: has every mutation
on MLIR a model, or a line in `corpus` (a real failure shows its worth) or in
`unshown`?
"""
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def reduced(build, model, tool, extra, work):
    report = work / "report.json"
    run = subprocess.run(
        [build / "culprit", "reduce", model, "-q", "--no-cache", "-j", "1",
         "-o", work / ("out" + model.suffix), "--json", report, *extra, "--",
         build / "fake/fake-compiler", *tool, "@@"],
        capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{model.name}: {run.stderr}")
    done = json.loads(report.read_text())
    size = (done["final"]["ops"], done["final"]["bytes"])
    text = (work / ("out" + model.suffix)).read_text()
    return size, done["runs"]["executed"], text


def check(build, model):
    text = model.read_text()
    words = re.findall(r"^// TOOL: (.*)$", text, re.M)
    options = re.findall(r"^// OPTIONS: (.*)$", text, re.M)
    factor = re.search(r"^// RUNS: ([\d.]+)$", text, re.M)
    tool = shlex.split(" ".join(words))
    extra = shlex.split(" ".join(options))
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        whole, runs, out = reduced(build, model, tool, extra, work)
        less, more_runs, other = reduced(
            build, model, tool, [*extra, "--without", model.stem], work)
    good = whole < less
    if factor:
        good = whole <= less and more_runs >= float(factor[1]) * runs
    print(f"{'ok' if good else 'FAIL':5}{model.stem:28} {whole} in {runs} runs, "
          f"without {less} in {more_runs}", flush=True)
    if not good:
        print(f"--- with:\n{out}\n--- without:\n{other}")
    return good


def names_of(build):
    listed = subprocess.run([build / "libexec/culprit-workshop-mlir", "--list"],
                            capture_output=True, text=True, check=True).stdout
    return re.findall(r'^{"name": "([\w-]+)"', listed, re.M)


def lines_of(name):
    return [line.split() for line in (HERE / name).read_text().splitlines()
            if not line.startswith("#")]


def check_table(build):
    """Each mutation stands in one place, and nothing else does."""
    places = [model.stem for model in HERE.glob("*.mlir")]
    places += [words[0] for file in ("corpus", "unshown") for words in lines_of(file)]
    names, good = names_of(build), True
    for name in names:
        if places.count(name) != 1:
            print(f"FAIL {name}: in {places.count(name)} of: a model, corpus, unshown")
            good = False
    for name in sorted(set(places) - set(names)):
        print(f"FAIL {name}: no such mutation")
        good = False
    return good


def main():
    build = Path(sys.argv[1]).resolve()
    models = [Path(arg).resolve() for arg in sys.argv[2:]]
    good = [check(build, model) for model in models]
    return 0 if all(good or [check_table(build)]) else 1


if __name__ == "__main__":
    sys.exit(main())
