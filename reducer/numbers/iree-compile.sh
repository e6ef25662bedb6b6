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
# with the full trace.  IREE does not trace dispatches inside control flow: the
# line @untraced says that there are some, and culprit sets loops=1 to trace
# them; it says so again if IREE cannot compile that.  The host waits for the
# device at each trace, and IREE compiles a loop only with some forty waits
# ("failed to solve for timepoint coverage").  So one trace prints the values of
# several dispatches, behind the last of them.
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
    grep -qE 'flow.tensor.trace|flow.dispatch' "$work/flow" &&
    LC_ALL=C awk -v loops="${loops-}" '
BEGIN { most = 100 } # the runtime prints at most 128 values in one trace
/[{]$/ || /^ *[}^]/ {
  print_batch()
  split("", number)
  split("", global)
}
/^ *%[^ ]+ = util[.]global[.]load immutable @/ { global[$1] = $5 }
/^ *flow[.]tensor[.]trace ".* inputs" = / { reads = "" }
/^ *flow[.]tensor[.]trace "/ { write($0); traced = NR; next }
traced != NR - 1 && /^      .*flow[.]dispatch @/ && read_dispatch() {
  if (loops) {
    add_to_batch()
    next
  }
  untraced = 1
}
# Add the dispatch of this line to those that the next trace prints.
function add_to_batch(    reads, writes, numbers) {
  if (n_batch + n_inputs + n_outputs + n_scalars > most)
    print_batch()
  print held $0
  held = ""
  reads = numbered_items(n_inputs, inputs)
  writes = numbered_items(n_outputs, outputs)
  numbers = numbered_scalars()
  batch = batch (batch ? "; " : "") name " @" reads "@" writes "@" numbers
}
# Print the trace of the batch, and the lines behind its last dispatch.
function print_batch() {
  if (batch)
    print splats "      flow.tensor.trace \"" batch " steps\" = [" items "]"
  printf "%s", held
  batch = splats = items = held = ""
  n_batch = 0
}
function put(line) {
  if (batch)
    held = held line "\n"
  else
    print line
}
function number_of(key, item,    plus) {
  plus = key in number ? "" : "+"
  if (plus) {
    number[key] = total++
    items = items (n_batch++ ? ", " : "") item
  }
  return plus number[key]
}
function numbered_items(n, tensors,    i, words, key, out) {
  for (i = 1; i <= n; i++) {
    split(tensors[i], words, " ")
    key = words[1] in global ? global[words[1]] : words[1]
    out = out (i > 1 ? "," : "") number_of(key, tensors[i])
  }
  return out
}
# Trace numbers as tensors.
function numbered_scalars(    i, key, out) {
  for (i = 1; i <= n_scalars; i++) {
    key = "= " scalars[i]
    out = out (i > 1 ? "," : "") \
      number_of(key, key in number ? "" : splat(scalars[i], types[scalars[i]]))
  }
  return out
}
# Print a line that traces values, without those that are known.
function write(line,    at, head, n, items, numbers, known, fresh, i, item,
    words, key, comma, plus) {
  if (line !~ /^ *flow[.]tensor[.]trace "[^"]* (in|out)puts" = .*[]]$/ ||
      line ~ /[{]%/) {
    put(line)
    return
  }
  at = index(line, "\" = [") + 5
  head = substr(line, 1, at - 1)
  n = split(substr(line, at, length(line) - at), items, /, %/)
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
      return
    sub(/ inputs" = /, " @" numbers "&", head)
  } else {
    if (fresh == "")
      fresh = substr(line, at, length(line) - at)
    else
      sub(/ outputs" = /, " @" reads "@" numbers "&", head)
  }
  put(head fresh "]")
}
# The position behind the bracket that closes the one at a position of text.
function behind(text, at,    depth, c) {
  for (; at <= length(text); at++) {
    c = substr(text, at, 1)
    if (index("([{<", c))
      depth++
    else if (index(")]}", c) || c == ">" && substr(text, at - 1, 1) != "-")
      if (--depth == 0)
        return at + 1
  }
  return at
}
# Split a list at the commas that are in no bracket.
function list(text, out,    n, at, begin) {
  split("", out)
  for (at = begin = 1; at <= length(text);) {
    if (index("([{<", substr(text, at, 1)))
      at = behind(text, at)
    else if (substr(text, at++, 1) == ",") {
      out[++n] = substr(text, begin, at - 1 - begin)
      at = begin = at + 1
    }
  }
  if (begin <= length(text))
    out[++n] = substr(text, begin)
  return n + 0
}
# Add lines that make a tensor of a number; returns that.
function splat(value, type,    stored) {
  stored = type == "index" ? "i64" : type == "i1" ? "i8" : type
  if (stored != type) {
    splats = splats "      %culprit_stored" ++count " = arith." \
      (type == "i1" ? "extui " : "index_cast ") value " : " type " to " \
      stored "\n"
    value = "%culprit_stored" count
  }
  splats = splats "      %culprit_scalar" ++count " = flow.tensor.splat " \
    value " : tensor<" stored ">\n"
  return "%culprit_scalar" count " : tensor<" stored ">"
}
# Read the dispatch of this line: its name, the tensors that it reads and
# writes, and its numbers.
function read_dispatch(    text, at, end, n, i, operands, read, results, value,
    type) {
  match($0, /^ *%[^ :=]+/)
  value = substr($0, 1, RLENGTH)
  sub(/^ */, "", value)
  text = substr($0, index($0, "flow.dispatch @") + 15)
  at = match(text, /[[(]/)
  name = substr(text, 1, at - 1)
  sub(/::@/, "::", name)
  if (substr(text, at, 1) == "[")
    at = behind(text, at)
  end = behind(text, at)
  list(substr(text, at + 1, end - at - 2), operands)
  text = substr(text, end)
  at = index(text, " : (")
  if (value == "" || !at)
    return 0
  text = substr(text, at + 3)
  end = behind(text, 1)
  n = list(substr(text, 2, end - 3), read)
  text = substr(text, end + 4)
  if (text ~ /^[(]/)
    text = substr(text, 2, length(text) - 2)
  n_outputs = list(text, results)
  n_inputs = n_scalars = 0
  for (i = 1; i <= n; i++) {
    types[operands[i]] = read[i]
    if (read[i] ~ /^tensor</)
      inputs[++n_inputs] = operands[i] " : " read[i]
    else
      scalars[++n_scalars] = operands[i]
  }
  for (i = 1; i <= n_outputs; i++) {
    type = results[i]
    sub(/^%[^ ]+ as /, "", type)
    if (type in types)
      type = types[type]
    outputs[i] = value (n_outputs > 1 ? "#" i - 1 : "") " : " type
  }
  return n_inputs > 0
}
{ put($0) }
END { if (untraced) print "@untraced" >"/dev/stderr" }' \
      "$work/flow" >"$work/numbered.mlir" &&
    rm "$work/flow" &&
    "$real" "${flags[@]}" --compile-from=flow "$work/numbered.mlir" \
      -o "$work/out"
}
numbered >/dev/null 2>"$work/said" || {
  [ -z "${loops-}" ] || printf '\n@untraced\n' >&2
  whole
}
cat "$work/said" >&2
if [ "$out" = - ]; then
  cat "$work/out"
else
  cp "$work/out" "$out"
fi
