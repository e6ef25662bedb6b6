#!/usr/bin/env python3
"""jobs.py SCENARIO: a job with --slurm in the cluster of $SLURM_CONF, and what
happens to the cluster meanwhile.  Works in the current directory."""
import json
import os
import signal
import subprocess
import sys
import time

import cluster

TOP = os.path.dirname(os.environ["SLURM_CONF"])
# Each run takes a while, so that something can happen during one.
TOOL = ["--timeout", "30", "--", "bash", "-c",
        'sleep 0.2; [ $(grep -c needle "$1") -lt 3 ] || { echo "error: all needles" >&2; exit 1; }', "x", "@@"]
FOUR = "--ntasks=4"


def demand(what, holds, *more):
    if not holds:
        print(f"{what}: does not hold", *more, sep="\n")
        sys.exit(1)


def jobs():
    return cluster.run("squeue", "-h", "-o", "%i").split()


def nothing_left(seconds=15):
    """No job, no process of a step on any node, no directory of a worker."""
    until = time.monotonic() + seconds
    while (jobs() or cluster.of_step(TOP)) and time.monotonic() < until:
        time.sleep(0.1)
    demand("no job is left", not jobs(), jobs())
    left = cluster.of_step(TOP)
    demand("no process is left", not left, [cluster.read(pid, "cmdline") for pid in left])


def command(name, options, *more):
    return ["culprit", "reduce", "case.txt", "-o", f"{name}.txt", "-j4", "--cache", f"{name}.db", "--slurm", options,
            *more, *TOOL]


