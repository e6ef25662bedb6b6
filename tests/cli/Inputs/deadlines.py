"""deadlines.py FOLDER [--more] JOB...: whichever run of a job it is that hangs, the job
ends within --max-time and 5 s, and within 4 s of an interrupt; with the status
that is documented, without a process left, and with the best so far kept.

Each job runs once undisturbed, which counts the runs of its tools.  Then it runs
again and again, and from the N-th run on everything hangs, ignores all signals,
and has left a daemon.  --more: from more places on, and by more signals."""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import history

MAX_TIME, GRACE, SOON = 2, 5, 4
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a job leaves becomes ours

GATE = r"""
echo x >>"$STATE/runs"
if [ "$(wc -l <"$STATE/runs")" -ge "${HANG:-1000000}" ]; then
  trap '' TERM INT HUP QUIT
  setsid sleep 1000 &
  echo x >>"$STATE/hangs"
  while :; do sleep 1000; done
fi
"""

TOOLS = {
    "four": r"""for last; do :; done
grep -q four "$last" || exit 0
echo 'error: the number four' >&2
exit 1""",
    "script": r"""for last; do :; done
grep -q four "$last" """,
    "numbers": r"""for last; do :; done
grep -q four "$last" && echo 'result: 1.5 2.5' || echo 'result: 1.0 2.5'""",
    "reference": r"""echo 'result: 1.0 2.5'""",
    "chance": r"""for last; do :; done
grep -q four "$last" || { echo 'result: 1.0'; exit 0; }
echo "result: $(wc -l <"$STATE/runs").5" """,
    "flags": r"""a= b= c=
for x; do case $x in --a) a=1 ;; --b=2) b=1 ;; --c) c=1 ;; esac; done
[ "$a$b" = 11 ] || [ "$c" ] || exit 0
echo 'error: bad tile' >&2
exit 1""",
    "lowered": r"""grep -q b "$1" || exit 0
echo 'error: a b in it' >&2
exit 1""",
    "limit": r"""n=${1#--limit=}
[ "$n" -ge 6 ] || exit 0
echo 'error: bad tile' >&2
exit 1""",
    "version": r"""[ "${1#--version=}" -ge 4 ] || exit 0
echo 'error: bad tile' >&2
exit 1""",
    "grid": r"""[ "$1$2" = --x=2--y=2 ] || exit 0
echo 'error: bad tile' >&2
exit 1""",
    "opt": r"""exec fake-opt "$@" """,
    "mlir": r"""exec mlir-opt-22 "$@" """,
    "right": r"""exec bash -o pipefail -c "mlir-opt-22 $LOWER $1 | $RUNNER" """,
    "wrong": r"""exec bash -o pipefail -c "sed /tag/s/arith.addi/arith.subi/ $1 | mlir-opt-22 $LOWER | $RUNNER" """,
    "make": r"""exec sh ./build""",
    "tested": r"""exec "$@" """,
}

MODULE = """module {
  func.func @f(%a: i32, %b: i32) -> i32 {
    %c = arith.addi %a, %b : i32
    %d = arith.muli %c, %b : i32
    %e = arith.subi %d, %a : i32
    return %e : i32
  }
}
"""
PRINTS = """func.func @main() {
  %a = arith.constant 5 : i32
  %b = arith.constant 7 : i32
  %0 = arith.muli %a, %b : i32
  %1 = arith.addi %0, %b {tag} : i32
  %2 = arith.muli %1, %a : i32
  vector.print %2 : i32
  return
}
"""
LLVM = "/usr/lib/llvm-22"
TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def culprit(*words, input="in.txt", tool=None):
    """A command line; tool: the words behind "--"."""
    line = ["culprit", *words]
    at = 3 if words[0] == "bisect" else 2
    line[at:at] = [input] if input else []
    line += ["--no-cache", "--sandbox=off", "-j2"]
    return line + (["--", *tool] if tool else [])


