/* Detects a command whose output on the same input, its standard output or the
 * files under @{out}, differs from run to run.
 *
 * Runs are used in disjoint pairs: pairs then differ with one fixed
 * probability, and the test of rate.h applies with its bounds.  A pair that
 * differs in another way than the pairs of the input does not count, so that a
 * changing order is not reduced to a changing number.  Standard error is
 * ignored.  The runs have randomized addresses (CUL_RUN_RANDOMIZE), else an
 * order by pointers would never change. */
#include "nondeterminism.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/outputs.h"
#include "../common/pattern.h"
#include "../common/settle.h"
#include "rate.h"

/* ---- varied: the way in which two outputs of a command differ ---- */

/* "the order of lines", "names", ... */
static const char *varied_words(enum cul_varied how) {
  static const char *const words[] = {
      [CUL_VARIED_NOT] = "nothing",
      [CUL_VARIED_ORDER] = "the order of lines",
      [CUL_VARIED_NAMES] = "names",
      [CUL_VARIED_NUMBERS] = "numbers",
      [CUL_VARIED_TEXT] = "text",
      [CUL_VARIED_FILES] = "which files are written"};
  return words[how];
}

/* ---- lines ---- */

static int compare_bytes(const void *a, const void *b) {
  const struct cul_bytes *x = a, *y = b;
  size_t n = x->len < y->len ? x->len : y->len;
  int order = n ? memcmp(x->data, y->data, n) : 0;
  return order ? order : (x->len > y->len) - (x->len < y->len);
}

static struct cul_bytes *sorted_lines(struct cul_bytes text, size_t *n) {
  const char *at = text.data, *end = at + text.len;
  struct cul_bytes *lines;
  size_t most = 1;
  for (size_t i = 0; i < text.len; i++)
    most += text.data[i] == '\n';
  lines = cul_xcalloc(most, sizeof *lines);
  for (*n = 0; at < end; ++*n) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    stop = stop ? stop : end;
    lines[*n] = (struct cul_bytes){at, (size_t)(stop - at)};
    at = stop < end ? stop + 1 : end;
  }
  qsort(lines, *n, sizeof *lines, compare_bytes);
  return lines;
}

static bool same_lines(struct cul_bytes a, struct cul_bytes b) {
  size_t n, m;
  struct cul_bytes *x, *y;
  bool same = a.len == b.len;
  if (!same || a.len == 0)
    return same;
  x = sorted_lines(a, &n);
  y = sorted_lines(b, &m);
  same = n == m;
  for (size_t i = 0; i < n && same; i++)
    same = compare_bytes(&x[i], &y[i]) == 0;
  free(x);
  free(y);
  return same;
}

/* ---- words ---- */

enum word { NAME, NUMBER, OTHER };

