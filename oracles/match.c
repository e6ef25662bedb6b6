/* The match oracle: a regular expression on the output of the tool, at any exit
 * status; --exit and --signal must hold too if they are given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pattern.h"
#include "common/settle.h"

struct match {
  const struct cul_oracle_conf *conf;
  const struct cul_rules *rules;
  const char *text; /* borrowed */
  struct cul_pattern *pattern;
  int exit_code, signal; /* as in the configuration */
  /* Runs of the original: one quotes the input; one matches outside quotations;
   * one matches only in quotations. */
  bool quotes, says, prints;
  /* The same for what Python says of the program's own text. */
  bool runs, misnames;
};

/* ---- quotations ---- */

/* A tool that fails may quote the line of the candidate at which it fails, and
 * that line may contain the text of another message. */

static struct cul_bytes trimmed(struct cul_bytes line) {
  while (line.len && strchr(" \t\r", line.data[0]))
    line = (struct cul_bytes){line.data + 1, line.len - 1};
  while (line.len && strchr(" \t\r", line.data[line.len - 1]))
    line.len--;
  return line;
}

/* The next line of text, without its end; *text: what follows. */
static struct cul_bytes next_line(struct cul_bytes *text) {
  const char *end = memchr(text->data, '\n', text->len);
  size_t len = end ? (size_t)(end - text->data) : text->len;
  struct cul_bytes line = {text->data, len};
  len += end != NULL;
  *text = (struct cul_bytes){text->data + len, text->len - len};
  return line;
}

struct lines {
  struct cul_bytes *items; /* trimmed, not empty, sorted */
  size_t n;
};

static int by_text(const void *a, const void *b) {
  const struct cul_bytes *x = a, *y = b;
  if (x->len != y->len)
    return x->len < y->len ? -1 : 1;
  return memcmp(x->data, y->data, x->len);
}

static struct lines lines_of(struct cul_bytes text) {
  struct lines lines = {0};
  size_t most = 0;
  while (text.len) {
    struct cul_bytes line = trimmed(next_line(&text));
    if (!line.len)
      continue;
    if (lines.n == most) {
      most = 2 * most + 64;
      lines.items = cul_xreallocarray(lines.items, most, sizeof *lines.items);
    }
    lines.items[lines.n++] = line;
  }
  if (lines.n)
    qsort(lines.items, lines.n, sizeof *lines.items, by_text);
  return lines;
}

/* The length of the mark of a quotation at the beginning of a line: "> " and
 * "E   " of pytest, "12 | " of compilers.  0: there is none. */
static size_t mark_of(struct cul_bytes line) {
  size_t digits = 0, at;
  if (line.len > 1 && line.data[0] == '>' && line.data[1] == ' ')
    return 1;
  if (line.len > 2 && !memcmp(line.data, "E  ", 3))
    return 1;
  while (digits < line.len && line.data[digits] >= '0' &&
         line.data[digits] <= '9')
    digits++;
  for (at = digits; at < line.len && line.data[at] == ' ';)
    at++;
  return at < line.len && line.data[at] == '|' ? at + 1 : 0;
}

static bool is_quoted(const struct lines *lines, struct cul_bytes line) {
  size_t mark;
  do {
    line = trimmed(line);
    if (!line.len)
      return false;
    if (bsearch(&line, lines->items, lines->n, sizeof line, by_text))
      return true;
    mark = mark_of(line);
    line = (struct cul_bytes){line.data + mark, line.len - mark};
  } while (mark);
  return false;
}

/* Append text with spaces in place of the lines that quote the candidate.
 * Returns the number of these lines. */
static size_t without_quotes(const struct lines *lines, struct cul_bytes text,
                             struct cul_buf *out) {
  size_t n = 0;
  while (text.len) {
    const char *start = text.data;
    struct cul_bytes line = next_line(&text);
    size_t at = out->len;
    cul_buf_add(out, start, (size_t)(text.data - start));
    if (!lines->n || !is_quoted(lines, line))
      continue;
    memset(out->data + at, ' ', line.len);
    n++;
  }
  return n;
}

/* ---- programs that are none ---- */

/* A Python program that lost a definition, or is no program any more, fails
 * with a message that contains the lost name or the line, whatever the failure
 * of the original was. */

