"""hangs_cost.py EARLY WHOLE: the processor time of two jobs on one hang.  Both
have the runs of the original and the proof, with the whole deadline each; a
hang of the search takes less than a third early."""
import json
import sys

early, whole = (json.load(open(path)) for path in sys.argv[1:])
hangs = early["hangs"]["provisional"]
saved = whole["seconds"]["oracle_cpu"] - early["seconds"]["oracle_cpu"]
assert saved > hangs * 1.3, (saved, hangs)
