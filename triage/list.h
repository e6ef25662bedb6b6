/* The reports of a triage, one line each: REPORT(name). */
REPORT(html)
REPORT(markdown)
REPORT(jsonl)
REPORT(junit)
REPORT(sarif)
REPORT(csv)
