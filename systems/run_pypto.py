#!/usr/bin/env python3
"""Run the IR of each pass of a pypto build on the CPU, and keep its values.

    PYTHON run_pypto.py BUILD --out=DIR [OPTIONS]

PYTHON is the interpreter of an environment in which pypto and torch are
installed; no device is needed.  BUILD is a build_output/NAME, or its
passes_dump.  pypto.debug.torch_codegen translates each snapshot of the IR
(00_frontend.py, NN_after_PASS.py) to a program, which is run.  For each tensor
that has a name in the IR when the entry function returns, or when a function
that is called once returns, it writes DIR/NN_after_PASS/NAME.npy; for the
results, return.npy or return_0.npy, ...  If a snapshot cannot be run, the file
ERROR has the reason.  `culprit compare DIR GOLDEN` finds the first pass after
which one of them differs.

  --inputs=DIR        arguments by name: DIR/NAME.pt or NAME.npy (default:
                      BUILD/data/in).  Tensors without a file are zeros, with
                      the shape that the first snapshot declares
  --set NAME=VALUE    a scalar argument, or a dimension that is a name
  --only=REGEX        keep only values whose names match, for large programs

Exit status: 0 done; 1 no snapshot could be run; 2 usage, or pypto, torch or a
file is missing.
"""
import ast
import getopt
import os
import re
import struct
import sys
import threading

SNAPSHOT = re.compile(r"\d{2,}_.+\.py$")
# Versions of a name: x__ssa_v0, x_inline3__rv_v1, formerly x_0.
VERSION = re.compile(
    r"(_inline\d+)*(__\w+|_[a-z]+_v\d+(_\d+)?|_\d+)?$")
# The numbers of pypto's types, as torch and npy (without: written as f32) call
# them.
TYPES = {"fp16": ("float16", "<f2"), "fp32": ("float32", "<f4"),
         "fp64": ("float64", "<f8"), "bfloat16": ("bfloat16", None),
         "int8": ("int8", "|i1"), "int16": ("int16", "<i2"),
         "int32": ("int32", "<i4"), "int64": ("int64", "<i8"),
         "uint8": ("uint8", "|u1"), "bool": ("bool", "|b1"),
         "index": ("int64", "<i8")}


class Stop(Exception):
    """Ends the program with status 2 and a message."""


# ---- arguments -------------------------------------------------------------


def base_of(name):
    """The name without the suffixes that passes append."""
    return name[:VERSION.search(name).start()] or name


def files_of(directory):
    """The files of a directory of tensors, by name."""
    found = {}
    if os.path.isdir(directory):
        for name in sorted(os.listdir(directory)):
            stem, ending = os.path.splitext(name)
            if ending in (".pt", ".npy"):
                found[stem] = os.path.join(directory, name)
    return found


class Arguments:
    """The arguments of entry functions, by name."""

    def __init__(self, torch, directory, scalars):
        self.torch, self.scalars = torch, scalars
        self.files = files_of(directory)
        self.zeros = {}

    def tensor(self, name):
        """The tensor of the name's file; None: there is none."""
        path = self.files.get(name) or self.files.get(base_of(name))
        if not path:
            return None
        if path.endswith(".pt"):
            return self.torch.load(path, weights_only=True)
        import numpy
        return self.torch.from_numpy(numpy.load(path))

    def scalar(self, name):
        for key in (name, base_of(name)):
            if key in self.scalars:
                return self.scalars[key]
        raise ValueError("argument %s: no value; --set %s=VALUE gives one"
                         % (name, base_of(name)))

    def dimension(self, name, dim):
        value = getattr(dim, "value", dim)
        if isinstance(value, int):
            return value
        return int(self.scalar(getattr(dim, "name_hint", "") or str(dim)))

    def of(self, parameter):
        """The argument for a parameter of the IR, new for each run."""
        name, kind = parameter.name_hint, parameter.type
        shape = getattr(kind, "shape", None)
        if shape is None:
            return self.scalar(name)
        found = self.tensor(name)
        if found is not None:
            return found.clone()
        base = base_of(name)
        if base not in self.zeros:
            known = TYPES.get(str(kind.dtype))
            if not known:
                raise ValueError("argument %s: zeros of type %s cannot be made;"
                                 " --inputs gives it" % (name, kind.dtype))
            self.zeros[base] = ([self.dimension(name, dim) for dim in shape],
                                getattr(self.torch, known[0]))
        shape, dtype = self.zeros[base]
        return self.torch.zeros(shape, dtype=dtype)


# ---- one snapshot ----------------------------------------------------------


class Values:
    """The tensors in local variables of a generated module's functions."""

    def __init__(self, torch, file, entry, names):
        self.torch, self.file, self.entry = torch, file, entry
        self.names = names
        self.calls, self.found = {}, {}

    def __call__(self, frame, event, result):
        """Called by sys.setprofile: keep the tensors if a function returns."""
        code = frame.f_code
        if event != "return" or code.co_filename != self.file or \
                code.co_name not in self.names:
            return
        self.calls[code.co_name] = self.calls.get(code.co_name, 0) + 1
        values = {}
        if self.calls[code.co_name] == 1:
            for name, value in frame.f_locals.items():
                if isinstance(value, self.torch.Tensor):
                    values[name] = value.clone()
        if code.co_name == self.entry:
            several = isinstance(result, (tuple, list))
            for i, value in enumerate(result if several else [result]):
                if isinstance(value, self.torch.Tensor):
                    values["return_%d" % i if several else "return"] = \
                        value.clone()
        self.found[code.co_name] = values

    def all(self):
        """The tensors by name; those of the entry function take precedence."""
        out = {}
        for name in sorted(self.found, key=lambda name: name != self.entry):
            for key, value in self.found[name].items():
                out.setdefault(key, value)
        return out


