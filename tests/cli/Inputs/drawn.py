"""drawn.py FILE [COLUMNS]: the lines that were drawn again and again in one place
of a terminal, as at_terminal.py has kept it, without attributes.  None may be wider
than the terminal was (COLUMNS, 80; "<columns N>": N from there on)."""
import re
import sys

columns, first = int(sys.argv[2]) if len(sys.argv) > 2 else 80, 0
for part in re.split(rb"(<columns \d+>)", open(sys.argv[1], "rb").read()):
    changed = re.fullmatch(rb"<columns (\d+)>", part)
    if changed:
        columns, first = int(changed[1]), 1  # the first one may be older
        continue
    for line in re.findall(rb"\r\x1b\[K([^\r\n]+)(?=\r(?!\n))", part)[first:]:
        line = re.sub(rb"\x1b\[[0-9;]*m", b"", line).decode()
        print(line)
        assert len(line) < columns, (columns, line)
