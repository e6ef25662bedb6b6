/* Where the first difference is, by few runs: see divergence.h. */
#include <stdlib.h>
#include <string.h>

#include "divergence_job.h"

/* Places inside the range that one run looks at. */
enum { PLACES = 5 };

static size_t choose_places(const struct cul_divergence_job *job,
                            const struct cul_divergence_range *r,
                            int64_t *places) {
  int64_t width = r->hi - r->lo;
  size_t n = 0;
  if (job->hidden) {
    places[0] = r->lo + width / 2;
    return 1;
  }
  for (int64_t i = 1; i <= PLACES; i++) {
    int64_t at = r->lo + width * i / (PLACES + 1);
    if (at > r->lo && at < r->hi && (n == 0 || at > places[n - 1]))
      places[n++] = at;
  }
  places[n++] = r->hi;
  return n;
}

/* At which place is the value in use, being made in front of it and behind
 * the place before; n: at none. */
static size_t place_of(const struct cul_flow_item *value,
                       const struct cul_divergence_range *r,
                       const int64_t *places, size_t n) {
  size_t i = 0;
  if (value->op <= r->lo)
    return n;
  while (i < n && places[i] < value->op)
    i++;
  return i < n && places[i] < value->end ? i : n;
}

static int show(struct cul_divergence_job *job, const uint32_t *numbers,
                size_t n, struct cul_tensors *got, struct cul_err *err) {
  struct cul_buf list = {0}, program = {0};
  const char *words[] = {"--show", NULL, NULL};
  int rc;
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(&list, "%s%u", i ? "," : "", numbers[i]);
  words[1] = cul_buf_str(&list);
  rc = cul_divergence_make(job, words, &program, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &program, CUL_ROLE_SUSPECT, got, NULL, err);
  cul_buf_release(&list);
  cul_buf_release(&program);
  return rc;
}

static int compare_value(struct cul_divergence_job *job,
                         struct cul_tensors *got, uint32_t number,
                         struct cul_divergent *out, struct cul_err *err) {
  char name[24];
  struct cul_tensor *mine;
  const struct cul_tensor *want;
  snprintf(name, sizeof name, "%u", number);
  mine = (struct cul_tensor *)cul_tensors_find(got, name);
  want = cul_tensors_find(&job->want, name);
  if (!mine || !want)
    return cul_fail(err, CUL_EUSAGE, "", "value %s was not printed", name);
  cul_divergence_compare(job, mine, want, out);
  return 0;
}

/* The suspect's values at the places against the reference's.  *first: at
 * which the first one differs; n: at none. */
static int look(struct cul_divergence_job *job, struct cul_divergence_range *r,
                const int64_t *places, size_t n, size_t *first,
                struct cul_err *err) {
  uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  struct cul_tensors got = {0};
  size_t count = 0;
  int rc = 0;
  *first = n;
  for (uint32_t v = 0; v < job->n_values; v++)
    if (place_of(&job->values[v], r, places, n) < n)
      numbers[count++] = v;
  if (count)
    rc = cul_divergence_want(job, numbers, count, err);
  if (rc == 0 && count)
    rc = show(job, numbers, count, &got, err);
  for (size_t i = 0; i < count && rc == 0; i++) {
    size_t place = place_of(&job->values[numbers[i]], r, places, n);
    struct cul_divergent one;
    rc = compare_value(job, &got, numbers[i], &one, err);
    if (rc == 0 && one.differs) {
      rc = cul_divergence_doubt(job, err);
      if (rc == 0)
        rc = compare_value(job, &got, numbers[i], &one, err);
    }
    if (rc == 0 && one.differs && place < *first) {
      *first = place;
      r->what = one;
    }
  }
  cul_tensors_release(&got);
  free(numbers);
  return rc;
}

/* One run, or, where that shows nothing, the next with less in it. */
static int narrow(struct cul_divergence_job *job,
                  struct cul_divergence_range *r, struct cul_err *err) {
  int64_t places[PLACES + 1];
  size_t n = choose_places(job, r, places), first;
  if (look(job, r, places, n, &first, err) < 0)
    return err->code;
  if (first < n) {
    r->lo = first ? places[first - 1] : r->lo;
    r->hi = places[first];
    r->seen = true;
  } else if (job->hidden) {
    r->lo = places[0];
  }
  job->hidden |= first == n;
  return 0;
}

int cul_divergence_bisect(struct cul_divergence_job *job,
                          struct cul_divergence_range *r, bool patient,
                          struct cul_err *err) {
  int rc = 0;
  while (rc == 0 && (r->hi - r->lo > 1 || !r->seen) &&
         (!job->hidden || r->hi - r->lo > 1) && (patient || !job->hidden))
    rc = narrow(job, r, err);
  if (rc == 0 && (!r->seen || (!patient && job->hidden)))
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "all values agree where they are printed: what prints them "
                  "hides the difference, or it is in what no value shows");
  return rc;
}
