/* Scripts that the library runs in the tool, if this is an interpreter. */
#ifndef CUL_RUNNERS_PRELOAD_SCRIPTS_H
#define CUL_RUNNERS_PRELOAD_SCRIPTS_H

#include "../../base/embedded.h"

/* imports.py alone, ended by a NUL. */
extern const struct cul_embedded cul_python_scripts[];
extern const size_t cul_n_python_scripts;

#endif
