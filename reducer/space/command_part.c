/* The command as a part of what is reduced: see command_part.h. */
#include "command_part.h"

#include <stdlib.h>
#include <string.h>

#include "../mutations/mutation.h"

enum { DROP_ARGUMENTS, DROP_FLAGS_ALONE, N_MUTATIONS };

static const struct cul_mutation_info infos[N_MUTATIONS] = {
    [DROP_ARGUMENTS] = {.name = "drop-arguments",
                        .summary = "leave out arguments of the command, "
                                   "passes and options inside them",
                        .phase = CUL_PHASE_DELTA,
                        .flags = CUL_MUT_COMMAND},
    [DROP_FLAGS_ALONE] = {.name = "drop-flags-alone",
                          .summary = "leave out a flag, but not the argument "
                                     "behind it",
                          .phase = CUL_PHASE_FINE,
                          .flags = CUL_MUT_COMMAND},
};

const struct cul_mutation_info *cul_command_mutations(size_t *n) {
  *n = N_MUTATIONS;
  return infos;
}

static bool is_site(const struct cul_arguments *args, uint32_t i,
                    uint32_t mutation) {
  const struct cul_argument *item = &args->items[i];
  if (item->kind == CUL_ARG_OUTPUT)
    return false;
  if (mutation == DROP_ARGUMENTS)
    return true;
  return item->kind == CUL_ARG_FLAG && i + 1 < args->n &&
         args->items[i + 1].kind == CUL_ARG_VALUE &&
         args->items[i + 1].parent == i;
}

void cul_command_sites(const char *const *argv, uint32_t mutation,
                       uint32_t number, struct cul_listed **out, size_t *n) {
  struct cul_arguments args;
  uint32_t *index; /* of an item in the list */
  cul_arguments_read(argv, &args);
  index = cul_xcalloc(args.n + 1, sizeof *index);
  *out = cul_xcalloc(args.n + 1, sizeof **out);
  *n = 0;
  for (uint32_t i = 0; i < args.n; i++) {
    uint32_t parent = args.items[i].parent;
    if (!is_site(&args, i, mutation))
      continue;
    index[i] = (uint32_t)*n;
    (*out)[(*n)++] = (struct cul_listed){
        .mutation = number,
        .site = i,
        .weight = 1,
        .parent = parent == CUL_PIPE_NONE ? CUL_SITE_NONE : index[parent],
        .group = parent == CUL_PIPE_NONE ? 0 : parent + 1};
  }
  free(index);
  cul_arguments_release(&args);
}

char **cul_command_apply(const char *const *argv, uint32_t mutation,
                         const struct cul_listed *listed, const uint32_t *ids,
                         size_t n) {
  struct cul_arguments args;
  bool *gone;
  char **out;
  cul_arguments_read(argv, &args);
  gone = cul_xcalloc(args.n + 1, sizeof *gone);
  for (size_t i = 0; i < n; i++)
    gone[listed[ids[i]].site] = true;
  if (mutation == DROP_ARGUMENTS)
    cul_arguments_spread(&args, gone);
  out = cul_arguments_write(&args, gone, NULL);
  free(gone);
  cul_arguments_release(&args);
  return out;
}

uint64_t cul_command_size(const char *const *argv) {
  uint64_t bytes = 0;
  for (; *argv; argv++)
    bytes += strlen(*argv) + 1;
  return bytes;
}

struct cul_digest cul_command_digest(const char *const *argv) {
  struct cul_hasher *h = cul_hasher_new();
  for (; *argv; argv++)
    cul_hasher_field(h, *argv);
  return cul_hasher_finish(h);
}
