"""Reductions of a corpus's cases, one after the other, for benches that compare
two ways."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def reduce(culprit, case, options, limit):
    """Seconds, report and journal of one reduction of the folder `case` (`cmd`,
    @@ = the file; large.*) from nothing."""
    with tempfile.TemporaryDirectory() as tmp:
        large = next(case.glob("large.*"))
        shutil.copy(large, tmp)
        command = (case / "cmd").read_text().strip()
        start = time.time()
        done = subprocess.run(
            [culprit, "reduce", large.name, *options, "--max-time", str(limit),
             "-o", "out" + large.suffix, "--bundle", "bundle",
             "--", "bash", "-c", command],
            cwd=tmp, env={**os.environ, "XDG_CACHE_HOME": tmp + "/cache"},
            capture_output=True, text=True)
        seconds = time.time() - start
        report = Path(tmp, "bundle", "report.json")
        if not report.exists():
            sys.exit(f"{case.name}: exit {done.returncode}\n{done.stderr[-1000:]}")
        journal = Path(tmp, "bundle", "journal.jsonl").read_text().splitlines()
        return seconds, json.loads(report.read_text()), [json.loads(line)
                                                         for line in journal]
