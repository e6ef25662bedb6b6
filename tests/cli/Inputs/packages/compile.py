"""compile.py PACKAGE FILE: a compiler that loads PACKAGE and dies of toy.bad."""
import importlib
import sys

importlib.import_module(
    {"triton": "triton._C.libtriton", "jaxlib": "jaxlib.mlir._mlir_libs"}[sys.argv[1]]
)
with open(sys.argv[2], encoding="utf-8") as file:
    if "toy.bad" in file.read():
        sys.exit("toy.cpp:7: void lower(): Assertion `isLegal()' failed.")
