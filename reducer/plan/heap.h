/* Results whose failure depends on what lies in memory by chance. */
#ifndef CUL_REDUCER_PLAN_HEAP_H
#define CUL_REDUCER_PLAN_HEAP_H

#include "../job/job.h"

/* The search has ended: are its candidates to be judged in fixed heaps too
 * (cul_target_seek_layouts)?  *changed: they are from now on; else untouched.
 */
CUL_MUST_CHECK int cul_heap_seek(struct cul_reduce *job, bool *changed,
                                 struct cul_err *err);
/* job->text fails, perhaps only in a fixed heap: then one that fails in a plain
 * run takes its place, if empty lines at its end make it one; else
 * job->heap_layout says where it fails. */
CUL_MUST_CHECK int cul_heap_prefer_plain(struct cul_reduce *job,
                                         struct cul_err *err);
/* For the report: null where nothing was judged in fixed heaps. */
json_t *cul_heap_json(const struct cul_reduce *job);
/* What a shell puts in front of the command: " NAME=VALUE"s, or nothing. */
void cul_heap_env(const struct cul_reduce *job, struct cul_buf *out);

#endif
