"""Arrays of one dimension, computed one operation at a time: each is "lowered"
to a type, in which it is computed."""
import math
import struct

import numpy as np

from jax._src import array, lib
from jax._src.interpreters import mlir

__version__ = "0.0.1"


def asarray(values):
    if isinstance(values, array.ArrayImpl):
        return values
    aval = array.Aval(np.float32)
    return lib.xla_client.batched_device_put(aval, None, [values], [None])


def apply(name, do, *given):
    context = mlir.Context([array.Aval(np.float32)] * len(given), [array.Aval(np.float32)])
    rule = mlir._lowerings[array.Primitive(name)]
    code = str(mlir._dtype_to_ir_type[np.float32]())
    code = {"f32": "f", "f64": "d"}[code]
    columns = [asarray(x).values for x in given]
    n = max(map(len, columns))
    columns = [x * n if len(x) == 1 else x for x in columns]
    exact = [struct.unpack(code, struct.pack(code, do(*x)))[0] for x in zip(*columns)]
    return array.ArrayImpl(exact)


array.ArrayImpl.__mul__ = lambda a, b: apply("mul", lambda x, y: x * y, a, b)
array.ArrayImpl.__add__ = lambda a, b: apply("add", lambda x, y: x + y, a, b)


def sin(x):
    return apply("sin", math.sin, x)
