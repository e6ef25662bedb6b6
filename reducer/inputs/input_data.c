/* Input data as a part of the subject: see input_data.h. */
#include "input_data.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/file.h"
#include "../../base/tensor/tensor.h"
#include "input_moves.h"

enum {
  MOST_TESTS = 64,       /* judgements; most need two runs */
  MOST_ELEMENTS = 65536, /* of all arguments; above it they stay whole */
};

/* One judgement of the data as they stand; *same: the failure shows. */
static int judge(struct cul_reduce *job, bool *same, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  struct cul_judged judged = {0};
  int rc = cul_input_apply(job, err);
  data->tests++;
  if (rc == 0)
    rc = cul_target_judge(&job->target, cul_buf_bytes(&job->outcome.text),
                          false, &judged, err);
  *same = rc == 0 && judged.verdict.answer == CUL_SAME;
  cul_judged_release(&judged);
  return rc;
}

static bool may_go_on(const struct cul_reduce *job) {
  return job->inputs->tests < MOST_TESTS &&
         !cul_probe_is_spent(&job->target.probe);
}

/* ---- whole arguments ---- */

static int try_fill(struct cul_reduce *job, struct cul_input_argument *one,
                    enum cul_input_fill fill, bool *same, struct cul_err *err) {
  enum cul_input_fill old = one->fill;
  int rc;
  *same = false;
  if (one->fixed || one->fill == fill || !may_go_on(job))
    return 0;
  one->fill = fill;
  rc = judge(job, same, err);
  if (!*same)
    one->fill = old;
  return rc;
}

/* All of them, then each. */
static int try_zeros(struct cul_reduce *job, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  bool same = false;
  int rc;
  for (size_t i = 0; i < data->n; i++)
    data->args[i].fill =
        data->args[i].fixed ? CUL_INPUT_DRAWN : CUL_INPUT_ZEROS;
  rc = judge(job, &same, err);
  for (size_t i = 0; i < data->n && !same; i++)
    data->args[i].fill = CUL_INPUT_DRAWN;
  for (size_t i = 0; i < data->n && !same && data->n > 1 && rc == 0; i++) {
    bool zero;
    rc = try_fill(job, &data->args[i], CUL_INPUT_ZEROS, &zero, err);
  }
  return rc;
}

/* What is not 0 is 1, or else 1 and its own number. */
static int try_simple(struct cul_reduce *job, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  int rc = 0;
  for (size_t i = 0; i < data->n && rc == 0; i++) {
    bool same = false;
    if (data->args[i].fill != CUL_INPUT_ZEROS)
      rc = try_fill(job, &data->args[i], CUL_INPUT_ONES, &same, err);
    if (rc == 0 && !same && data->args[i].fill == CUL_INPUT_DRAWN)
      rc = try_fill(job, &data->args[i], CUL_INPUT_INDEX, &same, err);
  }
  return rc;
}

/* ---- elements ---- */

/* Elements that are not 0, of all arguments. */
struct elements {
  struct element {
    uint32_t arg;
    uint64_t i;
  } *items; /* heap */
  size_t n;
};

static struct elements list_elements(const struct cul_input_data *data) {
  struct elements all = {0};
  for (size_t a = 0; a < data->n; a++)
    all.n += data->args[a].n;
  all.items = cul_xcalloc(all.n + 1, sizeof *all.items);
  all.n = 0;
  for (size_t a = 0; a < data->n; a++)
    for (uint64_t i = 0; i < data->args[a].n; i++)
      if (data->args[a].fill != CUL_INPUT_ZEROS && !data->args[a].fixed &&
          data->args[a].kept[i])
        all.items[all.n++] = (struct element){(uint32_t)a, i};
  return all;
}

/* Elements from..to alone, or all but these, stay. */
static int try_part(struct cul_reduce *job, struct elements *all, size_t from,
                    size_t to, bool alone, bool *same, struct cul_err *err) {
  size_t kept = 0;
  int rc;
  for (size_t k = 0; k < all->n; k++)
    job->inputs->args[all->items[k].arg].kept[all->items[k].i] =
        (k >= from && k < to) == alone;
  rc = judge(job, same, err);
  for (size_t k = 0; k < all->n; k++)
    if (!*same)
      job->inputs->args[all->items[k].arg].kept[all->items[k].i] = true;
    else if ((k >= from && k < to) == alone)
      all->items[kept++] = all->items[k];
  if (*same)
    all->n = kept;
  return rc;
}

/* One round of parts; *parts: how many, the next round's on return. */
static int try_round(struct cul_reduce *job, struct elements *all,
                     size_t *parts, struct cul_err *err) {
  size_t n = all->n;
  bool same = false;
  int rc = 0;
  for (int alone = 1; alone >= 0 && !same; alone--)
    for (size_t p = 0; p < *parts && !same && rc == 0; p++) {
      if ((!alone && *parts == 2) || !may_go_on(job))
        break;
      rc = try_part(job, all, p * n / *parts, (p + 1) * n / *parts, alone,
                    &same, err);
      if (same)
        *parts = alone ? 2 : *parts - 1;
    }
  if (!same)
    *parts = *parts == n ? n + 1 : 2 * *parts < n ? 2 * *parts : n;
  return rc;
}

