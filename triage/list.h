/* The reports of a triage, one line each: REPORT(name). */
REPORT(jsonl)
