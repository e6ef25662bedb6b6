/* What holds for every text and every text mutation; for unit tests and the
 * fuzzer alike.  Breaking one aborts. */
#ifndef CUL_TESTS_UNIT_TEXT_TEXT_INVARIANTS_H
#define CUL_TESTS_UNIT_TEXT_TEXT_INVARIANTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../reducer/mutations/mutation.h"
#include "../../../reducer/subject/text/ops.h"

#define MUST(condition)                                                        \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);  \
      abort();                                                                 \
    }                                                                          \
  } while (0)

/* NULL: the text is none of that form, or is refused: a binary of SPIR-V, a
 * definition of nvFuser that lost its line feeds. */
static inline struct cul_text *open_as(enum cul_form form, const char *bytes,
                                       size_t len) {
  const struct cul_subject_kind *kind = cul_subject_kind_for(form);
  struct cul_subject *subject = NULL;
  struct cul_err err = {0};
  int rc = kind->open((struct cul_bytes){bytes, len},
                      (struct cul_reading){.form = form}, NULL, &subject, &err);
  MUST(rc == 0 || rc == CUL_EUSAGE);
  return rc ? NULL : cul_text_of(subject);
}

static inline struct cul_text *open_text(const char *bytes, size_t len) {
  return open_as(CUL_FORM_TEXT, bytes, len);
}

static inline void close_text(struct cul_text *text) {
  text->head.kind->free((struct cul_subject *)text);
}

static inline void write_text(struct cul_text *text, struct cul_buf *out) {
  text->head.kind->write((struct cul_subject *)text, out);
}

/* Written without an edit, by either way: the same bytes. */
static inline void check_lossless(struct cul_text *text, const char *bytes,
                                  size_t len) {
  struct cul_buf out = {0};
  write_text(text, &out);
  MUST(out.len == len && (len == 0 || memcmp(out.data, bytes, len) == 0));
  cul_buf_clear(&out);
  text->edited = true;
  write_text(text, &out);
  text->edited = false;
  MUST(out.len == len && (len == 0 || memcmp(out.data, bytes, len) == 0));
  cul_buf_release(&out);
}

/* Lines and tokens tile the text; brackets pair up and nest. */
static inline void check_tokens(const struct cul_text *text) {
  uint32_t at = 0, token = 0;
  for (uint32_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *line = &text->lines[i];
    MUST(line->start == at && line->end > at && line->first == token);
    at = line->end;
    for (; token < line->first + line->n; token++) {
      const struct cul_token *t = &text->tokens[token];
      MUST(t->line == i && t->len > 0 && t->start >= line->start);
      MUST(t->start + t->len <= line->end);
      MUST(token == 0 || t[-1].start + t[-1].len <= t->start);
    }
  }
  MUST(at == text->len && token == text->n_tokens);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *t = &text->tokens[i];
    bool bracket = t->kind == CUL_TOKEN_OPEN || t->kind == CUL_TOKEN_CLOSE;
    MUST(bracket == (t->match != CUL_TEXT_NONE));
    MUST(!bracket || (text->tokens[t->match].match == i &&
                      (t->kind == CUL_TOKEN_OPEN) == (t->match > i)));
  }
}

/* Items nest, come parents first, and every line with tokens has one. */
static inline void check_items(const struct cul_text *text) {
  for (uint32_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *item = &text->items[i];
    MUST(item->first < item->end && item->end <= text->n_lines);
    MUST(item->group < text->n_groups);
    MUST(text->lines[item->first].item == i);
    MUST(i == 0 || text->items[i - 1].first < item->first);
    if (item->parent == CUL_TEXT_NONE)
      continue;
    MUST(item->parent < i);
    MUST(text->items[item->parent].first < item->first);
    MUST(text->items[item->parent].end >= item->end);
  }
  for (uint32_t i = 0; i < text->n_lines; i++) {
    uint32_t item = text->lines[i].item;
    MUST(text->lines[i].n == 0 || item < text->n_items);
    MUST(item == CUL_TEXT_NONE ||
         (text->items[item].first <= i && i < text->items[item].end));
  }
}

static inline void check_names(struct cul_text *text) {
  const struct cul_text_names *names = cul_text_names(text);
  for (uint32_t i = 0; i < text->n_tokens; i++) {
    uint32_t def = names->def[i];
    MUST(def == CUL_TEXT_NONE || names->def[def] == def);
    for (uint32_t u = names->first_use[i]; u < names->first_use[i + 1]; u++)
      MUST(names->uses[u] != i && names->def[names->uses[u]] == i);
  }
}

static inline void check_sites(const struct cul_sites *sites) {
  uint32_t groups = 0;
  for (uint32_t i = 0; i < sites->n; i++) {
    const struct cul_site *site = &sites->items[i];
    MUST(site->weight >= 1);
    MUST(site->parent == CUL_SITE_NONE || site->parent < i);
    /* Groups are numbered by their first site. */
    MUST(site->group <= groups);
    groups += site->group == groups;
  }
}

