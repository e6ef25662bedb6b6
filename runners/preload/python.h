/* Imports that a Python interpreter makes before it opens its script.  Private
 * to the library that is loaded into the tool. */
#ifndef CUL_RUNNERS_PRELOAD_PYTHON_H
#define CUL_RUNNERS_PRELOAD_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

#include "../../base/embedded.h"

/* imports.py */
extern const struct cul_embedded cul_python_scripts[];
extern const size_t cul_n_python_scripts;

/* The imports, as source text; "" or not there: none. */
#define CUL_IMPORTS_VARIABLE "CULPRIT_IMPORTS"

/* In an interpreter that is about to open its script: make the imports of the
 * variable, which runs code of the tool.  Nothing happens in another program,
 * or if the interpreter runs something else than this script.  False: the
 * process is not as it would be after the imports of the script itself. */
bool cul_python_import(void);

#endif
