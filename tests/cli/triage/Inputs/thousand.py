"""A thousand bugs, each in several logs.  Usage: thousand.py LIST"""

import json
import random
import sys

import toy

with open(sys.argv[1], "w", encoding="utf-8") as file:
    for n in range(1000):
        rng = random.Random(n)
        lines, _ = toy.crash(rng)
        lines[0] = lines[0].replace("Assertion `", "Assertion `bug_%s && " % "".join(rng.choice("abcdefghij") for _ in range(8)))
        for k in range(3):
            noise = ["  %%%d = toy.%s %%%d : tensor<%dxf32>" % (i, rng.choice(toy.WORDS).lower(), i - 1, i) for i in range(60)]
            file.write(json.dumps({"name": "t%04d-%d" % (n, k), "text": "\n".join(noise + lines) + "\n"}) + "\n")
