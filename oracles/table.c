/* The table of oracles, from list.h. */
#include <string.h>

#include "oracle.h"

#define CUL_ORACLE(name) extern const struct cul_oracle cul_oracle_##name;
#include "list.h"
#undef CUL_ORACLE

const struct cul_oracle *const cul_oracles[] = {
#define CUL_ORACLE(name) &cul_oracle_##name,
#include "list.h"
#undef CUL_ORACLE
    NULL,
};

const struct cul_oracle *cul_oracle_choose(const struct cul_oracle_conf *conf) {
  size_t i = 0;
  while (!cul_oracles[i]->wanted(conf) && cul_oracles[i + 1])
    i++;
  return cul_oracles[i];
}

static const char *const sense_names[] = {"unknown", "zero", "nonzero",
                                          "bisect"};

const char *cul_sense_name(enum cul_sense sense) { return sense_names[sense]; }

enum cul_sense cul_sense_parse(const char *name) {
  for (size_t i = 0; name && i < CUL_ARRAY_SIZE(sense_names); i++)
    if (strcmp(name, sense_names[i]) == 0)
      return (enum cul_sense)i;
  return CUL_SENSE_UNKNOWN;
}
