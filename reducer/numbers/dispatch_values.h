/* Compare the values of dispatches. */
#ifndef CUL_REDUCER_NUMBERS_DISPATCH_VALUES_H
#define CUL_REDUCER_NUMBERS_DISPATCH_VALUES_H

#include "divergence_job.h"

/* Do the values of two tensors differ by more than the job's tolerance or, if
 * none is given or job is NULL, by more than rounding explains?  Shapes count
 * only by their number of elements.  what: how they differ. */
bool cul_dispatch_differ(const struct cul_divergence_job *job,
                         const struct cul_tensor *got,
                         const struct cul_tensor *want, char *what,
                         size_t room);
/* Give a tensor the shape of another one, if it has as many elements: levels of
 * optimization collapse dimensions. */
void cul_dispatch_reshape(struct cul_tensor *tensor,
                          const struct cul_tensor *as);

#endif
