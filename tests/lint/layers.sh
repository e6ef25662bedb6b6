#!/bin/bash
# A folder includes its own headers and those of a lower rank, nothing else;
# libraries of the outside are each known to one or two folders.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# rank FOLDER: its place in the house.  Every folder with sources is listed.
rank() {
  case $1 in
  base | base/*) echo 0 ;;
  cache | pipeline) echo 1 ;;
  runners | runners/preload | oracles | oracles/*) echo 2 ;;
  probe | systems) echo 3 ;;
  issue | reducer/subject | reducer/mutations | reducer/engines | reducer/search | \
    reducer/driver | reducer/opmodel)
    echo 4
    ;;
  reducer | reducer/forms | reducer/numbers | reducer/results | bisect | bisect/*) echo 5 ;;
  triage) echo 6 ;;
  cli) echo 7 ;;
  *) echo none ;;
  esac
}

# The same among the folders of the bisector, which all have one rank.
bisect_rank() {
  case ${1#bisect/} in
  search | report) echo 0 ;;
  history) echo 1 ;;
  build | ledger) echo 2 ;;
  matrix) echo 3 ;;
  install | versions | flags | passes | commits) echo 4 ;;
  packages) echo 5 ;;
  bisect) echo 6 ;;
  *) echo none ;;
  esac
}

# Among the folders of the reduce job, below the job itself.
reducer_rank() {
  case ${1#reducer/} in
  forms | results) echo 0 ;;
  numbers) echo 1 ;;
  reducer) echo 2 ;;
  *) echo none ;;
  esac
}

# allowed FILE FROM TO: may FILE, of folder FROM, include a header of TO?
allowed() {
  local file=$1 from=$2 to=$3
  [ "$from" = "$to" ] && return 0
  case $from-$to in
  base/tensor-base | runners/preload-runners | reducer/mutations-reducer/subject) return 0 ;;
  reducer/engines-reducer/subject) return 0 ;;
  reducer/driver-reducer/search | reducer/driver-reducer/subject | reducer/driver-reducer/mutations)
    # Types and flags alone: it links neither.
    return 0
    ;;
  reducer/opmodel-reducer/subject | reducer/mutations-reducer/opmodel) return 0 ;;
  reducer/subject-reducer/opmodel)
    # The kind's descriptor names what it answers; the worker program asks.
    [[ ${file##*/} == mlir.c || ${file##*/} == worker_* ]]
    return
    ;;
  oracles-oracles/signature | oracles/signature-oracles) return 0 ;;
  reducer/subject-reducer/mutations | reducer/subject-reducer/engines)
    # The worker program joins them; subjects themselves know no edits.
    [[ ${file##*/} == worker_* ]]
    return
    ;;
  reducer-reducer/* | reducer/forms-reducer* | reducer/numbers-reducer* | reducer/results-reducer*)
    if [ "$(rank "$to")" -eq 5 ]; then
      [ "$(reducer_rank "$to")" -lt "$(reducer_rank "$from")" ]
      return
    fi
    ;;
  bisect*-bisect*)
    [ "$(bisect_rank "$to")" -lt "$(bisect_rank "$from")" ]
    return
    ;;
  esac
  [ "$(rank "$to")" -lt "$(rank "$from")" ]
}

# The folder that `#include "TARGET"` in FOLDER leads to, from the root.
target_folder() {
  local path
  path=$(realpath -m --relative-to="$root" "$root/$1/$2")
  dirname "$path"
}

check_own_headers() {
  local file from line target to
  while IFS=: read -r file line target; do
    from=$(dirname "$file")
    to=$(target_folder "$from" "$target")
    if [ "$(rank "$from")" = none ]; then
      found "$file:$line: folder $from has no rank (tests/lint/layers.sh)"
    elif [ "$(rank "$to")" = none ]; then
      found "$file:$line: includes \"$target\", which is in no ranked folder"
    elif ! allowed "$file" "$from" "$to"; then
      found "$file:$line: $from (rank $(rank "$from")) includes \"$target\"" \
        "of $to (rank $(rank "$to"))"
    fi
  done < <(files '\.[ch]' "${house[@]}" | xargs -r grep -HnoE \
    '^ *# *include *"[^"]+"' | sed -E 's/# *include *"([^"]+)"/\1/; s/: +/:/g')
}

# only HEADER FOLDER...: the system header belongs to these folders alone.
only() {
  local header=$1 owners="" folder file
  shift
  for folder in "$@"; do owners+=" $folder "; done
  while IFS= read -r file; do
    [[ $owners == *" $(dirname "${file%%:*}") "* ]] ||
      found "$file: <$header> is for:$owners"
  done < <(files '\.[ch]' "${house[@]}" |
    xargs -r grep -HnoE "^ *# *include *<${header//./\\.}" | cut -d: -f1,2)
}

check_own_headers
only mlir-c/ reducer/subject reducer/opmodel reducer/mutations reducer/engines
only sqlite3.h cache triage
only git2 bisect/history
only pcre2.h oracles
only xxhash.h base
only zip.h base/tensor triage
only sys/ptrace.h runners
finish "$(files '\.[ch]' "${house[@]}" | wc -l) files"
