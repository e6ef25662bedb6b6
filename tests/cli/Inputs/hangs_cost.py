"""hangs_cost.py EARLY WHOLE: the processor time that two jobs on one hang spend
for each run that hangs.  How many such runs a job has varies with the load of
the machine, so the sums are not compared.  EARLY waits for the whole deadline
in the runs of the original and the proof only."""
import json
import sys


def cost(path):
    report = json.load(open(path))
    return report["seconds"]["oracle_cpu"] / report["runs"]["timeouts"]


early, whole = (cost(path) for path in sys.argv[1:])
assert early < 0.6 * whole, (early, whole)
