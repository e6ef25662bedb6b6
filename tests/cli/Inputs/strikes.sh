#!/bin/sh
# strikes.sh FILE: fails where FILE has "four"; the second, third and fourth run
# sends SIGNAL to all workers of the culprit above it.
status=0
grep -q four "$1" && status=1
parent_of() { sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$1/stat"; }
strike_below() {
  tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r child; do
    case $(cat "/proc/$child/comm") in
    culprit-worksho*)
      strike_below "$child"
      kill "-$SIGNAL" "$child"
      ;;
    esac
  done
}
for n in 0 1 2 3; do
  mkdir "$STATE/$n" 2>/dev/null || continue
  culprit=$(parent_of "$(parent_of $$)")
  [ $n = 0 ] || strike_below "$culprit" 2>/dev/null
  break
done
[ $status = 0 ] || echo "error: four" >&2
exit $status
