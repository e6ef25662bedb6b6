/* What the two readers of MLIR in logs share. */
#ifndef CUL_SYSTEMS_LOG_MLIR_H
#define CUL_SYSTEMS_LOG_MLIR_H

#include "log.h"

/* Is the line the definition of an alias: "#map = ...", "!t = ..."? */
bool cul_log_mlir_alias(struct cul_bytes line);
/* The last line of the operations printed from line `from` on: aliases, one
 * top-level operation, aliases of locations.  false: cut off, *last is then the
 * last line that is there. */
bool cul_log_mlir_end(const struct cul_log_block *block, size_t from,
                      size_t *last);

#endif
