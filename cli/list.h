/* The commands in the order of the help, one line each: COMMAND(name); what
 * `bisect` knows: SPACE(bisect_name). */
COMMAND(check)
COMMAND(reduce)
COMMAND(extract)
COMMAND(bisect)
COMMAND(matrix)
COMMAND(compare)
COMMAND(triage)
COMMAND(replay)
COMMAND(env)
COMMAND(cache)
SPACE(bisect_commits)
SPACE(bisect_versions)
