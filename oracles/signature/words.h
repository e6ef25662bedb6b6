/* What a failure says that no rule knows: lines of its output, the most
 * specific first.  Pure.
 *
 * Every line is weighed by the rules of words.lines.  One that a run prints
 * which does not fail so says nothing; nor does one with which tools, shells
 * and harnesses end, whatever went wrong. */
#ifndef CUL_ORACLES_SIGNATURE_WORDS_H
#define CUL_ORACLES_SIGNATURE_WORDS_H

#include "../rules/rules.h"

/* How much a line says. */
enum cul_weight {
  CUL_WEIGHT_WEAK = -1, /* a warning, a note */
  CUL_WEIGHT_PLAIN,
  CUL_WEIGHT_PLACE,        /* FILE:LINE: stands before it */
  CUL_WEIGHT_TELLING,      /* it says that something failed */
  CUL_WEIGHT_TELLING_PLACE /* both */
};

struct cul_words {
  enum cul_weight weight;
  char text[512]; /* normalised */
  char raw[512];  /* as printed */
  char file[80];  /* that it names, base name; "" when none */
  uint32_t line;  /* of it; 0 = none */
};

/* The lines that say most, at most `max`, no two alike.  texts: standard error
 * and output, without colours; of the second only what tells, and only where
 * the first says nothing.  Of lines of one weight the first that tells, else
 * the last.  others: may be NULL.  Returns how many. */
size_t cul_words_rank(const struct cul_rules *rules,
                      const struct cul_bytes texts[2],
                      const struct cul_prints *others, struct cul_words *out,
                      size_t max);

/* All lines of these texts, normalised, into prints. */
void cul_prints_add_texts(const struct cul_rules *rules,
                          struct cul_prints *prints,
                          const struct cul_bytes texts[2]);

/* One entry of words.lines on one line.  groups: $1 and $2; may be NULL. */
bool cul_line_matches(const struct cul_rules *rules,
                      const struct cul_line_rule *rule, struct cul_bytes line,
                      struct cul_bytes groups[2]);
/* The first line of text that an entry of this kind matches; empty: none. */
struct cul_bytes cul_line_find(const struct cul_rules *rules,
                               enum cul_line_kind kind, struct cul_bytes text);

#endif
