/* Every runner: CUL_RUNNER(symbol).  The first is the default. */
CUL_RUNNER(process)
CUL_RUNNER(live)
CUL_RUNNER(preload)
CUL_RUNNER(remote)
