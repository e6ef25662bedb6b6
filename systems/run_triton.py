#!/usr/bin/env python3
"""Compile or run one file with an installed Triton: no triton-opt, no GPU.

    PYTHON run_triton.py [OPTIONS] FILE

PYTHON is the interpreter of an environment in which Triton is installed.

Passes, of a .ttir, .ttgir or .mlir file; the result is printed:
  --run-reproducer      run the pipeline in FILE's {-# #-} section
  --pass-pipeline=TEXT  run this pipeline: builtin.module(a,b{k=v})
  -o FILE               write the result to FILE instead
Compilation by Triton's own pipeline, of a .ttir, .ttgir, .llir or .ptx file,
or of a .py file with --launch:
  --target=KIND:ARCH    cuda:80 (default: cuda:90), hip:gfx942
  --to=STAGE            print this stage: ttir, ttgir, llir, ptx, amdgcn
A kernel of a .py file, on numpy instead of a device:
  --interpret           run it by TRITON_INTERPRET=1
  --launch='K[GRID](x=512xf32, n=512, BLOCK=128, num_warps=4)'
                        GRID and values are Python; they may use the names of
                        the arguments, cdiv and next_power_of_2.  4x8xf32 is a
                        tensor.
  --inputs=DIR          tensors are read from DIR/NAME.npy where it exists; the
                        others are filled with small integers
  --out=DIR             write each tensor to DIR/NAME.npy after the launch
                        (bf16 as f32), instead of printing its numbers

Exit status: 0 done; 1 Triton failed with a message; 2 usage, or a file, Triton
or a module that FILE imports is missing; 125 this Triton lacks a pass of the
pipeline.  A signal is Triton's own.
"""
import ast
import atexit
import importlib.machinery
import importlib.util
import inspect
import os
import re
import shutil
import sys
import tempfile

USAGE, UNTESTABLE = 2, 125
COMPILED = (".ttir", ".ttgir", ".llir", ".ptx")
OPTIONS = ("run-reproducer", "pass-pipeline=", "target=", "to=", "launch=",
           "interpret", "inputs=", "out=", "help")


