"""Print a Triton module (.ttir, .ttgir) in generic form.

    PYTHON generic_triton.py SITE [--split-input-file] FILE

PYTHON is the interpreter that runs the user's Triton; SITE is the directory
that contains its package.  The wheels contain no opt tool, but their printer
uses the generic form if a module does not verify, and an attribute without the
prefix of a dialect is enough for that.  With --split-input-file, lines
"// -----" separate the modules of FILE, and modules that do not verify are left
out.
"""
import re
import sys
import tempfile

MARK = "culprit_unverified"
SPLIT = "--split-input-file"


def load_dialects(libtriton, context):
    """Load the dialects of Triton and of all backends that it contains."""
    libtriton.ir.load_dialects(context)
    for name in dir(libtriton):
        backend = getattr(libtriton, name)
        if name != "ir" and hasattr(backend, "load_dialects"):
            backend.load_dialects(context)


def generic(path, context, ir):
    module = ir.parse_mlir_module(path, context)
    module.set_attr(MARK, ir.builder(context).get_int32_attr(0))
    text = str(module)
    mark = rf"{MARK} = 0 : i32"
    return re.sub(rf", {mark}|{mark}, | \{{{mark}\}}", "", text)


def print_all(path, split):
    from triton._C import libtriton

    ir = libtriton.ir
    context = ir.context()
    load_dialects(libtriton, context)
    if not split:
        print(generic(path, context, ir))
        return
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^// -----.*$", file.read(), flags=re.MULTILINE)
    for text in parts:
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as part:
            part.write(text)
            part.flush()
            try:
                print(generic(part.name, context, ir), flush=True)
            except Exception as error:
                print(error, file=sys.stderr)


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    try:
        print_all(sys.argv[-1], SPLIT in sys.argv[2:-1])
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")
