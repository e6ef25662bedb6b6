#!/bin/bash
# Stands for iree-run-module in a run whose dispatches are traced; the lines that
# set "real", the tool itself, are put in front of it.
real=${real:?}
printf '\n@iree-run-module%s\n' "$(printf ' %q' "$real" "$@")" >&2
exec "$real" "$@"
