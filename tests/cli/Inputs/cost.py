"""What a test costs, with all processes that it leaves to others."""
import os
import resource
import time

CPUACCT = "/sys/fs/cgroup/cpuacct"


class Cost:
    """A line in FILE (none: none): seconds, those of processor time, the test.

    Where a group of processes can be made (root), its time is that of every
    process that was born here; otherwise it is that of the children waited for,
    which misses those of processes that were killed.
    """

    def __init__(self, file, name):
        self.file, self.name, self.group = file, name, None

    def __enter__(self):
        if not self.file:
            return
        own = os.path.join(CPUACCT, f"culprit-test-{os.getpid()}")
        try:
            os.mkdir(own)
            self._join(own)
            self.group = own
        except OSError:
            pass
        self.busy, self.start = self._busy(), time.monotonic()

    def _join(self, group):
        with open(os.path.join(group, "cgroup.procs"), "w") as file:
            file.write(str(os.getpid()))

    def _busy(self):
        if self.group:
            with open(os.path.join(self.group, "cpuacct.usage")) as file:
                return int(file.read()) / 1e9
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def __exit__(self, *_):
        if not self.file:
            return
        wall, busy = time.monotonic() - self.start, self._busy() - self.busy
        with open(self.file, "a") as file:
            file.write(f"{wall:.2f} {busy:.2f} {self.name}\n")
        if self.group:
            self._join(CPUACCT)
            try:
                os.rmdir(self.group)
            except OSError:
                pass  # something still runs there
