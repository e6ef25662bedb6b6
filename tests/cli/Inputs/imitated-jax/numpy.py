"""Arrays of one dimension: what the scripts in f64 use of NumPy."""
import contextlib
import math
import struct

MOST = 2**64


class dtype:
    had = {}

    def __new__(cls, name):
        name = getattr(name, "name", name)
        return cls.had.setdefault(name, super().__new__(cls))

    def __init__(self, name):
        self.name = getattr(name, "name", name)


float16, float32, float64, uint64 = map(dtype, ("float16", "float32", "float64", "uint64"))
complex64, complex128, flag = map(dtype, ("complex64", "complex128", "bool"))
CODES = {float16: "e", float32: "f", float64: "d"}
dtype.__call__ = lambda self, x: ndarray([x % MOST], self)


class ndarray:
    def __init__(self, values, dtype=float64):
        self.values, self.dtype = list(values), dtype
        self.size, self.shape = len(self.values), (len(self.values),)

    def astype(self, to):
        code = CODES[to]
        return ndarray([struct.unpack(code, struct.pack(code, x))[0] for x in self.values], to)

    def view(self, to):
        return ndarray([struct.unpack("Q", struct.pack("d", x))[0] for x in self.values], to)

    def reshape(self, shape):
        return self

    def with_(self, other, do, to=None):
        others = other.values if isinstance(other, ndarray) else [other]
        own = self.values
        n = max(len(own), len(others))
        own, others = (x * n if len(x) == 1 else x for x in (own, others))
        values = [do(x, y) for x, y in zip(own, others)]
        to = to or (float64 if any(isinstance(x, float) for x in values) else self.dtype)
        return ndarray([x % MOST for x in values] if to is uint64 else values, to)

    def __invert__(self):
        return ndarray([not x for x in self.values], flag)

    def __neg__(self):
        return ndarray([-x for x in self.values], self.dtype)

    __add__ = __radd__ = lambda self, other: self.with_(other, lambda x, y: x + y)
    __sub__ = lambda self, other: self.with_(other, lambda x, y: x - y)
    __mul__ = __rmul__ = lambda self, other: self.with_(other, lambda x, y: x * y)
    __truediv__ = lambda self, other: self.with_(other, lambda x, y: x / y, float64)
    __xor__ = lambda self, other: self.with_(other, lambda x, y: x ^ y)
    __and__ = lambda self, other: self.with_(other, lambda x, y: x & y)
    __or__ = lambda self, other: self.with_(other, lambda x, y: x | y, flag)
    __rshift__ = lambda self, other: self.with_(other, lambda x, y: x >> y)
    __eq__ = lambda self, other: self.with_(other, lambda x, y: x == y, flag)


def asarray(x):
    return x if isinstance(x, ndarray) else ndarray(x if isinstance(x, list) else [x])


ascontiguousarray = asarray


def isfinite(x):
    return ndarray(map(math.isfinite, x.values), flag)


def where(which, a, b):
    a, b = (x.values for x in (a, b))
    return ndarray([x if w else y for w, x, y in zip(which.values, a, b)])


@contextlib.contextmanager
def errstate(**named):
    yield
