"""runs-until.py REPORT OPS RUNS: the report's first step with at most OPS
operations was accepted after at most RUNS executed runs."""
import json
import sys

report, ops, runs = json.load(open(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3])
reached = [step["executed"] for step in report["steps"] if step["ops"] <= ops]
print(f"{reached[0] if reached else 'never'} runs until {ops} operations")
sys.exit(not reached or reached[0] > runs)
