/* Fixed heaps in a reduction: see heap.h. */
#include "heap.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "../forms/trivial.h"
#include "../job/output.h"

/* Seek layouts in runs that count as confirmations, not as candidates. */
static int ask(struct cul_reduce *job, struct cul_bytes text,
               struct cul_bytes small, bool *found, struct cul_err *err) {
  struct cul_probe *probe = &job->target.probe;
  enum cul_run_phase phase = probe->phase;
  int rc;
  probe->phase = CUL_RUNS_CONFIRM;
  rc = cul_target_seek_layouts(&job->target, text, small, found, err);
  probe->phase = phase;
  return rc;
}

int cul_heap_seek(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  struct cul_buf small[CUL_MAX_TRIVIAL] = {0};
  size_t n = cul_trivial_texts(&job->target, job->subject.form.form, small);
  struct cul_bytes last = {0};
  bool found = false;
  int rc;
  if (n > 0)
    last = cul_buf_bytes(&small[n - 1]);
  rc = ask(job, cul_pieces_flat(&job->output.written), last, &found, err);
  for (size_t i = 0; i < n; i++)
    cul_buf_release(&small[i]);
  if (rc == 0 && found)
    cul_reduce_name_points(job);
  *changed |= found;
  return rc;
}

/* The number, from 1, of the layout that the last of n runs used; 0: it was a
 * plain run. */
static unsigned layout_of(const struct cul_reduce *job, size_t n) {
  uint32_t left = job->target.oracle_conf.crash.layouts;
  unsigned number = 1;
  if (n < 2)
    return 0;
  while (n-- > 2)
    left &= left - 1;
  for (uint32_t bit = left / CUL_RUN_LAYOUT; bit && !(bit & 1); bit >>= 1)
    number++;
  return number;
}

static int take(struct cul_reduce *job, const struct cul_buf *text,
                struct cul_err *err) {
  cul_buf_clear(&job->outcome.text);
  cul_buf_add(&job->outcome.text, text->data, text->len);
  job->outcome.final.bytes = text->len;
  return cul_reduce_write_output(job, cul_buf_bytes(text), err);
}

/* Does a plain run of the result show the failure?  If not, set
 * job->outcome.confirmed.heap_layout to the layout that does. */
static int is_plain(struct cul_reduce *job, bool *plain, struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc = cul_target_judge(&job->target, cul_buf_bytes(&job->outcome.text),
                            false, &judged, err);
  bool same = rc == 0 && judged.verdict.answer == CUL_SAME;
  *plain = !same || judged.n == 1;
  job->outcome.confirmed.heap_layout = same ? layout_of(job, judged.n) : 0;
  cul_judged_release(&judged);
  return rc;
}

/* Append empty lines to the result until a plain run shows the failure; the
 * first such text becomes the result. */
static int try_lines(struct cul_reduce *job, struct cul_err *err) {
  enum { N = 16 };
  struct cul_buf bufs[N] = {0};
  struct cul_text texts[N] = {0};
  struct cul_judged judged[N] = {0};
  uint32_t layouts = job->target.oracle_conf.crash.layouts;
  size_t best = 0;
  int rc;
  for (size_t i = 0; i < N; i++) {
    cul_buf_add(&bufs[i], job->outcome.text.data, job->outcome.text.len);
    for (size_t n = 0; n < i + 1 + (size_t)(i > N / 2) * 64 * i; n++)
      cul_buf_addc(&bufs[i], '\n');
    texts[i].bytes = cul_buf_bytes(&bufs[i]);
  }
  job->target.oracle_conf.crash.layouts = 0;
  rc =
      cul_target_judge_all(&job->target, texts, N, CUL_UNTIL_SAME, judged, err);
  job->target.oracle_conf.crash.layouts = layouts;
  while (best < N && judged[best].verdict.answer != CUL_SAME)
    best++;
  if (rc == 0 && best < N) {
    job->outcome.confirmed.heap_layout = 0;
    rc = take(job, &bufs[best], err);
  }
  for (size_t i = 0; i < N; i++) {
    cul_judged_release(&judged[i]);
    cul_buf_release(&bufs[i]);
  }
  return rc;
}

int cul_heap_prefer_plain(struct cul_reduce *job, struct cul_err *err) {
  bool plain;
  int rc;
  job->outcome.confirmed.heap_layout = 0;
  if (!job->target.oracle_conf.crash.layouts)
    return 0;
  rc = is_plain(job, &plain, err);
  return rc == 0 && !plain ? try_lines(job, err) : rc;
}

json_t *cul_heap_json(const struct cul_reduce *job) {
  uint32_t layouts = job->target.oracle_conf.crash.layouts;
  json_t *numbers;
  if (!layouts)
    return json_null();
  numbers = json_array();
  for (int i = 0; i < CUL_N_LAYOUTS; i++)
    if (layouts & (uint32_t)CUL_RUN_LAYOUT << i)
      json_array_append_new(numbers, json_integer(i + 1));
  return json_pack("{s:o, s:o}", "layouts", numbers, "needs",
                   job->outcome.confirmed.heap_layout
                       ? json_integer(job->outcome.confirmed.heap_layout)
                       : json_null());
}

void cul_heap_env(const struct cul_reduce *job, struct cul_buf *out) {
  char *dir, *library;
  if (!job->outcome.confirmed.heap_layout)
    return;
  dir = cul_program_dir();
  library = cul_own_file(dir, "libculprit-quarantine.so", R_OK);
  cul_buf_adds(out, " LD_PRELOAD=");
  cul_shell_quote(library ? library : "libculprit-quarantine.so", out);
  cul_buf_addf(out, " CULPRIT_KEPT=layout%u",
               job->outcome.confirmed.heap_layout);
  free(library);
  free(dir);
}