/* Is this the line with which a report of such an error ends?  Behind "FAILED
 * t.py::f - " of pytest and "[rank0]: " of torchrun, too. */
static bool is_misnamed(struct cul_bytes line) {
  static const char *const errors[] = {"NameError", "UnboundLocalError",
                                       "SyntaxError", "IndentationError",
                                       "TabError"};
  size_t mark;
  line = trimmed(line);
  mark = mark_of(line);
  line = trimmed((struct cul_bytes){line.data + mark, line.len - mark});
  for (size_t i = 0; i < CUL_ARRAY_SIZE(errors); i++) {
    size_t n = strlen(errors[i]), from;
    const char *at = memmem(line.data, line.len, errors[i], n);
    if (!at)
      continue;
    from = (size_t)(at - line.data);
    if (from + n < line.len && (at[n] == ':' || at[n] == '(') &&
        (from == 0 || (from >= 3 && (!memcmp(at - 3, " - ", 3) ||
                                     !memcmp(at - 3, "]: ", 3)))))
      return true;
  }
  return false;
}

static bool begins_with(struct cul_bytes line, const char *word) {
  return line.len >= strlen(word) && memcmp(line.data, word, strlen(word)) == 0;
}

/* Can the line belong to the report of an error that ends below it? */
static bool is_of_traceback(struct cul_bytes line) {
  return begins_with(line, "Traceback (most recent call last)") ||
         begins_with(line, " ") || mark_of(line) > 0;
}

/* Put spaces in place of all but the ends of lines. */
static void erase(struct cul_buf *text, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (text->data[i] != '\n')
      text->data[i] = ' ';
}

/* Put spaces in place of the reports of such errors, with their frames. */
static void without_misnamed(struct cul_buf *text) {
  struct cul_bytes rest = cul_buf_bytes(text);
  size_t from = 0; /* where the report began to which the line belongs */
  while (rest.len) {
    size_t at = (size_t)(rest.data - text->data);
    struct cul_bytes line = next_line(&rest);
    if (begins_with(line, "Traceback (most recent call last)"))
      from = at;
    if (is_misnamed(line)) {
      erase(text, from, at + line.len);
    } else if (is_of_traceback(line)) {
      continue;
    }
    from = at + line.len + 1;
  }
}

/* Copy both outputs of the record with spaces in place of quotations and, if
 * misnamed, of errors of programs that are none, so that offsets stay valid.
 * Returns the number of quotations. */
static size_t blank(const struct cul_record *record, bool quotes, bool misnamed,
                    struct cul_buf out[2]) {
  struct cul_bytes none = {NULL, 0};
  struct lines lines = lines_of(quotes ? record->candidate : none);
  size_t n = without_quotes(&lines, cul_buf_bytes(&record->err), &out[0]) +
             without_quotes(&lines, cul_buf_bytes(&record->out), &out[1]);
  for (int i = 0; i < 2 && misnamed; i++)
    without_misnamed(&out[i]);
  free(lines.items);
  return n;
}

/* ---- matches ---- */

static bool match_wanted(const struct cul_oracle_conf *conf) {
  return conf->match != NULL;
}

static void match_close(void *self) {
  struct match *match = self;
  if (!match)
    return;
  cul_pattern_free(match->pattern);
  free(match);
}

static int match_open(const struct cul_oracle_conf *conf, void **self,
                      struct cul_err *err) {
  struct match *match;
  struct cul_pattern *pattern = NULL;
  int rc = cul_pattern_new("match", conf->match, &pattern, err);
  if (rc < 0)
    return rc;
  match = cul_xcalloc(1, sizeof *match);
  match->conf = conf;
  match->rules = conf->rules;
  match->text = conf->match;
  match->pattern = pattern;
  match->exit_code = conf->exit_code;
  match->signal = conf->signal;
  *self = match;
  return 0;
}

static bool end_fits(const struct match *match,
                     const struct cul_record *record) {
  if (match->signal && cul_record_signal(record) != match->signal)
    return false;
  return match->exit_code < 0 ||
         (record->end == CUL_EXITED && record->status == match->exit_code);
}

/* Where the expression matches. */
struct found {
  int rc;                 /* 1, 0 or CUL_PATTERN_TOO_MANY_STEPS */
  struct cul_bytes text;  /* standard error or output */
  struct cul_bytes lines; /* of it */
};

