# Functions that are too long, take too many parameters or nest too deep.
# Reads C in clang-format's LLVM shape; -v max= -v params= -v nest=

FNR == 1 { inside = 0; head = "" }

# The head of a definition: from its first line in column 0 to its '{'.
!inside && /^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(struct|enum|union)[^()]*\{/ {
  head = ""
  start = FNR
  name = $0
  sub(/\(.*/, "", name)
  sub(/.*[ *]/, "", name)
  collecting = 1
}

!inside && collecting {
  head = head $0
  if (/;[ \t]*$/) { collecting = 0; next }
  if (/\{[ \t]*$/) {
    collecting = 0
    inside = 1
    deepest = 0
    check_parameters()
    next
  }
}

inside && /^}/ {
  inside = 0
  lines = FNR - start + 1
  if (lines > max)
    printf "%s:%d: %s has %d lines, %d at most\n", FILENAME, start, name, lines, max
  if (deepest > nest)
    printf "%s:%d: %s nests %d deep, %d at most\n", FILENAME, start, name, deepest, nest
}

# A control statement inside a body stands 2 columns per level in.
inside && /^ +(} else |else |if|for|while|do|switch)[ ({]/ {
  match($0, /^ +/)
  level = RLENGTH / 2
  if (/else if/ || RLENGTH % 2) next
  if (level > deepest) deepest = level
}

function check_parameters(    list, n, i, depth, c) {
  list = head
  sub(/^[^(]*\(/, "", list)
  sub(/\)[^)]*$/, "", list)
  sub(/,? *struct cul_err \*err$/, "", list) # the error channel is not counted
  n = (list == "" || list == "void") ? 0 : 1
  depth = 0
  for (i = 1; i <= length(list); i++) {
    c = substr(list, i, 1)
    if (c == "(") depth++
    if (c == ")") depth--
    if (c == "," && depth == 0) n++
  }
  if (n > params)
    printf "%s:%d: %s takes %d parameters, %d at most\n", FILENAME, start, name, n, params
}
