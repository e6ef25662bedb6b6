/* Built-in scripts that are run in place of IREE's tools while dispatches are
 * traced: the files TOOL.sh of this folder. */
#ifndef CUL_REDUCER_NUMBERS_TRACE_SCRIPTS_H
#define CUL_REDUCER_NUMBERS_TRACE_SCRIPTS_H

#include "../../base/embedded.h"

extern const struct cul_embedded cul_trace_scripts[];
extern const size_t cul_n_trace_scripts;

#endif
