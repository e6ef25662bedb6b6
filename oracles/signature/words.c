/* The lines of a failure that no rule matches: see words.h. */
#include "words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/regex.h"

enum {
  MOST_BYTES = 400,  /* of a line; what follows is cut */
  MOST_FIRST = 128,  /* lines of a text that are looked at: so many from its */
  MOST_LAST = 1024,  /* start, so many up to its end */
  MOST_PRINTS = 8192 /* lines that are kept of runs that do not fail so */
};

struct cul_prints {
  struct cul_digest *lines;
  size_t n;
};

struct cul_prints *cul_prints_new(void) {
  return cul_xcalloc(1, sizeof(struct cul_prints));
}

void cul_prints_free(struct cul_prints *prints) {
  if (!prints)
    return;
  free(prints->lines);
  free(prints);
}

bool cul_line_matches(const struct cul_rules *rules,
                      const struct cul_line_rule *rule, struct cul_bytes line,
                      struct cul_bytes groups[2]) {
  pcre2_match_data *data = pcre2_match_data_create(4, NULL);
  const PCRE2_SIZE *at;
  int n;
  if (!data)
    cul_no_memory(0);
  n = pcre2_match(cul_regex_ready(cul_regex_code(rule->regex)),
                  (PCRE2_SPTR)line.data, line.len, 0, 0, data, rules->limits);
  at = pcre2_get_ovector_pointer(data);
  for (int i = 0; groups && i < 2; i++)
    groups[i] = n > i + 1 ? (struct cul_bytes){line.data + at[2 * i + 2],
                                               at[2 * i + 3] - at[2 * i + 2]}
                          : (struct cul_bytes){NULL, 0};
  pcre2_match_data_free(data);
  return n > 0;
}

/* ---- lines ---- */

/* The next line of rest, cut to MOST_BYTES; false: there is none. */
static bool next_line(struct cul_bytes *rest, struct cul_bytes *line) {
  const char *end;
  size_t len;
  if (rest->len == 0)
    return false;
  end = memchr(rest->data, '\n', rest->len);
  len = end ? (size_t)(end - rest->data) : rest->len;
  *line = (struct cul_bytes){rest->data, len < MOST_BYTES ? len : MOST_BYTES};
  rest->data += len + (end != NULL);
  rest->len -= len + (end != NULL);
  return true;
}

struct cul_bytes cul_line_find(const struct cul_rules *rules,
                               enum cul_line_kind kind, struct cul_bytes text) {
  struct cul_bytes line;
  for (size_t n = 0; n < MOST_LAST && next_line(&text, &line); n++)
    for (size_t i = 0; i < rules->n_lines; i++)
      if (rules->lines[i].kind == kind &&
          cul_line_matches(rules, &rules->lines[i], line, NULL))
        return line;
  return (struct cul_bytes){NULL, 0};
}

static struct cul_digest name_line(const struct cul_rules *rules,
                                   struct cul_bytes line,
                                   struct cul_buf *text) {
  cul_buf_clear(text);
  cul_normalise(rules, CUL_KIND_DIAGNOSTIC, line.data, line.len, text);
  return cul_digest_of(cul_buf_str(text), text->len);
}

void cul_prints_add_texts(const struct cul_rules *rules,
                          struct cul_prints *prints,
                          const struct cul_bytes texts[2]) {
  struct cul_buf text = {0};
  for (int i = 0; i < 2; i++) {
    struct cul_bytes rest = texts[i], line;
    while (prints->n < MOST_PRINTS && next_line(&rest, &line)) {
      if (!cul_has_words(line))
        continue;
      prints->lines = cul_xreallocarray(prints->lines, prints->n + 1,
                                        sizeof *prints->lines);
      prints->lines[prints->n++] = name_line(rules, line, &text);
    }
  }
  cul_buf_release(&text);
}

static bool is_printed(const struct cul_prints *prints,
                       const struct cul_digest *line) {
  for (size_t i = 0; prints && i < prints->n; i++)
    if (cul_digest_equal(&prints->lines[i], line))
      return true;
  return false;
}

/* ---- weighing ---- */

struct weighed {
  struct cul_bytes line;
  enum cul_weight weight;
  size_t at; /* its number */
};

