"""The values of axes that `culprit --print axes:NAME` prints."""

import re


def values(text):
    """Each (axis, label, what it stands for)."""
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*", "", line)
        if line[:1].strip():
            name, line = line.split("=", 1)
        for value in filter(None, map(str.strip, line.split(","))):
            label, assigned, text = value.partition(":=")
            yield name.strip(), label, text if assigned else label
