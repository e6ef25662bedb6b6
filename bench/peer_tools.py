"""The reducers that bench/peers compares: how each is run, and what is counted.

Each peer gets a test in its own contract, its best flags, and one job after the
other the same case.  A run is one start of the test script."""

import os
import re
import shutil
import signal
import subprocess
import time
import tokenize


class Meter:
    """Processor seconds of a process and of all that it starts, by a control group of its own (as root); None where
    none can be made."""

    PLACES = (("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e9), ("/sys/fs/cgroup", "cpu.stat", 1e6))

    def __init__(self):
        self.dir, self.file, self.unit = None, None, 1
        for place, file, unit in self.PLACES:
            path = os.path.join(place, f"culprit-peers-{os.getpid()}")
            try:
                os.mkdir(path)
                if os.path.exists(os.path.join(path, file)):
                    self.dir, self.file, self.unit = path, file, unit
                    return
                os.rmdir(path)
            except OSError:
                pass

    def enter(self):
        """Called in the process, before the program."""
        if self.dir:
            with open(os.path.join(self.dir, "cgroup.procs"), "w", encoding="ascii") as procs:
                procs.write("0")

    def end(self):
        if not self.dir:
            return None
        with open(os.path.join(self.dir, self.file), encoding="ascii") as text:
            words = text.read().split()
        used = float(words[-1] if len(words) == 1 else words[words.index("usage_usec") + 1]) / self.unit
        for _ in range(100):  # what was killed may take a moment to be gone
            try:
                os.rmdir(self.dir)
                break
            except OSError:
                time.sleep(0.05)
        return used


class Outcome:
    """What one tool did with one case; the reduced file is `left`; cpu: None where it cannot be told."""

    def __init__(self, left, runs, seconds, cpu, cut):
        self.left, self.runs, self.seconds, self.cpu, self.cut = left, runs, seconds, cpu, cut


class Job:
    """A case, a folder of its own, and a test whose starts are counted."""

    def __init__(self, case, ending, root, jobs, limit):
        self.case, self.ending, self.root, self.jobs, self.limit = case, ending, root, jobs, limit
        self.input = os.path.join(case, "input." + ending)
        self.log = os.path.join(root, "starts")
        os.makedirs(root)

    def script(self, body):
        """A test: body is shell, $T the test of the case."""
        path = os.path.join(self.root, "counted.sh")
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"#!/bin/sh\necho >>{self.log}\nT={self.case}/test.sh\n{body}\n")
        os.chmod(path, 0o755)
        return path

    def copy(self):
        """The input under its name, in the folder of the job."""
        path = os.path.join(self.root, "input." + self.ending)
        shutil.copyfile(self.input, path)
        return path

    def run(self, command, left):
        """Ended at the limit, as by Ctrl-C: what the tool has left then is its answer."""
        meter, began, cut = Meter(), time.monotonic(), False
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.root,
                              start_new_session=True, preexec_fn=meter.enter) as process:
            try:
                status = process.wait(self.limit)
            except subprocess.TimeoutExpired:
                cut, status = True, 0
                for number in (signal.SIGINT, signal.SIGKILL):
                    try:
                        os.killpg(process.pid, number)
                        process.wait(10)
                        break
                    except (subprocess.TimeoutExpired, ProcessLookupError):
                        pass
        seconds = time.monotonic() - began
        cpu = meter.end()
        if status:
            raise subprocess.CalledProcessError(status, command)
        runs = 0
        if os.path.exists(self.log):
            with open(self.log, encoding="utf-8") as lines:
                runs = len(lines.readlines())
        return Outcome(left, runs, seconds, cpu, cut)


def culprit(job, program):
    left = os.path.join(job.root, "culprit." + job.ending)
    return job.run([program, "reduce", job.input, "-q", "-j", str(job.jobs), "--script", job.script('exec $T "$1"'),
                    "-o", left, "--cache", os.path.join(job.root, "cache")], left)


def llvm_reduce(job, program):
    left = os.path.join(job.root, "left.ll")
    return job.run([program, f"-j={job.jobs}", "--test=" + job.script('exec $T "$1"'), "-o", left, job.input], left)


def spirv_reduce(job, program):
    binary, left = os.path.join(job.root, "input.spv"), os.path.join(job.root, "left.spv")
    subprocess.run(["spirv-as", "--target-env", "spv1.5", job.input, "-o", binary], check=True)
    outcome = job.run([program, binary, "-o", left, "--", job.script('exec $T "$1"')], left)
    if os.path.exists(left):  # its text is what is compared
        outcome.left = left + "asm"
        subprocess.run(["spirv-dis", "--no-header", left, "-o", outcome.left], check=True)
    return outcome


