#!/usr/bin/env python3
"""cluster.py up DIR | down DIR | node up|down DIR NAME: a cluster of Slurm on
loopback, of Debian's munged, slurmctld and slurmd: ports, keys, logs and state
are its own, in DIR.  Partition cpu: n1 to n4, of one slot; gpu: g1, of two, with
two files as devices; spare and again: n1 to n4 for jobs that those of urgent
preempt (cancelled, requeued).  "node down" is a crash: its daemon, its steps and all that
these started are killed.  SLURM_CONF=DIR/slurm.conf speaks to it.
"""
import getpass
import os
import signal
import socket
import subprocess
import sys
import time

NODES = ["n1", "n2", "n3", "n4", "g1"]


def pids():
    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and int(pid) != os.getpid()]


def read(pid, name):
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def children_of(parents):
    """Processes below these, without them."""
    above = {}
    for pid in pids():
        stat = read(pid, "stat")
        if stat:
            above[pid] = int(stat.rsplit(b")", 1)[1].split()[1])
    found, size = set(parents), 0
    while len(found) != size:
        size = len(found)
        found |= {pid for pid, parent in above.items() if parent in found}
    return found - set(parents)


def of_step(top, variables=()):
    """Processes of job steps of this cluster, other than its daemons'."""
    wanted = [f"SLURM_CONF={top}/slurm.conf", *variables]
    return [pid for pid in pids() if b"\0SLURM_STEP_ID=" in b"\0" + read(pid, "environ")
            and all(word.encode() in read(pid, "environ").split(b"\0") for word in wanted)
            and not read(pid, "comm").startswith(b"slurm")
            and not read(pid, "stat").rsplit(b")", 1)[-1].startswith(b" Z")]


def daemon(top, name):
    """Its process, or None."""
    try:
        with open(f"{top}/{name}.pid") as file:
            pid = int(file.read())
    except (OSError, ValueError):
        return None
    return pid if top.encode() in read(pid, "environ") or top.encode() in read(pid, "cmdline") else None


def kill_all(found):
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(*words, **more):
    return subprocess.run(words, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **more).stdout


def free_ports(n):
    probes = [socket.socket() for _ in range(n)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


def write(top, name, text):
    with open(f"{top}/{name}", "w") as out:
        out.write(text)


def configure(top):
    host, user = socket.gethostname().split(".")[0], getpass.getuser()
    control, *ports = free_ports(len(NODES) + 1)
    nodes = "".join(
        f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} RealMemory=1000 "
        f"CPUs={2 if name == 'g1' else 1}{' Gres=gpu:2' if name == 'g1' else ''}\n"
        for name, port in zip(NODES, ports))
    # Two devices that every machine has; nothing is done to them.
    write(top, "gres.conf", "NodeName=g1 Name=gpu File=/dev/null\nNodeName=g1 Name=gpu File=/dev/zero\n")
    # What cgroups and systemd would do is left out; a node is down 10 s after
    # its last word.
    write(top, "slurm.conf", f"""ClusterName=loopback
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={top}/munge/socket
CredType=cred/munge
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool-%n
SlurmctldPidFile={top}/slurmctld.pid
SlurmdPidFile={top}/%n.pid
SlurmctldLogFile={top}/log/slurmctld
SlurmdLogFile={top}/log/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,bf_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
SlurmdTimeout=10
KillWait=5
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
{nodes}PartitionName=cpu Nodes=n[1-4] Default=YES
PartitionName=gpu Nodes=g1
PartitionName=spare Nodes=n[1-4] PriorityTier=1 PreemptMode=CANCEL
PartitionName=again Nodes=n[1-4] PriorityTier=1 PreemptMode=REQUEUE
PartitionName=urgent Nodes=n[1-4] PriorityTier=10 PreemptMode=OFF
""")


def states():
    return dict(line.split() for line in run("sinfo", "-h", "-N", "-o", "%N %T").splitlines())


def wait_for(what, holds, seconds=30):
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise SystemExit(f"cluster.py: {what}: not within {seconds} s; states: {states()}")
        time.sleep(0.1)


def node_up(top, name):
    run("slurmd", "-N", name)
    wait_for(f"{name} is up", lambda: states().get(name) in ("idle", "mixed", "allocated", "completing"), 60)


def node_down(top, name):
    pid = daemon(top, name)
    steps = [p for p in pids() if read(p, "comm").startswith(b"slurmstepd") and
             f"{top}/".encode() in read(p, "environ") + read(p, "cmdline") and
             f"SLURMD_NODENAME={name}".encode() in b"".join(read(c, "environ") for c in children_of([p]))]
    kill_all([pid] if pid else [])
    kill_all(steps + list(children_of(steps)) + of_step(top, [f"SLURMD_NODENAME={name}"]))


def up(top):
    for name in ("munge", "state", "log", *(f"spool-{name}" for name in NODES)):
        os.makedirs(f"{top}/{name}", mode=0o755)
    with open(f"{top}/munge/key", "wb") as out:
        out.write(os.urandom(1024))
    os.chmod(f"{top}/munge/key", 0o400)
    configure(top)
    run("munged", "--force", f"--key-file={top}/munge/key", f"--socket={top}/munge/socket",
        f"--pid-file={top}/munged.pid", f"--log-file={top}/log/munged", f"--seed-file={top}/munge/seed",
        stderr=subprocess.DEVNULL)
    run("slurmctld", "-c")
    for name in NODES:
        run("slurmd", "-N", name)
    wait_for("all nodes are up", lambda: set(states().values()) == {"idle"})


def down(top):
    """Ends all, in any state."""
    subprocess.run(["scancel", "-u", getpass.getuser()], stderr=subprocess.DEVNULL, timeout=30)
    time.sleep(0.5)
    kill_all(of_step(top))
    kill_all(p for p in pids() if read(p, "comm").startswith((b"slurm", b"munged")) and
             f"{top}/".encode() in read(p, "environ") + read(p, "cmdline"))
    time.sleep(0.2)
    left = [read(p, "cmdline") for p in pids() if f"{top}/slurm.conf".encode() in read(p, "environ") and
            p != os.getppid() and read(p, "comm").startswith((b"slurm", b"srun", b"salloc", b"culprit"))]
    if left:
        raise SystemExit(f"cluster.py: processes are left: {left}")


if __name__ == "__main__":
    words = sys.argv[1:]
    place = os.path.abspath(words[2 if words[0] == "node" else 1])
    os.environ["SLURM_CONF"] = f"{place}/slurm.conf"
    # Debian has the daemons where not every PATH leads.
    os.environ["PATH"] += ":/usr/sbin"
    if words[0] == "node":
        (node_up if words[1] == "up" else node_down)(place, words[3])
    else:
        (up if words[0] == "up" else down)(place)
