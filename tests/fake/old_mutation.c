/* A plugin of --mutation as another culprit would have compiled it: the number
 * of its ABI is one ahead. */
#include "mutations/plugin.h"

extern const struct cul_mutation_plugin culprit_mutation;
const struct cul_mutation_plugin culprit_mutation = {
    .size = sizeof(struct cul_mutation_plugin), .abi = CUL_MUTATION_ABI + 1};
