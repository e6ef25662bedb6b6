/* The two kinds of subject that are texts: any text, and MLIR that no parser
 * here reads (ops.h).  A candidate is checked if its language has a check that
 * the input passes; any other text is valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ops.h"
#include "language.h"

extern const struct cul_subject_kind cul_subject_kind_text,
    cul_subject_kind_text_mlir;

/* ---- checks ---- */

/* The name of a value or block that is used but not defined; NONE: there is
 * none.  Symbols need not be defined: some failures need an undefined one. */
static uint32_t find_undefined(struct cul_text *text) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t i = 0; i < text->n_tokens; i++)
    if (names->def[i] == CUL_TEXT_NONE &&
        (cul_text_is_marked(text, i, '%') || cul_text_is_marked(text, i, '^')))
      return i;
  return CUL_TEXT_NONE;
}

/* MLIR: errors are EUSAGE. */
static int check_mlir(struct cul_text *text,
                      const struct cul_text_habits *habits,
                      struct cul_err *err) {
  uint32_t at = find_undefined(text);
  if (at != CUL_TEXT_NONE) {
    struct cul_bytes name = cul_text_token(text, at);
    return cul_fail(err, CUL_EUSAGE, "", "line %u: %.*s is not defined",
                    text->tokens[at].line + 1,
                    (int)(name.len < 60 ? name.len : 60), name.data);
  }
  at = cul_text_names(text)->clash;
  if (at != CUL_TEXT_NONE)
    return cul_fail(err, CUL_EUSAGE, "", "line %u: a name is defined twice",
                    text->tokens[at].line + 1);
  if (!cul_text_blocks_end(text, habits, &at))
    return cul_fail(err, CUL_EUSAGE, "", "line %u: the block does not end here",
                    at + 1);
  return 0;
}

/* Check a text that is not of the form mlir-text, whose language has a check.
 * Errors: EUSAGE. */
static int check_text(struct cul_text *text, struct cul_err *err) {
  uint32_t at = CUL_TEXT_NONE;
  if (cul_text_language(text)->holds(text, &at))
    return 0;
  return cul_fail(err, CUL_EUSAGE, "", "line %u: %s",
                  at < text->n_tokens ? text->tokens[at].line + 1 : 0,
                  cul_text_language(text)->fault);
}

static void write_text(struct cul_subject *subject, struct cul_buf *out) {
  CUL_OWNED(cul_pieces) pieces = {0};
  struct cul_pieces_reader reader = {.pieces = &pieces};
  struct cul_bytes piece;
  cul_text_pieces(subject, &pieces);
  cul_buf_reserve(out, cul_pieces_len(&pieces));
  while (cul_pieces_read(&reader, &piece))
    cul_buf_add(out, piece.data, piece.len);
}

/* Parse the edited text.  Caller frees. */
static struct cul_text *parse_again(struct cul_subject *subject) {
  CUL_OWNED(cul_buf) bytes = {0};
  write_text(subject, &bytes);
  return cul_text_parse(cul_buf_bytes(&bytes), cul_text_of(subject)->lang);
}

static bool is_valid(struct cul_subject *subject, char *why, size_t n) {
  const struct cul_text *text = cul_text_of(subject);
  struct cul_err err = {0};
  struct cul_text *again;
  int rc;
  if (!text->edited || !text->state.check)
    return true;
  again = parse_again(subject);
  rc = cul_text_is_mlir(text) ? check_mlir(again, text->habits, &err)
                              : check_text(again, &err);
  cul_text_free((struct cul_subject *)again);
  if (rc < 0)
    snprintf(why, n, "%.100s", err.what);
  return rc == 0;
}

static const struct cul_lang *language_of(struct cul_bytes bytes,
                                          struct cul_reading how) {
  const struct cul_lang *lang = cul_lang_numbered(how.language);
  return lang ? lang : cul_lang_guess(bytes.data, bytes.len);
}

/* ---- any text ---- */

/* A language with a check gets no rough text, because the check reads tokens.
 */
static int open_text(struct cul_bytes bytes, struct cul_reading how,
                     void *prepared, struct cul_subject **out,
                     struct cul_err *err) {
  const struct cul_lang *lang = language_of(bytes, how);
  const struct cul_text_language *language = cul_text_language_of(lang);
  struct cul_err unused = {0};
  struct cul_text *text = NULL;
  (void)prepared;
  how.language = cul_lang_number(lang);
  if (cul_text_refuse(bytes, err) < 0 ||
      cul_text_new(bytes, how, !language->holds, &text, err) < 0)
    return err->code;
  text->head.kind = &cul_subject_kind_text;
  text->head.bits = CUL_SUBJECT_TEXT;
  text->state.check =
      how.check && language->holds && check_text(text, &unused) == 0;
  *out = (struct cul_subject *)text;
  return 0;
}

static bool borrows_text(const struct cul_subject *subject) {
  return ((const struct cul_text *)subject)->state.borrowed;
}

static void fix_up_text(struct cul_subject *subject) {
  struct cul_text *text = cul_text_of(subject);
  if (!text->state.rough && text->edited && cul_text_language(text)->finish)
    cul_text_language(text)->finish(text);
}

static void measure_text(struct cul_subject *subject, struct cul_size *out) {
  const struct cul_text *text = cul_text_of(subject);
  cul_text_measure(subject, out);
  if (cul_text_language(text)->numbers)
    out->numbers = cul_text_language(text)->numbers(text);
}

const struct cul_subject_kind cul_subject_kind_text = {
    .name = "text",
    .summary = "lines, blocks and tokens of any text",
    .bits = CUL_SUBJECT_TEXT,
    .open = open_text,
    .borrows = borrows_text,
    .fix = fix_up_text,
    .valid = is_valid,
    .write = write_text,
    .pieces = cul_text_pieces,
    .keep = cul_text_learn_pairs,
    .trials = &cul_text_trials,
    .measure = measure_text,
    .free = cul_text_free,
};

/* ---- MLIR ---- */

static int open_mlir(struct cul_bytes bytes, struct cul_reading how,
                     void *prepared, struct cul_subject **out,
                     struct cul_err *err) {
  const struct cul_lang *lang = language_of(bytes, how);
  struct cul_text *text = NULL;
  int rc;
  (void)prepared;
  if (!lang->dimensions)
    return cul_fail(err, CUL_EUSAGE, "use --form text",
                    "this is not MLIR but %s", lang->name);
  how.language = cul_lang_number(lang);
  rc = cul_text_new(bytes, how, false, &text, err);
  if (rc < 0)
    return rc;
  text->head.bits = CUL_SUBJECT_MLIR_TEXT;
  text->head.kind = &cul_subject_kind_text_mlir;
  text->state.check = how.check;
  text->habits = cul_text_learn(text);
  /* An input that fails the check is refused: no candidate would pass. */
  if (how.check)
    rc = check_mlir(text, text->habits, err);
  if (rc < 0)
    cul_text_free((struct cul_subject *)text);
  else
    *out = (struct cul_subject *)text;
  return rc;
}

static void measure_mlir(struct cul_subject *subject, struct cul_size *out) {
  struct cul_text *again;
  if (!cul_text_of(subject)->edited) {
    out->ops = cul_text_count_ops(cul_text_of(subject));
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
    .valid = is_valid,
    .write = write_text,
    .measure = measure_mlir,
    .origins = cul_text_origins,
    .free = cul_text_free,
};
