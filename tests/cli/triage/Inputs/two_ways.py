"""two_ways.py [--silent] DIR: logs of two bugs of one message, some without
names; silent: without a message, too."""

import os
import sys

silent = sys.argv[1] == "--silent"
folder = os.path.join(sys.argv[-1], "logs")
os.makedirs(folder)


def write(name, way, function, file, named, cut=False):
    base = 0x400000 if named else 0x7A0000
    with open(os.path.join(folder, name + ".log"), "w", encoding="utf-8") as log:
        if not silent:
            log.write("toy-opt: /b/Pad.cpp:9: void toy::pad(Op*): Assertion `ok' failed.\n")
        log.write("Stack dump:\n0.\tProgram arguments: /%s/bin/toy-opt --pad /t/%s\n" % (name, file))
        log.write('1.\tRunning pass "pad" on function "%s"\n' % function)
        frames = ["toy::pad" + way + "(Op*)", "toy::padAll" + way + "(Op*)", "main"]
        for n, frame in enumerate(frames):
            if cut and n == 1:
                continue
            place = base + 0x111 * (n + 1) + 0x10 * len(way + function)
            log.write(" #%d 0x%016x %s(/%s/bin/toy-opt+0x%x)\n" % (n, 0x55D0A0000000 + place, frame + " " if named else "", name, place))


write("one-named", "One", "walk_one", "one.mlir", True)
write("two-named", "Two", "walk_two", "two.mlir", True)
write("one-stripped", "One", "walk_one", "one.mlir", False)
write("two-stripped", "Two", "walk_two", "two.mlir", False)
write("other", "Other", "elsewhere", "other.mlir", False)
if not silent:
    write("two-cut", "Two", "walk_two", "two.mlir", True, True)
