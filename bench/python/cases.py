#!/usr/bin/env python3
"""cases.py DIR: write four Python inputs with two planted lines in each.

A case is a folder: `input.py`, 200 to 400 lines of bench/planted-text, and
`test.sh FILE`, which says with 0 that Python compiles the file and that both
lines are in it."""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import case_folder  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
LINES = {"short": 200, "middle": 250, "long": 400, "other": 300}

TEST = """#!/bin/sh
python3 -c 'import sys; compile(open(sys.argv[1], "rb").read(), "input.py", "exec")' "$1" 2>/dev/null || exit 1
{greps}
"""


def planted(*arguments):
    return subprocess.run([sys.executable, f"{HERE}/../planted-text", "python", *arguments], check=True,
                          capture_output=True, text=True).stdout


def main():
    for seed, (name, lines) in enumerate(LINES.items()):
        greps = "\n".join(f"grep -qF '{line.strip()}' \"$1\" || exit 1" for line in planted("--show").splitlines())
        case_folder.write(os.path.join(sys.argv[1], name), "py",
                          planted("--lines", str(lines), "--seed", str(seed)), TEST.format(greps=greps))


if __name__ == "__main__":
    main()
