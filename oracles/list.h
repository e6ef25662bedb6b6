/* The oracles, in the order in which `wanted` is called.  crash accepts
 * everything and is last. */
CUL_ORACLE(plugin)
CUL_ORACLE(all_of)
CUL_ORACLE(mismatch)
CUL_ORACLE(nondeterminism)
CUL_ORACLE(slower)
CUL_ORACLE(memory)
CUL_ORACLE(script)
CUL_ORACLE(match)
CUL_ORACLE(exit)
CUL_ORACLE(signal)
CUL_ORACLE(any_crash)
CUL_ORACLE(crash)
