#!/bin/sh
# stops_worker.sh FILE: fails where FILE has "four"; stops, once, the process
# that has started what watches over it: a worker of triage.
if mkdir "$STATE" 2>/dev/null; then
  kill -STOP "$(sed 's/.*) [A-Z] \([0-9]*\) .*/\1/' "/proc/$PPID/stat")"
  sleep "$PAUSE"
fi
grep -q four "$1" || exit 0
echo 'error: the number four' >&2
exit 1
