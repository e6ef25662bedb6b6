"""Odd files among logs.  Usage: small.py DIR"""

import os
import random
import sys

folder = sys.argv[1]
os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
os.makedirs(os.path.join(folder, "rules"), exist_ok=True)
rng = random.Random(1)
text = ("step done, all is well so far and so on\n" * 200 + "toy: error: no such shape\n").encode()
# 2.5 % of the bytes are control characters
noisy = bytearray(text)
for at in rng.sample(range(len(noisy) - 60), len(noisy) // 40):
    noisy[at] = rng.choice((0, 1, 2, 3, 5, 14, 22))
with open(os.path.join(folder, "logs", "noisy.log"), "wb") as file:
    file.write(noisy)
with open(os.path.join(folder, "packed.bin.dat"), "wb") as file:
    file.write(bytes(rng.randrange(256) for _ in range(5000)))
os.mkfifo(os.path.join(folder, "pipe"))
os.symlink("/dev/zero", os.path.join(folder, "zero"))
with open(os.path.join(folder, "rules", "mine.rules"), "w") as file:
    file.write("rule mine\nkind fatal\nrank 90\nfind no such shape\nmatch error: (no such shape)\ntext my own: $1\n"
               "yes toy: error: no such shape\nno error: x\n")  # fmt: skip
with open(os.path.join(folder, "rules", "README"), "w") as file:
    file.write("These rules are mine.\n")
