"""Print a StableHLO module in generic form.

    PYTHON generic_jaxlib.py SITE [--split-input-file] FILE

PYTHON is the interpreter that runs the user's JAX; SITE is the directory that
contains the jaxlib package.  With --split-input-file, lines "// -----" separate
the modules of FILE, and modules that do not verify are left out.  Aliases and
resources are kept: local scope would drop the resources.
"""
import importlib
import pkgutil
import re
import sys

SPLIT = "--split-input-file"


def register_dialects(context, ir, libs):
    """Register the dialects of all extension modules; these differ by
    release."""
    registry = ir.DialectRegistry()
    names = [found.name for found in pkgutil.iter_modules(libs.__path__)]
    for name in names:
        if name == "_mlir":  # the core; its register_dialect is a decorator
            continue
        library = importlib.import_module(f"{libs.__name__}.{name}")
        if hasattr(library, "register_dialects"):
            library.register_dialects(registry)
        for name in dir(library):
            if name.startswith("register_") and name.endswith("dialect"):
                getattr(library, name)(context)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()


def generic(data, context, ir):
    module = ir.Module.parse(data, context)
    return module.operation.get_asm(print_generic_op_form=True)


def print_all(path, split):
    from jaxlib.mlir import _mlir_libs as libs
    from jaxlib.mlir import ir

    with ir.Context() as context, open(path, "rb") as file:
        register_dialects(context, ir, libs)
        data = file.read()
        if not split:
            print(generic(data, context, ir))
            return
        for part in re.split(rb"^// -----.*$", data, flags=re.MULTILINE):
            try:
                print(generic(part, context, ir), flush=True)
            except Exception as error:
                print(error, file=sys.stderr)


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    try:
        print_all(sys.argv[-1], SPLIT in sys.argv[2:-1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
