"""Run a command as one of which not all can be traced:  escape.py CMD..."""

import ctypes
import os
import sys

CLONE_NEWNS = 0x20000

ctypes.CDLL(None).unshare(CLONE_NEWNS)
os.execvp(sys.argv[1], sys.argv[1:])
