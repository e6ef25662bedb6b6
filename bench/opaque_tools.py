"""The tools that bench/opaque-check asks: opt tools, and Python packages."""
import importlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SYSTEMS = Path(__file__).resolve().parent.parent / "systems"
GENERIC = ["--mlir-print-op-generic", "--mlir-print-local-scope",
           "--mlir-print-debuginfo", "--allow-unregistered-dialect"]

LIMIT_S = 20  # for one file: a child that inherits a lock waits for ever
running = set()  # process groups


def first_error(text, status):
    """The tool's first message; "" where it has none is a crash."""
    error = re.search(r'error: (?:"[^"]*":\d+:\d+: )?(.*)', text)
    return error.group(1) if error else f"exit status {status}"


def kill(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def stop(*_):
    """Whoever stops a measurement stops what it started."""
    for group in list(running):
        kill(group)
    os._exit(1)  # pylint: disable=protected-access


def run(words, limit=LIMIT_S):
    """Nothing to read, no stack with names, never longer than the limit, and
    whatever it started has gone when it has."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", start_new_session=True,
                          env={**os.environ,
                               "LLVM_DISABLE_SYMBOLIZATION": "1"}) as process:
        running.add(process.pid)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            kill(process.pid)
            out, err = process.communicate()
        finally:
            kill(process.pid)
            running.discard(process.pid)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


class OptTool:
    """mlir-opt, iree-opt ...: reads, verifies and prints."""

    def __init__(self, program):
        self.program, self.name = program, Path(program).name

    def generics(self, files):
        """The generic form of each; None where the tool does not take it."""
        for file in files:
            done = run([self.program, *GENERIC, file])
            yield done.stdout if done.returncode == 0 else None

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

    def lines(self, what, files):
        """What it says about each file, in one line."""
        words = [self.python, __file__, self.package, what, *files]
        lines = run(words, LIMIT_S * (len(files) + 3)).stdout.splitlines()
        if len(lines) != len(files):
            sys.exit(f"{self.name}: asked for {len(files)} files, "
                     f"answered {len(lines)}")
        return lines

    def generics(self, files):
        for file, line in zip(files, self.lines("print", files)):
            yield printed(file).read_text() if line == "accepted" else None

    def errors(self, files):
        for line in self.lines("check", files):
            yield None if line == "accepted" else first_error(line, line)


def tool_of(text):
    """PROGRAM, or PACKAGE=PYTHON."""
    package, _, python = text.partition("=")
    return Package(package, python) if python else OptTool(text)


def printed(file):
    return Path(f"{file}.generic")


# ---- below, the interpreter that has the package ----

def ask(generic, what, file):
    """In a child of its own."""
    try:
        text = generic(file)
        if what == "print":
            printed(file).write_text(text)
    except Exception as error:  # pylint: disable=broad-except
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(1)  # pylint: disable=protected-access
    os._exit(0)  # pylint: disable=protected-access


def wait(child):
    """Its status.  The deadline is kept here: a lock that is held while
    forking stops the child before it gets to an alarm of its own."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1]


def answer(generic, what, file):
    """One line about file, from a child: the tool may die of it."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            ask(generic, what, file)
        status = wait(child)
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
    for file in sys.argv[3:]:
        print(answer(package.generic, sys.argv[2], file), flush=True)


if __name__ == "__main__":
    main()
