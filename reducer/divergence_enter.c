/* Into calls and loops: see divergence_job.h. */
#include <stdlib.h>
#include <string.h>

#include "divergence_job.h"

/* What a step inside replaces. */
struct outside {
  char *open;
  struct cul_flow_op *ops;
  struct cul_flow_item *values;
  size_t n_ops, n_values;
  struct cul_tensors want, again;
  unsigned hidden;
};

/* The job is that of the module with the operation opened. */
static int step_in(struct cul_divergence_job *job, int64_t op, uint64_t turn,
                   struct outside *old, struct cul_err *err) {
  *old = (struct outside){job->open,     job->ops,  job->values, job->n_ops,
                          job->n_values, job->want, job->again,  job->hidden};
  job->ops = NULL;
  job->values = NULL;
  job->n_ops = job->n_values = 0;
  job->want = job->again = (struct cul_tensors){0};
  job->hidden = 0;
  job->open = cul_xasprintf("%s%s%lld:%llu", old->open, *old->open ? "," : "",
                            (long long)op, (unsigned long long)turn);
  return cul_divergence_read_flow(job, err);
}

static void drop(struct outside *old) {
  struct cul_divergence_job job = {.ops = old->ops,
                                   .values = old->values,
                                   .n_ops = old->n_ops,
                                   .n_values = old->n_values};
  cul_divergence_free_flow(&job);
  cul_tensors_release(&old->want);
  cul_tensors_release(&old->again);
  free(old->open);
}

static void step_out(struct cul_divergence_job *job, struct outside *old) {
  struct outside inside = {job->open,     job->ops,  job->values, job->n_ops,
                           job->n_values, job->want, job->again,  job->hidden};
  drop(&inside);
  job->open = old->open;
  job->ops = old->ops;
  job->values = old->values;
  job->n_ops = old->n_ops;
  job->n_values = old->n_values;
  job->want = old->want;
  job->again = old->again;
  job->hidden = old->hidden;
}

/* The operations that stand where the one did. */
static struct cul_divergence_range
inside_of(const struct cul_divergence_job *job, const struct outside *old,
          int64_t op) {
  int64_t more = (int64_t)job->n_ops - (int64_t)old->n_ops;
  return (struct cul_divergence_range){.lo = op - 1, .hi = op + more};
}

/* Of the tensors that a turn leaves, how many are there? */
static size_t per_turn(const struct cul_tensors *traced) {
  size_t n = 1;
  while (n < traced->n &&
         strcmp(traced->items[n].name, traced->items[0].name) != 0)
    n++;
  return n;
}

/* The first turn that leaves something wrong.  *found is false where all of
 * them are right, but for how many they are. */
static int first_turn(struct cul_divergence_job *job, int64_t op,
                      uint64_t *turn, bool *found, struct cul_err *err) {
  char number[24];
  const char *words[] = {"--turns", number, NULL};
  struct cul_tensors got = {0}, want = {0};
  struct cul_buf program = {0};
  int rc;
  snprintf(number, sizeof number, "%lld", (long long)op);
  *turn = 0;
  *found = strcmp(job->ops[op].name, "func.call") == 0;
  if (*found)
    return 0;
  rc = cul_divergence_make(job, words, &program, err);
  if (rc == 0)
    rc =
        cul_divergence_run(job, &program, CUL_ROLE_REFERENCE, &want, NULL, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &program, CUL_ROLE_SUSPECT, &got, NULL, err);
  for (size_t i = 0; rc == 0 && i < got.n && i < want.n && !*found; i++) {
    struct cul_divergent one;
    cul_divergence_compare(job, &got.items[i], &want.items[i], &one);
    *found = one.differs;
    *turn = i / per_turn(&want);
  }
  cul_tensors_release(&got);
  cul_tensors_release(&want);
  cul_buf_release(&program);
  return rc;
}

/* What the reference computes there, in one run. */
static int record_inside(struct cul_divergence_job *job,
                         const struct cul_divergence_range *range,
                         struct cul_err *err) {
  uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  size_t n = 0;
  int rc;
  for (uint32_t v = 0; v < job->n_values; v++)
    if (job->values[v].op > range->lo && job->values[v].op <= range->hi)
      numbers[n++] = v;
  rc = cul_divergence_want(job, numbers, n, err);
  free(numbers);
  return rc;
}

/* One step; *entered is false where nothing differs inside, or it cannot be
 * seen. */
static int enter(struct cul_divergence_job *job,
                 struct cul_divergence_range *range, bool *entered,
                 struct cul_err *err) {
  struct cul_divergence_range inside;
  struct cul_flow_op *mark = &job->path[job->depth];
  struct outside old;
  uint64_t turn;
  bool found;
  int rc = first_turn(job, range->hi, &turn, &found, err);
  *entered = false;
  if (rc < 0 || !found)
    return rc == CUL_EUSAGE ? 0 : rc;
  rc = step_in(job, range->hi, turn, &old, err);
  if (rc == 0) {
    inside = inside_of(job, &old, range->hi);
    rc = record_inside(job, &inside, err);
  }
  if (rc == 0)
    rc = cul_divergence_bisect(job, &inside, false, err);
  if (rc < 0) {
    step_out(job, &old);
    return rc == CUL_EUSAGE ? 0 : rc;
  }
  *mark = old.ops[range->hi];
  old.ops[range->hi] = (struct cul_flow_op){0};
  mark->turns = turn;
  job->depth++;
  drop(&old);
  *range = inside;
  *entered = true;
  return 0;
}

int cul_divergence_enter(struct cul_divergence_job *job,
                         struct cul_divergence_range *range,
                         struct cul_err *err) {
  bool entered = true;
  int rc = 0;
  while (rc == 0 && entered && job->depth < CUL_DIVERGENCE_DEPTH &&
         job->ops[range->hi].turns > 0)
    rc = enter(job, range, &entered, err);
  return rc;
}
