"""powers.py listen SOCKET       answers nobody for a minute
powers.py LOG SOCKET UTS FILE    a tool that reaches for what is no file: unless
                                 "three" stands in FILE, what it can do goes into
                                 LOG; then it complains of "four" in FILE.  Where
                                 "served" is in LOG, it speaks to itself each
                                 time

Nothing that it does would be felt where it is let."""

import ctypes
import errno
import os
import select
import socket
import stat
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ADD_KEY = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
SESSION = -3
# Of capabilities(7): immutable files, network, modules, raw devices, accounting,
# restart, clock, terminals, nodes, audit, policies (2), log, alarms, handles.
POWERS = [9, 12, 16, 17, 20, 22, 25, 26, 27, 30, 32, 33, 34, 35, 2]


def key():
    return LIBC.syscall(ADD_KEY, b"user", b"culprit-test", b"x", 1, SESSION) >= 0


def node():
    path = os.path.join(os.environ["TMPDIR"], "node")
    os.mknod(path, 0o600 | stat.S_IFBLK, os.makedev(7, 0))
    os.unlink(path)
    return True


def powers():
    with open("/proc/self/status", encoding="ascii") as file:
        words = dict(line.split(":", 1) for line in file)
    held = int(words["CapPrm"], 16) | int(words["CapBnd"], 16) & (0 if os.geteuid() else -1)
    return any(held >> bit & 1 for bit in POWERS)


def stream():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(sys.argv[2])
    return True


def datagram():
    """A pair is no socket that was asked for by name, and can send to one."""
    a, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    a.sendto(b"x", sys.argv[2] + ".d")
    return True


def network():
    socket.socket(socket.AF_INET).close()
    return True


def host():
    """Of a virtual machine: no network of the run's own holds it."""
    try:
        socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    except OSError as e:
        return e.errno != errno.EACCES
    return True


def serve_itself():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        with socket.create_connection(server.getsockname(), 5) as s:
            s.send(b"x")
            assert server.accept()[0].recv(1) == b"x"


def name():
    return os.readlink("/proc/self/ns/uts") == sys.argv[3]


def can(what):
    try:
        return what()
    except OSError:
        return False


def listen(path):
    ends = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)]
    ends[1].bind(path + ".d")
    ends[0].bind(path)
    ends[0].listen(64)
    end = time.monotonic() + 60
    while (left := end - time.monotonic()) > 0:
        for ready in select.select(ends, [], [], left)[0]:
            ready.recv(8) if ready is ends[1] else ready.accept()[0].close()
    sys.exit()


def main():
    if sys.argv[1] == "listen":
        listen(sys.argv[2])
    log, text = sys.argv[1], open(sys.argv[4], encoding="utf-8").read()
    with open(log, "a", encoding="ascii") as file:
        if "three" not in text:
            file.writelines(f"{f.__name__}\n" for f in (key, node, powers, stream, datagram, network, host, name) if can(f))
    if "served" in log:
        serve_itself()
    # What a pair is for goes on.
    a, b = socket.socketpair()
    a.send(b"x")
    assert b.recv(1) == b"x"
    if "four" in text:
        sys.exit("error: four")


main()