FOUR = ["./four", "@@"]
# name: the command; what it must leave where it was cut behind the first answer
JOBS = {
    "reduce": (culprit("reduce", "-o", "out", "--bundle", "b", "-q", tool=FOUR), "out"),
    "reduce-script": (culprit("reduce", "-o", "out", "-q", "--script", "script"), "out"),
    "reduce-mismatch": (culprit("reduce", "-o", "out", "--bundle", "b", "-q", "--mismatch", "--ref", "./reference @@", tool=["./numbers", "@@"]), "out"),
    "reduce-chance": (culprit("reduce", "-o", "out", "-q", "--nondeterminism", tool=["./chance", "@@"]), "out"),
    "reduce-command": (culprit("reduce", "-o", "out", "--bundle", "b", "-q", "--reduce-command", tool=["./opt", "--pass-pipeline=any(nop,add-b,add-a,nop,boom-a,nop)", "@@"]), "out"),
    "reduce-opaque": (culprit("reduce", "-o", "out", "--bundle", "b", "-q", "--form", "opaque", "--opt-tool", "./mlir --mlir-print-op-generic @@", "--match", "muli", input="in.mlir", tool=["./mlir", "@@"]), "out"),
    "check": (culprit("check", tool=FOUR), None),
    "check-opaque": (culprit("check", "--form", "opaque", "--opt-tool", "./mlir --mlir-print-op-generic @@", "--match", "muli", input="in.mlir", tool=["./mlir", "@@"]), None),
    "extract": (culprit("extract", "-o", "part", "--match", "muli", input="in.mlir", tool=["./mlir", "@@"]), "part"),
    "extract-each": (culprit("extract", "-o", "part", "--each-op", "--json", "found.json", "--match", "muli", input="in.mlir", tool=["./mlir", "@@"]), None),
    "extract-mismatch": (culprit("extract", "-o", "part", "--mismatch", "--ref", "./right @@", input="prints.mlir", tool=["./wrong", "@@"]), None),
    "bisect-flags": (culprit("bisect", "flags", "--json", "found.json", tool=["./flags", "--x", "--y", "--a", "--z", "--b=2", "--w", "--c", "--v", "@@"]), "found.json"),
    "bisect-limit": (culprit("bisect", "flags", "--json", "found.json", "--counter", "10", tool=["./limit", "--limit=@{n}", "@@"]), "found.json"),
    "bisect-versions": (culprit("bisect", "versions", "--json", "found.json", "--axis", "v=1,2,3,4,5,6", tool=["./version", "--version=@{v}", "@@"]), "found.json"),
    "bisect-passes": (culprit("bisect", "passes", "--json", "found.json", "--bundle", "b", tool=["./opt", "--pass-pipeline=any(nop,add-b,add-a,nop,boom-a,nop,nop,nop)", "@@"]), None),
    "bisect-wrong": (culprit("bisect", "passes", "--json", "found.json", "--bundle", "b", "--lower", "./lowered @@", tool=["./opt", "--pass-pipeline=any(nop,add-a,add-b,nop,add-c)", "@@"], input="x.txt"), None),
    "matrix": (culprit("matrix", "--json", "found.json", "--axis", "x=1,2", "--axis", "y=1,2", tool=["./grid", "--x=@{x}", "--y=@{y}", "@@"]), None),
    "triage-check": (culprit("triage", "--check", "-o", "report", input="list.jsonl"), "report"),
    "triage-reduce": (culprit("triage", "--reduce", "-o", "report", input="list.jsonl"), "report"),
    "triage-confirm": (culprit("triage", "--reduce", "--confirm", "-o", "report", input="list.jsonl"), "report"),
    "triage-run": (culprit("triage", "--run", "./four @@", "-o", "report", input="suite"), None),
    "triage-bisect": (culprit("triage", "--reduce", "--bisect", "late", "--good", "c0", "--tool", "./tool", "--build", "sh {folder}/make", "--work", "{folder}/work", "-o", "report", input="list.jsonl"), "report"),
    "bisect-submodule": (["culprit", "bisect", "commits", "--repo", "history", "--good", "c1", "--bad", "c6", "--build", "sh {folder}/make", "--work", "{folder}/work", "--json", "found.json", "--no-cache", "--sandbox=off", "-j2", "--", "{folder}/tested", "./built"], None),
    "bisect-commits": (["culprit", "bisect", "commits", "--repo", "history", "--good", "c0", "--bad", "c11", "--build", "sh {folder}/make", "--work", "{folder}/work", "--json", "found.json", "--no-cache", "--sandbox=off", "-j2", "--", "{folder}/tested", "./built"], None),
    "replay": (["culprit", "replay", "made"], None),
}


