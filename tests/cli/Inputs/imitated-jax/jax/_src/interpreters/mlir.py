import numpy as np

from jax._src.array import Primitive
from jax._src.lib.mlir import ir

_dtype_to_ir_type = {np.float32: ir.F32Type.get, np.float64: ir.F64Type.get}
_lowerings = {Primitive(name): lambda ctx: () for name in ("mul", "add", "sin")}
_platform_specific_lowerings = {}


class Context:
    def __init__(self, avals_in, avals_out):
        self.avals_in, self.avals_out = avals_in, avals_out


def _numpy_array_constant(x):
    return x


def register_lowering(primitive, rule):
    _lowerings[primitive] = rule
