/* Bisection over the operations of a module: see divergence_bisect.h. */
#include "divergence_bisect.h"

#include <stdio.h>
#include <stdlib.h>

/* One run prints the values at all places of a range if they have at most
 * most_elements elements; else at fewer places, but not fewer than PLACES. */
enum { PLACES = 5 };
static const uint64_t most_elements = 4 << 20;

/* The index of the first place at or after operation `op`; n: there is none. */
static size_t first_place(uint32_t op, const int64_t *places, size_t n) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (places[mid] < op)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* The index of the first place at or after the operation that makes the value,
 * if the value is in use there; n: it is not. */
static size_t place_of(const struct cul_flow_item *value,
                       const struct cul_divergence_range *r,
                       const int64_t *places, size_t n) {
  size_t i = first_place(value->op, places, n);
  return i < n && value->op > r->lo && places[i] < value->end ? i : n;
}

static size_t spread(const struct cul_divergence_range *r, int64_t count,
                     int64_t *places) {
  int64_t width = r->hi - r->lo;
  size_t n = 0;
  for (int64_t i = 1; i <= count; i++) {
    int64_t at = r->lo + width * i / (count + 1);
    if (at > r->lo && at < r->hi && (n == 0 || at > places[n - 1]))
      places[n++] = at;
  }
  places[n++] = r->hi;
  return n;
}

static bool fits(const struct cul_divergence_job *job,
                 const struct cul_divergence_range *r, const int64_t *places,
                 size_t n) {
  uint64_t elements = 0;
  for (uint32_t v = 0; v < job->n_values; v++)
    if (place_of(&job->values[v], r, places, n) < n)
      elements += job->values[v].elements;
  return elements <= most_elements;
}

/* Choose the places: all of them, if their values can be printed; PLACES of
 * them after one program has hidden the difference; one after two have.
 * places: room for r->hi - r->lo, at least 1 + PLACES. */
static size_t choose_places(const struct cul_divergence_job *job,
                            const struct cul_divergence_range *r,
                            int64_t *places) {
  int64_t count = r->hi - r->lo - 1;
  size_t n;
  if (job->hidden > 1) {
    places[0] = r->lo + (r->hi - r->lo) / 2;
    return 1;
  }
  if (job->hidden || count < PLACES)
    count = PLACES;
  n = spread(r, count, places);
  for (; count > PLACES && !fits(job, r, places, n);
       n = spread(r, count, places))
    count = count / 2 > PLACES ? count / 2 : PLACES;
  return n;
}

static int show(struct cul_divergence_job *job, const uint32_t *numbers,
                size_t n, struct cul_tensors *got, struct cul_err *err) {
  CUL_OWNED(cul_buf) list = {0}, program = {0};
  const char *words[] = {"--show", NULL, NULL};
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(&list, "%s%u", i ? "," : "", numbers[i]);
  words[1] = cul_buf_str(&list);
  if (cul_divergence_make(job, words, NULL, &program, err) < 0)
    return err->code;
  return cul_divergence_run(job, &program, CUL_ROLE_SUSPECT, got, NULL, err);
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

/* Compare the suspect's values at the places with the reference's.  *first: the
 * index of the first place with a difference; n: none. */
static int look(struct cul_divergence_job *job, struct cul_divergence_range *r,
                const int64_t *places, size_t n, size_t *first,
                struct cul_err *err) {
  CUL_HEAP uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  CUL_OWNED(cul_tensors) got = {0};
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
  return rc;
}

/* One run, which narrows the range, or makes the next run print less. */
static int narrow(struct cul_divergence_job *job,
                  struct cul_divergence_range *r, struct cul_err *err) {
  CUL_HEAP int64_t *places =
      cul_xcalloc((size_t)(r->hi - r->lo) + PLACES + 1, sizeof *places);
  size_t n = choose_places(job, r, places), first;
  int rc = look(job, r, places, n, &first, err);
  if (rc == 0 && first < n) {
    r->lo = first ? places[first - 1] : r->lo;
    r->hi = places[first];
    r->seen = true;
  } else if (rc == 0 && job->hidden > 1) {
    r->lo = places[0];
  }
  job->hidden += rc == 0 && first == n;
  return rc;
}

int cul_divergence_bisect(struct cul_divergence_job *job,
                          struct cul_divergence_range *r, struct cul_err *err) {
  int rc = 0;
  while (rc == 0 && (r->hi - r->lo > 1 || (!r->seen && !job->hidden)))
    rc = narrow(job, r, err);
  if (rc == 0 && !r->seen)
    rc = cul_fail(err, CUL_EUSAGE, "",
                  "all printed values agree: printing hides the difference, "
                  "or values that are not printed differ");
  return rc;
}