static bool matches_kind(const struct cul_rules *rules, enum cul_line_kind kind,
                         struct cul_bytes line) {
  for (size_t i = 0; i < rules->n_lines; i++)
    if (rules->lines[i].kind == kind &&
        cul_line_matches(rules, &rules->lines[i], line, NULL))
      return true;
  return false;
}

/* Weigh a line.  False: it has no weight, because it names no failure. */
static bool weigh(const struct cul_rules *rules, struct weighed *w) {
  bool matches[CUL_LINE_DONE + 1] = {false};
  if (matches_kind(rules, CUL_LINE_BENIGN, w->line) ||
      matches_kind(rules, CUL_LINE_STATUS, w->line))
    return false;
  for (size_t i = 0; i < rules->n_lines; i++) {
    const struct cul_line_rule *rule = &rules->lines[i];
    bool counts = rule->kind < CUL_LINE_REPORT || rule->kind == CUL_LINE_DONE;
    if (rule->kind == CUL_LINE_REJECTED || !counts || matches[rule->kind] ||
        !cul_line_matches(rules, rule, w->line, NULL))
      continue;
    if (rule->kind == CUL_LINE_CLOSING || rule->kind == CUL_LINE_SUCCESS ||
        rule->kind == CUL_LINE_NEUTRAL || rule->kind == CUL_LINE_DONE)
      return false;
    matches[rule->kind] = true;
  }
  w->weight = CUL_WEIGHT_PLAIN;
  if (matches[CUL_LINE_TELLING])
    w->weight += CUL_WEIGHT_TELLING;
  if (matches[CUL_LINE_PLACE])
    w->weight += CUL_WEIGHT_PLACE;
  /* An indented line belongs to a line above. */
  if (isspace((unsigned char)w->line.data[0]) && w->weight > CUL_WEIGHT_PLACE)
    w->weight = CUL_WEIGHT_PLACE;
  if (matches[CUL_LINE_WEAK] || matches_kind(rules, CUL_LINE_HOLLOW, w->line))
    w->weight = CUL_WEIGHT_WEAK;
  return true;
}

/* Heaviest first.  Of equal lines that report a failure the first is the cause,
 * and the others are its consequences; of other lines the last is the nearest
 * to the end. */
static int by_weight(const void *a, const void *b) {
  const struct weighed *x = a, *y = b;
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return (x->at < y->at) == (x->weight > CUL_WEIGHT_PLAIN) ? -1 : 1;
}

/* The lines of a text that have a weight, in the order of by_weight; heap. */
static struct weighed *weigh_lines(const struct cul_rules *rules,
                                   struct cul_bytes text, size_t *n) {
  struct weighed *out = cul_xcalloc(MOST_FIRST + MOST_LAST, sizeof *out);
  struct cul_bytes rest = text, line;
  size_t total = 0, at = 0;
  while (next_line(&rest, &line))
    total += cul_has_words(line);
  *n = 0;
  for (rest = text; next_line(&rest, &line);) {
    if (!cul_has_words(line))
      continue;
    out[*n] = (struct weighed){.line = line, .at = at};
    if ((at < MOST_FIRST || total - at <= MOST_LAST) && weigh(rules, &out[*n]))
      ++*n;
    at++;
  }
  qsort(out, *n, sizeof *out, by_weight);
  return out;
}

/* ---- ranking ---- */

struct ranking {
  const struct cul_rules *rules;
  const struct cul_prints *others;
  struct cul_words *out;
  size_t n, max;
};

static void take_place(const struct cul_rules *rules, struct cul_bytes line,
                       struct cul_words *out) {
  struct cul_bytes groups[2];
  for (size_t i = 0; i < rules->n_lines; i++)
    if (rules->lines[i].kind == CUL_LINE_PLACE &&
        cul_line_matches(rules, &rules->lines[i], line, groups)) {
      snprintf(out->file, sizeof out->file, "%.*s", (int)groups[0].len,
               groups[0].data);
      for (size_t k = 0; k < groups[1].len && out->line < 1 << 24; k++)
        out->line = out->line * 10 + (uint32_t)(groups[1].data[k] - '0');
      return;
    }
}

