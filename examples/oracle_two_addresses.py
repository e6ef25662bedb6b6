#!/usr/bin/env python3
"""A script for --script: the address is computed twice.

    culprit reduce model.mlir --script examples/oracle_two_addresses.py

It is called with the candidate's name; exit status 0 says that the candidate
is interesting.  It needs nothing of culprit.
"""
import subprocess
import sys

done = subprocess.run(["mlir-opt-22", "--convert-to-llvm", sys.argv[1]],
                      capture_output=True, text=True)
sys.exit(done.stdout.count("llvm.getelementptr") != 2)
