/* The text of a failure that no rule matches: lines of its output, the most
 * specific first.  Pure.
 *
 * The rules of words.lines give every line a weight.  Lines that also appear in
 * runs without this failure do not count, nor do closing lines of tools, shells
 * and harnesses that appear after any error. */
#ifndef CUL_ORACLES_SIGNATURE_WORDS_H
#define CUL_ORACLES_SIGNATURE_WORDS_H

#include "../rules/rules.h"

/* How specific a line is. */
enum cul_weight {
  CUL_WEIGHT_WEAK = -1, /* a warning, a note */
  CUL_WEIGHT_PLAIN,
  CUL_WEIGHT_PLACE,        /* begins with FILE:LINE: */
  CUL_WEIGHT_TELLING,      /* reports a failure */
  CUL_WEIGHT_TELLING_PLACE /* both */
};

struct cul_words {
  enum cul_weight weight;
  char text[512]; /* normalised */
  char raw[512];  /* as printed */
  char file[80];  /* file that it names, base name; "" when none */
  uint32_t line;  /* of it; 0 = none */
};

/* The most specific lines, at most `max`, all different.  texts: standard error
 * and output, without colours; the output is used only if standard error has no
 * candidates, and only for telling lines.  Among lines of the same weight, the
 * first telling line, else the last line is preferred.  others: may be NULL.
 * Returns the number of lines. */
size_t cul_words_rank(const struct cul_rules *rules,
                      const struct cul_bytes texts[2],
                      const struct cul_prints *others, struct cul_words *out,
                      size_t max);

/* Add all lines of these texts, normalised, to prints. */
void cul_prints_add_texts(const struct cul_rules *rules,
                          struct cul_prints *prints,
                          const struct cul_bytes texts[2]);

/* Does an entry of words.lines match the line?  groups: $1 and $2; may be
 * NULL. */
bool cul_line_matches(const struct cul_rules *rules,
                      const struct cul_line_rule *rule, struct cul_bytes line,
                      struct cul_bytes groups[2]);
/* The first line of text that an entry of this kind matches; empty: none. */
struct cul_bytes cul_line_find(const struct cul_rules *rules,
                               enum cul_line_kind kind, struct cul_bytes text);

#endif
