/* Failures that depend on the chance contents of memory. */
#ifndef CUL_REDUCER_PLAN_HEAP_H
#define CUL_REDUCER_PLAN_HEAP_H

#include "../job/job.h"

/* Call this when the search has ended: it decides whether candidates must also
 * be judged in fixed heaps (cul_target_seek_layouts).  *changed: set to true if
 * so from now on; otherwise left as it is. */
CUL_MUST_CHECK int cul_heap_seek(struct cul_reduce *job, bool *changed,
                                 struct cul_err *err);
/* The job's result fails, perhaps only in a fixed heap.  If empty lines at its
 * end make it fail in a plain run, that text becomes the result; otherwise set
 * job->outcome.confirmed.heap_layout to the heap in which it fails. */
CUL_MUST_CHECK int cul_heap_prefer_plain(struct cul_reduce *job,
                                         struct cul_err *err);
/* For the report: null if nothing was judged in fixed heaps. */
json_t *cul_heap_json(const struct cul_reduce *job);
/* Write the shell's prefix to the command: " NAME=VALUE" for each variable, or
 * nothing. */
void cul_heap_env(const struct cul_reduce *job, struct cul_buf *out);

#endif
