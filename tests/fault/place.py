"""One point's folder: where a job runs, what is left behind, what is running.

ROOT/work is the current directory, ROOT/home and ROOT/tmp are HOME and TMPDIR,
ROOT/precious stands for the user's other files, ROOT/log is what tools write
one line to at each run.  All that a job starts carries a variable in its
environment that is of no other, and only what carries it is ever killed.
"""

import hashlib
import os
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import tempfile
import time

ROLES = "main guard start fork worker child".split()
CLASSES = (
    "malloc open read write fsync rename link unlink make fork pipe exec mmap truncate "
    "lock stat poll wait kill clock sandbox sqlite"
).split()
MARK = "CULPRIT_FAULT_POINT"


# Of the directory that all places of one call of faults.py are in.
DEPTH, LENGTH = 5, 72


# Where no disk is waited for, with room for the programs and all places.
MEMORY, ROOM = "/dev/shm", 1 << 30


def is_roomy(folder):
    try:
        st = os.statvfs(folder)
    except OSError:
        return False
    may = os.access(folder, os.W_OK | os.X_OK) and not st.f_flag & os.ST_NOEXEC
    return may and st.f_bavail * st.f_frsize >= ROOM


def make_scratch():
    """A path of as many names and letters wherever it is, so that the n-th call
    is the same one there; its top and it.  In memory, unless TMPDIR says where."""
    folder = None if "TMPDIR" in os.environ or not is_roomy(MEMORY) else MEMORY
    top = os.path.realpath(tempfile.mkdtemp(prefix="culprit-faults-", dir=folder))
    path = top
    for left in range(max(DEPTH - top.count("/"), 1), 0, -1):
        path = os.path.join(path, "d" * max((LENGTH - len(path)) // left - 1, 1))
    os.makedirs(path)
    return top, path


def copy_programs(build, scratch):
    """What jobs run, in one directory of the scratch; returns it."""
    to = os.path.join(scratch, "bin")
    os.makedirs(to)
    shutil.copy(os.path.join(build, "culprit"), to)
    for name in ("libexec", "fake", "fault"):
        # No job here compiles for a device: the CUDA toolkit stays where it is.
        shutil.copytree(os.path.join(build, name), os.path.join(to, name),
                        ignore=shutil.ignore_patterns("cuda"))
    return to


class Counts:
    """The file of tests/fault/inject.h."""

    def __init__(self, path):
        n, m = len(ROLES), len(CLASSES)
        self.calls, self.fired, self.pid, self.hit = {}, 0, 0, ""
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError:
            return
        if len(data) < 8 * (n * m + m + 3) + 8:
            return
        numbers = struct.unpack_from(f"{n * m}Q", data)
        self.calls = {
            (r, c): numbers[i * m + j] for i, r in enumerate(ROLES) for j, c in enumerate(CLASSES)
        }
        at = 8 * (n * m + m) + 16
        self.fired, _, self.pid = struct.unpack_from("Q2i", data, at)
        self.hit = data[at + 16 :].split(b"\0")[0].decode(errors="replace")


class Ended:
    """How one command ended."""

    def __init__(self, status, seconds, out, err, orphans):
        self.status, self.seconds, self.out, self.err = status, seconds, out, err
        self.orphans = orphans  # command lines; killed meanwhile


class Place:
    def __init__(self, build, root):
        self.build, self.root = build, root
        self.mark = f"{MARK}={os.getpid():010}-{os.path.basename(root)}"
        for name in ("work", "home", "tmp", "precious/sub"):
            os.makedirs(os.path.join(root, name))
        for name in ("precious/file", "precious/sub/file", "home/file"):
            with open(os.path.join(root, name), "w", encoding="ascii") as file:
                file.write("mine\n")
            os.chmod(os.path.join(root, name), 0o600)

    def path(self, *names):
        return os.path.join(self.root, *names)

    def environment(self):
        """The same wherever this runs: what is looked up in it are calls."""
        env = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        paths = [self.build, os.path.join(self.build, "fake"), "/usr/local/bin", "/usr/bin", "/bin"]
        env.update(HOME=self.path("home"), TMPDIR=self.path("tmp"), LC_ALL="C")
        env.update(FAULT_ROOT=self.root, FAULT_LOG=self.path("log"), PRECIOUS=self.path("precious"))
        env["PATH"] = os.pathsep.join(paths)
        env.update([self.mark.split("=")])
        return env

    def processes(self):
        """Of this place: pid and command line."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    mine = self.mark.encode() in file.read().split(b"\0")
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    words = file.read().replace(b"\0", b" ").decode(errors="replace")
                if not mine and self.root + "/" not in words + os.readlink(f"/proc/{pid}/cwd") + "/":
                    continue
                with open(f"/proc/{pid}/stat", "rb") as file:
                    if file.read().rpartition(b")")[2].split()[0] in (b"Z", b"X"):
                        continue
                found.append((int(pid), words))
            except OSError:
                continue  # it ended meanwhile, or is another user's
        return found

    def end_processes(self):
        for _ in range(50):
            left = self.processes()
            for pid, _ in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            if not left:
                return
            time.sleep(0.02)

    def orphans(self, grace):
        """What is still there after so many seconds; it is killed then."""
        end, pause = time.monotonic() + grace, 0.005
        while left := self.processes():
            if time.monotonic() > end:
                self.end_processes()
                return [line for _, line in left]
            time.sleep(pause)
            pause = min(pause * 2, 0.1)
        return []

    def run(self, argv, limit, inject=None, count=False, at=None, grace=5.0):
        """inject: for INJECT; count: only count; at: (seconds, signal)."""
        env = self.environment()
        counts = self.path("..", os.path.basename(self.root) + ".counts")
        if inject is not None or count:
            if os.path.exists(counts):
                os.unlink(counts)
            env.update(LD_PRELOAD=os.path.join(self.build, "fault", "libinject.so"))
            env.update(INJECT=inject or "", INJECT_FILE=counts)
        names = [self.root + ".out", self.root + ".err"]
        with open(names[0], "wb") as out, open(names[1], "wb") as err:
            start = time.monotonic()
            child = subprocess.Popen(
                argv, env=env, cwd=self.path("work"), stdin=subprocess.DEVNULL, stdout=out,
                stderr=err, start_new_session=True,
            )
            status = self._wait(child, start, limit, counts, inject or "", at)
        seconds = time.monotonic() - start
        orphans = self.orphans(grace)
        texts = []
        for name in names:
            with open(name, encoding="utf-8", errors="replace") as file:
                texts.append(file.read(1 << 20))
            os.unlink(name)
        return Ended(status, seconds, *texts, orphans)

    def _wait(self, child, start, limit, counts, inject, at):
        """Exit status as the shell has it; None: it did not end."""
        woken = "stop" not in inject
        while True:
            now = time.monotonic() - start
            if now > limit:
                self.end_processes()
                child.wait()
                return None
            if at and now >= at[0]:
                child.send_signal(at[1])
                at = None
            if not woken and (seen := Counts(counts)).fired:
                time.sleep(0.15)
                woken = True
                try:
                    os.kill(seen.pid, signal.SIGCONT)
                except OSError:
                    pass
            step = 0.02 if not woken else limit - now
            step = max(0.0, min(step, at[0] - now)) if at else step
            try:
                status = child.wait(step)
                return status if status >= 0 else 128 - status
            except subprocess.TimeoutExpired:
                continue

    def listing(self):
        """Every path, with what must not change."""
        found = {}
        for folder, dirs, files in os.walk(self.root):
            for name in dirs + files:
                path = os.path.join(folder, name)
                try:
                    st = os.lstat(path)
                except OSError:
                    continue
                what = stat.S_IFMT(st.st_mode)
                if "/precious" in path or path.endswith("home/file"):
                    what = (st.st_mode, st.st_nlink if stat.S_ISREG(st.st_mode) else 0, digest(path))
                found[os.path.relpath(path, self.root)] = what
        return found

    def runs(self):
        try:
            return os.path.getsize(self.path("log")) // len("run\n")
        except OSError:
            return 0

    def digests(self):
        """Of the files on which fake-compiler ran, in the order of the runs."""
        try:
            with open(self.path("digests"), encoding="ascii") as file:
                return file.read().split()
        except OSError:
            return []

    def has_log_of_store(self):
        return os.path.exists(self.path("home/.cache/culprit/cache.db-wal"))

    def records(self):
        """Records of runs in the store: None where it cannot be read."""
        store = self.path("home/.cache/culprit/cache.db")
        if not os.path.exists(store):
            return 0
        copy = self.root + ".db"
        try:
            for end in ("", "-wal"):
                if os.path.exists(store + end):
                    shutil.copyfile(store + end, copy + end)
            with sqlite3.connect(copy) as db:
                (n,) = db.execute("select count(*) from entry where space = ''").fetchone()
            db.close()
            return n
        except sqlite3.Error:
            return None
        finally:
            for end in ("", "-wal", "-shm", "-journal"):
                if os.path.exists(copy + end):
                    os.unlink(copy + end)

    def remove(self):
        """Also what a tool has taken the permission from."""
        for folder, dirs, _ in os.walk(self.root):
            for name in dirs:
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    os.chmod(path, 0o700)
        shutil.rmtree(self.root, ignore_errors=True)
        for end in (".counts", ".out", ".err"):
            if os.path.exists(self.root + end):
                os.unlink(self.root + end)


def digest(path):
    if not os.path.isfile(path) or os.path.islink(path):
        return ""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()
