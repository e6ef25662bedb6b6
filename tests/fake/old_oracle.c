/* A plugin of --oracle as another culprit would have compiled it: the number
 * of its ABI is one behind. */
#include "oracles/plugin.h"

static const struct cul_oracle oracle = {.abi = CUL_ORACLE_ABI - 1};

extern const struct cul_oracle_plugin culprit_oracle;
const struct cul_oracle_plugin culprit_oracle = {
    .size = sizeof(struct cul_oracle_plugin),
    .abi = CUL_ORACLE_ABI - 1,
    .oracle = &oracle};
