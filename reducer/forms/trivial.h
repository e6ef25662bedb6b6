/* The smallest legal subjects of a form. */
#ifndef CUL_REDUCER_FORMS_TRIVIAL_H
#define CUL_REDUCER_FORMS_TRIVIAL_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

#define CUL_MAX_TRIVIAL 8

/* Those that target may know, in the order in which they are tried.  texts:
 * empty ones; the caller releases them.  Returns how many. */
size_t cul_trivial_texts(const struct cul_target *target, enum cul_form form,
                         struct cul_buf texts[CUL_MAX_TRIVIAL]);

#endif