static void take_line(struct ranking *r, const struct weighed *w) {
  struct cul_words *words = &r->out[r->n];
  struct cul_buf text = {0};
  struct cul_digest name = name_line(r->rules, w->line, &text);
  bool known = is_printed(r->others, &name) || text.len == 0;
  for (size_t i = 0; i < r->n && !known; i++)
    known = strcmp(r->out[i].text, cul_buf_str(&text)) == 0;
  if (!known) {
    *words = (struct cul_words){.weight = w->weight};
    snprintf(words->text, sizeof words->text, "%s", cul_buf_str(&text));
    snprintf(words->raw, sizeof words->raw, "%.*s", (int)w->line.len,
             w->line.data);
    take_place(r->rules, w->line, words);
    r->n++;
  }
  cul_buf_release(&text);
}

static void take_lines(struct ranking *r, const struct weighed *lines, size_t n,
                       enum cul_weight least, enum cul_weight most) {
  for (size_t i = 0; i < n && r->n < r->max; i++)
    if (lines[i].weight >= least && lines[i].weight <= most)
      take_line(r, &lines[i]);
}

size_t cul_words_rank(const struct cul_rules *rules,
                      const struct cul_bytes texts[2],
                      const struct cul_prints *others, struct cul_words *out,
                      size_t max) {
  struct ranking r = {.rules = rules, .others = others, .out = out, .max = max};
  size_t n_err, n_out = 0;
  struct weighed *err = weigh_lines(rules, texts[0], &n_err), *printed = NULL;
  take_lines(&r, err, n_err, CUL_WEIGHT_PLAIN, CUL_WEIGHT_TELLING_PLACE);
  if (r.n == 0) {
    printed = weigh_lines(rules, texts[1], &n_out);
    take_lines(&r, printed, n_out, CUL_WEIGHT_PLACE, CUL_WEIGHT_TELLING_PLACE);
  }
  take_lines(&r, err, n_err, CUL_WEIGHT_WEAK, CUL_WEIGHT_WEAK);
  free(err);
  free(printed);
  return r.n;
}

/* ---- how a log ends ---- */

bool cul_is_echo(const struct cul_rules *rules, const char *line) {
  return matches_kind(rules, CUL_LINE_ECHO,
                      (struct cul_bytes){line, strlen(line)});
}

/* Is it a line with which a tool ends that has failed, and was not to? */
static bool is_bad_end(const struct cul_rules *rules, struct cul_bytes line) {
  return (matches_kind(rules, CUL_LINE_CLOSING, line) ||
          matches_kind(rules, CUL_LINE_ECHO, line)) &&
         !matches_kind(rules, CUL_LINE_BENIGN, line);
}

/* The exit status on a line that is a number alone; else -1. */
static int status_in(struct cul_bytes line) {
  int status = 0;
  size_t n = 0;
  while (n < line.len && n < 3 && isdigit((unsigned char)line.data[n]))
    status = 10 * status + line.data[n++] - '0';
  for (size_t i = n; i < line.len; i++)
    if (!isspace((unsigned char)line.data[i]))
      return -1;
  return n ? status : -1;
}

/* Does a line report that the run ended well, while no line reports that a tool
 * or a test of a harness failed, and no later line reports a failure? */
static bool ends_well(const struct cul_rules *rules, struct cul_bytes rest) {
  struct cul_bytes line;
  bool well = false, asked = false;
  while (next_line(&rest, &line)) {
    int status = asked ? status_in(line) : -1;
    asked = matches_kind(rules, CUL_LINE_STATUS, line);
    if (status == 0 || matches_kind(rules, CUL_LINE_SUCCESS, line))
      well = true;
    else if (status > 0 || is_bad_end(rules, line) ||
             matches_kind(rules, CUL_LINE_FAILED, line))
      return false;
    else if (well)
      well = matches_kind(rules, CUL_LINE_WEAK, line) ||
             matches_kind(rules, CUL_LINE_NEUTRAL, line) ||
             matches_kind(rules, CUL_LINE_BENIGN, line) ||
             !matches_kind(rules, CUL_LINE_TELLING, line);
  }
  return well;
}

/* Is the last verdict of a harness or a build in the text good?  deadly: a
 * process died, and a step that succeeded is no verdict.  *retried: a line
 * reports that what failed was tried again. */
