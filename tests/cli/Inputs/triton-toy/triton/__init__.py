"""What run_triton.py uses of Triton, small enough to read: kernels are Python
functions, a compilation prints what it was asked for."""
import inspect
import os

__version__ = "0.1"


class JITFunction:
    def __init__(self, fn):
        self.fn = fn
        self.arg_names = list(inspect.signature(fn).parameters)

    def __getitem__(self, grid):
        assert os.environ["TRITON_INTERPRET"] == "1"
        return lambda **arguments: [self.fn(program, **arguments) for program in range(grid[0])]


def jit(fn):
    return JITFunction(fn)


class Compiled:
    def __init__(self, asm):
        self.asm = asm


def compile(source, target, options):
    """Fails where a warp has less than one element of a BLOCK of 32."""
    if isinstance(source, str):
        return Compiled({"ttir": open(source).read(), "cubin": b"1234"})
    warps = options.get("num_warps", 4)
    if source.constexprs.get("BLOCK", 1024) < 32 * warps:
        raise SystemExit("toy.cpp:9: void layout(): Assertion `elementsPerWarp > 0' failed.")
    return Compiled({"ttir": f"{source.signature} {source.constexprs} {target.backend}:{target.arch} {options}"})
