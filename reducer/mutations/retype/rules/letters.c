/* Rules that give each dimension a letter; opmodel/core.rules describes their
 * syntax.  A rule such as
 *
 *   dimensions:_+A*>A*
 *
 * is read to check that it fits, then to tie dimensions, and once more, after
 * dimensions have been removed, for the lists that number them. */
#include <ctype.h>
#include <string.h>

#include "rules.h"

enum { N_LETTERS = 128 };

/* The sizes for which a letter stood first. */
struct letter {
  bool known;
  bool larger; /* they may be larger than others */
  size_t n;
  uint32_t first[CUL_RETYPE_MAX];
};
struct reading {
  struct cul_retype *g;
  MlirOperation op;
  const char *at;        /* in the word */
  struct cul_bytes attr; /* the last "ATTR/" */
  bool runs;             /* some letters are runs, or numbered by lists */
  bool strict;           /* nothing verifies the operation */
  bool thins;            /* read only lists, to fix them */
  bool ties;             /* the rule fits: tie */
  struct letter letters[N_LETTERS];
};

/* The subject of an item: the sizes of a value, or the numbers of a list. */
struct place {
  MlirValue value; /* null: a list */
  uint32_t first;  /* node */
  size_t rank;
  bool taken[CUL_RETYPE_MAX];
};

/* ---- letters ---- */

static bool take(struct reading *r, char c) {
  bool is = *r->at == c;
  r->at += is;
  return is;
}

/* Tie two sizes of one letter.  fits: a may be larger; apart: the sizes differ,
 * but are removed together. */
static void pair(const struct reading *r, uint32_t a, uint32_t b, bool fits,
                 bool apart) {
  struct cul_retype *g = r->g;
  if (!r->ties)
    return;
  if (!apart)
    cul_retype_tie(g, a, b);
  if (g->ranks && (r->runs || apart))
    cul_retype_join_nodes(g, a, b);
  if (fits && g->node[a].value != g->node[b].value)
    cul_retype_relate_two(g, CUL_RETYPE_AT_LEAST, a, b);
}

/* Match dimensions with those of a letter from the end.  A size of 1, which is
 * broadcast, is replaced as the letter's size by another one. */
static void give_end(struct reading *r, const struct place *p,
                     struct letter *letter, const size_t *dims, size_t n) {
  size_t known = letter->n;
  if (n > known) {
    memmove(letter->first + (n - known), letter->first,
            known * sizeof *letter->first);
    letter->n = n;
  }
  for (size_t i = 1; i <= n; i++) {
    uint32_t node = p->first + (uint32_t)dims[n - i];
    uint32_t *first = &letter->first[letter->n - i];
    if (i <= known)
      pair(r, *first, node, false, false);
    if (i > known || r->g->node[*first].value == 1)
      *first = node;
  }
}

/* Match dimensions with a letter; false if their number is another one. */
static bool give(struct reading *r, const struct place *p, char c,
                 const size_t *dims, size_t n) {
  struct letter *letter = &r->letters[c & (N_LETTERS - 1)];
  bool stays = take(r, '!'), keeps = take(r, '^'), larger = take(r, '\'');
  bool ends = take(r, '~'), apart = take(r, '%');
  for (size_t i = 0; i < n; i++)
    if (r->ties && (stays || (keeps && r->g->ranks)))
      cul_retype_pin(r->g, p->first + (uint32_t)dims[i]);
  if (c == '.' || c == '_')
    return true;
  if (letter->known && ends) {
    give_end(r, p, letter, dims, n);
    return true;
  }
  if (letter->known && letter->n != n)
    return false;
  for (size_t i = 0; i < n; i++) {
    uint32_t node = p->first + (uint32_t)dims[i];
    if (letter->known && larger && !letter->larger)
      pair(r, node, letter->first[i], true, apart);
    else if (letter->known)
      pair(r, letter->first[i], node, letter->larger && !larger, apart);
    if (!letter->known || (letter->larger && !larger))
      letter->first[i] = node;
  }
  letter->larger = larger && (!letter->known || letter->larger);
  letter->known = true;
  letter->n = n;
  return true;
}

