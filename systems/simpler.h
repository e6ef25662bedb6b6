/* What the dumps of simpler, the runtime of pypto, have in common. */
#ifndef CUL_SYSTEMS_SIMPLER_H
#define CUL_SYSTEMS_SIMPLER_H

#include <jansson.h>

/* Load a file of JSON.  NULL, and *why (may be NULL): it is no regular file (a
 * pipe might wait for a writer for ever), cannot be read, or is no JSON. */
json_t *cul_simpler_load(const char *path, json_error_t *why);
/* The names of kernels by their number, from the one file name_map*.json of a
 * directory of dumps.  NULL: it has none, several, or one without names; else
 * json_decref it. */
json_t *cul_simpler_names(const char *dir);
/* The kernels of a task in words, "kernel 3, softmax"; names: as above, or
 * NULL; ids: a number, a name, or a list of these, in which negative numbers
 * are unused places.  Heap; NULL: none is known. */
char *cul_simpler_kernels(const json_t *names, const json_t *ids);

#endif
