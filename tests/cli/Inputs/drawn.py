"""drawn.py FILE [COLUMNS]: the lines that were drawn again and again in one place
of a terminal, as at_terminal.py has kept it, without attributes.  None may be wider
than the terminal was (COLUMNS, 80; "<columns N>": N from there on).  A line next to
such a mark may be of the width on its other side: it was on its way."""
import re
import sys

parts = re.split(rb"<columns (\d+)>", open(sys.argv[1], "rb").read())
widths = [int(sys.argv[2]) if len(sys.argv) > 2 else 80, *map(int, parts[1::2])]
for i, part in enumerate(parts[::2]):
    lines = re.findall(rb"\r\x1b\[K([^\r\n]+)(?=\r(?!\n))", part)
    for k, line in enumerate(lines):
        line = re.sub(rb"\x1b\[[0-9;]*m", b"", line).decode()
        print(line)
        first, last = k == 0, k + 1 == len(lines)
        columns = max(widths[max(i - first, 0) : i + 1 + last])
        assert len(line) < columns, (columns, line)
