#!/usr/bin/env python3
"""cases.py DIR: write four Python inputs with two planted lines in each.

A case is a folder: `input.py`, 150 to 400 lines of bench/planted-text, and
`test.sh FILE`, which says with 0 that Python compiles the file and that both
lines are in it."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = {"short": 150, "middle": 250, "long": 400, "other": 300}

TEST = """#!/bin/sh
python3 -c 'compile(open({quoted}, "rb").read(), "input.py", "exec")' "$1" 2>/dev/null || exit 1
{greps}
"""


def planted(*arguments):
    return subprocess.run([sys.executable, f"{HERE}/../planted-text", "python", *arguments], check=True,
                          capture_output=True, text=True).stdout


def main():
    for seed, (name, lines) in enumerate(LINES.items()):
        folder = os.path.join(sys.argv[1], name)
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "input.py"), "w", encoding="utf-8") as out:
            out.write(planted("--lines", str(lines), "--seed", str(seed)))
        greps = "\n".join(f"grep -qF '{line.strip()}' \"$1\" || exit 1" for line in planted("--show").splitlines())
        path = os.path.join(folder, "test.sh")
        with open(path, "w", encoding="utf-8") as out:
            out.write(TEST.format(quoted="__import__(\"sys\").argv[1]", greps=greps))
        os.chmod(path, 0o755)


if __name__ == "__main__":
    main()