class Stop(Exception):
    """Ends the program with a status and a message."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- passes ----------------------------------------------------------------


class Pass:
    """An element of a pipeline: its name with the passes nested in it, and its
    options; "NUMBER." precedes those of a nested pass."""

    def __init__(self, name, options, nested):
        self.name, self.options = name, {}
        if nested:
            self.name += "(%s)" % ",".join(inner.name for inner in nested)
        for key, value in options:
            self.options[key] = value
        for number, inner in enumerate(nested):
            for key, value in inner.options.items():
                self.options["%d.%s" % (number, key)] = value


def split_options(text):
    """The (key, value) pairs of "a=1 b={c=2 d} e"."""
    pairs, depth, word, quote = [], 0, "", ""
    for c in text + " ":
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "{[(":
            depth += 1
        elif c in "}])":
            depth -= 1
        elif c.isspace() and depth == 0:
            if word:
                pairs.append(tuple(word.partition("=")[::2]))
            word = ""
            continue
        word += c
    return pairs


def matching(text, at):
    """The position behind the bracket that closes the one at text[at]."""
    depth, quote = 0, ""
    for i in range(at, len(text)):
        c = text[i]
        if quote:
            quote = "" if c == quote else quote
        elif c in "\"'":
            quote = c
        elif c in "{(":
            depth += 1
        elif c in "})":
            depth -= 1
            if depth == 0:
                return i + 1
    raise Stop(USAGE, "pipeline: a bracket is not closed: %s" % text[at:at + 60])


ANCHORS = ("builtin.module", "any")  # where Triton runs its passes


def parse_pipeline(text):
    """Parse "a, b{k=v}, func.func(c)", also inside of builtin.module(...) or
    any(...)."""
    passes, at = [], 0
    while True:
        name = re.compile(r"[\s,]*([^\s,(){}]*)").match(text, at)
        at = name.end()
        if not name.group(1):
            if at < len(text):
                raise Stop(USAGE, "pipeline: unexpected %r" % text[at:at + 60])
            return passes
        options, nested = [], []
        while at < len(text) and text[at] in "{(":
            end = matching(text, at)
            inside = text[at + 1:end - 1]
            if text[at] == "{":
                options = split_options(inside)
            else:
                nested = parse_pipeline(inside)
            at = end
        if name.group(1) in ANCHORS:
            passes += nested
        else:
            passes.append(Pass(name.group(1), options, nested))


# The values of options that a pipeline leaves out, as in triton-opt;
# libtriton's functions have no defaults.
DEFAULTS = {"num-ctas": "1", "num-stages": "3", "num-warps": "4",
            "threads-per-warp": "32"}


class Builder:
    """A function of libtriton that adds passes to a pass manager.  Calls with
    other values show which argument becomes which option of a pass."""

    VALUES = {"int": (4, 8), "bool": (False, True),
              "str": ("cuda:80", "cuda:90")}

    def __init__(self, name, function, types, make):
        self.name, self.function, self.types = name, function, types
        base = [self.VALUES[kind][0] for kind in types]
        self.passes = make(function, base)
        self.arguments = []  # per argument: {(pass, option)}
        for i, kind in enumerate(types):
            other = list(base)
            other[i] = self.VALUES[kind][1]
            self.arguments.append(self.differing(make(function, other)))

    def differing(self, passes):
        found = set()
        for number, (a, b) in enumerate(zip(self.passes, passes)):
            for key, value in b.options.items():
                if a.options.get(key) != value:
                    found.add((number, key))
        return found

    def matches(self, passes):
        return [p.name for p in self.passes] == [p.name for p in passes]

    def chosen(self, passes):
        """The options that the pipeline leaves out: (pass, option, value)."""
        return [(passes[number].name, key, DEFAULTS.get(
            key, self.passes[number].options.get(key)))
                for places in self.arguments
                if not any(key in passes[number].options
                           for number, key in places)
                for number, key in sorted(places)]

    def values(self, passes):
        """The arguments that give these passes their options."""
        values = []
        for kind, places in zip(self.types, self.arguments):
            value = self.VALUES[kind][0]
            texts = [(number, key, passes[number].options.get(key))
                     for number, key in sorted(places)]
            if all(text is None for _, _, text in texts):
                texts = [(n, key, DEFAULTS.get(key)) for n, key, _ in texts]
            for number, key, text in texts:
                if text is None:
                    continue
                try:
                    value = (text == "true" if kind == "bool" else
                             int(text) if kind == "int" else text)
                except ValueError:
                    raise Stop(USAGE, "pipeline: %s: %s=%s is not a number" % (
                        passes[number].name, key, text)) from None
            values.append(value)
        return values


def types_of(function):
    """The types of each overload's arguments after the pass manager; None for
    types that are not plain."""
    plain = {"int": "int", "typing.SupportsInt": "int", "bool": "bool",
             "str": "str", "typing.SupportsIndex": "int"}
    for line in (function.__doc__ or "").splitlines():
        match = re.match(r"(?:\d+\. )?(\w+)\((.*)\) -> None", line)
        if not match or match.group(1) == "add_":
            continue
        arguments = [a for a in match.group(2).split(", ") if a != "/"][1:]
        kinds = [a.partition(": ")[2].partition(" = ")[0].partition(" | ")[0]
                 for a in arguments]
        if all(kind in plain for kind in kinds):
            yield [plain[kind] for kind in kinds]


def functions_of(module, prefix):
    for name in sorted(dir(module)):
        member = getattr(module, name)
        if name.startswith("add_"):
            yield prefix + name, member
        elif not name.startswith("_") and inspect.ismodule(member):
            yield from functions_of(member, prefix + name + ".")


def load_dialects(libtriton, context):
    """Load the dialects of Triton and of all backends that it contains."""
    libtriton.ir.load_dialects(context)
    for name in dir(libtriton):
        backend = getattr(libtriton, name)
        if name != "ir" and hasattr(backend, "load_dialects"):
            backend.load_dialects(context)


class Passes:
    """The passes of the installed Triton."""

    def __init__(self, libtriton, context):
        self.libtriton, self.context = libtriton, context
        if not hasattr(libtriton.ir.pass_manager, "get_pipeline_str"):
            raise Stop(UNTESTABLE, "%s cannot say which passes it has; use 3.5 "
                       "or later" % version())
        self.builders = []
        for root in dir(libtriton):
            module = getattr(libtriton, root)
            module = getattr(module, "passes", module)
            if inspect.ismodule(module) and not root.startswith("_"):
                for name, function in functions_of(module, root + "."):
                    self.add(name, function)

    def add(self, name, function):
        for types in types_of(function):
            try:
                self.builders.append(
                    Builder(name, function, types, self.make))
            except Exception:
                continue  # it wants values of its own

    def make(self, function, values):
        manager = self.libtriton.ir.pass_manager(self.context)
        function(manager, *values)
        return parse_pipeline(manager.get_pipeline_str())

    def fit(self, builder, passes):
        """How many of the passes' options the builder cannot give."""
        made = self.make(builder.function, builder.values(passes))
        return [(p.name, key, value, made[i].options.get(key))
                for i, p in enumerate(passes)
                for key, value in p.options.items()
                if made[i].options.get(key) != value]

    def choose(self, passes, at):
        """The builder of the passes from passes[at] on that gets the fewest
        options wrong; among equals, the one that makes most passes."""
        best = None
        for builder in self.builders:
            n = len(builder.passes)
            part = passes[at:at + n]
            if n == 0 or not builder.matches(part):
                continue
            unlike = self.fit(builder, part)
            if best is None or (-len(unlike), n) > best[0]:
                best = ((-len(unlike), n), builder, unlike)
        return best

    def manager(self, passes):
        manager, at = self.libtriton.ir.pass_manager(self.context), 0
        while at < len(passes):
            best = self.choose(passes, at)
            if best is None:
                raise Stop(UNTESTABLE, "%s has no pass %s" % (
                    version(), passes[at].name))
            (_, n), builder, unlike = best
            for name, key, value, has in unlike:
                note("%s: %s=%s is %s in %s" % (
                    name, key, value, "unknown" if has is None else has,
                    version()))
            for name, key, value in builder.chosen(passes[at:at + n]):
                note("%s: %s is not given; %s is taken" % (name, key, value))
            builder.function(manager, *builder.values(passes[at:at + n]))
            at += n
        return manager


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError as error:
        raise Stop(USAGE, "%s: %s" % (path, error.strerror)) from None