static bool is_part(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* The length of the number at text; 0: none. */
static size_t number_length(struct cul_bytes text) {
  size_t n = 0;
  if (text.len > 2 && text.data[0] == '0' && (text.data[1] | 32) == 'x') {
    for (n = 2; n < text.len && isxdigit((unsigned char)text.data[n]);)
      n++;
    return n;
  }
  while (n < text.len &&
         (isdigit((unsigned char)text.data[n]) || (n && text.data[n] == '.') ||
          (n && (text.data[n] | 32) == 'e' && n + 1 < text.len) ||
          (n && strchr("+-", text.data[n]) && (text.data[n - 1] | 32) == 'e')))
    n++;
  return n;
}

/* Remove the next word from text. */
static enum word next_word(struct cul_bytes *text, struct cul_bytes *word) {
  enum word kind = OTHER;
  char first = text->data[0];
  size_t n = 1;
  if (strchr("%@#!^", first) || isalpha((unsigned char)first) || first == '_') {
    while (n < text->len && is_part(text->data[n]))
      n++;
    kind = n > 1 || isalpha((unsigned char)first) ? NAME : OTHER;
  } else if (isdigit((unsigned char)first)) {
    n = number_length(*text);
    kind = NUMBER;
    if (n < text->len && is_part(text->data[n])) { /* for example 4xf32 */
      while (n < text->len && is_part(text->data[n]))
        n++;
      kind = NAME;
    }
  }
  *word = (struct cul_bytes){text->data, n};
  text->data += n;
  text->len -= n;
  return kind;
}

/* The names at the same place on both sides. */
struct renaming {
  struct cul_bytes from, to;
};

static int compare_from(const void *a, const void *b) {
  return compare_bytes(&((const struct renaming *)a)->from,
                       &((const struct renaming *)b)->from);
}

static int compare_to(const void *a, const void *b) {
  return compare_bytes(&((const struct renaming *)a)->to,
                       &((const struct renaming *)b)->to);
}

/* Is the renaming one to one? */
static bool one_to_one(struct renaming *items, size_t n) {
  bool same = true;
  if (n == 0)
    return true;
  qsort(items, n, sizeof *items, compare_from);
  for (size_t i = 1; i < n && same; i++)
    same = compare_from(&items[i - 1], &items[i]) ||
           cul_bytes_equal(items[i - 1].to, items[i].to);
  qsort(items, n, sizeof *items, compare_to);
  for (size_t i = 1; i < n && same; i++)
    same = compare_to(&items[i - 1], &items[i]) ||
           cul_bytes_equal(items[i - 1].from, items[i].from);
  return same;
}

/* Do only numbers differ, or only names? */
static enum cul_varied compare_words(struct cul_bytes a, struct cul_bytes b) {
  struct renaming *items = NULL;
  size_t n = 0, cap = 0;
  bool names = true, numbers = true;
  while (a.len && b.len && (names || numbers)) {
    struct cul_bytes x, y;
    enum word left = next_word(&a, &x), right = next_word(&b, &y);
    bool same = left == right && cul_bytes_equal(x, y);
    names = names && (same || (left == NAME && right == NAME));
    numbers = numbers && (same || (left == NUMBER && right == NUMBER));
    if (left != NAME || right != NAME || !names)
      continue;
    if (n == cap) {
      cap = cap ? 2 * cap : 64;
      items = cul_xreallocarray(items, cap, sizeof *items);
    }
    items[n++] = (struct renaming){x, y};
  }
  names = names && one_to_one(items, n);
  free(items);
  if (a.len || b.len || (!names && !numbers))
    return CUL_VARIED_TEXT;
  return numbers ? CUL_VARIED_NUMBERS : CUL_VARIED_NAMES;
}

enum cul_varied cul_varied_texts(struct cul_bytes a, struct cul_bytes b) {
  if (cul_bytes_equal(a, b))
    return CUL_VARIED_NOT;
  if (same_lines(a, b))
    return CUL_VARIED_ORDER;
  return compare_words(a, b);
}

const char *cul_varied_ignored(const char *ignore, size_t i) {
  static const char addresses[] = "0x[0-9a-fA-F]+";
  static const char times[] =
      "\\b[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)? ?"
      "(ns|us|ms|s|sec|secs|seconds?|min)\\b"
      "|\\b[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]+)?)?\\b";
  if (!ignore || i > 1)
    return NULL;
  if (strcmp(ignore, "addresses,times") == 0 ||
      strcmp(ignore, "times,addresses") == 0)
    return i ? times : addresses;
  if (i)
    return NULL;
  return strcmp(ignore, "addresses") == 0 ? addresses
         : strcmp(ignore, "times") == 0   ? times
                                          : ignore;
}

/* ---- nondeterminism ---- */

enum {
  CERTAIN_PAIRS =
      10, /* if all pairs of the input differ: enough to know the rate */
  SILENT_PAIRS = 30, /* if no pair differs: none will */
  MOST_PAIRS = 100,
};

struct nondeterminism {
  const struct cul_oracle_conf *conf;
  struct cul_pattern *ignore[2]; /* --ignore: text that may differ */
  size_t n_ignore;
  bool learnt;
  int status;           /* exit status of runs of the input */
  uint32_t ways;        /* bits: the enum cul_varied of the input's pairs */
  struct cul_rate rate; /* of the input's pairs */
  struct cul_sprt test;
};

/* The results of all pairs so far. */
struct pairs {
  struct cul_rate rate; /* pairs that differ in a way that counts */
  uint32_t ways, other; /* bits: ways that count, and ways that do not */
  const char
      *where; /* the first difference that counts: a file name, or NULL */
};

static bool nondeterminism_wanted(const struct cul_oracle_conf *conf) {
  return conf->nondeterminism.wanted;
}

static void nondeterminism_close(void *self) {
  struct nondeterminism *it = self;
  for (size_t i = 0; i < it->n_ignore; i++)
    cul_pattern_free(it->ignore[i]);
  free(it);
}

static int nondeterminism_open(const struct cul_oracle_conf *conf, void **self,
                               struct cul_err *err) {
  struct nondeterminism *it = cul_xcalloc(1, sizeof *it);
  const char *text;
  int rc = 0;
  it->conf = conf;
  while (rc == 0 &&
         (text = cul_varied_ignored(conf->nondeterminism.ignore, it->n_ignore)))
    rc = cul_pattern_new("ignore", text, &it->ignore[it->n_ignore++], err);
  if (rc < 0)
    nondeterminism_close(it);
  else
    *self = it;
  return rc;
}

/* text without what --ignore removes; false: an expression needs too many
 * steps. */
static bool normalise(const struct nondeterminism *it, struct cul_bytes text,
                      struct cul_buf *out) {
  bool known = true;
  cul_buf_clear(out);
  cul_buf_add(out, text.data, text.len);
  for (size_t i = 0; i < it->n_ignore && known; i++) {
    struct cul_buf next = {0};
    known = cul_pattern_replace(it->ignore[i], cul_buf_bytes(out), "?", &next);
    cul_buf_release(out);
    *out = next;
  }
  return known;
}

static enum cul_varied compare_texts(const struct nondeterminism *it,
                                     struct cul_bytes a, struct cul_bytes b) {
  struct cul_buf x = {0}, y = {0};
  enum cul_varied how = CUL_VARIED_NOT;
  if (a.len != b.len || (a.len && memcmp(a.data, b.data, a.len) != 0)) {
    if (!normalise(it, a, &x) || !normalise(it, b, &y))
      how = CUL_VARIED_TEXT;
    else
      how = cul_varied_texts(cul_buf_bytes(&x), cul_buf_bytes(&y));
  }
  cul_buf_release(&x);
  cul_buf_release(&y);
  return how;
}

/* The first difference of two runs; *where: the file name, borrowed. */
static enum cul_varied compare_runs(const struct nondeterminism *it,
                                    const struct cul_record *a,
                                    const struct cul_record *b,
                                    const char **where) {
  struct cul_bytes x = cul_buf_bytes(&a->outputs);
  struct cul_bytes y = cul_buf_bytes(&b->outputs);
  size_t at = 0, to = 0;
  struct cul_output_file left, right;
  enum cul_varied how =
      compare_texts(it, cul_buf_bytes(&a->out), cul_buf_bytes(&b->out));
  *where = NULL;
  while (how == CUL_VARIED_NOT) {
    bool more = cul_outputs_next(x, &at, &left);
    if (cul_outputs_next(y, &to, &right) != more)
      return CUL_VARIED_FILES;
    if (!more)
      return CUL_VARIED_NOT;
    if (strcmp(left.name, right.name) != 0)
      return CUL_VARIED_FILES;
    *where = left.name;
    how = compare_texts(it, left.bytes, right.bytes);
  }
  return how;
}

/* True if all runs can be compared; else verdict contains the reason. */
static bool all_end(const struct nondeterminism *it,
                    const struct cul_record *records, size_t n,
                    struct cul_verdict *verdict) {
  for (size_t i = 0; i < n; i++) {
    const struct cul_record *record = &records[i];
    if (cul_settle_run(record, verdict))
      return false;
    if (record->truncated) {
      cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                      "the command writes more than is kept: have it write "
                      "less");
      return false;
    }
    if (record->end == CUL_EXITED && record->status == it->status)
      continue;
    cul_signature_read(it->conf->rules, record, &verdict->sig);
    cul_verdict_set(verdict,
                    verdict->sig.kind == CUL_KIND_NONE ? CUL_PASSES : CUL_OTHER,
                    1, "it ends differently: %.150s", verdict->sig.title);
    return false;
  }
  return true;
}

