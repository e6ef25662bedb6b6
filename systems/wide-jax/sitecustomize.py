"""Loaded (through PYTHONPATH) into the Python of a reference in f64: JAX then
computes in f64 what the program declares in narrower types.

A program's types stay as they are, so that its random numbers, its branches on
types and what it prints of them stay the same.  The types change where JAX
writes a function for the compiler: each float becomes an f64 there, and so do
the numbers that enter from outside, once they are rounded to their own type.
An array of JAX thus has the type that the program knows and a buffer of f64.

CULPRIT_WIDE is a directory, for the file "python", which says that this was
loaded, and the file "digits", which receives the digits of each narrow type that
is found.  CULPRIT_WAY is 0, or the number of a run in
which numbers stray: those that the original rounds are moved by about a
roundoff of their type, as in reducer/engines/jit/widen.c.  Numbers from outside
move if they have more than half of the digits of their type, results if their
type cannot represent them; so whole numbers have no noise.
"""
import dataclasses
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WIDE = os.environ.get("CULPRIT_WIDE", "")
WAY = int(os.environ.get("CULPRIT_WAY") or "0")
DOUBLE_DIGITS = 53

# What rounds its results.  Others move numbers or choose among them.
ROUNDING = """acos acosh add add_any asin asinh atan atan2 atanh bessel_i0e
bessel_i1e cbrt conv_general_dilated convert_element_type cos cosh cumlogsumexp
cumprod cumsum digamma div dot_general erf erf_inv erfc exp exp2 expm1 fft
igamma igammac integer_pow lgamma log log1p logistic mul polygamma pow
reduce_prod reduce_sum reduce_window_sum regularized_incomplete_beta rem rsqrt
scatter-add scatter-mul scatter_add scatter_mul sin sinh sqrt square sub tan
tanh zeta""".split()
# What is in a library, which has one function for each type.
LIBRARY = """cholesky cholesky_update eig eigh geqrf geqp3 hessenberg
householder_product lu qr schur svd symmetric_product triangular_solve
tridiagonal tridiagonal_solve""".split()
# What calls a function that knows the narrow types.
OUTSIDE = "ffi_call io_callback pallas_call pure_callback".split()


def fail(why):
    sys.stderr.write("error: %s\n" % " ".join(str(why).split())[:300])
    sys.stderr.flush()
    os._exit(1)


def note(digits, had=set()):
    if digits not in had:
        had.add(digits)
        with open(os.path.join(WIDE, "digits"), "a") as file:
            file.write("%d\n" % digits)


# ---- the amounts by which numbers stray ----


