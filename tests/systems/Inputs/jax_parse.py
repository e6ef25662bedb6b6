"""jax_parse.py FILE...: does jaxlib's own parser and verifier take them all?"""
import sys

from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

with mlir.make_ir_context():
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            ir.Module.parse(file.read())
print(f"{len(sys.argv) - 1} read")