/* Does this way of differing count? It must be one of the input's; if text
 * differed in the input, every way counts. */
static bool counts(const struct nondeterminism *it, enum cul_varied how) {
  return !it->learnt || it->conf->any_class ||
         (it->ways & (UINT32_C(1) << how)) ||
         (it->ways & (UINT32_C(1) << CUL_VARIED_TEXT));
}

static void compare_all(const struct nondeterminism *it,
                        const struct cul_record *records, size_t n,
                        struct pairs *pairs) {
  *pairs = (struct pairs){0};
  for (size_t i = 0; i + 1 < n; i += 2) {
    const char *where;
    enum cul_varied how =
        compare_runs(it, &records[i], &records[i + 1], &where);
    pairs->rate.runs++;
    if (how == CUL_VARIED_NOT)
      continue;
    if (!counts(it, how)) {
      pairs->other |= UINT32_C(1) << how;
      continue;
    }
    if (pairs->rate.fails++ == 0)
      pairs->where = where;
    pairs->ways |= UINT32_C(1) << how;
  }
}

static void add_ways(uint32_t ways, struct cul_buf *out) {
  bool any = false;
  for (int how = CUL_VARIED_ORDER; how <= CUL_VARIED_FILES; how++)
    if (ways & (UINT32_C(1) << how)) {
      cul_buf_addf(out, "%s%s", any ? ", " : "",
                   varied_words((enum cul_varied)how));
      any = true;
    }
}

