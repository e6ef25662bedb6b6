#!/bin/sh
# within DIR FILE CANDIDATE COMMAND...: run COMMAND on a copy of DIR in which
# FILE, a path below it, has the content of CANDIDATE.  The copy is made anew for
# each run; its files have the times of DIR's, and where CANDIDATE is another
# text FILE alone is newer than all others.  What COMMAND has as //within// is
# the copy.  Exit status 125: there is no copy.
dir=$1 file=$2 candidate=$3
shift 3
# Under culprit TMPDIR is the run's own, empty and removed; elsewhere the copy is
# removed here.
own=
if [ -z "$TMPDIR" ] || [ "$(ls -A -- "$TMPDIR")" ]; then
  own=$(mktemp -d) || exit 125
  trap 'rm -rf -- "$own"' EXIT
fi
copy=${own:-$TMPDIR}/${dir##*/}
cp -a -- "$dir" "$copy" || exit 125
if ! cmp -s -- "$candidate" "$copy/$file"; then
  chmod -- u+w "$copy/$file" && cat -- "$candidate" >"$copy/$file" || exit 125
fi
n=$#
while [ $n -gt 0 ]; do
  word=$1
  shift
  while
    case $word in
    *//within//*) ;;
    *) false ;;
    esac
  do
    word=${word%%//within//*}$copy/${word#*//within//}
  done
  set -- "$@" "$word"
  n=$((n - 1))
done
[ "$own" ] || exec "$@"
"$@"
