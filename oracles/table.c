/* The table of oracles, from list.h. */
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

const char *cul_answer_name(enum cul_answer answer) {
  switch (answer) {
  case CUL_SAME:
    return "same failure";
  case CUL_PASSES:
    return "passes";
  case CUL_OTHER:
    return "other failure";
  case CUL_UNRESOLVED:
    return "unresolved";
  case CUL_INVALID:
    return "invalid";
  case CUL_BROKEN:
    return "broken";
  }
  return "unknown";
}
