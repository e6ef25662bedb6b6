#!/usr/bin/env python3
"""two_bugs.py PAIR WITNESS FILE: as two_bugs.c, the failures are exceptions
that nobody catches."""
import sys


class LoweringError(Exception):
    pass


def convert(value, where):
    if where == "view":
        raise LoweringError("unsupported operand")
    if where == "cast":
        raise LoweringError("unsupported operand")
    return {"rank": 1}[where]


def lower_add(where):
    return convert("add", where)


def lower_mul(where):
    return convert("mul", where)


def check(where):
    if where == "shape":
        assert where == "stride"
    assert where == "size"


def chained(where):
    try:
        convert("mul", where)
    except KeyError as err:
        raise LoweringError("cannot lower") from err


# name: (words of a, a, words of b, b)
LOOP = ["math.atan2", "scf.for"]
TWO = ["math.tanh", "math.exp"]
PAIRS = {
    "python-line": (LOOP, lambda: lower_add("view"),
                    ["math.atan2"], lambda: lower_add("cast")),
    "python-caller": (TWO, lambda: lower_add("view"),
                      ["math.exp"], lambda: lower_mul("view")),
    "python-assert": (LOOP, lambda: check("shape"),
                      ["scf.for"], lambda: check("stride")),
    "python-cause": (TWO, lambda: chained("left"),
                     ["math.tanh"], lambda: chained("right")),
}


def main():
    pair, witness, path = sys.argv[1:]
    with open(path) as file:
        text = file.read()
    words_a, a, words_b, b = PAIRS[pair]
    for letter, words, fail in [("a", words_a, a), ("b", words_b, b)]:
        if all(word in text for word in words):
            with open(witness, "a") as file:
                file.write(letter + "\n")
            fail()


main()