static struct found find(const struct match *match, struct cul_bytes err,
                         struct cul_bytes out) {
  struct found in_err = {.text = err}, in_out = {.text = out};
  in_err.rc = cul_pattern_find(match->pattern, err, &in_err.lines);
  if (in_err.rc > 0)
    return in_err;
  in_out.rc = cul_pattern_find(match->pattern, out, &in_out.lines);
  return in_out.rc ? in_out : in_err;
}

/* Are the lines among those of text? */
static bool holds_lines(const char *text, struct cul_bytes lines) {
  const char *end = text + strlen(text);
  for (const char *at = text;
       (at = memmem(at, (size_t)(end - at), lines.data, lines.len)); at++)
    if ((at == text || at[-1] == '\n') &&
        (at[lines.len] == '\n' || at[lines.len] == '\0'))
      return true;
  return false;
}

/* Does the signature describe another message than the lines that match?  These
 * contain its message, or are among the lines that it was read from. */
static bool is_another(const struct cul_signature *sig,
                       struct cul_bytes lines) {
  struct cul_bytes whole = lines;
  while (whole.len && whole.data[whole.len - 1] == '\n')
    whole.len--;
  return !(sig->raw[0] &&
           (memmem(lines.data, lines.len, sig->raw, strlen(sig->raw)) ||
            (whole.len && holds_lines(sig->printed, whole))));
}

/* Is the failure identified by its message alone?  A crash has more. */
static bool is_told(const struct cul_signature *sig) {
  return sig->kind == CUL_KIND_NONE || sig->kind == CUL_KIND_EXIT ||
         sig->kind == CUL_KIND_DIAGNOSTIC;
}

/* Read a part of the record's output. */
static void read_part(const struct match *match,
                      const struct cul_record *record, struct cul_bytes part,
                      struct cul_signature *sig) {
  struct cul_record only = *record;
  only.out = (struct cul_buf){0};
  only.err = (struct cul_buf){0};
  cul_buf_add(&only.err, part.data, part.len);
  cul_signature_read(match->rules, &only, sig);
  cul_buf_release(&only.err);
}

/* Let the signature describe the match, if a rule or a guess has found another
 * message of the same run. */
static void tell_match(const struct match *match,
                       const struct cul_record *record,
                       const struct found *found, struct cul_signature *sig) {
  struct cul_bytes lines = found->lines, test = {0};
  const char *end = memchr(lines.data, '\n', lines.len);
  int len = (int)lines.len, first = end ? (int)(end - lines.data) : len;
  if (cul_record_signal(record) == 0 && is_another(sig, lines))
    test = cul_section_around(match->rules, found->text,
                              (size_t)(lines.data - found->text.data), false);
  if (test.len)
    read_part(match, record, test, sig);
  if (!is_told(sig) || !is_another(sig, lines))
    return;
  read_part(match, record, lines, sig);
  if (sig->raw[0])
    return;
  snprintf(sig->title, sizeof sig->title, "output: %.*s", first, lines.data);
  snprintf(sig->raw, sizeof sig->raw, "%.*s", len, lines.data);
  snprintf(sig->printed, sizeof sig->printed, "%.*s", len, lines.data);
}

/* Must candidates match outside quotations?  Yes, if every run of the original
 * that matched did so. */
static bool is_strict(const struct match *match) {
  return match->conf->quotes && match->says && !match->prints;
}

/* The same for the errors of programs that are none. */
static bool is_meant(const struct match *match) {
  return match->runs && !match->misnames;
}

/* Does the record match without these parts? */
static bool matches_beside(const struct match *match,
                           const struct cul_record *record, bool quotes,
                           size_t *quoted) {
  struct cul_buf blanked[2] = {{0}, {0}};
  bool matches;
  *quoted = blank(record, quotes, !quotes, blanked);
  matches =
      find(match, cul_buf_bytes(&blanked[0]), cul_buf_bytes(&blanked[1])).rc >
      0;
  cul_buf_release(&blanked[0]);
  cul_buf_release(&blanked[1]);
  return matches;
}

/* Learn whether the original's output matches outside quotations, and outside
 * errors of programs that are none. */
