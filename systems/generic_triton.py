"""Print a Triton module (.ttir, .ttgir) in generic form.

    PYTHON generic_triton.py SITE FILE

PYTHON is the interpreter that runs the user's Triton, SITE the directory its
package was found in.  The wheels bring no opt tool, but their printer falls
back to the generic form where a module does not verify, and an attribute
without a dialect's prefix is enough for that.
"""
import re
import sys

MARK = "culprit_unverified"


def load_dialects(libtriton, context):
    """Triton's own and those of every backend that is built in."""
    libtriton.ir.load_dialects(context)
    for name in dir(libtriton):
        backend = getattr(libtriton, name)
        if name != "ir" and hasattr(backend, "load_dialects"):
            backend.load_dialects(context)


def generic(path):
    from triton._C import libtriton

    ir = libtriton.ir
    context = ir.context()
    load_dialects(libtriton, context)
    module = ir.parse_mlir_module(path, context)
    module.set_attr(MARK, ir.builder(context).get_int32_attr(0))
    text = str(module)
    mark = rf"{MARK} = 0 : i32"
    return re.sub(rf", {mark}|{mark}, | \{{{mark}\}}", "", text)


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    try:
        print(generic(sys.argv[2]))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