def unescaped(match):
    """The character that MLIR writes as \\22, \\n or \\\\."""
    code = match.group(1)
    if len(code) == 2:
        return chr(int(code, 16))
    return {"n": "\n", "t": "\t"}.get(code, code)


def section_pipeline(path, text):
    match = re.search(r'pipeline:\s*("(?:[^"\\]|\\.)*")', text)
    if "mlir_reproducer" not in text or not match:
        raise Stop(USAGE, "%s has no {-# mlir_reproducer #-} section; give "
                   "--pass-pipeline" % path)
    return re.sub(r'\\([0-9A-Fa-f]{2}|.)', unescaped, match.group(1)[1:-1])


def run_passes(options, path):
    from triton._C import libtriton

    context = libtriton.ir.context()
    load_dialects(libtriton, context)
    available = Passes(libtriton, context)
    text = read(path)
    pipeline = options.get("pass-pipeline")
    if pipeline is None:
        pipeline = section_pipeline(path, text)
    manager = available.manager(parse_pipeline(pipeline))
    module = libtriton.ir.parse_mlir_module(path, context)
    module.context = context
    if hasattr(manager, "enable_debug"):
        manager.enable_debug()
    names = ("run_triton",) if "arg1" in (manager.run.__doc__ or "") else ()
    manager.run(module, *names)  # from 3.6 on: a name for its reproducer
    if options.get("o", "-") == "-":
        print(module)
    else:
        with open(options["o"], "w", encoding="utf-8") as file:
            print(module, file=file)


# ---- launches --------------------------------------------------------------

NAMES = {"f16": "fp16", "f32": "fp32", "f64": "fp64", "bf16": "bf16",
         "i1": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64",
         "ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64"}


class Tensor:
    """A tensor argument: its shape, and its type in MLIR's words."""

    def __init__(self, text):
        *shape, self.type = text.split("x")
        self.shape = tuple(int(size) for size in shape)