static bool has_good_verdict(const struct cul_rules *rules,
                             struct cul_bytes text, bool deadly,
                             bool *retried) {
  struct cul_bytes line;
  bool well = false, bad = false;
  *retried = false;
  while (next_line(&text, &line)) {
    bool again = matches_kind(rules, CUL_LINE_RETRY, line);
    *retried = *retried || again;
    if (matches_kind(rules, CUL_LINE_SUCCESS, line)) {
      well = true;
    } else if (again) {
      continue;
    } else if (matches_kind(rules, CUL_LINE_FAILED, line) ||
               is_bad_end(rules, line)) {
      bad = true;
      well = false;
    } else if (!bad && !deadly && matches_kind(rules, CUL_LINE_DONE, line)) {
      well = true;
    }
  }
  return well;
}

/* May the line report a failure?  Warnings do not count. */
static bool is_suspect(const struct cul_rules *rules, struct cul_bytes line) {
  static const enum cul_line_kind kinds[] = {CUL_LINE_TELLING, CUL_LINE_REPORT,
                                             CUL_LINE_RAISED, CUL_LINE_SOURCE};
  if (matches_kind(rules, CUL_LINE_NEUTRAL, line) ||
      matches_kind(rules, CUL_LINE_BENIGN, line) ||
      matches_kind(rules, CUL_LINE_WEAK, line))
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (matches_kind(rules, kinds[i], line))
      return true;
  return false;
}

/* The number after these words at the beginning of the line; 0 = none. */
static unsigned long number_behind(struct cul_bytes line, const char *words) {
  size_t n = strlen(words);
  unsigned long out = 0;
  if (!cul_bytes_start(line, words))
    return 0;
  for (; n < line.len && isdigit((unsigned char)line.data[n]); n++)
    out = out < 1 << 24 ? out * 10 + (unsigned long)(line.data[n] - '0') : out;
  return out;
}

/* TAP: the number of planned tests, and the last test that was reported. */
struct tap {
  unsigned long planned, last;
};

static void take_tap(struct tap *tap, struct cul_bytes line) {
  static const char *const words[] = {"ok ", "not ok "};
  unsigned long planned = number_behind(line, "1..");
  tap->planned = planned ? planned : tap->planned;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    unsigned long n = number_behind(line, words[i]);
    tap->last = n ? n : tap->last;
  }
}

/* Does one of the last lines report that a step succeeded, or may all commands
 * fail, while no line reports a failure and no planned test is missing? */
static bool is_done(const struct cul_rules *rules, struct cul_bytes rest) {
  enum { LAST = 12 };
  struct cul_bytes line;
  struct tap tap = {0};
  size_t behind = LAST;
  bool any = false, tolerant = true;
  while (next_line(&rest, &line)) {
    take_tap(&tap, line);
    if (matches_kind(rules, CUL_LINE_COMMAND, line)) {
      any = true;
      tolerant = tolerant && matches_kind(rules, CUL_LINE_TOLERANT, line);
    }
    if (!cul_has_words(line) && !matches_kind(rules, CUL_LINE_DONE, line))
      continue;
    if (matches_kind(rules, CUL_LINE_DONE, line))
      behind = 0;
    else if (is_bad_end(rules, line) || is_suspect(rules, line))
      return false;
    else if (behind < LAST)
      behind++;
  }
  return (behind < LAST || (any && tolerant)) && tap.last >= tap.planned;
}

bool cul_is_success(const struct cul_rules *rules, struct cul_bytes text,
                    const struct cul_log_failure *told) {
  enum { END = 1 << 15 }; /* bytes at the end that decide about most logs */
  size_t from = told->found ? told->at : 0;
  struct cul_bytes rest = {text.data + from, text.len - from};
  size_t skipped = rest.len > END ? rest.len - END : 0;
  struct cul_bytes last = {rest.data + skipped, rest.len - skipped};
  bool retried;
  if (has_good_verdict(rules, last, told->deadly, &retried) &&
      (retried ||
       (skipped && has_good_verdict(rules, rest, told->deadly, &retried) &&
        retried)))
    return true;
  if (told->deadly)
    return false;
  if (!told->found && is_done(rules, last) &&
      (!skipped || is_done(rules, rest)))
    return true;
  return ends_well(rules, last) && (!skipped || ends_well(rules, rest));
}
