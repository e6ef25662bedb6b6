#!/bin/sh
# within DIR FILE CANDIDATE COMMAND...: run COMMAND on a copy of DIR in which
# FILE, a path below it, has the content of CANDIDATE.  The copy is made anew for
# each run; its files have the times of DIR's, and where CANDIDATE is another
# text FILE alone is newer than all others, also for what counts in whole
# seconds.  A link leads where it leads in DIR, and to the copy where that is in
# DIR itself.  What COMMAND has as //within// is the copy.  Exit status 125:
# there is no copy.
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
# The first second of which each clock says that it is later than every time in
# the copy: times of FAT are even.
newer=$(find "$copy" -printf '%T@\n' |
  awk '$1 > last || NR == 1 { last = $1 }
    END { printf "%.0f\n", 2 * int(last / 2) + 2 }') || exit 125
# Pairs of a link and its text, ten at a time: no name has more than 4096 bytes.
# shellcheck disable=SC2016
find "$copy" -type l \( -lname '/*' -o -lname '*..*' \) -printf '%P\0%l\0' |
  xargs -0 -r -n 20 sh -c '
  dir=$1 copy=$2
  shift 2
  while [ $# -gt 0 ]; do
    link=$1 to=$2 in= new=
    shift 2
    case $link in */*) in=/${link%/*} ;; esac
    case $to in
    "$dir" | "$dir"/*) new=$copy${to#"$dir"} ;;
    /*) continue ;;
    *)
      deep=0 rest=${in#/}/$to/
      while [ "$rest" ] && [ $deep -ge 0 ]; do
        case ${rest%%/*} in
        ..) deep=$((deep - 1)) ;;
        "" | .) ;;
        *) deep=$((deep + 1)) ;;
        esac
        rest=${rest#*/}
      done
      [ $deep -ge 0 ] && continue
      case $(realpath -ms -- "$dir$in/$to") in
      "$dir" | "$dir"/*) continue ;;
      esac
      new=$dir$in/$to
      ;;
    esac
    ln -sfn -- "$new" "$copy/$link" && touch -hr "$dir/$link" -- "$copy/$link" &&
      touch -r "$dir$in" -- "$copy$in" || exit 1
  done' sh "$dir" "$copy" || exit 125
if ! cmp -s -- "$candidate" "$copy/$file"; then
  # A build that was made a moment ago is waited for.  A time in the future would
  # be newer than what COMMAND builds, so only one in DIR is outdone by another.
  left=$((newer - $(date +%s)))
  if [ $left -gt 0 ] && [ $left -le 2 ]; then
    sleep $left
  fi
  chmod -- u+w "$copy/$file" && cat -- "$candidate" >"$copy/$file" || exit 125
  if [ "$(stat -c %Y -- "$copy/$file")" -lt "$newer" ]; then
    touch -d "@$newer" -- "$copy/$file" || exit 125
  fi
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