/* Set "standard output differs in 9 of 10 pairs of runs: the order of
 * lines". */
static void say(const struct pairs *pairs, enum cul_answer answer,
                struct cul_verdict *verdict) {
  struct cul_buf what = {0};
  if (pairs->rate.fails == 0) {
    cul_buf_addf(&what, "the same output in %u runs", 2 * pairs->rate.runs);
  } else {
    cul_buf_addf(&what, "%.60s differs in %u of %u pair%s of runs: ",
                 pairs->where ? pairs->where : "standard output",
                 pairs->rate.fails, pairs->rate.runs, cul_s(pairs->rate.runs));
    add_ways(pairs->ways, &what);
  }
  verdict->sig = (struct cul_signature){.kind = CUL_KIND_NONE};
  if (answer == CUL_SAME) {
    verdict->sig.kind = CUL_KIND_NONDETERMINISM;
    snprintf(verdict->sig.title, sizeof verdict->sig.title,
             "nondeterminism: %.220s", cul_buf_str(&what));
  }
  if (pairs->other) {
    cul_buf_adds(&what, "; in another way: ");
    add_ways(pairs->other, &what);
  }
  cul_verdict_set(verdict, answer, 1, "%.190s", cul_buf_str(&what));
  cul_buf_release(&what);
}

static void ask(size_t have, size_t pairs, struct cul_wants *more) {
  for (more->n = 0; have < 2 * pairs && more->n < CUL_MAX_WANTS; have++)
    more->want[more->n++] = (struct cul_want){.attempt = (uint32_t)have};
}

/* Has the input been run often enough? Counted in pairs; if nothing differs,
 * the time counts too, as for any failure that may be flaky. */
static bool learnt_enough(const struct nondeterminism *it,
                          const struct cul_record *records, size_t n,
                          struct cul_rate rate) {
  uint64_t spent_us = 0;
  if (it->conf->repeat.runs)
    return n >= it->conf->repeat.runs && rate.runs > 0;
  if (rate.fails == rate.runs)
    return rate.runs >= CERTAIN_PAIRS;
  if (rate.fails > 0)
    return rate.fails >= CUL_RATE_FAILS || rate.runs >= MOST_PAIRS;
  for (size_t i = 0; i < n; i++)
    spent_us += records[i].wall_us;
  return rate.runs >= SILENT_PAIRS || spent_us >= it->conf->timeout_ms * 1000;
}

