"""Gives every value of the axes in FILE to IREE's tools once.

    culprit --print axes:iree | python iree_axes.py FILE

FILE is a module with main(16x32xf32, 32x64xf32).  Prints what a tool refuses,
and how many values there are; the exit status is 1 if one is refused.  Flags of
iree-compile begin with --iree- or --compile-to, attributes with #; the others
are iree-run-module's.
"""

import os, re, subprocess, sys, tempfile

from axes import values

module = os.path.abspath(sys.argv[1])
os.chdir(tempfile.mkdtemp(dir="."))


def run(*argv):
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace")
    return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr[:400]}"


def demand(*argv):
    if said := run(*argv):
        sys.exit(f"{argv}: {said}")


compile_ = ["iree-compile", module]
cpu = "--iree-hal-target-backends=llvm-cpu"
demand(*compile_, cpu, "-o", "m.vmfb")
demand(*compile_, cpu, "--iree-opt-data-tiling=false", "--compile-to=executable-configurations", "-o", "c.mlir")
configured = open("c.mlir").read()
pipeline = re.compile(r"#iree_cpu\.pipeline<\w+>")
if not pipeline.search(configured):
    sys.exit("no dispatch of the module has a pipeline")


def refusal(name, text):
    if not text:
        return ""
    if text.startswith("#"):
        open("p.mlir", "w").write(pipeline.sub(text, configured))
        return run("iree-opt", "p.mlir", "-o", "p.out")
    if text.startswith(("--iree-", "--compile-to")):
        return run(*compile_, *([cpu] if name != "backend" else []), text, "-o", "x.vmfb")
    device = [] if name == "device" else ["--device=local-task"]
    return run("iree-run-module", "--module=m.vmfb", "--function=main", "--input=16x32xf32=1", "--input=32x64xf32=1", *device, text)


n = refused = 0
known = {}
for name, label, text in values(sys.stdin.read()):
    n += 1
    if text not in known:
        known[text] = refusal(name, text)
    if said := known[text]:
        refused += 1
        print(f"{name}={label}, {text}: {said}")
print(f"{n} values, {refused} refused")
sys.exit(refused > 0)
