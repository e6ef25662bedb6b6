"""triton_compile.py FILE: compile a .ttir for sm_80; needs no GPU."""
import os
import sys
import tempfile

os.environ["TRITON_ALWAYS_COMPILE"] = "1"
os.environ["TRITON_CACHE_DIR"] = tempfile.gettempdir()

import triton  # noqa: E402  (the environment comes first)
from triton.backends.compiler import GPUTarget  # noqa: E402

triton.compile(sys.argv[1], target=GPUTarget("cuda", 80, 32))
