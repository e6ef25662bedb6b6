"""at_terminal.py [--columns N] [--keep FILE] STEP... -- COMMAND...: run the command
on a terminal of its own, whose screen is 80 columns wide unless said otherwise,
and steer it.  The steps, one after the other:
  see:REGEX     wait until the terminal shows this, behind what the last `see`
                found
  key:KEYS      type
  press:K:REGEX type K, each second anew, until the terminal shows this
  wait:SECONDS
  columns:N     the terminal is so wide from now on; "<columns N>" stands in
                what is kept
  signal:NAME   send the command a signal
  stop          type Ctrl-Z, wait until it stands still
  fg, bg        it goes on, with the terminal or without
  raw, cooked   the terminal's modes are for keys, or as at the beginning; waits
                until it is so
  still         within a second no tool runs, nor does one start in two more
  gone          it has ended
Then the command has to end within a minute: at_terminal.py's exit status is its
own, 128 + N where signal N ended it, and 99 where a step failed.  What it showed
goes to standard output, or FILE."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 60


def be_shell(command, tell, told):
    """The leader of the session: what a shell does for one job.  Its pid goes to
    tell; "f" and "b" from told: go on in the foreground, the background."""
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpgrp())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.close(tell)
        os.close(told)
        os.execvp(command[0], command)
    os.write(tell, b"%d\n" % job)
    while True:
        done, status = os.waitpid(job, os.WUNTRACED | os.WNOHANG)
        if done and os.WIFSTOPPED(status):
            os.tcsetpgrp(0, os.getpgrp())
        elif done:
            os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
        if select.select([told], [], [], 0.02)[0]:
            how = os.read(told, 1)
            # That it was stopped may not have been seen above yet.
            os.tcsetpgrp(0, job if how == b"f" else os.getpgrp())
            os.killpg(job, signal.SIGCONT)


class Terminal:
    def __init__(self, columns, command):
        self.shown = b""
        self.at = 0
        self.ended = None
        heard, tell = os.pipe()
        told, self.order = os.pipe()
        self.shell, self.fd = pty.fork()
        if self.shell == 0:
            time.sleep(0.2)  # the width is set by then
            be_shell(command, tell, told)
        self.widen(columns)
        self.begun = self.modes()
        self.pid = int(os.read(heard, 20))

    def widen(self, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def modes(self):
        return termios.tcgetattr(self.fd)[:4]

    def take(self, seconds):
        """Read what is shown, for so long at most; notes the end."""
        if self.ended is None:
            done, status = os.waitpid(self.shell, os.WNOHANG)
            if done:
                self.ended = status
        if select.select([self.fd], [], [], seconds)[0]:
            try:
                self.shown += os.read(self.fd, 65536)
                return True
            except OSError:  # nobody is at the other end
                time.sleep(seconds)
        return False

    def until(self, what, test):
        end = time.time() + PATIENCE
        while not test():
            if time.time() > end:
                raise Exception(f"{what}: not within {PATIENCE} s")
            self.take(0.05)
            if self.ended is not None and not test():
                while self.take(0.05):
                    pass
                if not test():
                    raise Exception(f"{what}: the command has ended")

    def see(self, pattern):
        def test():
            found = re.compile(pattern.encode()).search(self.shown, self.at)
            if found:
                self.at = found.end()
            return found
        self.until(f"see:{pattern}", test)

    def press(self, key, pattern):
        pressed = 0

        def test():
            nonlocal pressed
            if time.time() - pressed > 1 and self.ended is None:
                os.write(self.fd, key.encode())
                pressed = time.time()
            return re.compile(pattern.encode()).search(self.shown, self.at)

        self.until(f"press:{key}:{pattern}", test)
        self.see(pattern)

    def state(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]

    def signal(self, name):
        os.kill(self.pid, getattr(signal, f"SIG{name}"))

    def go_on(self, how):
        os.write(self.order, how)
        self.until("fg, bg", lambda: self.state() != "T")

    def tools(self):
        """Processes of the command under test: those below its guards."""
        try:
            with os.popen("ps -eo pid,ppid,comm") as ps:
                rows = [line.split(None, 2) for line in ps.readlines()[1:]]
        except OSError:
            return 0
        below, more = {str(self.pid)}, True
        while more:
            more = {pid for pid, parent, _ in rows if parent in below and pid not in below}
            below |= more
        return sum(pid in below and name.startswith("culprit-guard") for pid, _, name in rows)

    def still(self):
        self.until("still", lambda: self.tools() == 0)
        end = time.time() + 2
        while time.time() < end:
            self.take(0.1)
            if self.tools():
                raise Exception("still: a tool was started")

    def step(self, word):
        name, _, value = word.partition(":")
        if name == "see":
            self.see(value)
        elif name == "key":
            os.write(self.fd, value.encode())
        elif name == "press":
            self.press(*value.split(":", 1))
        elif name == "wait":
            end = time.time() + float(value)
            while time.time() < end:
                self.take(0.05)
        elif name == "columns":
            self.widen(int(value))
            while self.take(0.01):
                pass
            self.shown += b"<columns %d>" % int(value)
        elif name == "signal":
            self.signal(value)
        elif name == "stop":
            os.write(self.fd, b"\x1a")
            self.until("stop", lambda: self.state() == "T")
        elif name in ("fg", "bg"):
            self.go_on(name[:1].encode())
        elif name == "raw":
            self.until("raw", lambda: not self.modes()[3] & termios.ICANON)
        elif name == "cooked":
            self.until("cooked", lambda: self.modes() == self.begun)
        elif name == "still":
            self.still()
        elif name == "gone":
            end = time.time() + PATIENCE
            while self.ended is None and time.time() < end:
                self.take(0.05)
        else:
            raise Exception(f"at_terminal.py: there is no step {word}")

    def end(self):
        end = time.time() + PATIENCE
        while self.ended is None and time.time() < end:
            self.take(0.05)
        while self.take(0.1):
            pass
        if self.ended is None:
            os.kill(self.pid, signal.SIGKILL)
            raise Exception("it did not end")
        return os.WEXITSTATUS(self.ended)


def main(words):
    columns, keep = 80, None
    while words and words[0] in ("--columns", "--keep"):
        if words[0] == "--columns":
            columns = int(words[1])
        else:
            keep = words[1]
        words = words[2:]
    at = words.index("--")
    os.environ.setdefault("TERM", "xterm")
    terminal = Terminal(columns, words[at + 1:])
    try:
        for word in words[:at]:
            terminal.step(word)
        status = terminal.end()
    except Exception as error:
        sys.stderr.write(f"at_terminal.py: {error}; shown:\n{terminal.shown[-3000:]!r}\n")
        if terminal.ended is None:
            os.kill(terminal.pid, signal.SIGKILL)
        status = 99
    with open(keep, "wb") if keep else os.fdopen(1, "wb", closefd=False) as out:
        out.write(terminal.shown)
    return status


sys.exit(main(sys.argv[1:]))
