/* The kind of subject behind the mlir-text form: see text_mlir.h. */
#include "text_mlir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_origins.h"

extern const struct cul_subject_kind cul_subject_kind_text_mlir;

bool cul_text_is_mlir(const struct cul_text *text) {
  return text->head.bits == CUL_SUBJECT_MLIR_TEXT;
}

/* All values, blocks and aliases that are used are defined; symbols need not
 * be: some failures need just that.  *token: one that is not. */
static bool names_hold(struct cul_text *text, uint32_t *token) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    char sigil = text->bytes[text->tokens[i].start];
    if (text->tokens[i].kind != CUL_TOKEN_WORD || names->def[i] == i ||
        (sigil != '%' && sigil != '^'))
      continue;
    if (names->def[i] == CUL_TEXT_NONE)
      return *token = i, false;
  }
  return true;
}

/* A name that is defined twice in one scope.  *token: the second. */
static bool names_clash(struct cul_text *text, uint32_t *token) {
  *token = cul_text_names(text)->clash;
  return *token != CUL_TEXT_NONE;
}

static int check(struct cul_text *text, const struct cul_text_habits *habits,
                 struct cul_err *err) {
  struct cul_bytes name;
  uint32_t at;
  if (!names_hold(text, &at)) {
    name = cul_text_token(text, at);
    return cul_fail(err, CUL_EUSAGE, "", "line %u: %.*s is not defined",
                    text->tokens[at].line + 1,
                    (int)(name.len < 60 ? name.len : 60), name.data);
  }
  if (names_clash(text, &at))
    return cul_fail(err, CUL_EUSAGE, "", "line %u: a name is defined twice",
                    text->tokens[at].line + 1);
  if (!cul_text_blocks_end(text, habits, &at))
    return cul_fail(err, CUL_EUSAGE, "", "line %u: the block does not end here",
                    at + 1);
  return 0;
}

/* What a parse of the edited text gives.  Caller frees. */
static struct cul_text *parse_again(struct cul_subject *subject) {
  const struct cul_text *text = cul_text_of(subject);
  struct cul_text *again = NULL;
  struct cul_buf bytes = {0};
  cul_text_write(subject, &bytes);
  again = cul_text_parse(cul_buf_bytes(&bytes), text->lang);
  cul_buf_release(&bytes);
  return again;
}

static bool valid_mlir(struct cul_subject *subject, char *why, size_t n) {
  const struct cul_text *text = cul_text_of(subject);
  struct cul_text *again;
  struct cul_err err = {0};
  int rc;
  if (!text->edited || !text->check)
    return true;
  again = parse_again(subject);
  rc = check(again, text->habits, &err);
  cul_text_free((struct cul_subject *)again);
  if (rc < 0)
    snprintf(why, n, "%.100s", err.what);
  return rc == 0;
}

static int open_mlir(struct cul_bytes bytes, struct cul_reading how,
                     void *prepared, struct cul_subject **out,
                     struct cul_err *err) {
  struct cul_text *text = NULL;
  int rc = cul_text_new(bytes.data, bytes.len, how.language, &text, err);
  (void)prepared;
  if (rc < 0)
    return rc;
  text->head.bits = CUL_SUBJECT_MLIR_TEXT;
  text->head.kind = &cul_subject_kind_text_mlir;
  text->check = how.check;
  text->habits = cul_text_learn(text);
  if (!text->lang->dimensions)
    rc = cul_fail(err, CUL_EUSAGE, "use --form text", "this is not MLIR but %s",
                  text->lang->name);
  /* Where the input itself uses what it does not define, a check would only
   * be in the way. */
  if (rc == 0 && how.check)
    rc = check(text, text->habits, err);
  if (rc < 0) {
    cul_text_free((struct cul_subject *)text);
    return rc;
  }
  *out = (struct cul_subject *)text;
  return 0;
}

static void measure_mlir(struct cul_subject *subject, struct cul_size *out) {
  const struct cul_text *text = cul_text_of(subject);
  struct cul_text *again;
  if (!text->edited) {
    out->ops = cul_text_count_ops(text);
    return;
  }
  again = parse_again(subject);
  out->ops = cul_text_count_ops(again);
  cul_text_free((struct cul_subject *)again);
}

const struct cul_subject_kind cul_subject_kind_text_mlir = {
    .name = "mlir-text",
    .summary = "MLIR as text: operations, values, symbols without a parser",
    .bits = CUL_SUBJECT_MLIR_TEXT,
    .open = open_mlir,
    .valid = valid_mlir,
    .write = cul_text_write,
    .measure = measure_mlir,
    .origins = cul_text_origins,
    .free = cul_text_free,
};
