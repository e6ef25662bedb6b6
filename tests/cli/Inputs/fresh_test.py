"""The lit format of these tests; in a module so that workers can load it."""
import os
import re
import shutil

import lit.formats
import lit.Test

from cost import Cost


def last_command(path):
    """The line of the last command of a test, as lit counts; 0: it has none."""
    last, goes_on = 0, False
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if run := re.search(r"\bRUN:(.*)$", line):
                last = last if goes_on else number
                goes_on = run.group(1).rstrip().endswith("\\")
    return last


class FreshTest(lit.formats.ShTest):
    """A shell test with a directory of its own, empty at its start.

    %t is in it.  Programs list directories (Python that of its script), and
    what they list counts in a job's identity: no other test may write there.

    A test passes if its last command was reached, or it says "skipped: WHY":
    all commands are one script of bash, which an "exit 0" among them ends.

    With the parameter unstable=DIR, a test that fails runs a second time.  If it
    passes then, what it printed the first time is DIR/NAME: the test is counted
    as passed, and ./bootstrap test names it and shows that output."""

    def execute(self, test, lit_config):
        first = self.attempt(test, lit_config)
        unstable = lit_config.params.get("unstable")
        if first.code != lit.Test.FAIL or not unstable:
            return first
        second = self.attempt(test, lit_config)
        if second.code == lit.Test.PASS:
            os.makedirs(unstable, exist_ok=True)
            name = "-".join(test.path_in_suite)
            with open(os.path.join(unstable, name), "w", encoding="utf-8") as kept:
                kept.write(first.output)
        return second

    def attempt(self, test, lit_config):
        folder, name = os.path.split(test.getExecPath())
        own = os.path.join(folder, os.path.splitext(name)[0])
        shutil.rmtree(own, ignore_errors=True)
        path = os.path.join(own, name)
        # lit asks the test itself, here in its worker, for where %t is.
        test.getExecPath = lambda: path
        environment = test.config.environment
        test.config.environment = dict(
            environment, XDG_CACHE_HOME=os.path.join(own, "Output", name + ".tmp.cache")
        )
        with Cost(lit_config.params.get("costs"), "cli/" + "/".join(test.path_in_suite)):
            try:
                return self.whole(test, super().execute(test, lit_config))
            finally:
                test.config.environment = environment
                del test.getExecPath  # A test that is sent back has no function.

    @staticmethod
    def whole(test, result):
        last = last_command(test.getSourcePath())
        reached = f"RUN: at line {last}\n" in result.output or re.search(
            "^skipped: ", result.output, re.MULTILINE
        )
        if result.code != lit.Test.PASS or reached:
            return result
        why = f"The test ended before its last command, at line {last}.\n"
        return lit.Test.Result(lit.Test.FAIL, why + result.output)
