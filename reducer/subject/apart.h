/* Work that may kill its process, such as asking a verifier, in forks of this
 * process. */
#ifndef CUL_REDUCER_SUBJECT_APART_H
#define CUL_REDUCER_SUBJECT_APART_H

#include <stddef.h>

#include "../../base/buf.h"

/* Call fn(arg, i, out) in a fork, which may crash, for each i below
 * n.  This process then calls told for each i, in order, with the bytes that fn
 * appended to out, or with NULL if the fork crashed or did not end in fn. */
typedef void cul_apart_fn(void *arg, size_t i, struct cul_buf *out);
typedef void cul_apart_told_fn(void *arg, size_t i,
                               const struct cul_bytes *bytes);
void cul_apart(size_t n, cul_apart_fn *fn, cul_apart_told_fn *told, void *arg);

#endif
