#!/usr/bin/env python3
"""check.py BUILD [--explain] [MODEL...]: what every mutation is worth, by a model of it.

A model NAME.EXT or NAME.WORD.EXT of this folder is an input: a module, or the
text of any language.  Lines that start with a comment and a word of these are
no part of it: behind `TOOL: ` stands what fake-compiler must find in it to fail, behind
`OPTIONS: ` what culprit reduce gets; or behind `TEST: ` what a shell script says
of "$1" (%cli is the folder tests/cli), where a real reader has to accept it.  It is reduced with all mutations and with
`--without NAME`: then the result is larger (operations or tokens, then bytes).
Two others tell what saves runs and what makes candidates light: as small a
result takes FACTOR times the executed runs without a mutation with `RUNS:
FACTOR`, and the first accepted candidate has FACTOR times the bytes without
one with `FIRST: FACTOR`.  Without a MODEL: has every mutation of the table a
model, or a line in `corpus` (a real failure shows its worth)?  --explain: each
accepted step of both reductions, and what is left by each.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# This very Python, not a shim before it, which takes ten times as long.
PATH = ["/usr/lib/llvm-22/bin", os.path.dirname(os.path.realpath(sys.executable)),
        os.environ["PATH"]]


class Result:
    """One reduction: size, runs, bytes of the first accepted candidate."""

    def __init__(self, build, subject, judge, extra):
        report, out = subject.parent / "report.json", subject.parent / "out"
        run = subprocess.run(
            [build / "culprit", "reduce", subject, "-q", "--no-cache", "-j", "1",
             "-o", out, "--json", report, *extra, *judge],
            capture_output=True, text=True, env=dict(
                os.environ, PATH=os.pathsep.join(PATH)))
        if run.returncode != 0:
            sys.exit(f"{subject.name}: {run.stderr}")
        done = json.loads(report.read_text())
        self.size = (done["final"]["ops"], done["final"]["bytes"])
        self.runs = done["runs"]["executed"]
        self.first = done["steps"][0]["bytes"] if done["steps"] else 0
        self.text = out.read_text()
        self.steps = done["steps"]

    def __str__(self):
        return f"{self.size} in {self.runs} runs, first {self.first}"


    def explain(self, what):
        print(f"--- {what}: {self}")
        for step in self.steps:
            print(f"{step['ops']:8} operations {step['bytes']:8} bytes  {step['mutation']}")
        print(self.text)


HEAD = re.compile(r"^(?://|#|;) (TOOL|TEST|OPTIONS|RUNS|FIRST): (.*)\n", re.M)


def name_of(model):
    """The mutation that it is a model of."""
    return model.name.split(".")[0]


def judge_of(build, said, script):
    """The arguments of culprit reduce that say what a failure is."""
    if not said["TEST"]:
        return ["--", build / "fake/fake-compiler", *shlex.split(said["TOOL"]), "@@"]
    script.write_text("#!/bin/sh\n" + said["TEST"].replace("%cli", str(HERE.parent / "cli")))
    script.chmod(0o755)
    return ["--script", script]


def check(build, model, explained):
    text = model.read_text()
    said = dict.fromkeys(("TOOL", "TEST", "OPTIONS", "RUNS", "FIRST"), "")
    for word, rest in HEAD.findall(text):
        said[word] += rest + "\n"
    extra = shlex.split(said["OPTIONS"])
    with tempfile.TemporaryDirectory() as folder:
        subject = Path(folder) / model.name
        subject.write_text(HEAD.sub("", text))
        judge = judge_of(build, said, Path(folder) / "test.sh")
        whole = Result(build, subject, judge, extra)
        less = Result(build, subject, judge, [*extra, "--without", name_of(model)])
    good = whole.size < less.size
    if said["RUNS"]:
        good = (whole.size <= less.size and
                less.runs >= float(said["RUNS"]) * whole.runs)
    if said["FIRST"]:
        good = (whole.size <= less.size and
                less.first >= float(said["FIRST"]) * whole.first)
    print(f"{'ok' if good else 'FAIL':5}{model.stem:28} {whole}, without {less}",
          flush=True)
    if explained:
        whole.explain("with it")
        less.explain("without it")
    elif not good:
        print(f"--- with:\n{whole.text}\n--- without:\n{less.text}")
    return good


def names_of(build):
    names = []
    for form in "mlir", "text":
        listed = subprocess.run(
            [build / f"libexec/culprit-worker-{form}", "--list"],
            capture_output=True, text=True, check=True).stdout
        names += re.findall(r'^{"name": "([\w-]+)"', listed, re.M)
    return names


def lines_of(name):
    return [line.split() for line in (HERE / name).read_text().splitlines()
            if not line.startswith("#")]


def check_table(build):
    """Each mutation has models or stands in corpus, and nothing else does."""
    models = {name_of(file) for file in HERE.iterdir()
              if file.suffix and file.name != "check.py"}
    places = [*models, *(words[0] for words in lines_of("corpus"))]
    names, good = names_of(build), True
    for name in names:
        if places.count(name) != 1:
            print(f"FAIL {name}: in {places.count(name)} of: a model, corpus")
            good = False
    for name in sorted(set(places) - set(names)):
        print(f"FAIL {name}: no such mutation")
        good = False
    return good


def main():
    build = Path(sys.argv[1]).resolve()
    words = sys.argv[2:]
    models = [Path(arg).resolve() for arg in words if arg != "--explain"]
    good = [check(build, model, "--explain" in words) for model in models]
    return 0 if all(good or [check_table(build)]) else 1


if __name__ == "__main__":
    sys.exit(main())