def mix(values):
    """A hash of a number of 64 bits."""
    values = (values ^ (values >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    return values ^ (values >> 31)


class Strays:
    def __init__(self, numpy):
        self.np = numpy
        self.n = 0

    def draw(self):
        """By how many roundoffs the next operation's result is moved."""
        self.n += 1
        drawn = mix(mix(WAY << 32 | self.n))
        size = 0.5 + (drawn >> 32) / 2.0**33
        return size if drawn & 1 else -size

    def amounts(self, wide):
        """The same for each of these numbers: equal ones move equally."""
        np = self.np
        bits = np.ascontiguousarray(wide).view(np.uint64).reshape(wide.shape)
        bits = bits + np.uint64(WAY * 0x9E3779B97F4A7C15 % 2**64)
        for step in (30, 27):
            bits = bits ^ (bits >> np.uint64(step))
            bits = bits * np.uint64(0xBF58476D1CE4E5B9)
        bits = bits ^ (bits >> np.uint64(31))
        size = 0.5 + (bits >> np.uint64(32)) / 2.0**33
        return np.where(bits & np.uint64(1), size, -size)

    def given(self, values, digits):
        """Numbers from outside, as f64."""
        np = self.np
        wide = values.astype(np.float64)
        if not WAY or wide.size == 0:
            return wide
        with np.errstate(all="ignore"):
            # T. J. Dekker's method (see widen.c) leaves half of the digits.
            scaled = wide * (2.0 ** (DOUBLE_DIGITS - digits // 2) + 1)
            stays = (scaled - (scaled - wide) == wide) | ~np.isfinite(scaled)
            moved = wide * (1 + self.amounts(wide) * 2.0**-digits)
            return np.where(stays, wide, moved)


# ---- JAX ----


class Widening:
    """The JAX that was imported, and its types."""

    def __init__(self):
        import numpy as np
        from jax._src import array, config, dtypes, pjit
        from jax._src.interpreters import mlir
        from jax._src.lax import lax
        from jax._src.lib import xla_client
        from jax._src.lib.mlir import ir
        from jax._src.lib.mlir.dialects import hlo

        self.np, self.array, self.config, self.pjit = np, array, config, pjit
        self.mlir, self.lax, self.ir, self.hlo = mlir, lax, ir, hlo
        self.client = xla_client
        self.strays = Strays(np)
        half = np.dtype(dtypes.bfloat16)
        self.narrow = {np.dtype(np.float32): 24, np.dtype(np.float16): 11,
                       half: 8}
        self.pairs = {np.dtype(np.complex64): 24}
        self.types = mlir._dtype_to_ir_type
        self.own_types = dict(self.types)
        self.wide_types = {}
        for dtype in self.narrow:
            self.wide_types[dtype] = self.maker(dtype)
        for dtype in self.pairs:
            self.wide_types[dtype] = self.maker(dtype)

    def maker(self, dtype):
        def make():
            note(self.digits(dtype))
            f64 = self.ir.F64Type.get()
            return self.ir.ComplexType.get(f64) if dtype in self.pairs else f64

        return make

    def digits(self, dtype):
        return self.narrow.get(dtype) or self.pairs.get(dtype)

    def kind(self, aval, types):
        return self.ir.RankedTensorType.get(aval.shape, types[aval.dtype]())

    def is_wide(self, aval):
        return getattr(aval, "dtype", None) in self.wide_types

    # Numbers from outside.

    def given(self, value, dtype):
        np, strays = self.np, self.strays
        value = np.asarray(value).astype(dtype)
        if dtype in self.narrow:
            return strays.given(value, self.narrow[dtype])
        wide = np.empty(value.shape, np.complex128)
        wide.real = strays.given(value.real, self.pairs[dtype])
        wide.imag = strays.given(value.imag, self.pairs[dtype])
        return wide

    def constants(self, own):
        def make(x, *rest, **named):
            dtype = self.np.asarray(x).dtype
            wide = self.wide_types.get(dtype)
            if wide and self.types[dtype] is wide:
                x = self.given(x, dtype)
            return own(x, *rest, **named)

        return make

    def puts(self, own):
        def put(aval, sharding, xs, *rest, **named):
            if not self.is_wide(aval):
                return own(aval, sharding, xs, *rest, **named)
            note(self.digits(aval.dtype))
            xs = [x if isinstance(x, self.array.ArrayImpl)
                  else self.given(x, aval.dtype) for x in xs]
            if "enable_x64" in named:
                named["enable_x64"] = True
            with self.config.enable_x64(True):
                return own(aval, sharding, xs, *rest, **named)

        return put

    # Results.

    def number(self, kind, value):
        ir = self.ir
        value = ir.FloatAttr.get(ir.F64Type.get(), value)
        return self.hlo.constant(ir.DenseElementsAttr.get_splat(kind, value))

    def rounded(self, value, digits):
        ir = self.ir
        bits = ir.IntegerType.get_signless(32)
        return self.hlo.reduce_precision(value, ir.IntegerAttr.get(bits, 11),
                                         ir.IntegerAttr.get(bits, digits - 1))

    def moved(self, value, digits, least):
        """Moved by about a roundoff, if it has more than the least digits; its
        digits after some select the direction."""
        hlo, compare = self.hlo, self.mlir.compare_hlo
        kind = self.ir.RankedTensorType(value.type)
        if not kind.has_static_shape:
            return value
        share = self.strays.draw() * 2.0**-digits
        sign = self.rounded(value, max(least - 2 * (WAY - 1), 2))
        factor = hlo.select(compare(sign, value, "GT", "FLOAT"),
                            self.number(kind, 1 + share),
                            self.number(kind, 1 - share))
        same = compare(self.rounded(value, least), value, "EQ", "FLOAT")
        return hlo.select(same, value, hlo.multiply(value, factor))

    # Rules, by which a function of JAX becomes one for the compiler.

    def straying(self, rule):
        def strayed(ctx, *args, **params):
            outs = list(rule(ctx, *args, **params))
            for i, aval in enumerate(ctx.avals_out):
                digits = self.narrow.get(getattr(aval, "dtype", None))
                if digits and isinstance(outs[i], self.ir.Value):
                    outs[i] = self.moved(outs[i], digits, digits)
            return outs

        return strayed

    def in_library(self, rule):
        np = self.np

        def wide(aval):
            if not self.is_wide(aval):
                return aval
            pair = aval.dtype in self.pairs
            return aval.update(
                dtype=np.dtype(np.complex128 if pair else np.float64))

        def called(ctx, *args, **params):
            ctx = ctx.replace(avals_in=[wide(a) for a in ctx.avals_in],
                              avals_out=[wide(a) for a in ctx.avals_out])
            return rule(ctx, *args, **params)

        return called

    def outside(self, rule):
        convert = self.hlo.convert

        def called(ctx, *args, **params):
            if params.get("interpret"):  # Pallas, by functions of JAX
                return rule(ctx, *args, **params)
            args = [convert(self.kind(aval, self.own_types), arg)
                    if self.is_wide(aval) else arg
                    for aval, arg in zip(ctx.avals_in, args)]
            known = getattr(ctx.module_context, "aval_to_ir_types_cache", {})
            known.clear()
            try:
                self.types.update(self.own_types)
                outs = list(rule(ctx, *args, **params))
            finally:
                self.types.update(self.wide_types)
                known.clear()
            for i, aval in enumerate(ctx.avals_out):
                if self.is_wide(aval):
                    one = isinstance(outs[i], self.ir.Value)
                    outs[i] = convert(self.kind(aval, self.wide_types),
                                      outs[i] if one else outs[i][0])
            return outs

        return called

    def bits(self, ctx, operand, *, new_dtype):
        """The bits of a number are those of its own type."""
        (aval_in,), (aval_out,) = ctx.avals_in, ctx.avals_out
        if self.is_wide(aval_in):
            operand = self.hlo.convert(self.kind(aval_in, self.own_types),
                                       operand)
        out = self.hlo.bitcast_convert(self.kind(aval_out, self.own_types),
                                       operand)
        if self.is_wide(aval_out):
            out = self.hlo.convert(self.kind(aval_out, self.wide_types), out)
            digits = self.narrow.get(aval_out.dtype)
            if WAY and digits:
                out = self.moved(out, digits, digits // 2)
        return [out]

    def change_rules(self, rules):
        def replace(primitive, wrap):
            entry = rules[primitive]
            if callable(entry):
                rules[primitive] = wrap(entry)
            elif hasattr(entry, "_replace"):
                rules[primitive] = entry._replace(rule=wrap(entry.rule))
            else:
                rules[primitive] = dataclasses.replace(entry,
                                                       rule=wrap(entry.rule))

        for primitive in list(rules):
            name = primitive.name
            if name in LIBRARY:
                replace(primitive, self.in_library)
            elif name in OUTSIDE:
                replace(primitive, self.outside)
            if WAY and (name in ROUNDING or name in LIBRARY):
                replace(primitive, self.straying)

    def change(self):
        mlir, pjit = self.mlir, self.pjit
        names = ("_numpy_array_constant", "_numpy_array_attribute")
        names = [name for name in names if hasattr(mlir, name)]
        if not names:
            raise AttributeError("_numpy_array_constant")
        for name in names:
            setattr(mlir, name, self.constants(getattr(mlir, name)))
        self.client.batched_device_put = self.puts(
            self.client.batched_device_put)
        # The fast path of calls would put numbers on the device as they are.
        if not callable(pjit._get_fastpath_data):
            raise AttributeError("_get_fastpath_data")
        pjit._get_fastpath_data = lambda *args, **named: None
        self.change_rules(mlir._lowerings)
        for rules in mlir._platform_specific_lowerings.values():
            self.change_rules(rules)
        mlir.register_lowering(self.lax.bitcast_convert_type_p, self.bits)
        self.types.update(self.wide_types)
        note(DOUBLE_DIGITS)


# ---- the start of Python ----


class Finder:
    """Changes JAX as soon as it is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "jax":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("jax")
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            try:
                Widening().change()
            except Exception as error:
                fail("JAX %s cannot be changed to f64: %s: %s"
                     % (getattr(module, "__version__", "?"),
                        type(error).__name__, error))

        spec.loader.exec_module = exec_module
        return spec


def report(kind, error, trace, own=sys.excepthook):
    """What the program fails of, as one line."""
    line = str(error).split("\n")[0][:200]
    sys.stderr.write("error: in f64: %s: %s\n" % (kind.__name__, line))
    own(kind, error, trace)


def load_hidden():
    """The module that this one hides."""
    elsewhere = [path for path in sys.path if os.path.abspath(path) != HERE]
    spec = importlib.machinery.PathFinder.find_spec(__name__, elsewhere)
    if spec and spec.loader:
        module = importlib.util.module_from_spec(spec)
        sys.modules[__name__] = module
        spec.loader.exec_module(module)


if WIDE:
    open(os.path.join(WIDE, "python"), "a").close()
    sys.meta_path.insert(0, Finder())
    sys.excepthook = report
load_hidden()