static int try_elements(struct cul_reduce *job, struct cul_err *err) {
  struct elements all = list_elements(job->inputs);
  size_t parts = 2;
  int rc = 0;
  while (all.n >= 2 && all.n <= MOST_ELEMENTS && parts <= all.n && rc == 0 &&
         may_go_on(job))
    rc = try_round(job, &all, &parts, err);
  free(all.items);
  for (size_t a = 0; a < job->inputs->n; a++) {
    struct cul_input_argument *one = &job->inputs->args[a];
    if (!memchr(one->kept, 1, one->n))
      one->fill = CUL_INPUT_ZEROS;
  }
  return rc;
}

/* ---- the whole ---- */

/* Both sides compute from these files: a reference that knows the answer
 * beforehand would be wrong of others. */
static bool is_of_files(const struct cul_reduce *job) {
  const struct cul_target_conf *conf = &job->conf->target;
  bool suspect = false;
  for (const char *const *arg = conf->argv; arg && *arg; arg++)
    suspect = suspect || strstr(*arg, "@{inputs}");
  return conf->inputs && suspect && conf->reference &&
         strstr(conf->reference, "@{inputs}") &&
         (!conf->control || strstr(conf->control, "@{inputs}"));
}

static bool may_begin(const struct cul_reduce *job) {
  return (job->target.engine.argv || is_of_files(job)) &&
         job->target.oracle_conf.mismatch.wanted &&
         !job->conf->reduce_command && !cul_target_flaky(&job->target, NULL) &&
         !cul_probe_is_spent(&job->target.probe);
}

/* Back to what the user gave. */
static void restore(struct cul_reduce *job) {
  cul_input_data_free(job->inputs);
  job->inputs = NULL;
  if (job->target.engine.argv)
    cul_target_set_values(&job->target, NULL);
  else
    cul_target_set_inputs(&job->target, NULL, NULL);
}

/* "result[0]: ..." of the engine's print is argument 0. */
static void name_arguments(struct cul_buf *text) {
  static const char was[] = "result[";
  struct cul_buf out = {0};
  for (const char *at = cul_buf_str(text); *at;) {
    size_t n = strcspn(at, "\n") + 1;
    bool named = strncmp(at, was, sizeof was - 1) == 0;
    cul_buf_adds(&out, named ? "argument[" : "");
    at += named ? sizeof was - 1 : 0;
    n -= named ? sizeof was - 1 : 0;
    cul_buf_add(&out, at, strnlen(at, n));
    at += strnlen(at, n);
  }
  cul_buf_release(text);
  *text = out;
}

/* With the recipe that was found, once more: *same has to hold. */
static int settle(struct cul_reduce *job, bool *same, struct cul_err *err) {
  struct cul_input_data *data = job->inputs;
  int rc;
  cul_buf_clear(&data->text);
  rc = judge(job, same, err);
  if (rc == 0 && *same && !data->files)
    rc = cul_target_show_inputs(&job->target, cul_buf_bytes(&job->outcome.text),
                                &data->text, err);
  name_arguments(&data->text);
  return rc;
}

static int simplify(struct cul_reduce *job, struct cul_err *err) {
  bool same = false;
  int rc = try_zeros(job, err);
  if (rc == 0)
    rc = try_elements(job, err);
  if (rc == 0)
    rc = try_simple(job, err);
  if (rc == 0)
    rc = settle(job, &same, err);
  if (rc == 0 && same)
    rc = cul_input_moves_find(job, err);
  if (rc < 0 || !same)
    restore(job);
  return rc;
}

static int read_files(struct cul_reduce *job, struct cul_err *err) {
  char *to = cul_xasprintf("%s/inputs", job->target.dir);
  int rc = cul_input_files_read(job->target.inputs.dir, &job->target.place.held,
                                to, &job->inputs, err);
  free(to);
  return rc;
}

static int read_engine(struct cul_reduce *job, struct cul_err *err) {
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  int rc = cul_target_show_inputs(
      &job->target, cul_buf_bytes(&job->outcome.text), &text, err);
  if (rc == 0)
    job->inputs = cul_input_data_new(job->conf->target.values,
                                     cul_buf_bytes(&text), &ignored);
  cul_buf_release(&text);
  return rc;
}

int cul_input_data_reduce(struct cul_reduce *job, struct cul_err *err) {
  int rc;
  if (!may_begin(job))
    return 0;
  restore(job);
  rc = job->target.engine.argv ? read_engine(job, err) : read_files(job, err);
  return rc == 0 && job->inputs ? simplify(job, err) : rc;
}