def write(path, text, mode=0o644):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(path, mode)


def make_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "state"))
    os.makedirs(os.path.join(folder, "suite"))
    write(os.path.join(folder, "in.txt"), TEXT)
    write(os.path.join(folder, "in.mlir"), MODULE)
    write(os.path.join(folder, "prints.mlir"), PRINTS)
    write(os.path.join(folder, "x.txt"), "x\n")
    for name, body in TOOLS.items():
        write(os.path.join(folder, name), "#!/bin/sh\n" + GATE + body + "\n", 0o755)
    lines = []
    for i in range(3):
        module = os.path.join(folder, "suite", "%d.mlir" % i)
        write(module, TEXT + "tail %d\n" % i)
        text = "error: the number four\n" if i else "error: another number\n"
        lines.append(json.dumps({"name": "t%d" % i, "text": text, "module": module, "command": [os.path.join(folder, "four"), "--n=%d" % i, "@@"]}))
    write(os.path.join(folder, "list.jsonl"), "\n".join(lines) + "\n")


def count(folder, what):
    try:
        with open(os.path.join(folder, "state", what), "rb") as lines:
            return len(lines.readlines())
    except OSError:
        return 0


def descendants():
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % name, encoding="latin-1") as stat:
                fields = stat.read().rpartition(")")[2].split()
            if fields[0] not in "ZX":
                parents[int(name)] = int(fields[1])
        except OSError:
            pass
    found = {os.getpid()}
    while True:
        more = {p for p, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


def clear():
    """What is left, told and ended."""
    until = time.monotonic() + 2
    while descendants() and time.monotonic() < until:
        time.sleep(0.05)
    left = {}
    for pid in descendants():
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as line:
                left[pid] = line.read()
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return left


class Run:
    """A job in a folder; hang: its first run of a tool that hangs; 0: none."""

    def __init__(self, folder, command, hang, cut, how=None):
        self.folder, self.how, self.hang = folder, how, hang
        env = dict(os.environ, STATE=os.path.join(folder, "state"), HANG=str(hang or 10**6))
        if cut and command[1] != "bisect":
            command = command[:2] + ["--max-time", str(MAX_TIME)] + command[2:]
        elif cut:
            command = command[:3] + ["--max-time", str(MAX_TIME)] + command[3:]
        self.log = open(os.path.join(folder, "log"), "wb")
        self.start = time.monotonic()
        self.job = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def wait(self, limit):
        """Its status; None: it goes on."""
        try:
            status = self.job.wait(max(0.1, limit))
        except subprocess.TimeoutExpired:
            self.job.kill()
            self.job.wait()
            status = None
        self.took = time.monotonic() - self.start
        self.left = clear()
        self.log.close()
        return status

    def fail(self, why):
        with open(os.path.join(self.folder, "log"), "rb") as log:
            said = log.read().decode(errors="replace")
        print("FAILED: %s, run %d hangs%s: %s\n%s" % (self.folder, self.hang, self.how and ", " + self.how or "", why, said[-1500:]))
        return 1


def check_cut(run, name, keeps, total):
    status = run.wait(MAX_TIME + GRACE + 3)
    if status is None or run.took > MAX_TIME + GRACE:
        return run.fail("it takes %.1f s" % run.took)
    if status != 5 and (status != 0 or run.hang == 1):
        return run.fail("status %s" % status)
    if run.left:
        return run.fail("left: %s" % run.left)
    if keeps and run.hang > total // 2 and not os.path.exists(os.path.join(run.folder, keeps)):
        return run.fail("%s is not kept" % keeps)
    return 0


def check_interrupt(run, name):
    until = time.monotonic() + 30
    while not count(run.folder, "hangs") and run.job.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    asked = time.monotonic()
    run.job.send_signal(getattr(signal, "SIG" + run.how))
    status = run.wait(SOON + 3)
    took = time.monotonic() - asked
    if status is None or run.took - (asked - run.start) > SOON:
        return run.fail("it takes %.1f s" % took)
    if status not in (130, 0) or (status == 0 and run.hang == 1):
        return run.fail("status %s" % status)
    if run.left:
        return run.fail("left: %s" % run.left)
    return 0


HISTORIES = {"bisect-commits": ["line", "n=12", "bad=7"], "bisect-submodule": ["submodule"]}


def make_late(folder):
    """A history of the tool "four", which fails from c3 on."""
    repo = history.Repo(os.path.join(folder, "late"))
    for i in range(6):
        body = TOOLS["four"] if i >= 3 else "exit 0"
        repo.commit("c%d" % i, {"tool": "#!/bin/sh\n" + GATE + body + "\n", "build": "#!/bin/sh\n", "news": "%d\n" % i})


def prepare(name, folder):
    make_folder(folder)
    if name in HISTORIES:
        subprocess.run([sys.executable, history.__file__, os.path.join(folder, "history"), *HISTORIES[name]], check=True, stdout=subprocess.DEVNULL)
    if name == "triage-bisect":
        make_late(folder)
    if name != "replay":
        return
    made = JOBS["reduce"][0]
    made = [word if word != "b" else "made" for word in made]
    if Run(folder, made, 0, False).wait(100) != 0:
        sys.exit("the bundle is not made")
    os.unlink(os.path.join(folder, "state", "runs"))


def try_job(top, name, more):
    command, keeps = JOBS[name]
    folder = os.path.join(top, name)
    command = [word.replace("{folder}", folder) for word in command]
    prepare(name, folder)
    run = Run(folder, command, 0, False)
    status = run.wait(200)
    total = count(folder, "runs")
    if status != 0 or run.left or total < 1:
        return run.fail("undisturbed: status %s, %d runs, left: %s" % (status, total, run.left))
    failed = 0
    cuts = {1, total // 2, total} | ({2, 3, total // 3, total - 2, total - 1} if more else set())
    cuts = sorted(cuts & set(range(1, total + 1)))
    for hang in cuts:
        prepare(name, folder)
        failed += check_cut(Run(folder, command, hang, True), name, keeps, total)
    signals = {1: "TERM", total // 2: "INT", total: "QUIT"}
    for hang, how in signals.items():
        if hang and (more or hang == list(signals)[list(JOBS).index(name) % len(signals)]):
            prepare(name, folder)
            failed += check_interrupt(Run(folder, command, hang, False, how), name)
    print("%s: %d runs, cut at %s: %d failed" % (name, total, cuts, failed))
    return failed


def main(top, *names):
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    os.makedirs(top, exist_ok=True)
    top = os.path.abspath(top)
    os.environ["LOWER"] = "--convert-vector-to-llvm --convert-arith-to-llvm --convert-func-to-llvm --reconcile-unrealized-casts"
    os.environ["RUNNER"] = LLVM + "/bin/mlir-runner -e main -entry-point-result=void -shared-libs=" + LLVM + "/lib/libmlir_c_runner_utils.so"
    os.environ["XDG_CACHE_HOME"] = os.path.join(top, "cache")
    more = "--more" in names
    names = [name for name in names if name != "--more"] or JOBS
    sys.exit(sum(try_job(top, name, more) for name in names) > 0)


main(*sys.argv[1:])
