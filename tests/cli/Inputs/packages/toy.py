"""The parser and printer of two fake packages: one pretty operation, toy.add,
that no other parser knows; the generic form of the rest."""
import re
import subprocess


def generic(text):
    if "toy.broken" in text:
        raise RuntimeError("the toy's parser does not know toy.broken")
    if re.search(r'"toy\.bad"(?!.*toy\.must)', text):
        raise RuntimeError("toy.bad requires toy.must")
    text = re.sub(
        r"toy\.add (%\w+), (%\w+) : (\S+)", r'"toy.add"(\1, \2) : (\3, \3) -> \3', text
    )
    done = subprocess.run(
        ["mlir-opt-22", "--allow-unregistered-dialect", "--mlir-print-op-generic"],
        input=text, capture_output=True, text=True, check=True,
    )
    return done.stdout
