/* The order of a reduction (DESIGN 4): cut the graph; delta-debug mutation
 * by mutation, by yield; then every single site of every mutation until
 * nothing goes, and the pumps.  Decisions depend on counts, never on time. */
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "chain.h"
#include "mutations/mutation.h"
#include "search/search.h"
#include "watch.h"

int cul_reduce_reopen(struct cul_reduce *job, struct cul_err *err) {
  struct cul_edit_space *space = &job->space;
  struct cul_chosen_form again = {0};
  struct cul_buf text = {0};
  int rc = cul_file_read(job->conf->output, 0, &text, err);
  job->origins_lost = true;
  cul_workshop_close(space->shop);
  space->shop = NULL;
  if (rc == 0)
    rc = cul_form_identity(&job->target, job->form.form, job->form.check,
                           cul_buf_bytes(&text), &again, err);
  cul_buf_release(&text);
  if (rc == 0) {
    cul_edit_space_reopen(space, again.shop, &again.digest);
    again.shop = NULL;
  }
  cul_chosen_form_release(&again);
  return rc;
}

/* What found nothing under one command may find something under another. */
static void forget_fruitless(struct cul_reduce *job) {
  for (size_t m = 0; m < job->n_yields; m++)
    memset(job->yields[m].fruitless, 0, sizeof job->yields[m].fruitless);
}

/* One after the other. */
static int mutate_all(struct cul_reduce *job, const uint32_t *mutations,
                      const char *const *rules, size_t n, bool *changed,
                      struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0, done; i < n && rc == 0; i += done) {
    bool adopted = false;
    rc = cul_reduce_chain(job, mutations + i, rules + i, n - i, &done, &adopted,
                          err);
    if (adopted &&
        cul_edit_space_is_command(&job->space, mutations[i + done - 1]))
      forget_fruitless(job);
    *changed |= adopted;
  }
  return rc;
}

int cul_reduce_mutate(struct cul_reduce *job, uint32_t mutation,
                      const char *rule, bool *changed, struct cul_err *err) {
  return mutate_all(job, &mutation, &rule, 1, changed, err);
}

/* The command, where it is reduced: shorter ones run faster, so first. */
static int shorten(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  if (!job->conf->reduce_command)
    return 0;
  cul_reduce_enter(job, CUL_REDUCE_COMMAND);
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++)
    if (job->yields[m].flags & CUL_MUT_COMMAND)
      rc = cul_reduce_mutate(job, m, "halve", changed, err);
  return rc;
}

int cul_reduce_command_alone(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
  }
  return rc;
}

static const char *cut_rule(const struct cul_yield *yield) {
  if (yield->flags & CUL_MUT_CHAIN)
    return "prefix";
  return yield->flags & CUL_MUT_RANGE ? "segment" : "lone";
}

/* Ranges of operations; and what repeats: few sites, left soon where they
 * yield nothing. */
static int cut(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_CUT);
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++) {
    const struct cul_yield *yield = &job->yields[m];
    if (yield->phase != CUL_PHASE_CUT)
      continue;
    job->patience = yield->flags & CUL_MUT_RANGE ? 0 : 16;
    rc = cul_reduce_mutate(job, m, cut_rule(yield), changed, err);
  }
  job->patience = 0;
  return rc;
}

/* The rule for subsets of one mutation's sites, by the evidence of
 * bench/search.c: halving needs the fewest runs on modules; on text, where
 * the end must often go before the beginning, one sweep from behind does. */
static const char *subset_rule(const struct cul_reduce *job,
                               const struct cul_yield *yield) {
  if (yield->flags & CUL_MUT_ONCE)
    return "minimal";
  if (job->conf->search)
    return job->conf->search;
  if (yield->flags & CUL_MUT_LAST)
    return "minimal";
  return job->form.form == CUL_FORM_TEXT ? "sweep" : "halve";
}

/* Operations removed per site listed in the last round, highest first; equal
 * ones stay in table order. */
static void order_by_yield(const struct cul_reduce *job, uint32_t *order,
                           size_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0; k--) {
      const struct cul_yield *a = &job->yields[order[k - 1]];
      const struct cul_yield *b = &job->yields[order[k]];
      uint32_t swap = order[k];
      if (b->round_removed * (a->round_sites + 1) <=
          a->round_removed * (b->round_sites + 1))
        break;
      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
}

