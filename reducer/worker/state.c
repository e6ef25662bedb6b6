/* The state of a worker: a subject, its mutations, their sites. */
#include <stdlib.h>
#include <string.h>

#include "server.h"

static void choose_mutations(struct cul_shop *shop, uint32_t bits) {
  size_t n = 0;
  while (cul_mutations[n])
    n++;
  shop->mutations = cul_xcalloc(n + 1, sizeof *shop->mutations);
  for (size_t i = 0; i < n; i++)
    if (cul_mutations[i]->kinds & bits)
      shop->mutations[shop->n_mutations++] = cul_mutations[i];
  shop->sites = cul_xcalloc(shop->n_mutations + 1, sizeof *shop->sites);
  shop->listed = cul_xcalloc(shop->n_mutations + 1, sizeof *shop->listed);
}

void cul_shop_prepare(struct cul_shop *shop) {
  for (size_t i = 0; cul_subject_kinds[i] && !shop->kind; i++)
    if (cul_subject_kinds[i]->prepare) {
      shop->kind = cul_subject_kinds[i];
      shop->prepared = shop->kind->prepare();
    }
}

int cul_shop_open(struct cul_shop *shop, struct cul_reading how,
                  struct cul_bytes text, struct cul_err *err) {
  const struct cul_subject_kind *kind = cul_subject_kind_for(how.form);
  int rc;
  if (!kind)
    return cul_fail(err, CUL_EINTERNAL, "", "no subject of form %s here",
                    cul_form_name(how.form));
  rc = kind->open(text, how, kind == shop->kind ? shop->prepared : NULL,
                  &shop->subject, err);
  shop->prepared = NULL;
  if (rc < 0)
    return rc;
  shop->kind = kind;
  choose_mutations(shop, cul_form_bits(how.form));
  return 0;
}

void cul_shop_forget(struct cul_shop *shop) {
  for (size_t i = 0; i < shop->n_mutations; i++) {
    cul_sites_release(&shop->sites[i]);
    shop->listed[i] = false;
  }
}

void cul_shop_release(struct cul_shop *shop) {
  cul_shop_forget(shop);
  free(shop->mutations);
  free(shop->sites);
  free(shop->listed);
  if (shop->subject)
    shop->kind->free(shop->subject);
  memset(shop, 0, sizeof *shop);
}

int cul_shop_list(struct cul_shop *shop, uint32_t mutation,
                  struct cul_err *err) {
  int rc;
  if (mutation >= shop->n_mutations)
    return cul_fail(err, CUL_EINTERNAL, "", "no mutation number %u", mutation);
  if (shop->listed[mutation])
    return 0;
  cul_sites_clear(&shop->sites[mutation]);
  rc = cul_mutation_sites(shop->mutations[mutation], shop->subject,
                          &shop->sites[mutation], err);
  shop->listed[mutation] = rc == 0;
  return rc;
}

struct cul_strange *cul_shop_strange(const struct cul_shop *shop,
                                     uint32_t mutation) {
  const struct cul_sites *sites = &shop->sites[mutation];
  struct cul_strange *out = cul_xcalloc(sites->n + 1, sizeof *out);
  void *trial =
      shop->kind->try ? shop->kind->try(shop->subject, sites->n) : NULL;
  struct cul_err ignored = {0};
  for (uint32_t i = 0; trial && i < sites->n; i++) {
    size_t applied = 0;
    if (cul_mutation_apply(shop->mutations[mutation], shop->subject, sites, &i,
                           1, &applied, &ignored) == 0)
      shop->kind->tried(trial, &out[i]);
  }
  if (trial)
    shop->kind->end_try(trial);
  return out;
}

static int compare_edits(const void *left, const void *right) {
  const struct cul_edit *a = left, *b = right;
  if (a->mutation != b->mutation)
    return a->mutation < b->mutation ? -1 : 1;
  return (a->site > b->site) - (a->site < b->site);
}

