/* Loading a plugin of --mutation. */
#ifndef CUL_REDUCER_MUTATIONS_PLUGIN_LOAD_H
#define CUL_REDUCER_MUTATIONS_PLUGIN_LOAD_H

#include "../../../base/err.h"
#include "../plugin.h"

/* Load the shared object and check that it was made for this ABI.  *out is
 * borrowed from it; it stays loaded as long as the process lives.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_mutation_plugin_load(const char *path,
                         const struct cul_mutation_plugin **out,
                         struct cul_err *err);

#endif
