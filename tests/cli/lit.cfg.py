"""lit configuration: lit-22 -sv -D build=BUILD_DIR tests/cli

A test is a file with RUN lines.  What a line can use beside lit's own:
  culprit                                    the program under test
  culprit-worker-mlir, -text               its workers, to apply one mutation
  FileCheck, not, split-file, count          LLVM 22's
  mlir-opt-22, mlir-opt-19                   Debian's
  fake-compiler, fake-opt, fake-tool         tests/fake/
  %full, %inject, %nolock                    tests/fault/{full,inject,nolock}.c, built
  %cli        tests/cli: helpers
Every test has a cache of its own, %t.cache, empty at its start.
"""

import os
import shutil
import subprocess
import sys

config.name = "culprit"
config.suffixes = [".mlir", ".test", ".txt"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

build = os.path.abspath(lit_config.params.get("build", "build"))
config.test_exec_root = os.path.join(build, "tests", "cli")
# lit begins with those that take long: in a build that has run none yet, with
# those of the file `times`.
seen = os.path.join(config.test_exec_root, ".lit_test_times.txt")
if not os.path.exists(seen):
    os.makedirs(config.test_exec_root, exist_ok=True)
    shutil.copy(os.path.join(config.test_source_root, "times"), seen)
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-22")


sys.path.insert(0, os.path.join(config.test_source_root, "Inputs"))
import fresh_test  # noqa: E402

config.test_format = fresh_test.FreshTest(execute_external=True)
config.environment["PATH"] = os.pathsep.join(
    [build, os.path.join(build, "libexec"), os.path.join(build, "fake"), os.path.join(llvm, "bin"),
     # This very Python, not what stands before it (a shim of pyenv takes ten
     # times as long to start).
     os.path.dirname(os.path.realpath(sys.executable)), config.environment["PATH"]]
)
config.environment["LC_ALL"] = "C"
source = os.path.dirname(config.test_source_root)
config.substitutions += [
    # The plain way from arith, func and memref to code that mlir-runner runs.
    ("%{lower}", "--convert-func-to-llvm --convert-vector-to-llvm "
     "--finalize-memref-to-llvm --convert-arith-to-llvm "
     "--reconcile-unrealized-casts"),
    ("%{libs}", f"{llvm}/lib/libmlir_c_runner_utils.so"),
    ("%nolock", os.path.join(build, "fault", "libnolock.so")),
    ("%inject", os.path.join(build, "fault", "libinject.so")),
    ("%full", os.path.join(build, "fault", "libfull.so")),
    ("%planted-text", os.path.join(os.path.dirname(source), "bench", "planted-text")),
    ("%planted", os.path.join(os.path.dirname(source), "bench", "planted")),
    ("%races", os.path.join(os.path.dirname(source), "bench", "races")),
    ("%cli", config.test_source_root),
    ("%build", build),
]
for version in ("16", "19"):
    if shutil.which("mlir-opt-" + version):
        config.available_features.add("mlir-" + version)
# To make a mount namespace: root, where it has not been taken from it.
if os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("private-tmp")
if shutil.which("chromium"):
    config.available_features.add("chromium")
else:
    lit_config.note("skipped: the page in a browser (chromium is not installed)")
if shutil.which("spirv-as") and shutil.which("spirv-val"):
    config.available_features.add("spirv-tools")
else:
    lit_config.note("skipped: SPIR-V assembly (spirv-tools is not installed)")
# What makes kernels: of a toolkit, or what ./bootstrap test has put into the
# build directory.
cuda = [os.environ.get("CUDA_HOME"), os.path.join(build, "cuda-toolkit"), "/usr/local/cuda"]
config.environment["PATH"] += "".join(f"{os.pathsep}{home}/bin" for home in cuda if home)
if cuda[0]:
    config.environment["CUDA_HOME"] = cuda[0]
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
else:
    lit_config.note("skipped: tests under ptxas, which is not installed")
if shutil.which("nvcc", path=config.environment["PATH"]):
    config.available_features.add("nvcc")
else:
    lit_config.note("skipped: tests under nvcc, which is not installed")
if any(os.path.exists(f"{home}/nvvm/libdevice/libdevice.10.bc") for home in cuda if home):
    config.available_features.add("libdevice")
else:
    lit_config.note("skipped: NVIDIA's mathematical functions (no nvvm/libdevice)")
rocm = os.path.join(build, "libexec", "rocm")
if os.path.exists(f"{rocm}/llvm/bin/ld.lld") and os.path.exists(f"{rocm}/amdgcn/bitcode/ocml.bc"):
    config.available_features.add("hsaco")
else:
    lit_config.note("skipped: AMD's code objects (lld-22 or rocm-device-libs is not installed)")
# Other reducers, whose scripts are run under both; without one its test is
# reported as unsupported.
for peer, program in [
    ("mlir-reduce", "mlir-reduce-22"),
    ("llvm-reduce", "llvm-reduce-22"),
    ("creduce", "creduce"),
    ("cvise", "cvise"),
]:
    if shutil.which(program):
        config.available_features.add(peer)
    else:
        lit_config.note(f"skipped: tests under {peer}, which is not installed")
