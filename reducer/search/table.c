/* The table of search rules: see list.h. */
#include <string.h>

#include "rules.h"

const struct cul_rule *const cul_rules_of_search[] = {
#define RULE(name) &cul_rule_##name,
#include "list.h"
#undef RULE
    NULL};

const struct cul_rule *cul_rule_find(const char *name) {
  for (const struct cul_rule *const *at = cul_rules_of_search; *at; at++)
    if (strcmp((*at)->name, name) == 0)
      return *at;
  return NULL;
}
