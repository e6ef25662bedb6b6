#!/bin/bash
# A folder includes its own headers and those of folders below it, nothing
# else; libraries of the outside are each known to one or two parts.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# The house, from the ground up: folders of one line know nothing of each other.
# Every folder with sources is listed.
readonly floors='
base
base/files base/options
base/page base/terminal
base/profile base/tensor
cache pipeline
runners/trace
runners/sandbox
runners/stacks
runners/tree
runners/preload
runners
runners/identity
runners/remote
runners/slurm
oracles/common
oracles/rules
oracles/stack
oracles/signature
oracles/numbers
oracles
probe
probe/target systems
issue
bisect/report bisect/search
bisect/history
bisect/ledger bisect/build
bisect/matrix
bisect/commits bisect/flags bisect/install bisect/passes bisect/versions
bisect/packages
bisect
reducer/search
reducer/subject
reducer/subject/ir reducer/subject/text
reducer/subject/edit reducer/subject/text/language
reducer/subject/print
reducer/opmodel
reducer/subject/mlir
reducer/mutations/frame reducer/mutations/plugin
reducer/mutations/block reducer/mutations/text
reducer/mutations/retype/graph
reducer/mutations/retype/rules
reducer/mutations/retype
reducer/mutations/attribute reducer/mutations/operation reducer/mutations/position
reducer/mutations/function
reducer/mutations
reducer/engines/plan
reducer/engines/gpu reducer/engines/program
reducer/engines/sound
reducer/engines/jit
reducer/engines
reducer/worker
reducer/driver
reducer/forms reducer/results
reducer/numbers
reducer/space
reducer/job
reducer/inputs reducer/plan
reducer/finish
reducer
triage
triage/text
triage/group
triage/report
triage/work
triage/read
cli/live
cli
cli/commands
'
# What a part shows to those inside it, types and tables: a table (list.h,
# table.c) stands above the folders whose descriptors it lists.
readonly interfaces='
runners/plan.h runners/live.h
oracles/oracle.h oracles/signature/signature.h
reducer/mutations/mutation.h reducer/mutations/plugin.h
reducer/engines/engine.h
'

declare -A floor
number=0
while IFS= read -r line; do
  number=$((number + 1))
  for folder in $line; do floor[$folder]=$number; done
done <<<"$floors"
readonly -A floor

# allowed FROM HEADER: may a file of folder FROM include HEADER?
allowed() {
  local to=${2%/*}
  [ "$1" = "$to" ] || [ "${floor[$to]}" -lt "${floor[$1]}" ] ||
    [[ $interfaces =~ [[:space:]]"$2"[[:space:]] ]]
}

# "FILE:LINE:TARGET:HEADER" of every include: the header's path from the root.
own_includes() {
  files '\.[ch]' "${house[@]}" | xargs -r grep -HnoE \
    '^ *# *include *"[^"]+"' | sed -E 's/# *include *"([^"]+)"/\1/; s/: +/:/g' |
    awk -F: '{
      n = split($1, part, "/") - 1
      m = split($3, more, "/")
      for (i = 1; i <= m; i++)
        if (more[i] == ".." && n > 0 && part[n] != "..") n--
        else if (more[i] != ".") part[++n] = more[i]
      header = part[1]
      for (i = 2; i <= n; i++) header = header "/" part[i]
      print $0 ":" header
    }'
}

check_own_headers() {
  local file from line target header to
  while IFS=: read -r file line target header; do
    from=${file%/*}
    to=${header%/*}
    if [ -z "${floor[$from]:-}" ]; then
      found "$file:$line: folder $from has no floor (tests/lint/layers.sh)"
    elif [ -z "${floor[$to]:-}" ]; then
      found "$file:$line: includes \"$target\", which is in no folder of the house"
    elif ! allowed "$from" "$header"; then
      found "$file:$line: $from includes \"$target\" of $to, which is not below it"
    fi
  done < <(own_includes)
}

# only HEADER FOLDER...: the system header belongs to these folders alone, and
# those in them.
only() {
  local header=$1 file folder owned
  shift
  while IFS= read -r file; do
    owned=no
    for folder in "$@"; do
      [[ $file != "$folder"/* ]] || owned=yes
    done
    [ $owned = yes ] || found "$file: <$header> is for: $*"
  done < <(files '\.[ch]' "${house[@]}" |
    xargs -r grep -HnoE "^ *# *include *<${header//./\\.}" | cut -d: -f1,2)
}

# docs/development.md shows every folder, by its own name.
check_shown() {
  local page=docs/development.md folder shown
  [ -e "$page" ] || return 0
  shown=$(awk '/^## / { on = $2 == "Folders" } on' "$page" | grep -oE '[a-z0-9_]+/')
  while IFS= read -r folder; do
    grep -qx -- "${folder##*/}/" <<<"$shown" ||
      found "$page:1: the tree under \"Folders\" does not show $folder/"
  done < <(files '\.[ch]' "${house[@]}" | xargs -r dirname | sort -u)
}

check_own_headers
check_shown
only mlir-c/ reducer/subject reducer/opmodel reducer/mutations reducer/engines
only sqlite3.h cache triage
only git2 bisect/history
only pcre2.h oracles
only xxhash.h base
only zip.h base/tensor triage/text
only sys/ptrace.h runners/trace runners/tree runners/sandbox runners/stacks
finish "$(files '\.[ch]' "${house[@]}" | wc -l) files"
