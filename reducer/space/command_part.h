/* The command as a part of the product that is reduced (--reduce-command):
 * its mutations, their sites, what is left.  A part of its own beside the
 * module in the worker: small, pure, in this process. */
#ifndef CUL_REDUCER_SPACE_COMMAND_PART_H
#define CUL_REDUCER_SPACE_COMMAND_PART_H

#include "../../pipeline/arguments.h"
#include "../worker/worker.h"

/* The mutations of this part, as a worker reports its own. */
const struct cul_mutation_info *cul_command_mutations(size_t *n);

/* The sites of mutation (an index into these) in the command as it stands.
 * number: the mutation's in the whole product, for the listed.  *out: heap. */
void cul_command_sites(const char *const *argv, uint32_t mutation,
                       uint32_t number, struct cul_listed **out, size_t *n);
/* The command with the sites ids[0..n) of listed applied.  Heap, one block. */
char **cul_command_apply(const char *const *argv, uint32_t mutation,
                         const struct cul_listed *listed, const uint32_t *ids,
                         size_t n);

/* Length of a command in bytes. */
uint64_t cul_command_size(const char *const *argv);
/* A digest of the arguments. */
struct cul_digest cul_command_digest(const char *const *argv);

#endif