/* The number of dimensions of a letter; SIZE_MAX: all that are left. */
static size_t length_of(const struct reading *r, const char *at) {
  const struct letter *letter = &r->letters[*at & (N_LETTERS - 1)];
  if (*at == '_' || at[1] == '~')
    return SIZE_MAX;
  if (*at == '.' || islower((unsigned char)*at))
    return 1;
  return letter->known ? letter->n : SIZE_MAX;
}

static bool is_letter(char c) {
  return isalpha((unsigned char)c) || c == '.' || c == '_';
}

/* Match letters with the dimensions that no list has taken. */
static bool take_rest(struct reading *r, struct place *p) {
  size_t dims[CUL_RETYPE_MAX], n = 0, sum = 0, open = 0, at = 0;
  for (size_t i = 0; i < p->rank; i++)
    if (!p->taken[i])
      dims[n++] = i;
  for (const char *c = r->at; *c && !strchr(",;>}*#", *c); c++)
    if (is_letter(*c)) {
      size_t length = length_of(r, c);
      open += length == SIZE_MAX;
      sum += length == SIZE_MAX ? 0 : length;
    }
  if (sum > n || open > 1 || (open == 0 && sum != n))
    return false;
  while (is_letter(*r->at)) {
    size_t length = length_of(r, r->at);
    char c = *r->at++;
    if (length == SIZE_MAX)
      length = n - sum;
    if (!give(r, p, c, dims + at, length))
      return false;
    at += length;
  }
  return true;
}

/* ---- lists ---- */

/* Read "LIST" (lists.c) or "LIST|0"; "/LIST" is in the text of the same
 * attribute as the last one.  Heap. */
static char *take_name(struct reading *r, int64_t *otherwise) {
  size_t n = strcspn(r->at, "|:&"), slash = strcspn(r->at, "/|:&");
  struct cul_buf name = {0};
  if (r->at[slash] == '/' && slash > 0)
    r->attr = (struct cul_bytes){r->at, slash};
  if (*r->at == '/')
    cul_buf_add(&name, r->attr.data, r->attr.len);
  cul_buf_add(&name, r->at, n);
  r->at += n;
  *otherwise = take(r, '|') ? *r->at++ - '0' : -1;
  return cul_buf_take(&name);
}

/* Is this the first item of the list?  A list is fixed once, although it may
 * number dimensions of several values. */
static bool is_first(const char *word, const char *at) {
  size_t n = strcspn(at, "|:&");
  for (const char *other = word; other < at; other++)
    if (strncmp(other, at, n) == 0 && strchr("|:&", other[n]) &&
        (other == word ||
         !(isalnum((unsigned char)other[-1]) || other[-1] == '_')))
      return false;
  return true;
}

/* Read "LIST:L", the dimensions that a list numbers, or "LIST&L", dimensions
 * that have another letter, too. */
static bool take_list(struct reading *r, struct place *p) {
  bool thins = r->thins && p->value.ptr && is_first(r->g->word->text, r->at);
  int64_t numbers[CUL_RETYPE_MAX], otherwise;
  size_t dims[CUL_RETYPE_MAX], n = 0, kept = 0;
  CUL_HEAP char *name = take_name(r, &otherwise);
  bool besides = *r->at++ == '&';
  bool known = cul_retype_dims(r->g, r->op, name, p->rank, numbers, &n);
  bool all = known && n == 0 && *name == '@';
  char c = *r->at++;
  if (known && n == 0 && otherwise >= 0)
    numbers[n++] = otherwise;
  if (all)
    (void)take(r, '^'); /* a list without entries need keep none */
  for (size_t i = 0; all && i < p->rank; i++)
    dims[kept++] = i;
  for (size_t i = 0; i < n; i++)
    if (numbers[i] >= 0 && numbers[i] < (int64_t)p->rank)
      dims[kept++] = (size_t)numbers[i];
  for (size_t i = 0; i < kept && !besides; i++)
    p->taken[dims[i]] = true;
  if (thins)
    cul_retype_thin_dims(r->g, r->op, name, p->value);
  return known && (kept == n || c == '_') && give(r, p, c, dims, kept);
}

/* ---- items ---- */

static bool is_list(const char *at) {
  size_t n = strcspn(at, ":&,;+>}");
  return at[n] == ':' || at[n] == '&';
}

static const char *end_of(const char *at) { return at + strcspn(at, ",;>}"); }

