#!/bin/bash
# Run in place of iree-run-module while dispatches are traced.  culprit puts
# lines before this text that set "real", the path of the tool itself.
real=${real:?}
printf '\n@iree-run-module%s\n' "$(printf ' %q' "$real" "$@")" >&2
exec "$real" "$@"