/* In pieces: the same bytes. */
static inline void check_pieces(struct cul_text *text,
                                const struct cul_buf *written) {
  struct cul_pieces pieces = {0};
  if (!text->head.kind->pieces)
    return;
  text->head.kind->pieces((struct cul_subject *)text, &pieces);
  MUST(cul_pieces_len(&pieces) == written->len);
  cul_pieces_flatten(&pieces);
  MUST(cul_bytes_equal(cul_buf_bytes(&pieces.own), cul_buf_bytes(written)));
  cul_pieces_release(&pieces);
}

/* Tokens, lines and items are those of a parse of the bytes. */
static inline void check_settled(const struct cul_text *text) {
  struct cul_text *parsed =
      cul_text_parse((struct cul_bytes){text->bytes, text->len}, text->lang);
  MUST(parsed->n_tokens == text->n_tokens && parsed->n_lines == text->n_lines &&
       parsed->n_items == text->n_items && parsed->n_groups == text->n_groups);
  for (size_t i = 0; i < text->n_tokens; i++) {
    const struct cul_token *a = &parsed->tokens[i], *b = &text->tokens[i];
    MUST(a->start == b->start && a->len == b->len && a->line == b->line &&
         a->match == b->match && a->kind == b->kind && !b->with && !b->dead);
  }
  for (size_t i = 0; i < text->n_lines; i++) {
    const struct cul_line *a = &parsed->lines[i], *b = &text->lines[i];
    MUST(a->start == b->start && a->end == b->end && a->first == b->first &&
         a->n == b->n && a->item == b->item && a->indent == b->indent &&
         !b->cut && !text->marks[i]);
  }
  for (size_t i = 0; i < text->n_items; i++) {
    const struct cul_text_item *a = &parsed->items[i], *b = &text->items[i];
    MUST(a->first == b->first && a->end == b->end && a->parent == b->parent &&
         a->group == b->group && a->label == b->label && a->list == b->list &&
         a->starts == b->starts);
  }
  cul_text_free((struct cul_subject *)parsed);
}

/* Apply a subset of the sites, chosen by seed; the result must be smaller
 * where something was applied, and must parse to what measure() says.
 */
static inline void check_mutation(struct cul_text *text,
                                  const struct cul_mutation *m, uint64_t seed) {
  struct cul_subject *subject = (struct cul_subject *)text;
  struct cul_sites sites = {0};
  struct cul_buf out = {0};
  struct cul_size size = {0};
  struct cul_text *again;
  size_t n = 0, applied = 0;
  uint32_t *ids;
  cul_mutation_sites(m, subject, &sites);
  check_sites(&sites);
  ids = cul_xreallocarray(NULL, sites.n + 1, sizeof *ids);
  for (uint32_t i = 0; i < sites.n; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    if (seed >> 62 == 0)
      ids[n++] = i;
  }
  if (n > 2 && m->flags & CUL_MUT_RANGE)
    n = 1;
  if (n)
    applied = cul_mutation_apply(m, subject, &sites, ids, n);
  MUST(applied <= n);
  if (text->head.kind->fix)
    text->head.kind->fix(subject);
  write_text(text, &out);
  check_pieces(text, &out);
  text->head.kind->measure(subject, &size);
  MUST(applied == 0 || text->edited);
  again = open_text(out.data, out.len);
  if (again && again->lang == text->lang)
    MUST(size.ops == (cul_text_is_mlir(text) ? cul_text_count_ops(again)
                                             : again->n_tokens));
  if (again)
    close_text(again);
  /* The next revision: edits are settled. */
  cul_mutation_sites(m, subject, &sites);
  MUST(!text->edited && text->len == out.len);
  MUST(out.len == 0 || memcmp(text->bytes, out.data, out.len) == 0);
  check_settled(text);
  cul_buf_release(&out);
  cul_sites_release(&sites);
  free(ids);
  close_text(text);
}

static inline void check_parse(const char *bytes, size_t len) {
  struct cul_text *text = open_text(bytes, len);
  if (!text)
    return;
  check_lossless(text, bytes, len);
  check_tokens(text);
  check_items(text);
  check_names(text);
  close_text(text);
}

/* In each form that the mutation edits. */
static inline void check_one(const char *bytes, size_t len,
                             const struct cul_mutation *m, uint64_t seed) {
  struct cul_text *mlir = NULL, *plain = NULL;
  if (m->kinds & CUL_SUBJECT_MLIR_TEXT)
    mlir = open_as(CUL_FORM_MLIR_TEXT, bytes, len);
  if (mlir)
    check_mutation(mlir, m, seed);
  if (m->kinds & CUL_SUBJECT_TEXT)
    plain = open_text(bytes, len);
  if (plain)
    check_mutation(plain, m, seed);
}

/* All of it. */
static inline void check_text(const char *bytes, size_t len, uint64_t seed) {
  check_parse(bytes, len);
  for (size_t i = 0; cul_mutations[i]; i++)
    check_one(bytes, len, cul_mutations[i], seed + i);
}

#endif
