#!/usr/bin/env python3
"""late.py MS: copy standard input to standard output, each byte MS later."""
import collections
import os
import select
import sys
import time

delay = int(sys.argv[1]) / 1000
waiting = collections.deque()
ended = False
while not ended or waiting:
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        data = waiting.popleft()[1]
        while data:
            data = data[os.write(1, data):]
    rest = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    if ended:
        time.sleep(rest or 0)
    elif select.select([0], [], [], rest)[0]:
        data = os.read(0, 1 << 18)
        ended = not data
        if data:
            waiting.append((time.monotonic() + delay, data))