def mlir_reduce(job, program):
    """Interesting is a test that fails.  First the passes that clean up, then the tree; both, for the tree alone
    leaves unused operations and the passes alone are one shot."""
    left = os.path.join(job.root, "left.mlir")
    test = job.script('$T "$1" && exit 1; exit 0')
    return job.run([program, job.input, f"-opt-reduction-pass=opt-pass=canonicalize,cse,symbol-dce test={test}",
                    f"-reduction-tree=traversal-mode=0 test={test}",
                    f"-opt-reduction-pass=opt-pass=canonicalize,cse,symbol-dce test={test}", "-o", left], left)


def cvise(job, program):
    """The test runs where a copy of the input under its name is."""
    left = job.copy()
    name = os.path.basename(left)
    language = [] if job.ending == "c" else ["--not-c"]
    return job.run([program, "--n", str(job.jobs), "--tidy", *language, job.script(f"exec $T {name}"), name], left)


def creduce(job, program):
    left = job.copy()
    name = os.path.basename(left)
    language = [] if job.ending == "c" else ["--not-c"]
    return job.run([program, "--n", str(job.jobs), "--tidy", *language, job.script(f"exec $T {name}"), name], left)


def shrink_ray(job, program):
    """The test reads the candidate from its standard input; tools want a file with the ending."""
    left = os.path.join(job.root, "left." + job.ending)
    test = job.script('d=$(mktemp -d) || exit 2\ntrap \'rm -rf "$d"\' EXIT\n'
                      f'cat >"$d/input.{job.ending}"; $T "$d/input.{job.ending}"')
    return job.run([program, "--parallelism", str(job.jobs), "--timeout", "60", "--target", left, test, job.copy()],
                   left)


def picire(job, program):
    """Lines first, then characters of what is left, each 1-minimal."""
    test, text = job.script('exec $T "$1"'), job.copy()
    outs = [os.path.join(job.root, atom) for atom in ("line", "char")]
    name = os.path.basename(text)
    command = " && ".join(
        f"{program} --quiet --cache content --input {source} --test {test} --atom {atom} --out {out}"
        for atom, source, out in zip(("line", "char"), (text, f"{outs[0]}/{name}"), outs))
    return job.run(["sh", "-c", command], f"{outs[1]}/{name}")


def instructions_of_llvm(path):
    """Of all functions, as lines of what LLVM 22 prints."""
    text = subprocess.run(["opt-22", "-passes=verify", "-S", "-o", "-", path], check=True, capture_output=True,
                          text=True).stdout
    inside, listed, instructions = False, False, 0
    for line in text.splitlines():
        if line.startswith("define "):
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and listed:
            listed = not line.strip().startswith("]")
        elif inside and line.startswith("  ") and not line.strip().startswith((";", "#dbg", "cleanup", "catch ")):
            instructions += not line.startswith("          to label ")
            listed = line.rstrip().endswith("[") and "switch" in line
    return instructions


def instructions_of_spirv(path):
    """All of the module."""
    with open(path, encoding="utf-8") as file:
        return sum(bool(line.strip()) and not line.strip().startswith(";") for line in file)


def operations(path):
    """Of an MLIR module, itself and terminators apart."""
    text = subprocess.run(["mlir-opt-22", "--mlir-print-op-generic", "--mlir-print-local-scope", path], check=True,
                          capture_output=True, text=True).stdout
    names = re.findall(r'^\s*(?:%[\w:, %]+ = )?"([\w.]+)"', text, re.M)
    ends = ("builtin.module", "func.return", "scf.yield", "linalg.yield")
    return sum(name not in ends for name in names)


def tokens_of_c(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return len(re.findall(r'"(?:\\.|[^"\\])*"|\w+|[^\w\s]', text))


def tokens_of_python(path):
    empty = (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER,
             tokenize.COMMENT)
    with open(path, "rb") as file:
        return sum(token.type not in empty for token in tokenize.tokenize(file.readline))


class Language:
    """Inputs of one kind: ending of their names, what is counted, and the peers: name -> (program, how)."""

    def __init__(self, title, ending, unit, count, **peers):
        self.title, self.ending, self.unit, self.count, self.peers = title, ending, unit, count, peers


LANGUAGES = {
    "llvm": Language("LLVM IR", "ll", "instructions", instructions_of_llvm, **{"llvm-reduce 22": ("llvm-reduce-22", llvm_reduce)}),
    "mlir": Language("MLIR", "mlir", "operations", operations, **{"mlir-reduce 22": ("mlir-reduce-22", mlir_reduce),
                                                                "mlir-reduce 19": ("mlir-reduce-19", mlir_reduce)}),
    "spirv": Language("SPIR-V", "spvasm", "instructions", instructions_of_spirv,
                      **{"spirv-reduce": ("spirv-reduce", spirv_reduce)}),
    "c": Language("C", "c", "tokens", tokens_of_c, **{"C-Vise": ("cvise", cvise), "C-Reduce": ("creduce", creduce),
                                                     "Shrink Ray": ("shrinkray", shrink_ray)}),
    "python": Language("Python", "py", "tokens", tokens_of_python, **{
        "C-Vise": ("cvise", cvise), "Shrink Ray": ("shrinkray", shrink_ray), "Picire": ("picire", picire)}),
}
