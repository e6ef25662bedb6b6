/* The smallest legal subjects of a form. */
#ifndef CUL_REDUCER_FORMS_TRIVIAL_H
#define CUL_REDUCER_FORMS_TRIVIAL_H

#include "../../probe/target/target.h"
#include "../worker/worker.h"

#define CUL_MAX_TRIVIAL 8

/* Fill texts with the subjects that the target may support, in the order in
 * which they are tried.  texts: empty; the caller releases them.  Returns their
 * number. */
size_t cul_trivial_texts(const struct cul_target *target, enum cul_form form,
                         struct cul_buf texts[CUL_MAX_TRIVIAL]);

#endif