static void learn_said(struct match *match, const struct cul_record *record) {
  struct cul_bytes err = cul_buf_bytes(&record->err),
                   out = cul_buf_bytes(&record->out);
  size_t quoted;
  if (find(match, err, out).rc <= 0)
    return;
  if (matches_beside(match, record, false, &quoted))
    match->runs = true;
  else
    match->misnames = true;
  if (!record->candidate.len)
    return;
  if (matches_beside(match, record, true, &quoted))
    match->says = true;
  else
    match->prints = true;
  match->quotes |= quoted > 0;
}

/* Find the match; outside quotations only, if is_strict, and outside errors of
 * programs that are none, if is_meant. */
static struct found find_said(const struct match *match,
                              const struct cul_record *record) {
  struct cul_bytes err = cul_buf_bytes(&record->err),
                   out = cul_buf_bytes(&record->out);
  struct found raw = find(match, err, out), said;
  struct cul_buf blanked[2] = {{0}, {0}};
  bool in_err;
  if (raw.rc <= 0 ||
      !((is_strict(match) && record->candidate.len) || is_meant(match)))
    return raw;
  (void)blank(record, is_strict(match), is_meant(match), blanked);
  said = find(match, cul_buf_bytes(&blanked[0]), cul_buf_bytes(&blanked[1]));
  in_err = said.text.data == blanked[0].data;
  if (said.rc > 0) { /* the same lines of the output itself */
    size_t at = (size_t)(said.lines.data - said.text.data);
    said.text = in_err ? err : out;
    said.lines.data = said.text.data + at;
  }
  cul_buf_release(&blanked[0]);
  cul_buf_release(&blanked[1]);
  return said;
}

static void match_classify(const void *self, const struct cul_record *record,
                           struct cul_verdict *verdict) {
  const struct match *match = self;
  struct found found = find_said(match, record);
  if (record->end == CUL_NOT_STARTED || record->end == CUL_MACHINE ||
      (found.rc <= 0 && cul_settle_run(record, verdict))) {
    (void)cul_settle_run(record, verdict);
    return;
  }
  cul_signature_read(match->rules, record, &verdict->sig);
  if (found.rc > 0)
    tell_match(match, record, &found, &verdict->sig);
  if (found.rc > 0 && end_fits(match, record))
    cul_verdict_set(verdict, CUL_SAME, 1, "the expression matches");
  else if (found.rc < 0)
    cul_verdict_set(verdict, CUL_UNRESOLVED, 1,
                    "the expression needs too many steps on this output");
  else if (found.rc > 0)
    cul_verdict_set(verdict, CUL_OTHER, 1,
                    "the expression matches, but not --exit or --signal");
  else if (verdict->sig.kind == CUL_KIND_NONE)
    cul_verdict_set(verdict, CUL_PASSES, 1, "the expression does not match");
  else
    cul_verdict_set(verdict, CUL_OTHER, 1,
                    "the expression does not match: %.120s",
                    verdict->sig.title);
}

static int match_learn(void *self, const struct cul_record *records, size_t n,
                       struct cul_wants *more, struct cul_verdict *verdict,
                       struct cul_err *err) {
  (void)err;
  for (size_t i = 0; i < n; i++)
    learn_said(self, &records[i]);
  cul_learn_by(match_classify, self, records, n, more, verdict);
  return 0;
}

static int match_judge(const void *self, const struct cul_record *records,
                       size_t n, struct cul_wants *more,
                       struct cul_verdict *verdict, struct cul_err *err) {
  (void)err;
  more->n = 0;
  match_classify(self, &records[n - 1], verdict);
  return 0;
}

static void match_describe(const void *self, struct cul_buf *out) {
  const struct match *match = self;
  cul_buf_addf(out, "output that matches '%s'", match->text);
  if (is_strict(match) && match->quotes)
    cul_buf_adds(out, " (quoted source does not count)");
  if (match->exit_code >= 0)
    cul_buf_addf(out, " and exit status %d", match->exit_code);
  if (match->signal)
    cul_buf_addf(out, " and %s", cul_signal_name(match->signal));
}

const struct cul_oracle cul_oracle_match = {
    .abi = CUL_ORACLE_ABI,
    .name = "match",
    .summary = "output that matches a regular expression",
    .wanted = match_wanted,
    .open = match_open,
    .learn = match_learn,
    .judge = match_judge,
    .describe = match_describe,
    .close = match_close,
};
