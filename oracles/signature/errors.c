/* The error lines of a failing run other than its message, and their
 * comparison: see signature.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../rules/rules.h"

/* ---- reading ---- */

struct reader {
  const struct cul_rules *rules;
  const struct cul_bytes *texts;
  const struct cul_matches *found;
  struct cul_signature *sig;
  struct cul_buf said; /* the whole line of the message, normalised */
  const struct cul_error_match *message;  /* its line, where it is one */
  const struct cul_error_match *previous; /* line */
};

static const char *line_end(const struct reader *r,
                            const struct cul_error_match *e) {
  struct cul_bytes text = r->texts[e->source];
  const char *end = memchr(text.data + e->word, '\n', text.len - e->word);
  return end ? end : text.data + text.len;
}

/* Does this line contain the message that gives the title? */
static bool holds_message(const struct reader *r,
                          const struct cul_error_match *e) {
  const struct cul_match *m = &r->found->failure;
  struct cul_bytes text = r->texts[e->source];
  size_t at = m->start;
  if (!m->rule || m->source != e->source)
    return false;
  while (at < text.len && isspace((unsigned char)text.data[at]))
    at++;
  return at >= e->start && text.data + at < line_end(r, e);
}

/* Does the text repeat the message, as the rule gives it or as its whole line?
 */
static bool repeats_message(const struct reader *r, const char *text) {
  return !strcmp(text, r->sig->text) ||
         (r->said.len && !strcmp(text, cul_buf_str(&r->said)));
}

/* Are both lines about one place in the input, "FILE:3:4: "?  Equal texts
 * without a number do not count: the tool does not know the place. */
static bool same_place(const struct reader *r, const struct cul_error_match *a,
                       const struct cul_error_match *b) {
  const char *data = r->texts[a->source].data, *x = data + a->start;
  size_t len = a->word - a->start;
  bool digits = false;
  if (a->source != b->source || len != b->word - b->start ||
      memcmp(x, data + b->start, len) != 0 || *x == '<')
    return false;
  for (size_t i = 0; i < len; i++)
    digits = digits || isdigit((unsigned char)x[i]);
  return digits;
}

static void set_text(char *field, size_t size, const char *text) {
  size_t len = strlen(text), n = len < size ? len : size - 1;
  while (n > 0 && n < len && ((unsigned char)text[n] & 0xc0) == 0x80)
    n--;
  memcpy(field, text, n);
  field[n] = '\0';
}

/* Record a line, each text once, and return its number, from 1.  If there is no
 * room, a line before the message replaces the last one, because it may be the
 * lead; for others 0 is returned. */
static size_t record(struct cul_signature *sig, const char *raw,
                     const char *text, enum cul_error_place place) {
  uint64_t id = cul_digest_of(text, strlen(text)).w[0];
  struct cul_error_line *line;
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].id == id)
      return i + 1;
  if (sig->errors.n == CUL_SIG_MAX_ERRORS) {
    sig->errors.cut = true;
    if (place != CUL_ERROR_BEFORE)
      return 0;
    sig->errors.n--;
  }
  line = &sig->errors.lines[sig->errors.n++];
  set_text(line->raw, sizeof line->raw, raw);
  set_text(line->text, sizeof line->text, text);
  line->id = id;
  line->place = place;
  return sig->errors.n;
}

static enum cul_error_place place_of(const struct reader *r,
                                     const struct cul_error_match *e) {
  const struct cul_match *m = &r->found->failure;
  if (m->rule && e->source == m->source && e->start < m->start)
    return CUL_ERROR_BEFORE;
  return r->message && r->previous == r->message && same_place(r, r->message, e)
             ? CUL_ERROR_BEHIND
             : CUL_ERROR_AFTER;
}

static void read_line(struct reader *r, const struct cul_error_match *e) {
  struct cul_buf text = {0};
  if (e == r->message) {
    r->previous = e;
    return;
  }
  cul_normalise(r->rules, CUL_KIND_DIAGNOSTIC, e->raw, strlen(e->raw), &text);
  if (text.len && !repeats_message(r, cul_buf_str(&text))) {
    enum cul_error_place place = place_of(r, e);
    size_t at = record(r->sig, e->raw, cul_buf_str(&text), place);
    if (place == CUL_ERROR_BEFORE)
      r->sig->errors.lead = at;
  }
  r->previous = e;
  cul_buf_release(&text);
}

