#!/usr/bin/env python3
"""real_ssh.py DIR: runs over Debian's sshd on loopback, with a port, keys and
directories of its own in DIR."""
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

top = os.path.abspath(sys.argv[1])
here = os.path.dirname(os.path.abspath(__file__))
sshd = shutil.which("sshd") or "/usr/sbin/sshd"
if not os.access(sshd, os.X_OK) or not shutil.which("ssh"):
    print("skipped: ssh (openssh-server is not installed)")
    sys.exit(0)
shutil.rmtree(top, ignore_errors=True)
os.makedirs(f"{top}/tmp")
os.chdir(top)
for key in ("host", "user"):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
with open("sshd_config", "w") as out:
    out.write(f"""Port {port}
ListenAddress 127.0.0.1
HostKey {top}/host
AuthorizedKeysFile {top}/user.pub
PidFile {top}/pid
StrictModes no
UsePAM no
PasswordAuthentication no
SetEnv XDG_CACHE_HOME={top}/cache TMPDIR={top}/tmp "PATH={os.environ['PATH']}"
""")
with open("known", "w") as out:
    out.write(f"[127.0.0.1]:{port} {open('host.pub').read()}")
open("unknown", "w").close()
ssh = (f"ssh -F /dev/null -p {port} -i {top}/user -o IdentitiesOnly=yes -o LogLevel=ERROR "
       "-o StrictHostKeyChecking=yes -o UserKnownHostsFile=%s 127.0.0.1")
# As root it wants a directory in /run, which is the machine's.
start = [sshd, "-D", "-e", "-f", f"{top}/sshd_config"]
if os.geteuid() == 0:
    start = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /run && mkdir /run/sshd && exec "$@"', "sh", *start]
log = open("log", "w")
server = subprocess.Popen(start, stderr=log, stdout=log, stdin=subprocess.DEVNULL)


def up():
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def culprit(*words, **more):
    return subprocess.run(["culprit", *words], capture_output=True, text=True, **more)


def demand(what, holds, run=None):
    if not holds:
        print(what, run and (run.returncode, run.stdout, run.stderr), open("log").read())
        sys.exit(1)


def sessions():
    """The processes of the server that hold a connection."""
    found = subprocess.run(["pgrep", "-P", str(server.pid)], capture_output=True, text=True)
    return [int(pid) for pid in found.stdout.split()]


def all_gone():
    until = time.monotonic() + 5
    while os.listdir("tmp") and time.monotonic() < until:
        time.sleep(0.05)
    return not os.listdir("tmp")


try:
    for _ in range(100):
        if up() or server.poll() is not None:
            break
        time.sleep(0.05)
    if server.poll() is not None:
        print("skipped: ssh (sshd does not start here):", open("log").read())
        sys.exit(0)
    shutil.copy(f"{here}/model.mlir", "model.mlir")
    tool = ["--", "bash", "-c", 'sleep 0.1; exec fake-compiler --fatal "bad angle" --has atan2 "$1"', "x", "@@"]

    local = culprit("reduce", "model.mlir", "-o", "here.mlir", "--no-cache", "-j4", *tool)
    run = culprit("reduce", "model.mlir", "-o", "there.mlir", "--no-cache", "-j4", "--on", "2*" + ssh % f"{top}/known",
                  *tool)
    demand("a reduction over ssh", run.returncode == 0, run)
    demand("the same result", open("here.mlir").read() == open("there.mlir").read(), run)
    demand("nothing is left", all_gone())
    demand("the worker is there", len([n for n in os.listdir("cache/culprit") if n.startswith("worker-")]) == 1)

    # The connection breaks in the middle.
    job = subprocess.Popen(["culprit", "reduce", "model.mlir", "-o", "lost.mlir", "--no-cache", "-j4", "--on",
                            ssh % f"{top}/known", *tool], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 20
    while not any(os.listdir(f"tmp/{name}") for name in os.listdir("tmp")) and time.monotonic() < until:
        time.sleep(0.05)
    for pid in sessions():
        os.kill(pid, signal.SIGKILL)
    said = job.communicate()[1]
    demand("the job goes on: " + said, job.returncode == 0)
    demand("it says so: " + said, "the connection is lost" in said)
    demand("the same result after that", open("here.mlir").read() == open("lost.mlir").read())
    demand("nothing is left after that", all_gone())

    # culprit is killed.
    run = subprocess.run([f"{here}/remote_killed.py", ssh % f"{top}/known", top, "KILL"], capture_output=True, text=True)
    demand("culprit was killed", run.returncode == 0, run)

    # The key of the host is not known, and nobody can be asked.
    run = culprit("check", "model.mlir", "--on", ssh % f"{top}/unknown", *tool, stdin=subprocess.DEVNULL)
    demand("an unknown key", run.returncode == 6 and "Host key verification failed" in run.stderr, run)
finally:
    for pid in sessions():
        os.kill(pid, signal.SIGKILL)
    server.kill()
    server.wait()
print("over ssh: the same result; lost, killed, unknown: nothing left")