class Launch:
    """K[GRID](ARGUMENTS), read as Python in which a type is a tensor."""

    def __init__(self, text):
        types = "|".join(sorted(NAMES, key=len, reverse=True))
        source = re.sub(r"(?<![\w\"'.])((?:\d+x)+(?:%s))(?!\w)" % types,
                        r'tensor("\1")', text)
        try:
            call = ast.parse(source.strip(), mode="eval").body
        except SyntaxError as error:
            raise Stop(USAGE, "--launch: %s: %s" % (error.msg, text)) from None
        if not (isinstance(call, ast.Call) and
                isinstance(call.func, ast.Subscript) and
                isinstance(call.func.value, ast.Name)):
            raise Stop(USAGE, "--launch: %s is not KERNEL[GRID](ARGUMENTS)" %
                       text)
        self.kernel, self.text = call.func.value.id, text
        self.grid_source, self.call = call.func.slice, call
        self.arguments, self.options = {}, {}

    def evaluate(self, node, names):
        try:
            return eval(compile(ast.Expression(node), "--launch", "eval"),
                        {**HELPERS, **names})
        except Exception as error:
            raise Stop(USAGE, "--launch: %s: %s" % (
                ast.unparse(node), error)) from None

    def bind(self, parameters):
        """Name the arguments as the kernel's parameters; the rest are options
        of the launch."""
        if len(self.call.args) > len(parameters):
            raise Stop(USAGE, "--launch: %s has %d parameters, not %d" % (
                self.kernel, len(parameters), len(self.call.args)))
        given = list(zip(parameters, self.call.args))
        given += [(word.arg, word.value) for word in self.call.keywords]
        names = [name for name, _ in given]
        if None in names or any(isinstance(node, ast.Starred)
                                for _, node in given):
            raise Stop(USAGE, "--launch: * and ** give no arguments here")
        for name in names:
            if names.count(name) > 1:
                raise Stop(USAGE, "--launch: %s is given twice" % name)
        for name, node in given:
            value = self.evaluate(node, self.arguments)
            place = self.arguments if name in parameters else self.options
            place[name] = value
        for name, parameter in parameters.items():
            if parameter.default is not inspect.Parameter.empty:
                self.arguments.setdefault(name, parameter.default)
        self.arguments = {name: self.arguments[name] for name in parameters
                          if name in self.arguments}
        self.grid = self.evaluate(self.grid_source, self.arguments)
        self.grid = self.grid if isinstance(self.grid, tuple) else (self.grid,)
        missing = [name for name in parameters if name not in self.arguments]
        if missing:
            raise Stop(USAGE, "--launch: %s needs %s" % (
                self.kernel, ", ".join(missing)))


