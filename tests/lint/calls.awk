# Who calls whom, from lines "SOURCE NAME KIND" of nm(1): T defines, U wants.
# A name without the prefix is no call within: preloaded libraries define those of
# libc.
# -v foreign= sources that are no part of the product (regular expression)
# -v what=
#   alone     "SOURCE NAME": only its own file calls it
#   tests     "SOURCE NAME": only sources of `foreign` call it
#   one       "SOURCE NAME CALLER": one other file of the product calls it
#   circles   "N SOURCE...": N files each of which reaches the others by calls

$3 == "T" && $1 !~ foreign {
  if ($2 in home && home[$2] != $1) twice[$2] = 1
  home[$2] = $1
}
$3 == "U" && !seen[$1, $2]++ { wants[++wanted] = $1; what_it[wanted] = $2 }

END {
  for (i = 1; i <= wanted; i++) {
    from = wants[i]; name = what_it[i]
    if (!(name in home) || name in twice || home[name] == from) continue
    if (from ~ foreign) { by_tests[name] = 1; continue }
    callers[name]++
    caller[name] = from
    if (name ~ /^cul_/ && !edge[from, home[name]]++) reached[from] = reached[from] " " home[name]
  }
  if (what == "circles") circles()
  else for (name in home) {
    if (name in twice || name == "main") continue
    if (what == "alone" && !callers[name] && !by_tests[name])
      print home[name], name
    if (what == "tests" && !callers[name] && by_tests[name])
      print home[name], name
    if (what == "one" && callers[name] == 1)
      print home[name], name, caller[name]
  }
}

# Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1,
# 1972.
function circles(    file) {
  for (file in reached) if (!(file in number)) visit(file)
}

function visit(file,    to, n, i, list, members) {
  number[file] = low[file] = ++counter
  stack[++depth] = file
  on_stack[file] = 1
  n = split(reached[file], to, " ")
  for (i = 1; i <= n; i++) {
    if (!(to[i] in number)) {
      visit(to[i])
      if (low[to[i]] < low[file]) low[file] = low[to[i]]
    } else if (on_stack[to[i]] && number[to[i]] < low[file])
      low[file] = number[to[i]]
  }
  if (low[file] != number[file]) return
  do {
    members++
    list = list " " stack[depth]
    on_stack[stack[depth]] = 0
  } while (stack[depth--] != file)
  if (members > 1) print members list
}
