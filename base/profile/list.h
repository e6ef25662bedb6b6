/* Formats of profiles, in the order in which they are tried.  PROFILE(name):
 * defined by the struct cul_profile_format at the end of name.c. */
PROFILE(hatchet)
PROFILE(benchmark)
PROFILE(chrome)
PROFILE(heap)
PROFILE(ncu)
PROFILE(nsys)
PROFILE(tracy)