static int check_edits(struct cul_shop *shop, const struct cul_edit *edits,
                       size_t n, struct cul_err *err) {
  for (size_t i = 0; i < n; i++) {
    int rc = cul_shop_list(shop, edits[i].mutation, err);
    if (rc < 0)
      return rc;
    if (edits[i].site >= shop->sites[edits[i].mutation].n)
      return cul_fail(err, CUL_EINTERNAL, "", "%s has no site %u",
                      shop->mutations[edits[i].mutation]->name, edits[i].site);
  }
  return 0;
}

/* Apply the edits of one mutation, edits[0..n), sorted. */
static int apply_one(struct cul_shop *shop, const struct cul_edit *edits,
                     size_t n, size_t *applied, struct cul_err *err) {
  uint32_t m = edits[0].mutation;
  uint32_t *ids = cul_xreallocarray(NULL, n, sizeof *ids);
  size_t n_ids = 0, done = 0;
  int rc;
  for (size_t i = 0; i < n; i++)
    if (i == 0 || edits[i].site != edits[i - 1].site)
      ids[n_ids++] = edits[i].site;
  rc = cul_mutation_apply(shop->mutations[m], shop->subject, &shop->sites[m],
                          ids, n_ids, &done, err);
  *applied += done;
  free(ids);
  return rc;
}

int cul_shop_apply(struct cul_shop *shop, const struct cul_edit *edits,
                   size_t n, size_t *applied, struct cul_err *err) {
  struct cul_edit *sorted = cul_xreallocarray(NULL, n + 1, sizeof *sorted);
  int rc = check_edits(shop, edits, n, err);
  *applied = 0;
  if (n)
    memcpy(sorted, edits, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, compare_edits);
  for (size_t i = 0, j; rc == 0 && i < n; i = j) {
    for (j = i; j < n && sorted[j].mutation == sorted[i].mutation; j++)
      ;
    rc = apply_one(shop, sorted + i, j - i, applied, err);
  }
  free(sorted);
  if (rc == 0 && shop->kind->mend)
    shop->kind->mend(shop->subject);
  return rc;
}

static bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A number counts up to this: 1e+30 is no better than 1e+29 by much. */
enum { MOST_NUMBER = 1000000 };

/* Larger subjects are not looked at: numbers matter at the end only. */
enum { MOST_BYTES = 64 << 10 };

/* The digits at p; *end: behind them.  f32 is the plainest type of floats. */
static uint64_t number_at(const char *start, const char *p, const char *last,
                          const char **end) {
  uint64_t value = 0;
  const char *first = p;
  for (; p < last && is_digit(*p); p++)
    if (value < MOST_NUMBER)
      value = 10 * value + (uint64_t)(*p - '0');
  *end = p;
  if (value == 32 && first > start && first[-1] == 'f')
    return 0;
  return value < MOST_NUMBER ? value : MOST_NUMBER;
}

/* The sum of sizes, widths, positions and literals; names of values, blocks,
 * symbols, aliases apart.  Finite, so that steps that only lower it end. */
static uint64_t sum_numbers(const char *start, const char *end) {
  uint64_t sum = 0;
  for (const char *p = start; p < end;) {
    if (*p == '%' || *p == '^' || *p == '@' || *p == '#')
      for (p++; p < end && is_word(*p); p++)
        ;
    else if (is_digit(*p))
      sum += number_at(start, p, end, &p);
    else
      p++;
  }
  return sum;
}

void cul_shop_write(struct cul_shop *shop, bool edited, struct cul_buf *out,
                    struct cul_size *size) {
  size_t start = out->len;
  cul_buf_reserve(out, 1);
  if (!edited && shop->kind->present)
    shop->kind->present(shop->subject, out);
  else
    shop->kind->write(shop->subject, out);
  *size = (struct cul_size){0};
  shop->kind->measure(shop->subject, size);
  size->bytes = out->len - start;
  size->lines = 0;
  for (const char *p = out->data + start, *end = out->data + out->len;
       p < end && (p = memchr(p, '\n', (size_t)(end - p))); p++)
    size->lines++;
  if (size->bytes && out->data[out->len - 1] != '\n')
    size->lines++;
  if (size->bytes <= MOST_BYTES &&
      (shop->kind->bits & (CUL_SUBJECT_MLIR | CUL_SUBJECT_MLIR_TEXT)))
    size->numbers = sum_numbers(out->data + start, out->data + out->len);
}
