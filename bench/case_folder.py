"""A case of bench/peers: a folder with `input.ENDING` and `test.sh FILE`, which
exits with 0 where the file shows what is planted."""

import os


def write(folder, ending, text, test):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "input." + ending), "w", encoding="utf-8") as out:
        out.write(text)
    path = os.path.join(folder, "test.sh")
    with open(path, "w", encoding="utf-8") as out:
        out.write(test)
    os.chmod(path, 0o755)


def quoted(words):
    """The words as words of a shell."""
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
