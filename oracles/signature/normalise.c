/* Removes random parts from a message: applies the substitutions of text.norm
 * in order, then folds blanks.  Long messages are cut first. */
#include "../common/regex.h"
#include "../rules/rules.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_MESSAGE = 2048 };

/* Replace every match of norm in text. */
static void substitute(const struct cul_rules *rules,
                       const struct cul_norm *norm, struct cul_buf *text) {
  size_t size = text->len * 2 + 256;
  char *changed = cul_xmalloc(size);
  PCRE2_SIZE len = size;
  int n =
      pcre2_substitute(cul_regex_ready(cul_regex_code(norm->regex)),
                       (PCRE2_SPTR)cul_buf_str(text), text->len, 0,
                       PCRE2_SUBSTITUTE_GLOBAL | PCRE2_SUBSTITUTE_UNSET_EMPTY,
                       NULL, rules->limits, (PCRE2_SPTR)norm->with,
                       PCRE2_ZERO_TERMINATED, (PCRE2_UCHAR *)changed, &len);
  if (n > 0) {
    cul_buf_clear(text);
    cul_buf_add(text, changed, len);
  }
  free(changed);
}

/* Replace each series of blanks and control characters by one blank, and remove
 * those at the ends. */
static void fold_blanks(struct cul_buf *text) {
  size_t len = 0;
  for (size_t i = 0; i < text->len; i++) {
    char c = text->data[i];
    bool blank = (unsigned char)c <= ' ' || c == 0x7f;
    if (blank && (len == 0 || text->data[len - 1] == ' '))
      continue;
    text->data[len++] = blank ? ' ' : c;
  }
  while (len > 0 && text->data[len - 1] == ' ')
    len--;
  if (text->data)
    text->data[len] = '\0';
  text->len = len;
}

void cul_normalise(const struct cul_rules *rules, enum cul_kind kind,
                   const char *text, size_t len, struct cul_buf *out) {
  cul_buf_add(out, text, len < MAX_MESSAGE ? len : MAX_MESSAGE);
  for (size_t i = 0; i < rules->n_norms; i++)
    if (rules->norms[i].kinds & 1u << kind)
      substitute(rules, &rules->norms[i], out);
  fold_blanks(out);
}

void cul_signature_explain_text(const struct cul_rules *rules,
                                const struct cul_signature *sig,
                                struct cul_buf *out) {
  struct cul_buf text = {0}, before = {0};
  cul_buf_adds(&text, sig->raw);
  for (size_t i = 0; i < rules->n_norms; i++) {
    const struct cul_norm *norm = &rules->norms[i];
    if (!(norm->kinds & 1u << sig->kind))
      continue;
    cul_buf_clear(&before);
    cul_buf_adds(&before, cul_buf_str(&text));
    substitute(rules, norm, &text);
    if (strcmp(cul_buf_str(&before), cul_buf_str(&text)) != 0)
      cul_buf_addf(out, "  %s: %s\n", norm->name, cul_buf_str(&text));
  }
  cul_buf_release(&text);
  cul_buf_release(&before);
}