HELPERS = {"tensor": Tensor, "cdiv": lambda a, b: -(-a // b),
           "next_power_of_2": lambda n: 1 << max(n - 1, 0).bit_length()}


class Loader(importlib.machinery.SourceFileLoader):
    """Does not use __pycache__ beside FILE: an entry remains valid for a
    changed FILE of the same size and second."""

    def path_stats(self, path):
        raise OSError("no bytecode")


def load_kernel(path, launch):
    """Load the kernel, and bind the launch to its parameters.  A module that
    the file imports may be missing: only its own launch needs torch."""
    read(path)  # is it there?
    loader = Loader("subject", path)
    spec = importlib.util.spec_from_loader("subject", loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules["subject"] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    try:
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        raise Stop(USAGE, "%s imports %s, which %s does not have: install it "
                   "there, or move the import to where the launch is (below if "
                   "__name__ == \"__main__\")" % (
                       path, error.name, sys.executable)) from None
    kernel = getattr(module, launch.kernel, None)
    if kernel is None or not hasattr(kernel, "arg_names"):
        raise Stop(USAGE, "%s defines no @triton.jit function %s" % (
            path, launch.kernel))
    while hasattr(kernel, "fn") and not inspect.isfunction(kernel.fn):
        kernel = kernel.fn  # autotuned
    launch.bind(inspect.signature(kernel.fn).parameters)
    return kernel


def is_constexpr(kernel, name):
    return "constexpr" in str(inspect.get_annotations(kernel.fn).get(name))


def type_of(value):
    if isinstance(value, Tensor):
        return "*" + NAMES[value.type]
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -2**31 <= value < 2**31 else "i64"
    if isinstance(value, float):
        return "fp32"
    raise Stop(USAGE, "--launch: %r is neither a tensor nor a number" % (value,))


def source_of(kernel, launch):
    """The source for triton.compile(), whose arguments differ by release."""
    from triton.compiler import ASTSource

    constants = {n: v for n, v in launch.arguments.items()
                 if v is None or is_constexpr(kernel, n)}
    if "constexprs" in inspect.signature(ASTSource.__init__).parameters:
        signature = {n: "constexpr" if n in constants else
                     type_of(launch.arguments[n]) for n in kernel.arg_names}
        return ASTSource(fn=kernel, signature=signature, constexprs=constants)
    signature = {i: type_of(launch.arguments[n])
                 for i, n in enumerate(kernel.arg_names) if n not in constants}
    return ASTSource(fn=kernel, signature=signature, constants={
        kernel.arg_names.index(n): v for n, v in constants.items()})


def target_of(text):
    from triton.backends.compiler import GPUTarget

    kind, _, arch = text.partition(":")
    if kind == "cuda" and arch.isdigit():
        return GPUTarget("cuda", int(arch), 32)
    if kind == "hip" and arch:
        return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)
    raise Stop(USAGE, "--target=%s is none: cuda:90, hip:gfx942" % text)


def compile_file(options, path):
    import triton
    import triton.compiler

    launch = Launch(options["launch"]) if "launch" in options else None
    target = target_of(options.get("target", "cuda:90"))
    if path.endswith(".py"):
        if launch is None:
            raise Stop(USAGE, "a .py file needs --launch='KERNEL[GRID](...)'")
        kernel = load_kernel(path, launch)
        source, more = source_of(kernel, launch), launch.options
    elif path.endswith(COMPILED):
        source, more = path, {}
    else:
        raise Stop(USAGE, "%s: compiled are %s and .py; --pass-pipeline runs "
                   "passes" % (path, ", ".join(COMPILED)))
    read(path)  # is it there?
    made = triton.compile(source, target=target, options=more)
    stage = options.get("to")
    if stage is None:
        return
    if stage not in made.asm:
        raise Stop(USAGE, "--to=%s: the stages are %s" % (
            stage, ", ".join(made.asm)))
    text = made.asm[stage]
    print(text if isinstance(text, str) else "%d bytes" % len(text))


# ---- kernels on numpy ------------------------------------------------------


class Storage:
    """The memory of an array, with the methods of torch that Triton's
    interpreter calls."""

    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def cpu(self):
        return Storage(self.array.copy())

    def copy_(self, other):
        self.array[...] = other.array


class Array:
    """A numpy array with the methods of a torch tensor that the interpreter
    calls."""

    def __init__(self, storage, dtype, shape):
        self.storage, self.dtype, self.shape = storage, dtype, shape

    def data_ptr(self):
        return self.storage.data_ptr()

    def untyped_storage(self):
        return self.storage

    def new_empty(self, _, device=None):
        return Array(None, self.dtype, ())

    def set_(self, storage, _offset, size, _stride):
        self.storage, self.shape = storage, size
        return self

    def storage_offset(self):
        return 0

    def size(self):
        return self.shape

    def stride(self):
        strides, step = [], 1
        for size in reversed(self.shape):
            strides.insert(0, step)
            step *= size
        return tuple(strides)

    def element_size(self):
        return self.storage.array.itemsize


def numpy_type(kind, np):
    if kind == "bf16":
        return np.uint16
    if kind == "i1":
        return np.bool_
    letters = re.match(r"(ui|i|f)(\d+)", kind)
    return np.dtype("%s%d" % ({"ui": "u", "i": "i", "f": "f"}[
        letters.group(1)], int(letters.group(2)) // 8))


def to_bf16(array, np):
    """Round to nearest, ties to even; NaN stays NaN."""
    bits = array.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(array), 0x7fc0, rounded).astype(np.uint16)


def from_bf16(array, np):
    return (array.astype(np.uint32) << 16).view(np.float32)


def filled(number, tensor, np):
    """Small integers that depend on the argument and the index alone."""
    count = 1
    for size in tensor.shape:
        count *= size
    values = (np.arange(count, dtype=np.int64) * 7 + number * 3) % 9
    low = tensor.type.startswith("ui") or tensor.type == "i1"
    return (values if low else values - 4).reshape(tensor.shape)


def array_of(name, number, tensor, directory, np):
    path = os.path.join(directory, name + ".npy") if directory else None
    if path and os.path.exists(path):
        values = np.load(path)
        if values.shape != tensor.shape:
            raise Stop(USAGE, "%s has the shape %s, --launch says %s" % (
                path, values.shape, tensor.shape))
    else:
        values = filled(number, tensor, np)
    if tensor.type == "i1":
        values = values % 2 != 0
    values = (to_bf16(values, np) if tensor.type == "bf16" else
              values.astype(numpy_type(tensor.type, np)))
    words = {"bf16": "bfloat16", "i1": "bool"}
    return Array(Storage(np.ascontiguousarray(values)),
                 words.get(tensor.type, values.dtype.name), tensor.shape)


def text_of(values, np):
    if values.dtype.kind == "f":
        return " ".join("%.17g" % v if values.dtype.itemsize == 8
                        else "%.9g" % v for v in values.reshape(-1))
    return " ".join(str(int(v)) for v in values.reshape(-1))


def write_tensors(arrays, types, directory, np):
    for name, array in arrays.items():
        values = array.storage.array
        kind = types[name]
        if kind == "bf16":
            values, kind = from_bf16(values, np), "f32"
        if directory:
            np.save(os.path.join(directory, name + ".npy"), values)
        else:
            print("%s: %sx%s=%s" % (name, "x".join(map(str, array.shape)), kind,
                                    text_of(values, np)))


def interpret(options, path):
    try:
        import numpy as np
    except ModuleNotFoundError:
        raise Stop(USAGE, "Triton's interpreter needs numpy: %s -m pip install "
                   "numpy" % sys.executable) from None
    if "launch" not in options:
        raise Stop(USAGE, "--interpret needs --launch='KERNEL[GRID](...)'")
    os.environ["TRITON_INTERPRET"] = "1"
    import triton  # noqa: F401  (after the variable)
    launch = Launch(options["launch"])
    kernel = load_kernel(path, launch)
    if "inputs" in options and not os.path.isdir(options["inputs"]):
        raise Stop(USAGE, "--inputs=%s is not a directory" % options["inputs"])
    arrays = {}
    for number, (name, value) in enumerate(launch.arguments.items()):
        if isinstance(value, Tensor):
            arrays[name] = array_of(name, number, value, options.get("inputs"),
                                    np)
    kernel[launch.grid](**{**launch.arguments, **arrays}, **launch.options)
    if options.get("out"):
        os.makedirs(options["out"], exist_ok=True)
    write_tensors(arrays, {n: launch.arguments[n].type for n in arrays},
                  options.get("out"), np)


# ---- the program -----------------------------------------------------------


def version():
    import importlib.metadata
    try:
        return "triton " + importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        return "this Triton"


def note(text):
    print("run_triton.py: " + text, file=sys.stderr)


def parse(words):
    options, files, rest = {}, [], list(words)
    while rest:
        word = rest.pop(0)
        if word == "-o":
            if not rest:
                raise Stop(USAGE, "-o needs a FILE")
            options["o"] = rest.pop(0)
            continue
        if not word.startswith("-"):
            files.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not equals and name + "=" in OPTIONS and rest:
            equals, value = "=", rest.pop(0)
        if name + equals not in OPTIONS:
            raise Stop(USAGE, "%s is not an option; --help lists them" % word)
        options[name] = value
    if "help" not in options and len(files) != 1:
        raise Stop(USAGE, "give one FILE, not %d; --help" % len(files))
    return options, (files or [""])[0]


def own_cache():
    """Disable Triton's cache, which would skip the compilation of a known
    file."""
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    if "TRITON_CACHE_DIR" not in os.environ:
        directory = tempfile.mkdtemp(prefix="run-triton-")
        owner = os.getpid()
        os.environ["TRITON_CACHE_DIR"] = directory
        atexit.register(lambda: os.getpid() == owner and
                        shutil.rmtree(directory, ignore_errors=True))


BY_MODE = {"passes": ("run-reproducer", "pass-pipeline", "o"),
           "interpret": ("interpret", "launch", "inputs", "out"),
           "compile": ("target", "to", "launch")}


def mode_of(options):
    if "run-reproducer" in options or "pass-pipeline" in options:
        return "passes"
    return "interpret" if "interpret" in options else "compile"


def check(options):
    """Refuse wrong options, so that they do not look like a failure of Triton.
    FILE is checked later, because culprit starts Triton once up to that
    point."""
    for name in options:
        if name not in BY_MODE[mode_of(options)]:
            raise Stop(USAGE, "%s%s does not go with %s" % (
                "-" if name == "o" else "--", name, {
                    "passes": "--run-reproducer and --pass-pipeline",
                    "interpret": "--interpret",
                    "compile": "a compilation"}[mode_of(options)]))
    if importlib.util.find_spec("triton") is None:
        raise Stop(USAGE, "%s has no triton; run this script by the Python of "
                   "an environment that has it" % sys.executable)


def main(words):
    options, path = parse(words)
    if "help" in options:
        print(__doc__.strip())
        return
    check(options)
    if mode_of(options) != "passes":  # a crash would leave its directory
        own_cache()
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
    run = {"passes": run_passes, "interpret": interpret,
           "compile": compile_file}
    run[mode_of(options)](options, path)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Stop as stop:
        note(str(stop))
        sys.exit(stop.status)
