#!/bin/sh
# left.sh MARK: fails, and ends them, where processes are left that have MARK
# somewhere in their environment and are not this test's shell or its parents.
mine=" $$ "
pid=$$
while [ "$pid" -gt 1 ]; do
  pid=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat" 2>/dev/null || echo 1)
  mine="$mine$pid "
done
found=0
for dir in /proc/[0-9]*; do
  pid=${dir#/proc/}
  case $mine in *" $pid "*) continue ;; esac
  if { tr '\0' '\n' <"$dir/environ"; } 2>/dev/null | grep -qxF "MARK=$1"; then
    tr '\0' ' ' <"$dir/cmdline"
    echo "($pid) is left" >&2
    kill -9 "$pid"
    found=1
  fi
done
exit $found
