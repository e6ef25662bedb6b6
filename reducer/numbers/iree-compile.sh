#!/bin/bash
# Run in place of iree-compile while dispatches are traced.  culprit puts lines
# before this text that set "real", the path of the tool itself.  A flag and its
# value in the next word are joined; the tool's help tells which flags have
# values.
#
# A trace prints all values that a dispatch reads and writes, at some MB/s: a
# constant with each dispatch, a result again with each dispatch that reads it.
# To print each value only once in a block, the module is compiled in two steps.
# Between them, at phase "flow", the values get numbers (systems/trace_iree.c).
# The numbers begin anew in each block, because only within a block the first
# print surely comes before the others.  If a step fails, the module is compiled
# with the full trace.
real=${real:?}
flags=() inputs=() out=- help=
has_value() {
  local name=${1#-}
  help=${help:-$("$real" --help-hidden 2>/dev/null)}
  grep -qE -- "^ +--?${name#-}[ =]*<" <<<"$help"
}
while [ $# -gt 0 ]; do
  word=$1 && shift
  case $word in
  -o | --o) [ $# -gt 0 ] && out=$1 && shift ;;
  -o=* | --o=*) out=${word#*=} ;;
  -?*)
    if [[ $word != *=* && $# -gt 0 && $1 != -[!0-9]* ]] &&
      has_value "$word"; then
      word+="=$1" && shift
    fi
    flags+=("$word") ;;
  *) inputs+=("$word") ;;
  esac
done
# culprit sets these for a run without a trace: flags to add, and the module to
# compile instead.
declare -a more
if [ ${#more[@]} -gt 0 ]; then
  [ -z "${instead-}" ] || inputs=("$instead")
  exec "$real" "${flags[@]}" "${inputs[@]}" -o "$out" "${more[@]}"
fi
trace=--iree-flow-trace-dispatch-tensors
whole() {
  exec "$real" "${flags[@]}" "${inputs[@]}" -o "$out" $trace
}
printf '\n@iree-compile%s\n' \
  "$(printf ' %q' "$real" "${flags[@]}" "${inputs[@]}" -o "$out")" >&2
[[ ${#inputs[@]} = 1 && ${inputs[0]} != - &&
  " ${flags[*]}" != *-compile-@(to|from)* ]] || whole
work=$(mktemp -d) || whole
trap 'rm -rf "$work"' EXIT
numbered() {
  "$real" "${flags[@]}" "${inputs[0]}" $trace --compile-to=flow \
    -o "$work/flow" &&
    grep -q flow.tensor.trace "$work/flow" &&
    LC_ALL=C awk '
/[{]$/ || /^ *[}^]/ { split("", number); split("", global) }
/^ *%[^ ]+ = util[.]global[.]load immutable @/ { global[$1] = $5 }
/^ *flow[.]tensor[.]trace ".* inputs" = / { reads = "" }
/^ *flow[.]tensor[.]trace "[^"]* (in|out)puts" = .*[]]$/ && !/[{]%/ {
  at = index($0, "\" = [") + 5
  head = substr($0, 1, at - 1)
  n = split(substr($0, at, length($0) - at), items, /, %/)
  numbers = known = fresh = ""
  for (i = 1; i <= n; i++) {
    item = i > 1 ? "%" items[i] : items[i]
    split(item, words, " ")
    key = words[1] in global ? global[words[1]] : words[1]
    comma = i > 1 ? "," : ""
    plus = key in number ? "" : "+"
    if (plus) {
      number[key] = total++
      fresh = fresh (fresh ? ", " : "") item
    }
    numbers = numbers comma plus number[key]
    known = known comma number[key]
  }
  if (head ~ / inputs" = /) {
    reads = known
    if (fresh == "")
      next
    sub(/ inputs" = /, " @" numbers "&", head)
  } else {
    if (fresh == "")
      fresh = substr($0, at, length($0) - at)
    else
      sub(/ outputs" = /, " @" reads "@" numbers "&", head)
  }
  print head fresh "]"
  next
}
{ print }' "$work/flow" >"$work/numbered.mlir" &&
    rm "$work/flow" &&
    "$real" "${flags[@]}" --compile-from=flow "$work/numbered.mlir" \
      -o "$work/out"
}
numbered >/dev/null 2>"$work/said" || whole
cat "$work/said" >&2
if [ "$out" = - ]; then
  cat "$work/out"
else
  cp "$work/out" "$out"
fi
