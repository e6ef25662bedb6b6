#!/bin/sh
# turns.sh FILE: fails on "four"; from the second run on a result of one word
# on, it kills what watches over it.  $SEEN: a file of its own.
grep -q four "$1" || exit 0
if [ "$(wc -c <"$1")" -le 5 ]; then
  [ -e "$SEEN" ] && kill -KILL $PPID
  : >"$SEEN"
fi
echo "LLVM ERROR: cannot lower this" >&2
kill -ABRT $$
