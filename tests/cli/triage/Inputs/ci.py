"""What CI systems, launchers and loggers write before every line of a log.

Each function takes the lines of a log and a random generator, and returns the
lines as that system keeps them.  The forms follow the systems' documentation;
no line is copied from a log.
"""

import json

MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


class Clock:
    """A time that goes on by some milliseconds for each line."""

    def __init__(self, rng):
        self.rng = rng
        self.month, self.day = rng.randrange(12), rng.randrange(1, 28)
        self.us = rng.randrange(3600 * 20) * 1000000 + rng.randrange(1000000)

    def step(self):
        self.us += self.rng.choice((0, 7, 130, 900, 21000, 1300000))
        return self

    def hms(self):
        s = self.us // 1000000
        return "%02d:%02d:%02d" % (s // 3600 % 24, s // 60 % 60, s % 60)

    def date(self, sep="-"):
        return "2031%s%02d%s%02d" % (sep, self.month + 1, sep, self.day)

    def ms(self):
        return "%03d" % (self.us // 1000 % 1000)

    def micro(self):
        return "%06d" % (self.us % 1000000)

    def stamp(self):
        return "%s %2d %s" % (MONTHS[self.month], self.day, self.hms())


def simple(form):
    """One template for all lines; names are drawn once for each log."""

    def change(lines, rng):
        c = Clock(rng)
        once = {"pid": rng.randrange(300, 99999), "n": rng.randrange(16), "m": rng.randrange(16),
                "id": "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(5)),
                "hex": "%08x" % rng.randrange(1 << 32)}  # fmt: skip
        out = []
        for k, line in enumerate(lines):
            c.step()
            out.append(form(c, once, k) + line)
        return out

    return change


def gitlab(lines, rng):
    c = Clock(rng)
    return ["%sT%s.%sZ %02d%s %s" % (c.step().date(), c.hms(), c.micro(), 1, "E" if k % 9 else "O", line)
            for k, line in enumerate(lines)]  # fmt: skip


def maven(lines, rng):
    return ["[%s] %s" % ("ERROR" if rng.random() < 0.8 else "INFO", line) for line in lines]


def ranks(form, n):
    """The log is what one rank prints; others print their own between."""

    def change(lines, rng):
        mine = rng.randrange(n)
        out = []
        for line in lines:
            out.append(form(mine, rng) + line)
            for _ in range(rng.randrange(3)):
                other = (mine + rng.randrange(1, n)) % n
                out.append(form(other, rng) + rng.choice(("step %d done" % rng.randrange(99), "loaded shard %d" % rng.randrange(9), "waiting for peers")))
        return out

    return change


def json_file(lines, rng):
    c = Clock(rng)
    return [json.dumps({"log": line + "\n", "stream": "stderr", "time": "%sT%s.%s000Z" % (c.step().date(), c.hms(), c.micro())}) for line in lines]


def json_message(lines, rng):
    c = Clock(rng)
    pod = "build-%d" % rng.randrange(99)
    return [json.dumps({"ts": c.step().us / 1e6, "level": "error", "pod": pod, "msg": line}) for line in lines]


SYSTEMS = {
    "jenkins": simple(lambda c, o, k: "[%sT%s.%sZ] " % (c.date(), c.hms(), c.ms())),
    "gitlab": gitlab,
    "github": simple(lambda c, o, k: "%sT%s.%s1Z " % (c.date(), c.hms(), c.micro())),
    "gh-run-view": simple(lambda c, o, k: "build (gcc-%d, Release)\tRun tests\t%sT%s.%s1Z " % (o["n"] + 7, c.date(), c.hms(), c.micro())),
    "gh-unknown-step": simple(lambda c, o, k: "test-gpu\tUNKNOWN STEP\t%s%sT%s.%s1Z " % ("\ufeff" if k == 0 else "", c.date(), c.hms(), c.micro())),
    "azure": simple(lambda c, o, k: "%sT%s.%s3Z " % (c.date(), c.hms(), c.micro())),
    "teamcity": simple(lambda c, o, k: "[%s]%s:\t [Step 2/4] " % (c.hms(), "W" if k % 5 else "i")),
    "buildbot": simple(lambda c, o, k: "%s " % c.hms()),
    "zuul": simple(lambda c, o, k: "%s %s.%s | ubuntu-jammy | " % (c.date(), c.hms(), c.micro())),
    "taskcluster": simple(lambda c, o, k: "[task %sT%s.%sZ] " % (c.date(), c.hms(), c.ms())),
    "mozharness": simple(lambda c, o, k: "[task %sT%s.%sZ] %s     INFO -  " % (c.date(), c.hms(), c.ms(), c.hms())),
    "concourse": simple(lambda c, o, k: "%s  " % c.hms()),
    "tekton": simple(lambda c, o, k: "[unit-tests : run-%s] " % o["id"]),
    "kubectl": simple(lambda c, o, k: "[pod/train-%s/main] " % o["id"]),
    "stern": simple(lambda c, o, k: "train-%s worker " % o["id"]),
    "containerd": simple(lambda c, o, k: "%sT%s.%s123+00:00 stderr F " % (c.date(), c.hms(), c.micro())),
    "docker-json": json_file,
    "json-message": json_message,
    "compose": simple(lambda c, o, k: "worker-%d  | " % (o["n"] % 9)),
    "compose-time": simple(lambda c, o, k: "worker-%d  | %sT%s.%s123Z " % (o["n"] % 9, c.date(), c.hms(), c.micro())),
    "foreman": simple(lambda c, o, k: "%s test.1  | " % c.hms()),
    "journal": simple(lambda c, o, k: "%s ci-host-%d run-tests[%d]: " % (c.stamp(), o["n"], o["pid"])),
    "journal-precise": simple(lambda c, o, k: "%sT%s+0200 node%d ci.service[%d]: " % (c.date(), c.hms(), o["n"], o["pid"])),
    "syslog-5424": simple(lambda c, o, k: "<11>1 %sT%s.%sZ host%d ci %d - - " % (c.date(), c.hms(), c.ms(), o["n"], o["pid"])),
    "kernel": simple(lambda c, o, k: "[%5d.%s] " % (c.us // 1000000 % 99999, c.micro())),
    "glog": simple(lambda c, o, k: "E%02d%02d %s.%s %6d runner.py:71%d] " % (c.month + 1, c.day, c.hms(), c.micro(), o["pid"], o["n"] % 10)),
    "glog-short": simple(lambda c, o, k: "E%02d%02d %s.%s runner.py:714] " % (c.month + 1, c.day, c.hms(), c.ms())),
    "python-logging": simple(lambda c, o, k: "%s %s,%s - runner.shell - ERROR - " % (c.date(), c.hms(), c.ms())),
    "python-logging-2": simple(lambda c, o, k: "%s %s,%s ERROR    [worker%d] " % (c.date(), c.hms(), c.ms(), o["n"])),
    "logcat": simple(lambda c, o, k: "%02d-%02d %s.%s %5d %5d E compiler: " % (c.month + 1, c.day, c.hms(), c.ms(), o["pid"], o["pid"] + 3)),
    "ts": simple(lambda c, o, k: "%s " % c.stamp()),
    "ts-elapsed": simple(lambda c, o, k: "%s " % Clock.hms(c)),
    "mach": simple(lambda c, o, k: "%2d:%02d.%02d " % (c.us // 60000000 % 60, c.us // 1000000 % 60, c.us // 10000 % 100)),
    "buildkit": simple(lambda c, o, k: "#%d %.3f " % (o["n"] + 3, (c.us % 3600000000) / 1e6)),
    "bazel-remote": simple(lambda c, o, k: "(%s) " % c.hms()),
    "ctime": simple(lambda c, o, k: "%s %s %2d %s 2031: " % (DAYS[o["n"] % 7], MONTHS[c.month], c.day, c.hms())),
    "maven": maven,
    "earthly": simple(lambda c, o, k: "              +unit-%d | " % o["n"]),
    "nix": simple(lambda c, o, k: "toy-opt-%d> " % o["n"]),
    "gnu-parallel": simple(lambda c, o, k: "case_%d.mlir\t" % o["n"]),
    "dated-uuid": simple(lambda c, o, k: "%s %s [%s] " % (c.date("/"), c.hms(), o["hex"])),
    "epoch": simple(lambda c, o, k: "1936%06d.%s: " % (c.us // 1000000 % 1000000, c.ms())),
    "torch-rank": ranks(lambda r, rng: "[rank%d]: " % r, 8),
    "torchrun": ranks(lambda r, rng: "[default%d]:" % r, 4),
    "torchrun-time": ranks(lambda r, rng: "[rank%d]:E0%d11 0%d:11:%02d.123000 %d launcher.py:88] " % (r, 3, 4, rng.randrange(60), 7000 + r), 4),
    "xdist": ranks(lambda r, rng: "[gw%d] " % r, 6),
    "ray": ranks(lambda r, rng: "(RayTrainWorker pid=%d, ip=10.0.0.%d) " % (31000 + 7 * r, r + 1), 4),
    "mpirun": ranks(lambda r, rng: "[1,%d]<stderr>:" % r, 4),
    "srun": ranks(lambda r, rng: "%2d: " % r, 12),
    "compose-many": ranks(lambda r, rng: "worker-%d    | " % r, 3),
    "slurm-glog": ranks(lambda r, rng: "%d: I0602 17:07:%02d.123456 %d train.py:88] " % (r, rng.randrange(60), 4000 + r), 4),
}


def apply(name, text, rng):
    return "".join(line + "\n" for line in SYSTEMS[name](text.splitlines(), rng))
