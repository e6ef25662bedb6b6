"""tensors.py DIR: pairs of tensors that differ in several ways: got.npy and
want.npy, whose slices are large; got/ and want/, outputs with names that are
meant for a browser, too many rows, and none on the other side; two vectors."""

import math
import os
import random
import struct
import sys

os.chdir(sys.argv[1])


def npy(path, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head)
        file.write(struct.pack(f"<{len(values)}f", *values))


random.seed(3)
want = [random.gauss(0, 1) for _ in range(3 * 40 * 100)]
got = [value * (1 + random.choice([0, 0, 1e-7])) for value in want]
for i in range(len(got)):
    part, row, column = i // 4000, i // 100 % 40, i % 100
    if part == 1 and row >= 16 and column >= 64:
        got[i] += 10 ** random.uniform(-4, 2)
    if part == 2 and column % 32 == 7:
        got[i] = 0
    if part == 2 and row == 3 and column > 30:
        got[i] = math.nan
npy("got.npy", (3, 40, 100), got)
npy("want.npy", (3, 40, 100), want)

for side, last in ("got", 0), ("want", 6):
    os.makedirs(side)
    for name in "<script>document.title=1<_script>", "one" * 60, side:
        with open(f"{side}/{name}.txt", "w", encoding="utf-8") as file:
            file.write(f"2x3xf32=[1 2 3][4 5 {last}]\n")
for name, step in ("vector", 9), ("other", 7):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write("300xi32=[" + " ".join(str(i * i * (i % step > 1)) for i in range(300)) + "]\n")
