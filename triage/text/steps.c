/* Jobs and steps of CI services: see steps.h.
 *
 * What a service prints outside the step that failed is no cause: earlier steps
 * went well, later ones collect and clean up.  harness.rules defines the marks.
 */
#include "steps.h"

#include <ctype.h>
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
  size_t first = end > MAX_LINE ? end - MAX_LINE : 0, start, stop, most;
  if (rule->part < CUL_PART_JOB || end <= m->next || m->n == MOST_MARKS)
    return;
  nl = memrchr(text + first, '\n', end - first);
  start = nl ? (size_t)(nl - text) + 1 : first;
  most = m->text.len - end < MAX_LINE ? m->text.len - end : MAX_LINE;
  nl = memchr(text + end, '\n', most);
  stop = nl ? (size_t)(nl - text) + 1 : end + most;
  if ((start == first && first > 0) || stop - start > MAX_LINE ||
      pcre2_match(cul_regex_ready(cul_regex_code(rule->regex)),
                  (PCRE2_SPTR)text + start, stop - start, 0, 0, m->data,
                  m->rules->limits) <= 0)
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
  size_t start;    /* of the job */
  size_t step;     /* where the output of the current step begins */
  size_t cleanup;  /* where its clean-up begins; SIZE_MAX: not yet */
  size_t passed;   /* behind the last mark that it passed; 0: none */
  size_t first;    /* of its steps that failed, in out */
  bool fresh;      /* nothing but its heading was printed of the step */
  bool open;       /* the step that failed last has not ended */
  bool bad, ended; /* an error was reported; the job ended */
  bool any, began; /* it has marks; its beginning was seen */
  struct cul_bytes verdict; /* behind the clean-up: how it failed */
  struct cul_bytes log;     /* borrowed */
  struct cul_ci_job *out;
  size_t n;
};

static void begin_job(struct reading *r, size_t start) {
  *r = (struct reading){.start = start,
                        .step = start,
                        .cleanup = SIZE_MAX,
                        .first = r->n,
                        .log = r->log,
                        .out = r->out,
                        .n = r->n};
}

static void begin_step(struct reading *r, size_t at) {
  r->step = at;
  r->cleanup = SIZE_MAX; /* it was that of a stage, not of the job */
  r->fresh = true;
  r->open = false;
}

static void fail_step(struct reading *r, const struct mark *mark) {
  size_t end = mark->end < r->cleanup ? mark->end : r->cleanup;
  r->bad = true;
  if (mark->start > r->cleanup)
    r->verdict =
        (struct cul_bytes){r->log.data + mark->start, mark->end - mark->start};
  if (!r->open) {
    r->out[r->n] = (struct cul_ci_job){.again = r->n > r->first};
    r->n++;
  }
  r->open = true;
  r->out[r->n - 1].failed =
      (struct cul_bytes){r->log.data + r->step, end - r->step};
}

static void take_mark(struct reading *r, const struct mark *mark) {
  r->any = true;
  switch (mark->part) {
  case CUL_PART_STEP:
    begin_step(r, mark->start);
    return;
  case CUL_PART_STEP_OUTPUT:
    if (r->fresh && !r->open && r->cleanup == SIZE_MAX)
      r->step = mark->end;
    r->fresh = false;
    return;
  case CUL_PART_STEP_ERROR: /* behind a step that was allowed to fail */
    if (r->n > r->first && r->cleanup == SIZE_MAX)
      fail_step(r, mark);
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
    r->passed = mark->end;
    return;
  case CUL_PART_JOB:
    r->began = true;
    return;
  default:
    return;
  }
}

/* Does nothing follow the mark that the job passed?  Any program can print such
 * a line. */
static bool is_last(const struct reading *r, size_t end) {
  size_t at = r->passed;
  while (at < end && isspace((unsigned char)r->log.data[at]))
    at++;
  return at == end;
}

static void end_job(struct reading *r, size_t end) {
  size_t stop = r->cleanup < end ? r->cleanup : end;
  bool passed =
      (r->passed && is_last(r, end)) || (r->began && r->ended && !r->bad);
  if (r->n == r->first)
    r->out[r->n++] = (struct cul_ci_job){0};
  for (size_t i = r->first; i < r->n; i++) {
    r->out[i].text =
        (struct cul_bytes){r->log.data + r->start, stop - r->start};
    r->out[i].verdict = r->verdict;
    r->out[i].passed = passed;
  }
}

size_t cul_ci_jobs_find(const struct cul_rules *rules, struct cul_bytes text,
                        struct cul_ci_job **out) {
  struct marks m = {.rules = rules, .text = text};
  struct reading r = {.log = text};
  *out = NULL;
  m.data = pcre2_match_data_create(4, NULL);
  if (!m.data)
    cul_no_memory(0);
  cul_literals_scan(rules->literals, text, try_line, &m);
  if (m.n) /* a job without a step that failed has a mark of its own */
    *out = r.out = cul_xcalloc(m.n + 1, sizeof **out);
  begin_job(&r, 0);
  for (size_t i = 0; i < m.n; i++) {
    if (m.items[i].part == CUL_PART_JOB && r.any) {
      end_job(&r, m.items[i].start);
      begin_job(&r, m.items[i].start);
    }
    take_mark(&r, &m.items[i]);
  }
  if (m.n)
    end_job(&r, text.len);
  pcre2_match_data_free(m.data);
  free(m.items);
  return r.n;
}
