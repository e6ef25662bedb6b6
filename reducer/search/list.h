/* The search rules, in the order in which help names them:
 * RULE(symbol) with the descriptor cul_search_rule_SYMBOL in SYMBOL.c. */
RULE(segment)
RULE(prefix)
RULE(lone)
RULE(needed)
RULE(halve)
RULE(sweep)
RULE(cdd)
RULE(ddmin)
RULE(minimal)