void cul_errors_read(const struct cul_rules *rules,
                     const struct cul_bytes texts[2],
                     const struct cul_matches *found,
                     struct cul_signature *sig) {
  enum { MOST = 400 }; /* lines; what follows the message is cut first */
  struct reader r = {
      .rules = rules, .texts = texts, .found = found, .sig = sig};
  size_t first = 0;
  sig->errors.known = true;
  for (size_t i = 0; i < found->n_errors; i++)
    if (holds_message(&r, &found->errors[i])) {
      r.message = &found->errors[i];
      first = i > MOST / 2 ? i - MOST / 2 : 0;
    }
  if (r.message)
    cul_normalise(rules, CUL_KIND_DIAGNOSTIC, r.message->raw,
                  strlen(r.message->raw), &r.said);
  sig->errors.cut = first > 0 || found->n_errors > first + MOST;
  for (size_t i = first; i < found->n_errors && i < first + MOST; i++)
    read_line(&r, &found->errors[i]);
  cul_buf_release(&r.said);
}

void cul_errors_follow(struct cul_signature *sig, const char *raw,
                       const char *text) {
  struct cul_error_line first = {.place = CUL_ERROR_AFTER};
  set_text(first.raw, sizeof first.raw, raw);
  set_text(first.text, sizeof first.text, text);
  first.id = cul_digest_of(text, strlen(text)).w[0];
  if (sig->errors.n == CUL_SIG_MAX_ERRORS) {
    sig->errors.n--;
    sig->errors.cut = true;
  }
  memmove(&sig->errors.lines[1], &sig->errors.lines[0],
          sig->errors.n * sizeof sig->errors.lines[0]);
  sig->errors.lines[0] = first;
  sig->errors.n++;
}

/* ---- comparing ---- */

/* Does the message identify the failure?  A death is identified by its place.
 */
static bool told_by_message(const struct cul_signature *sig) {
  switch (sig->kind) {
  case CUL_KIND_FATAL:
  case CUL_KIND_VERIFIER:
  case CUL_KIND_DIAGNOSTIC:
  case CUL_KIND_EXCEPTION:
  case CUL_KIND_ABORT:
  case CUL_KIND_DEVICE:
  case CUL_KIND_EXIT:
    return true;
  default:
    return false;
  }
}

static bool comparable(const struct cul_signature *a,
                       const struct cul_signature *b) {
  return a->errors.known && b->errors.known && told_by_message(a) &&
         told_by_message(b);
}

static bool has_error(const struct cul_signature *sig, uint64_t id) {
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].id == id)
      return true;
  return false;
}

/* Do both have the same error lines, in any order? */
static bool same_set(const struct cul_signature *a,
                     const struct cul_signature *b) {
  if (a->errors.n != b->errors.n || a->errors.cut || b->errors.cut)
    return false;
  for (size_t i = 0; i < b->errors.n; i++)
    if (!has_error(a, b->errors.lines[i].id))
      return false;
  return true;
}

static const struct cul_error_line *lead_of(const struct cul_signature *sig) {
  return sig->errors.lead ? &sig->errors.lines[sig->errors.lead - 1] : NULL;
}

const struct cul_error_line *
cul_signature_lead(const struct cul_signature *sig) {
  return told_by_message(sig) ? lead_of(sig) : NULL;
}

bool cul_errors_same_lead(const struct cul_signature *a,
                          const struct cul_signature *b,
                          struct cul_errors_differ *differ) {
  const struct cul_error_line *x = lead_of(a), *y = lead_of(b);
  if (!comparable(a, b) || (!x && !y) || (x && y && x->id == y->id) ||
      (x && y && same_set(a, b)))
    return true;
  *differ =
      (struct cul_errors_differ){"the error before the message",
                                 x ? x->text : "none", y ? y->text : "none"};
  return false;
}

bool cul_errors_same(const struct cul_signature *a,
                     const struct cul_signature *b,
                     struct cul_errors_differ *differ) {
  if (!cul_errors_same_lead(a, b, differ))
    return false;
  if (!comparable(a, b) || a->errors.cut)
    return true;
  for (size_t i = 0; i < b->errors.n; i++)
    if (b->errors.lines[i].place != CUL_ERROR_AFTER &&
        !has_error(a, b->errors.lines[i].id)) {
      *differ = (struct cul_errors_differ){"another error", "none",
                                           b->errors.lines[i].text};
      return false;
    }
  return true;
}
