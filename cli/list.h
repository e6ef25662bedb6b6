/* The commands in the order of the help, one line each: COMMAND(name). */
COMMAND(check)
COMMAND(reduce)
COMMAND(bisect)
COMMAND(replay)
COMMAND(env)
COMMAND(cache)