/* Those of order[0..n) with this flag, or without. */
static int run_those(struct cul_reduce *job, const uint32_t *order, size_t n,
                     uint32_t last, bool *changed, struct cul_err *err) {
  uint32_t *those = cul_xreallocarray(NULL, n + 1, sizeof *those);
  const char **rules = cul_xreallocarray(NULL, n + 1, sizeof *rules);
  size_t n_those = 0;
  int rc;
  for (size_t i = 0; i < n; i++) {
    const struct cul_yield *yield = &job->yields[order[i]];
    if ((yield->flags & CUL_MUT_LAST) != last)
      continue;
    rules[n_those] = subset_rule(job, yield);
    those[n_those++] = order[i];
  }
  rc = mutate_all(job, those, rules, n_those, changed, err);
  free(those);
  free(rules);
  return rc;
}

/* Every mutation once, best yield of the last round first; those that come
 * last only once the others are dry. */
static int delta_round(struct cul_reduce *job, uint32_t *order, size_t n,
                       bool *changed, struct cul_err *err) {
  int rc;
  job->cut_short = false;
  for (size_t i = 0; i < n; i++)
    job->yields[order[i]].round_removed = job->yields[order[i]].round_sites = 0;
  rc = run_those(job, order, n, 0, changed, err);
  if (rc == 0 && !*changed && !job->cut_short)
    rc = run_those(job, order, n, CUL_MUT_LAST, changed, err);
  order_by_yield(job, order, n);
  return rc;
}

/* Rounds until nothing changes.  A mutation that yields nothing at many
 * sites is left soon; only when no other helps is it asked on. */
static int delta(struct cul_reduce *job, struct cul_err *err) {
  uint32_t *order = cul_xreallocarray(NULL, job->n_yields, sizeof *order);
  size_t n = 0;
  bool changed = true;
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_DELTA);
  for (uint32_t m = 0; m < job->n_yields; m++)
    if (job->yields[m].phase == CUL_PHASE_DELTA &&
        !(job->yields[m].flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      order[n++] = m;
  job->patience = job->form.form == CUL_FORM_TEXT ? 256 : 32;
  while (rc == 0 && (changed || job->cut_short)) {
    if (!changed)
      job->patience *= 4;
    changed = false;
    rc = delta_round(job, order, n, &changed, err);
  }
  job->patience = 0;
  free(order);
  return rc;
}

static int minimal(struct cul_reduce *job, bool *changed, struct cul_err *err) {
  uint32_t *those = cul_xreallocarray(NULL, job->n_yields, sizeof *those);
  const char **rules = cul_xreallocarray(NULL, job->n_yields, sizeof *rules);
  size_t n = 0;
  bool again = true;
  int rc = 0;
  cul_reduce_enter(job, CUL_REDUCE_MINIMAL);
  for (uint32_t m = 0; m < job->n_yields; m++)
    if (!(job->yields[m].flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)) &&
        job->yields[m].phase != CUL_PHASE_PUMP) {
      rules[n] = "minimal";
      those[n++] = m;
    }
  while (again && rc == 0) {
    again = false;
    rc = mutate_all(job, those, rules, n, &again, err);
    *changed |= again;
  }
  free(those);
  free(rules);
  return rc;
}

/* What is as small as it gets may still say the same with smaller numbers: 1
 * instead of 8.  Last, and no other edit is tried again for it. */
static int simplify(struct cul_reduce *job, bool *changed,
                    struct cul_err *err) {
  struct cul_size before = job->space.best;
  bool simpler = false;
  int rc = 0;
  job->space.by_numbers = true;
  job->patience = 8;
  for (uint32_t m = 0; m < job->n_yields && rc == 0; m++)
    if (job->yields[m].flags & CUL_MUT_NUMBERS)
      rc = cul_reduce_mutate(job, m, "halve", &simpler, err);
  job->patience = 0;
  job->space.by_numbers = false;
  *changed |= cul_size_less(&job->space.best, &before);
  return rc;
}

int cul_reduce_search(struct cul_reduce *job, struct cul_err *err) {
  bool changed = true;
  int rc = 0;
  while (changed && rc == 0) {
    changed = false;
    rc = shorten(job, &changed, err);
    if (rc == 0)
      rc = cut(job, &changed, err);
    if (rc == 0)
      rc = delta(job, err);
    changed = false;
    if (rc == 0)
      rc = minimal(job, &changed, err);
    if (rc == 0 && !changed)
      rc = cul_reduce_pump(job, &changed, err);
    if (rc == 0 && !changed)
      rc = simplify(job, &changed, err);
  }
  return rc;
}
