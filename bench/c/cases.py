#!/usr/bin/env python3
"""cases.py DIR: write four C inputs with a planted behaviour in each.

A case is a folder: `input.c`, some 250 lines that compile without a warning but
for what is planted, and `test.sh FILE`, which says with 0 that the file compiles
and that the compiler's output shows the behaviour."""

import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import case_folder  # noqa: E402

HEAD = """typedef unsigned long size;
struct node { struct node *next; int key; double weight; char name[16]; };
enum kind { LEAF, BRANCH, ROOT };
static int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
int counter;
extern int read_value(const char *name, size length);
extern void use(const void *data, size length);
"""

FUNCTION = """
static int step{n}(struct node *node, int k, enum kind kind)
{{
  int sum = {a}, i;
  double total = {b}.5;
  for (i = 0; i < {c}; i++) {{
    sum += table[(k + i) & 7] * {d};
    if (node && node->key > sum)
      total += node->weight / (i + 1);
    else
      counter++;
  }}
  switch (kind) {{
  case LEAF:
    sum ^= {a};
    break;
  case BRANCH:
    while (node && node->next && sum > {b})
      sum -= node->next->key, node = node->next;
    break;
  default:
    total *= 2;
  }}
{call}  return sum + (int)total;
}}
"""

# Lines beside the function, lines inside; the compiler; words of its output.
CASES = {
    "bounds": ("", "  int planted[4] = { 1, 2, 3, 4 };\n  sum += planted[0] + table[k & 3];\n  planted[6] = sum;\n"
               "  use(planted, sizeof planted);\n",
               "clang-22 -std=c11 -fsyntax-only -Warray-bounds", ["array index 6 is past the end"]),
    "format": ("int printf(const char *, ...);\n", "  printf(\"%s %d\\n\", node ? node->name : \"-\", total);\n",
               "clang-22 -std=c11 -fsyntax-only -Wformat", ["format specifies type 'int'", "'double'"]),
    "vector": ("", "  {\n    static float lanes[64];\n    for (i = 0; i < 64; i++)\n      lanes[i] = lanes[i] * 3.0f + "
               "1.0f;\n    use(lanes, sizeof lanes);\n  }\n",
               "clang-22 -std=c11 -O2 -S -emit-llvm -o -", ["fmuladd.v4f32", "splat (float 3.000000e+00)"]),
    "magic": ("", "  sum = (int)((unsigned)sum / 641u);\n",
              "clang-22 -std=c11 -O2 -S -o -", ["imulq", "6700417"]),
}

TEST = """#!/bin/sh
out=$({compiler} "$1" 2>&1) || exit 1
for word in {words}; do
  case $out in *"$word"*) ;; *) exit 1 ;; esac
done
"""


def write(folder, seed, outside, inside, compiler, words):
    rng = random.Random(seed)
    text = HEAD + outside
    for n in range(10):
        call = "".join(f"  sum += step{k}(node, sum, {rng.choice(('LEAF', 'BRANCH', 'ROOT'))});\n"
                       for k in rng.sample(range(n), min(n, 2)))
        text += FUNCTION.format(n=n, a=rng.randrange(100), b=rng.randrange(10), c=rng.randrange(3, 30),
                                d=rng.randrange(2, 9), call=(inside if n == 6 else "") + call)
    text += "\nint main(void)\n{\n  struct node node = { 0, 1, 2.0, \"node\" };\n  return step9(&node, read_value(\"k\", 1), ROOT);\n}\n"
    case_folder.write(folder, "c", text, TEST.format(compiler=compiler, words=case_folder.quoted(words)))


def main():
    for seed, (name, case) in enumerate(CASES.items()):
        write(os.path.join(sys.argv[1], name), seed, *case)


if __name__ == "__main__":
    main()