def entry_of(parsed):
    """The functions of a parsed snapshot, and the one that is called."""
    functions = getattr(parsed, "functions", None)
    if functions is None:
        return [parsed], parsed
    functions = list(functions.values())
    if len(functions) == 1:
        return functions, functions[0]
    for function in functions:
        if "Orchestration" in str(function.func_type):
            return functions, function
    raise ValueError("%d functions, and none is the orchestration"
                     % len(functions))


def run(path, torch, arguments):
    """The values of a snapshot, by name."""
    import pypto.language
    from pypto.debug import torch_codegen

    # The function may be in a module of the same name.
    torch_codegen = getattr(torch_codegen, "torch_codegen", torch_codegen)
    parsed = pypto.language.loads(path)
    functions, entry = entry_of(parsed)
    space = {}
    exec(compile(torch_codegen(parsed), path, "exec"), space)
    given = [arguments.of(parameter) for parameter in entry.params]
    values = Values(torch, path, entry.name,
                    {function.name for function in functions})
    threading.setprofile(values)
    sys.setprofile(values)
    try:
        space[entry.name](*given)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return values.all()


# ---- files -----------------------------------------------------------------


def write_npy(path, value, torch):
    """The tensor as npy; types that npy lacks become f32."""
    kinds = {getattr(torch, name): code
             for name, code in TYPES.values() if hasattr(torch, name)}
    value = value.detach().cpu().contiguous()
    code = kinds.get(value.dtype)
    if not code:
        value, code = value.to(torch.float32), "<f4"
    shape = ", ".join("%d" % n for n in value.shape)
    shape += "," if len(value.shape) == 1 else ""
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" \
        % (code, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)))
        file.write(head.encode())
        file.write(value.numpy().tobytes())


def write_values(directory, values, torch, only):
    os.makedirs(directory)
    names = [name for name in values if only.search(name)]
    for name in names:
        write_npy(os.path.join(directory, name + ".npy"), values[name], torch)
    if not names:
        write_error(directory, "it contains no tensor of such a name")


def write_error(directory, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, "ERROR"), "w") as file:
        file.write(text + "\n")


# ---- the whole -------------------------------------------------------------


def snapshots_of(build):
    """The directory of the snapshots, and their names in order."""
    for directory in (os.path.join(build, "passes_dump"), build):
        if os.path.isfile(os.path.join(directory, "00_frontend.py")):
            names = [name for name in os.listdir(directory)
                     if SNAPSHOT.match(name)]
            return directory, sorted(
                names, key=lambda name: (int(name.split("_")[0]), name))
    raise Stop("%s: no passes_dump/00_frontend.py; compile with "
               "dump_passes=True" % build)


def scalar_of(text):
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise Stop("--set %s: give NAME=VALUE" % text)
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        raise Stop("--set %s: %s is not a number" % (text, value)) from None


def import_torch():
    try:
        import pypto.debug  # noqa: F401
        import torch
    except ImportError as error:
        raise Stop("%s has no %s; run this by the Python that has pypto"
                   % (sys.executable, error.name)) from None
    return torch


def run_all(build, out, inputs, scalars, only):
    """The number of snapshots that ran, and of all."""
    directory, names = snapshots_of(build)
    if os.path.exists(out):
        raise Stop("%s: it exists; --out names a new directory" % out)
    torch = import_torch()
    arguments = Arguments(torch, inputs or os.path.join(
        os.path.dirname(os.path.abspath(directory)), "data", "in"), scalars)
    ran = 0
    for name in names:
        target = os.path.join(out, name[:-len(".py")])
        try:
            values = run(os.path.join(directory, name), torch, arguments)
        except Exception as error:  # of pypto or the generated code
            text = "%s: %s" % (type(error).__name__,
                               " ".join(str(error).split())[:400])
            write_error(target, text)
            print("%s: %s" % (name, text), file=sys.stderr)
            continue
        write_values(target, values, torch, only)
        ran += 1
    return ran, len(names)


def main(words):
    try:
        options, rest = getopt.gnu_getopt(
            words, "", ["out=", "inputs=", "set=", "only=", "help"])
        given = dict(options)
        if "--help" in given:
            print(__doc__.strip())
            return 0
        if len(rest) != 1 or "--out" not in given:
            raise Stop("give one BUILD and --out=DIR; --help says more")
        scalars = dict(scalar_of(value) for key, value in options
                       if key == "--set")
        only = re.compile(given.get("--only", ""))
        ran, all_of_them = run_all(rest[0], given["--out"],
                                   given.get("--inputs"), scalars, only)
    except (Stop, getopt.GetoptError, re.error) as error:
        print("run_pypto.py: %s" % error, file=sys.stderr)
        return 2
    print("%d of %d snapshots ran: %s" % (ran, all_of_them, given["--out"]))
    return 0 if ran else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