static bool take_item(struct reading *r, struct place *p) {
  bool good = p->rank <= CUL_RETYPE_MAX;
  while (good && is_list(r->at)) {
    good = take_list(r, p);
    (void)take(r, '+');
  }
  good = good && (r->thins || take_rest(r, p));
  if (good && take(r, '#') && r->ties)
    cul_retype_counts(r->g, cul_retype_element(r->g, p->value));
  r->at = end_of(r->at);
  return good;
}

static bool take_value(struct reading *r, MlirValue value) {
  struct place p = {.value = value, .rank = cul_retype_rank(r->g, value)};
  p.first = cul_retype_size(r->g, value, 0);
  if (r->strict && !cul_retype_is_shaped(r->g, value)) {
    r->at = end_of(r->at);
    return true;
  }
  return take_item(r, &p);
}

/* Match "ITEM,ITEM*,..." with values [at, end).  '*' repeats an item once per
 * result, or per two operands if there are no results. */
static bool take_values(struct reading *r, size_t at, size_t end) {
  size_t results = (size_t)mlirOperationGetNumResults(r->op);
  size_t operands = (size_t)mlirOperationGetNumOperands(r->op);
  size_t times = results ? results : operands / 2;
  bool good = true;
  do {
    const char *item = r->at;
    size_t n = end_of(item)[-1] == '*' ? times : 1;
    bool says = end_of(item) > item;
    for (size_t i = 0; i < n && at < end; i++, at++) {
      r->at = item;
      if (says && !take_value(r, cul_ir_value(r->op, at)))
        good &= !r->runs;
    }
    r->at = end_of(item);
  } while (take(r, ','));
  return good;
}

/* Match "LIST@N{ITEM}": a list with an entry per dimension of value N, which is
 * removed with it. */
static bool take_entries(struct reading *r) {
  size_t n = strcspn(r->at, "@");
  const char *name = cul_retype_kept(r->g, r->at, n);
  MlirValue of = cul_ir_value(r->op, (size_t)(r->at[n + 1] - '0'));
  struct place p = {.value = {NULL}};
  if (r->thins) {
    cul_retype_thin_entries(r->g, r->op, name, of);
    return true;
  }
  p.first = cul_retype_list(r->g, r->op, name, false, &p.rank);
  r->at += n + 3;
  return p.rank == cul_retype_rank(r->g, of) && take_item(r, &p);
}

static bool take_choice(struct reading *r, const char *at) {
  size_t n = (size_t)mlirOperationGetNumOperands(r->op);
  bool good;
  memset(r->letters, 0, sizeof r->letters);
  r->at = at;
  good = take_values(r, 0, n);
  if (take(r, '>'))
    good &= take_values(r, n, cul_ir_n_values(r->op));
  if (take(r, '>'))
    good &= take_entries(r);
  return good;
}

static struct reading *begin(struct cul_retype *g, MlirOperation op) {
  struct reading *r = cul_xcalloc(1, sizeof *r);
  r->g = g;
  r->op = op;
  r->strict = cul_retype_is_unverified(op);
  r->runs = cul_retype_has_runs(g->word->text) || r->strict;
  return r;
}

/* Follow the first of "WORD;WORD" that fits; all name the same lists.  If none
 * does, tie equal sizes, and pin all types if dimensions may be removed, or if
 * nothing verifies the operation. */
static void rule_letters(struct cul_retype *g, MlirOperation op) {
  CUL_HEAP struct reading *r = begin(g, op);
  const char *choice = g->lacks ? NULL : g->word->text;
  while (choice && !take_choice(r, choice)) {
    const char *next = strchr(r->at, ';');
    choice = next ? next + 1 : NULL;
  }
  if (choice) {
    r->ties = true;
    (void)take_choice(r, choice);
  } else {
    cul_retype_rule_by_size(g, op);
    if (g->ranks || r->strict)
      cul_retype_pin_all(g, op);
  }
}

static void thin_letters(struct cul_retype *g, MlirOperation op) {
  CUL_HEAP struct reading *r = begin(g, op);
  r->thins = true;
  (void)take_choice(r, g->word->text);
}

/* Not found by their text: see meaning_of. */
const struct cul_retype_meaning cul_retype_letters_words[] = {
    {"letters", 0, rule_letters, NULL, 0},
    {"runs", CUL_WORD_RANKS, rule_letters, thin_letters, 0},
    {0},
};
