/* A plugin of --mutation as a mutation of texts. */
#ifndef CUL_REDUCER_MUTATIONS_TEXT_PLUGIN_H
#define CUL_REDUCER_MUTATIONS_TEXT_PLUGIN_H

#include "../mutation.h"

/* Load it; the mutation is on the heap and lives as long as the process.
 * Errors: EUSAGE. */
CUL_MUST_CHECK int cul_text_plugin_new(const char *path,
                                       const struct cul_mutation **out,
                                       struct cul_err *err);

#endif
