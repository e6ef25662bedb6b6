/* Formats of profiles: a file NAME.c each, which ends in its const struct
 * cul_profile_format.  PROFILE(name): see there; tried in this order. */
PROFILE(hatchet)
PROFILE(benchmark)
PROFILE(chrome)
PROFILE(heap)
PROFILE(ncu)
PROFILE(nsys)
PROFILE(tracy)
