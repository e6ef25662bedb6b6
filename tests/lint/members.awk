# Structs with more than `max` members: "FILE:LINE NAME MEMBERS".  Reads C in
# clang-format's LLVM shape; what a struct within declares counts with it.

FNR == 1 { name = ""; comment = 0 }

name == "" && /^struct [A-Za-z0-9_]+ \{/ {
  name = $2
  line = FNR
  members = 0
  rest = ""
  next
}

name != "" && /^}/ {
  if (members > max) print FILENAME ":" line, name, members
  name = ""
}

name != "" {
  text = $0
  gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
  if (comment) {
    if (!sub(/^.*\*\//, "", text)) next
    comment = 0
  }
  if (sub(/\/\*.*$/, "", text)) comment = 1
  rest = rest text
  while (match(rest, /[;{}]/)) {
    if (substr(rest, RSTART, 1) == ";")
      members += declared(substr(rest, 1, RSTART - 1))
    rest = substr(rest, RSTART + 1)
  }
}

# The members of "int *a, b[2], (*c)(int, int)"; the commas of parameters do not
# count.
function declared(text,    i, c, deep, n) {
  if (text !~ /[A-Za-z]/) return 0
  n = 1
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c == "(") deep++
    if (c == ")") deep--
    if (c == "," && !deep) n++
  }
  return n
}
