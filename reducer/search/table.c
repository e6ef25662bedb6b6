/* The table of search rules: see list.h. */
#include <string.h>

#include "rules.h"

const struct cul_search_rule *const cul_search_rules[] = {
#define RULE(name) &cul_search_rule_##name,
#include "list.h"
#undef RULE
    NULL};

const struct cul_search_rule *cul_search_rule_find(const char *name) {
  for (const struct cul_search_rule *const *at = cul_search_rules; *at; at++)
    if (strcmp((*at)->name, name) == 0)
      return *at;
  return NULL;
}