def start(name, options, *more):
    return subprocess.Popen(command(name, options, *more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)


def runs_under_way(node=None):
    wanted = [f"SLURMD_NODENAME={node}"] if node else []
    return [pid for pid in cluster.of_step(TOP, wanted) if cluster.read(pid, "cmdline").startswith(b"sleep\0")]


def wait_until_it_works(job):
    """All four workers have runs, and it has gone on for a moment."""
    until = time.monotonic() + 40
    while time.monotonic() < until and job.poll() is None and len(runs_under_way()) < 4:
        time.sleep(0.05)
    time.sleep(1)
    demand("the job works", job.poll() is None, job.poll() is not None and job.stdout.read())


def finish(job, status=0):
    said = job.communicate(timeout=200)[0]
    demand(f"status {status}, not {job.returncode}", job.returncode == status, said)
    return said


def text_of(name):
    with open(f"{name}.txt", "rb") as file:
        return file.read()


def expected():
    """The result of runs that are made here."""
    if not os.path.exists("here.txt"):
        subprocess.run(["culprit", "reduce", "case.txt", "-o", "here.txt", "-j4", "--no-cache", "-q", *TOOL], check=True)
    return text_of("here")


def resume(name):
    said = finish(start(name, FOUR))
    demand("stored answers are used", "executed, 0 cached" not in said, said)
    demand("the same bytes", text_of(name) == expected(), said)
    nothing_left()


def one_and_four():
    seconds = []
    for name, options in (("one", "--ntasks=1"), ("four", FOUR)):
        said = finish(start(name, options))
        demand("the same bytes", text_of(name) == expected(), said)
        nothing_left()
        # Runs that do not wait for each other: how much more there is in an hour.
        grid = ["culprit", "matrix", "case.txt", "--no-cache", "-q", "-j12", "--slurm", options, "--axis", "a=1,2,3,4,5,6",
                "--axis", "b=1,2,3,4,5,6", "--", "sh", "-c",
                'sleep 0.5; [ @{a}@{b} -lt 60 ] || { echo "error: all" >&2; exit 1; }', "x", "@@"]
        began = time.monotonic()
        subprocess.run(grid, check=True, stdin=subprocess.DEVNULL)
        seconds.append(time.monotonic() - began)
        nothing_left()
    print(f"1 and 4 slots: {seconds[0]:.1f} s and {seconds[1]:.1f} s, {seconds[0] / seconds[1]:.2f} times; the same bytes, "
          "and nothing is left")


def lost_node():
    job = start("lost", FOUR)
    wait_until_it_works(job)
    cluster.node_down(TOP, "n2")
    said = finish(job)
    demand("it says so", "the connection is lost" in said, said)
    demand("the same bytes", text_of("lost") == expected(), said)
    cluster.node_up(TOP, "n2")
    nothing_left(60)
    print("a node that crashed: the same bytes, and nothing is left")


def lost_daemon():
    job = start("daemon", FOUR)
    wait_until_it_works(job)
    os.kill(cluster.daemon(TOP, "n3"), signal.SIGKILL)
    said = finish(job)
    demand("the same bytes", text_of("daemon") == expected(), said)
    cluster.node_up(TOP, "n3")
    nothing_left(60)
    print("slurmd killed: the same bytes, and nothing is left")


def cancelled_job():
    job = start("job", FOUR)
    wait_until_it_works(job)
    cluster.run("scancel", *jobs())
    said = finish(job, 6)
    demand("words", "culprit: " in said and "connection" in said, said)
    nothing_left()
    resume("job")
    print("scancel of the job: status 6, nothing is left, and a second one went on")


def cancelled_step():
    job = start("step", FOUR)
    wait_until_it_works(job)
    cluster.run("scancel", f"{jobs()[0]}.1")
    said = finish(job)
    demand("it says so", "the connection is lost" in said, said)
    demand("the same bytes", text_of("step") == expected(), said)
    nothing_left()
    print("scancel of a step: the same bytes, and nothing is left")


def over_time():
    """Slurm counts in minutes, and looks now and then."""
    slow = [word.replace("sleep 0.2", "sleep 5") for word in TOOL]
    job = subprocess.Popen([*command("time", FOUR + " --time=1")[:-len(TOOL)], *slow], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = finish(job, 6)
    demand("words", "time limit" in said.lower(), said)
    nothing_left()
    again = subprocess.run([*command("time", FOUR, "--max-time", "30")[:-len(TOOL)], *slow], capture_output=True, text=True)
    demand("a second one goes on", again.returncode in (0, 5) and "executed, 0 cached" not in again.stdout, again)
    nothing_left()
    print("the time limit: status 6, nothing is left, and a second one went on")


def preempted():
    """A job of a higher tier takes the nodes: infrastructure, never a verdict;
    the next job of the user goes on with what is known."""
    for partition in ("spare", "again"):
        job = start(partition, f"{FOUR} --partition={partition}")
        wait_until_it_works(job)
        urgent = subprocess.Popen(["srun", "-Q", "--partition=urgent", "--ntasks=4", "sleep", "3"],
                                  stdin=subprocess.DEVNULL)
        said = finish(job, 6)
        demand("words", "preempt" in said.lower() or "cancelled" in said.lower(), said)
        demand("nothing is blamed", "bad test" not in said, said)
        demand("the urgent job ran", urgent.wait(60) == 0)
        nothing_left()
        resume(partition)
    print("preempted, cancelled and requeued: status 6, nothing is left, and a second one went on")


def killed():
    job = start("killed", FOUR)
    wait_until_it_works(job)
    job.kill()
    job.communicate()
    nothing_left(7)
    resume("killed")
    print("culprit killed: nothing is left, and a second one went on")


def queued():
    """The cluster is full: the job waits, with words; an interrupt is enough."""
    other = subprocess.Popen(["srun", "-Q", "--ntasks=4", "sleep", "100"], stdin=subprocess.DEVNULL)
    until = time.monotonic() + 20
    while len(runs_under_way()) < 4 and time.monotonic() < until:
        time.sleep(0.1)
    job = start("queued", FOUR)
    time.sleep(3)
    demand("two jobs", len(jobs()) == 2, jobs())
    job.send_signal(signal.SIGINT)
    said = job.communicate(timeout=20)[0]
    demand("words", "queued and waiting for resources" in said and "interrupted" in said, said)
    demand("its request is taken back", len(jobs()) == 1, jobs())
    other.terminate()
    other.wait()
    nothing_left()
    print("queued: it says so, and an interrupt takes the request back")


def devices():
    """The partition of devices: each task has one."""
    words = ["culprit", "check", "case.txt", "--cache", "gpu.db", "--match", "device", "--sandbox", "off", "-j2", "--slurm",
             "--partition=gpu --ntasks=2 --gpus-per-task=1", "--", "bash", "-c",
             'grep -q . "$1" || exit 0; echo "$CUDA_VISIBLE_DEVICES $SLURM_JOB_PARTITION $SLURMD_NODENAME" >>%s/seen; sleep 0.3; '
             'echo "error: bad device" >&2; exit 1' % os.getcwd(), "x", "@@"]
    said = subprocess.run(words, capture_output=True, text=True)
    demand("it is seen there", said.returncode == 0, said)
    with open("seen") as file:
        seen = file.read().split("\n")
    demand("its variables", seen and set(filter(None, seen)) <= {"0 gpu g1", "1 gpu g1"}, seen)
    nothing_left()
    print("gres: each worker has a device of its own")


def inside():
    """Within an allocation, that one is used; it stays."""
    script = ' '.join(["salloc", "-Q", "--ntasks=2", "sh", "-c",
                       "'\"$@\" && squeue -h -o %i | wc -l'", "x"])
    run = subprocess.run(["sh", "-c", script + ' "$@"', "x", *command("inside", "")], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True)
    demand("it works", run.returncode == 0 and "is used" in run.stderr, run)
    demand("the allocation stays", run.stdout.strip().endswith("\n1"), run)
    demand("the same bytes", text_of("inside") == expected(), run)
    nothing_left()
    print("inside an allocation: the same bytes, and the allocation stays")


def triage():
    """Cases are spread over the tasks of one allocation."""
    with open("many.jsonl", "w") as out:
        for word in ("angle", "pivot", "slots", "lanes"):
            with open(f"{word}.txt", "w") as case:
                case.write("".join(f"needle {word}\n" if line == 7 else f"hay {line}\n" for line in range(20)))
            tool = (f'grep -q needle "$1" || exit 0; echo "$SLURMD_NODENAME" >>{os.getcwd()}/seen; sleep 0.2; '
                    f'echo "LLVM ERROR: cannot place {word} there" >&2; exit 1')
            out.write(json.dumps({"name": word, "text": f"LLVM ERROR: cannot place {word} there\n", "module": f"{word}.txt",
                                  "command": ["bash", "-c", tool, "x", "@@"]}) + "\n")
    run = subprocess.run(["culprit", "triage", "many.jsonl", "-o", "report", "--reduce", "--no-cache", "--sandbox=off",
                          "--slurm", FOUR], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    demand("four are reduced", run.returncode == 0 and run.stdout.count("reduced") + run.stderr.count("reduced") == 4, run)
    with open("seen") as file:
        nodes = set(file.read().split())
    demand("on four nodes", nodes == {"n1", "n2", "n3", "n4"}, nodes, run)
    nothing_left()
    print("triage: four cases on four nodes, and nothing is left")


for old in os.listdir("."):
    if old.endswith(".db") or old == "seen":
        os.remove(old)
with open("case.txt", "w") as out:
    for line in range(120):
        out.write(f"needle {line}\n" if line % 40 == 7 else f"hay {line} {line * line % 97}\n")
{f.__name__: f for f in (one_and_four, lost_node, lost_daemon, cancelled_job, cancelled_step, over_time, preempted, killed, queued,
                         devices, inside, triage)}[sys.argv[1]]()
