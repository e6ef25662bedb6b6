/* Jobs and steps of CI services: see steps.h.
 *
 * What a service prints outside the step that failed is no cause: earlier steps
 * went well, later ones collect and clean up.  harness.rules defines the marks.
 */
#include "steps.h"

#include <stdlib.h>
#include <string.h>

#include "../../oracles/common/regex.h"
#include "../../oracles/rules/rules.h"

enum { MAX_LINE = 4096, MOST_MARKS = 100000 };

struct mark {
  enum cul_rule_part part;
  size_t start, end; /* offsets of its line */
};

struct marks {
  const struct cul_rules *rules;
  struct cul_bytes text;
  pcre2_match_data *data;
  struct mark *items;
  size_t n, next; /* next: the offset after the last line that was a mark */
};

static void try_line(void *arg, size_t word, size_t end) {
  struct marks *m = arg;
  const struct cul_rule *rule = &m->rules->rules[word];
  const char *text = m->text.data, *nl;
  size_t start, stop;
  if (rule->part < CUL_PART_JOB || end <= m->next || m->n == MOST_MARKS)
    return;
  nl = memrchr(text, '\n', end - 1);
  start = nl ? (size_t)(nl - text) + 1 : 0;
  nl = memchr(text + end, '\n', m->text.len - end);
  stop = nl ? (size_t)(nl - text) + 1 : m->text.len;
  if (stop - start > MAX_LINE ||
      pcre2_match(cul_regex_ready(rule->code), (PCRE2_SPTR)text + start,
                  stop - start, 0, 0, m->data, m->rules->limits) <= 0)
    return;
  if ((m->n & (m->n - 1)) == 0)
    m->items =
        cul_xreallocarray(m->items, m->n ? 2 * m->n : 1, sizeof *m->items);
  m->items[m->n++] =
      (struct mark){.part = rule->part, .start = start, .end = stop};
  m->next = stop;
}

/* What is known of the job that is being read. */
struct reading {
  size_t start;              /* of the job */
  size_t step;               /* where the output of the current step begins */
  size_t cleanup;            /* where its clean-up begins; SIZE_MAX: not yet */
  size_t failed, failed_end; /* the first step that failed; SIZE_MAX: none */
  bool fresh;      /* nothing but its heading was printed of the step */
  bool open;       /* the step that failed has not ended */
  bool bad, ended; /* an error was reported; the job ended */
  bool passed, any;
};

static struct reading begin_job(size_t start) {
  return (struct reading){
      .start = start, .step = start, .cleanup = SIZE_MAX, .failed = SIZE_MAX};
}

static void begin_step(struct reading *r, size_t at) {
  r->step = at;
  r->fresh = true;
  r->open = false;
}

static void fail_step(struct reading *r, const struct mark *mark) {
  r->bad = true;
  if (r->failed == SIZE_MAX) {
    r->failed = r->step;
    r->open = true;
  }
  if (r->open)
    r->failed_end = mark->end < r->cleanup ? mark->end : r->cleanup;
}

static void take_mark(struct reading *r, const struct mark *mark) {
  r->any = true;
  switch (mark->part) {
  case CUL_PART_STEP:
    if (r->cleanup == SIZE_MAX)
      begin_step(r, mark->start);
    return;
  case CUL_PART_STEP_OUTPUT:
    r->step = r->fresh && !r->open ? mark->end : r->step;
    r->fresh = false;
    return;
  case CUL_PART_STEP_ERROR:
    r->bad = true;
    return;
  case CUL_PART_STEP_FAILED:
    fail_step(r, mark);
    return;
  case CUL_PART_CLEANUP:
    if (r->cleanup == SIZE_MAX)
      r->cleanup = mark->start;
    return;
  case CUL_PART_JOB_ENDED:
    r->ended = true;
    return;
  case CUL_PART_JOB_PASSED:
    r->passed = true;
    return;
  default:
    return;
  }
}

static void end_job(const struct reading *r, struct cul_bytes text, size_t end,
                    struct cul_ci_job *out) {
  size_t stop = r->cleanup < end ? r->cleanup : end;
  *out = (struct cul_ci_job){.text = {text.data + r->start, stop - r->start},
                             .passed = r->passed || (r->ended && !r->bad)};
  if (r->failed != SIZE_MAX && r->failed < r->failed_end)
    out->failed =
        (struct cul_bytes){text.data + r->failed, r->failed_end - r->failed};
}

size_t cul_ci_jobs_find(const struct cul_rules *rules, struct cul_bytes text,
                        struct cul_ci_job **out) {
  struct marks m = {.rules = rules, .text = text};
  struct reading r = begin_job(0);
  size_t n = 0;
  *out = NULL;
  m.data = pcre2_match_data_create(4, NULL);
  if (!m.data)
    cul_no_memory(0);
  cul_literals_scan(rules->literals, text, try_line, &m);
  if (m.n)
    *out = cul_xcalloc(m.n + 1, sizeof **out);
  for (size_t i = 0; i < m.n; i++) {
    if (m.items[i].part == CUL_PART_JOB && (r.bad || r.ended || r.passed)) {
      end_job(&r, text, m.items[i].start, &(*out)[n++]);
      r = begin_job(m.items[i].start);
    }
    take_mark(&r, &m.items[i]);
  }
  if (m.n)
    end_job(&r, text, text.len, &(*out)[n++]);
  pcre2_match_data_free(m.data);
  free(m.items);
  return n;
}