static void settle(struct nondeterminism *it, const struct pairs *pairs,
                   struct cul_verdict *verdict) {
  if (pairs->rate.fails == 0) {
    say(pairs, CUL_PASSES, verdict);
    return;
  }
  if (pairs->rate.fails < CUL_RATE_LEAST) {
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "%u of %u pair%s of runs %s, too few to tell a "
                    "candidate that varies from one that does not",
                    pairs->rate.fails, pairs->rate.runs,
                    cul_s(pairs->rate.runs),
                    pairs->rate.fails == 1 ? "differs" : "differ");
    return;
  }
  it->learnt = true;
  it->ways = pairs->ways;
  it->rate = pairs->rate;
  cul_sprt_init(&it->test, it->rate);
  say(pairs, CUL_SAME, verdict);
}

static int nondeterminism_learn(void *self, const struct cul_record *records,
                                size_t n, struct cul_wants *more,
                                struct cul_verdict *verdict,
                                struct cul_err *err) {
  struct nondeterminism *it = self;
  struct pairs pairs;
  (void)err;
  more->n = 0;
  it->learnt = false;
  it->status = records[0].status;
  if (!all_end(it, records, n, verdict))
    return 0;
  compare_all(it, records, n, &pairs);
  if (learnt_enough(it, records, n, pairs.rate))
    settle(it, &pairs, verdict);
  else
    ask(n, n / 2 + (it->conf->repeat.runs ? 1 : CUL_MAX_WANTS / 2), more);
  return 0;
}

static int nondeterminism_judge(const void *self,
                                const struct cul_record *records, size_t n,
                                struct cul_wants *more,
                                struct cul_verdict *verdict,
                                struct cul_err *err) {
  const struct nondeterminism *it = self;
  struct pairs pairs;
  uint32_t least = 0;
  (void)err;
  more->n = 0;
  if (!all_end(it, records, n, verdict))
    return 0;
  compare_all(it, records, n, &pairs);
  switch (cul_sprt_decide(&it->test, pairs.rate, &least)) {
  case CUL_SPRT_MORE:
    ask(n, pairs.rate.runs + least, more);
    break;
  case CUL_SPRT_ACCEPT:
    say(&pairs, CUL_SAME, verdict);
    break;
  case CUL_SPRT_REJECT: /* a candidate that differs, even rarely, does not pass
                         */
    say(&pairs, pairs.rate.fails || pairs.other ? CUL_UNRESOLVED : CUL_PASSES,
        verdict);
    break;
  }
  return 0;
}

static void nondeterminism_describe(const void *self, struct cul_buf *out) {
  const struct nondeterminism *it = self;
  double low, high;
  cul_buf_adds(out, "outputs that differ from run to run");
  if (!it->learnt)
    return;
  cul_buf_adds(out, " in ");
  if (it->conf->any_class || (it->ways & (UINT32_C(1) << CUL_VARIED_TEXT)))
    cul_buf_adds(out, "any way");
  else
    add_ways(it->ways, out);
  cul_rate_interval(it->rate, &low, &high);
  cul_buf_addf(out,
               ", in about as many pairs of runs as now: %u of %u (%.0f to "
               "%.0f %% at 95 %% confidence)",
               it->rate.fails, it->rate.runs, 100 * low, 100 * high);
}

const struct cul_oracle cul_oracle_nondeterminism = {
    .abi = CUL_ORACLE_ABI,
    .name = "nondeterminism",
    .summary = "output that differs from run to run on the same input",
    .wanted = nondeterminism_wanted,
    .open = nondeterminism_open,
    .learn = nondeterminism_learn,
    .judge = nondeterminism_judge,
    .describe = nondeterminism_describe,
    .close = nondeterminism_close,
    .whole = true,
};
