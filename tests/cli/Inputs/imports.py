#!/usr/bin/env python3
"""imports.py FILE: imports it, and fails where it defines Y3 and nothing made
of another FILE lies beside it."""
import importlib.util
import os
import sys

if os.path.exists(os.path.join(os.path.dirname(sys.argv[1]), "__pycache__")):
    sys.exit(0)
spec = importlib.util.spec_from_file_location("candidate", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
if hasattr(module, "Y3"):
    raise RuntimeError("Y3 is there")
