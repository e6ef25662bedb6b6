"""The tools that bench/opaque-check asks: opt tools, and Python packages."""
import importlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SYSTEMS = Path(__file__).resolve().parent.parent / "systems"
GENERIC = ["--mlir-print-op-generic", "--mlir-print-local-scope",
           "--mlir-print-debuginfo", "--allow-unregistered-dialect"]


LIMIT_S = 20  # for one file: a child that inherits a lock waits for ever


def first_error(text, status):
    """The tool's first message; "" where it has none is a crash."""
    error = re.search(r'error: (?:"[^"]*":\d+:\d+: )?(.*)', text)
    return error.group(1) if error else f"exit status {status}"


def run(words):
    return subprocess.run(words, capture_output=True, text=True,
                          errors="replace", check=False)


class OptTool:
    """mlir-opt, iree-opt ...: reads, verifies and prints."""

    def __init__(self, program):
        self.program, self.name = program, Path(program).name

    def generic(self, file):
        """The generic form of file; None where the tool does not take it."""
        done = run([self.program, *GENERIC, file])
        return done.stdout if done.returncode == 0 else None

    def errors(self, files):
        """None where the tool accepts the file, else its first error."""
        for file in files:
            done = run([self.program, "--allow-unregistered-dialect", file])
            yield None if done.returncode == 0 else first_error(
                done.stderr, done.returncode)


class Package:
    """A Python package that systems/ has a generic_NAME.py for: files are read
    by the interpreter that has it, each in a process of its own."""

    def __init__(self, package, python):
        self.package, self.python = package, python
        self.name = f"{package} of {python}"

    def words(self, *more):
        return [self.python, __file__, self.package, *more]

    def generic(self, file):
        done = run([self.python, SYSTEMS / f"generic_{self.package}.py", "",
                    file])
        return done.stdout if done.returncode == 0 else None

    def errors(self, files):
        lines = run(self.words(*files)).stdout.splitlines()
        if len(lines) != len(files):
            sys.exit(f"{self.name}: asked for {len(files)} files, "
                     f"answered {len(lines)}")
        for line in lines:
            yield None if line == "accepted" else first_error(line, line)


def tool_of(text):
    """PROGRAM, or PACKAGE=PYTHON."""
    package, _, python = text.partition("=")
    return Package(package, python) if python else OptTool(text)


# ---- below, the interpreter that has the package ----

def answer(generic, file):
    """One line about file, from a child: the tool may die of it."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            signal.alarm(LIMIT_S)
            try:
                generic(file)
            except Exception as error:  # pylint: disable=broad-except
                sys.stderr.write(f"{error}\n")
                sys.stderr.flush()
                os._exit(1)  # pylint: disable=protected-access
            os._exit(0)  # pylint: disable=protected-access
        status = os.waitpid(child, 0)[1]
        if status == 0:
            return "accepted"
        said.seek(0)
        text = said.read().decode(errors="replace")
        return f"error: {first_error(text, os.waitstatus_to_exitcode(status))}"


def main():
    sys.path.append(str(SYSTEMS))
    package = importlib.import_module(f"generic_{sys.argv[1]}")
    # Loaded once, before the children; no context yet, hence no thread.
    importlib.import_module({"triton": "triton._C.libtriton",
                             "jaxlib": "jaxlib.mlir._mlir_libs"}.get(
                                 sys.argv[1], sys.argv[1]))
    for file in sys.argv[2:]:
        print(answer(package.generic, file), flush=True)


if __name__ == "__main__":
    main()
