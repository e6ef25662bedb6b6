/* A table from digests to numbers. */
#ifndef CUL_TRIAGE_TABLE_H
#define CUL_TRIAGE_TABLE_H

#include "../base/digest.h"

struct cul_table;

struct cul_table *cul_table_new(void);
void cul_table_free(struct cul_table *table); /* NULL is fine */

/* The number of key; a new key gets 0 and sets *made (made may be NULL).
 * Borrowed until the next call. */
size_t *cul_table_at(struct cul_table *table, const struct cul_digest *key,
                     bool *made);

#endif
