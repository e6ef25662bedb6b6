/* Pair the steps of two runs, and find the first divergence: see trace.h.
 *
 * Many steps of a model read the same tensors.  Tensors with the same bytes are
 * therefore one value, and two values are compared at most once.  The step of
 * the same name is tried first as a partner. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/digest.h"
#include "../base/status.h"
#include "trace.h"

/* ---- values ---- */

/* Tensors of one side that are alike in type, shape, text and bytes. */
struct value {
  const struct cul_tensor *tensor;
  struct cul_digest bytes; /* with the type; the shape is not in it */
  double largest;          /* largest finite element; negative: not yet known */
};

/* The tensors of a trace: inputs, then outputs of each step. */
struct values {
  struct value *items; /* heap; sorted by the number of elements */
  size_t n;
  size_t *of;    /* heap; the value of each tensor */
  size_t *first; /* heap; the first tensor of each step */
};

struct named { /* a tensor, identified by its contents */
  struct cul_digest whole, bytes;
  const struct cul_tensor *tensor;
  size_t number;
};

static int by_content(const void *left, const void *right) {
  const struct named *a = left, *b = right;
  if (a->tensor->n != b->tensor->n)
    return a->tensor->n < b->tensor->n ? -1 : 1;
  return memcmp(&a->whole, &b->whole, sizeof a->whole);
}

static void name_tensor(const struct cul_tensor *tensor, size_t number,
                        struct named *out) {
  struct cul_hasher *hasher = cul_hasher_new();
  size_t size = cul_dtype_info(tensor->dtype)->size;
  *out = (struct named){.tensor = tensor, .number = number};
  cul_hasher_u64(hasher, tensor->dtype);
  cul_hasher_add(hasher, tensor->data, tensor->n * size);
  out->bytes = cul_hasher_finish(hasher);
  hasher = cul_hasher_new();
  cul_hasher_add(hasher, &out->bytes, sizeof out->bytes);
  cul_hasher_u64(hasher, tensor->untyped);
  cul_hasher_u64(hasher, tensor->rank);
  cul_hasher_add(hasher, tensor->dims, tensor->rank * sizeof *tensor->dims);
  cul_hasher_field(hasher, tensor->text);
  out->whole = cul_hasher_finish(hasher);
}

static void find_values(const struct cul_trace *trace, struct values *out) {
  size_t n = 0, at = 0;
  struct named *all;
  out->first = cul_xcalloc(trace->n + 1, sizeof *out->first);
  for (size_t i = 0; i < trace->n; i++) {
    out->first[i] = n;
    n += trace->events[i].inputs.n + trace->events[i].outputs.n;
  }
  all = cul_xcalloc(n + 1, sizeof *all);
  out->of = cul_xcalloc(n + 1, sizeof *out->of);
  out->items = cul_xcalloc(n + 1, sizeof *out->items);
  for (size_t i = 0; i < trace->n; i++) {
    const struct cul_trace_event *e = &trace->events[i];
    for (size_t k = 0; k < e->inputs.n; k++, at++)
      name_tensor(&e->inputs.items[k], at, &all[at]);
    for (size_t k = 0; k < e->outputs.n; k++, at++)
      name_tensor(&e->outputs.items[k], at, &all[at]);
  }
  qsort(all, n, sizeof *all, by_content);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || by_content(&all[i - 1], &all[i]) != 0)
      out->items[out->n++] = (struct value){all[i].tensor, all[i].bytes, -1};
    out->of[all[i].number] = out->n - 1;
  }
  free(all);
}

static void values_release(struct values *values) {
  free(values->items);
  free(values->of);
  free(values->first);
}

double cul_trace_slack(enum cul_dtype a, enum cul_dtype b) {
  const double factor = 64, printed = 2e-5;
  double u = fmax(cul_dtype_roundoff(cul_dtype_info(a)->part),
                  cul_dtype_roundoff(cul_dtype_info(b)->part));
  return fmax(factor * u, printed);
}

static bool by_rounding(const struct cul_tolerance_conf *t) {
  return t->rounding && !t->preset && t->ulps < 0 && t->rtol < 0 && t->atol < 0;
}

static double largest(struct value *value) {
  unsigned parts = cul_tensor_parts(value->tensor);
  double most = value->largest < 0 ? 0 : value->largest;
  for (uint64_t i = 0; value->largest < 0 && i < value->tensor->n; i++) {
    cul_status_pass(i);
    for (unsigned part = 0; part < parts; part++) {
      double x = fabs((double)cul_tensor_get(value->tensor, i, part));
      most = isfinite(x) && x > most ? x : most;
    }
  }
  return value->largest = most;
}

static bool near(const struct cul_tensor *got, struct value *of) {
  const struct cul_tensor *want = of->tensor;
  double allowed;
  unsigned parts = cul_tensor_parts(want);
  bool whole = cul_dtype_info(want->dtype)->kind == CUL_IS_INT, same = true;
  if (parts != cul_tensor_parts(got) ||
      whole != (cul_dtype_info(got->dtype)->kind == CUL_IS_INT))
    return false;
  allowed = cul_trace_slack(got->dtype, want->dtype) * largest(of);
  for (uint64_t i = 0; i < want->n * parts && same; i++) {
    cul_number a = cul_tensor_get(got, i / parts, i % parts);
    cul_number b = cul_tensor_get(want, i / parts, i % parts);
    cul_status_pass(i);
    same =
        a == b || (isnan(a) && isnan(b)) || (!whole && fabsl(a - b) <= allowed);
  }
  return same;
}

/* ---- pairs ---- */

struct pairing {
  const struct cul_trace *got, *want;
  const struct cul_tolerance_conf *conf;
  struct cul_trace_pairs *out;
  const struct cul_patience *patience;
  struct cul_err *err;
  int rc;      /* negative: the user asked to end; nothing more is compared */
  bool *taken; /* steps of want */
  /* for each step of got, the step of want of the same name, the n-th for the
   * n-th; SIZE_MAX: none */
  size_t *namesake;
  struct values values, values_want;
  /* results of comparisons: a row for each value of got (heap; NULL: none yet)
   * with an entry for each value of want */
  unsigned char **answers;
};
enum { UNKNOWN, AGREE, DIFFER };

/* Are the values equal within the tolerance?  For rounding alone, shapes may
 * differ. */
static bool compare(struct pairing *p, const struct value *got,
                    struct value *want) {
  struct cul_tolerance tolerance;
  if (p->rc == 0 && p->patience)
    p->rc = cul_patience_left(p->patience, p->err);
  if (p->rc < 0)
    return false;
  if (by_rounding(p->conf))
    return near(got->tensor, want);
  tolerance = cul_tolerance_of(p->conf, got->tensor, want->tensor);
  return cul_tensor_agrees(got->tensor, want->tensor, &tolerance);
}

/* The same for numbers of values; the result is kept. */
static bool agree(struct pairing *p, size_t a, size_t b) {
  const struct value *got = &p->values.items[a];
  struct value *want = &p->values_want.items[b];
  unsigned char **row = &p->answers[a];
  if (got->tensor->n != want->tensor->n)
    return false;
  if (!*row)
    *row = cul_xcalloc(p->values_want.n, 1);
  if ((*row)[b] == UNKNOWN)
    (*row)[b] = compare(p, got, want) ? AGREE : DIFFER;
  return (*row)[b] == AGREE;
}

/* Do the n values of a agree with the n values of b, in any order? */
static bool agree_all(struct pairing *p, const size_t *a, const size_t *b,
                      size_t n) {
  bool *used = cul_xcalloc(n + 1, sizeof *used), same = true;
  for (size_t i = 0; i < n && same; i++) {
    size_t k = 0;
    while (k < n && (used[k] || !agree(p, a[i], b[k])))
      k++;
    same = k < n;
    used[k] = true;
  }
  free(used);
  return same;
}

static const size_t *inputs(const struct values *values, size_t step) {
  return values->of + values->first[step];
}

static const size_t *outputs(const struct values *values,
                             const struct cul_trace *trace, size_t step) {
  return inputs(values, step) + trace->events[step].inputs.n;
}

static bool alike(const struct cul_tensors *a, const struct cul_tensors *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++)
    same = a->items[i].n == b->items[i].n;
  return same;
}

/* A step and its name, to sort by. */
struct nth {
  const char *name;
  size_t step;
};

static int by_name(const void *left, const void *right) {
  const struct nth *a = left, *b = right;
  int order = strcmp(a->name, b->name);
  return order ? order : (a->step > b->step) - (a->step < b->step);
}

static struct nth *sort_names(const struct cul_trace *trace) {
  struct nth *out = cul_xcalloc(trace->n + 1, sizeof *out);
  for (size_t i = 0; i < trace->n; i++)
    out[i] = (struct nth){trace->events[i].name, i};
  qsort(out, trace->n, sizeof *out, by_name);
  return out;
}

static size_t *find_namesakes(const struct cul_trace *got,
                              const struct cul_trace *want) {
  struct nth *a = sort_names(got), *b = sort_names(want);
  size_t *out = cul_xcalloc(got->n + 1, sizeof *out);
  for (size_t i = 0; i < got->n; i++)
    out[i] = SIZE_MAX;
  /* both lists advance after a match, so that the n-th matches the n-th */
  for (size_t i = 0, k = 0; i < got->n && k < want->n;) {
    int order = strcmp(a[i].name, b[k].name);
    if (order == 0)
      out[a[i].step] = b[k].step;
    i += order <= 0;
    k += order >= 0;
  }
  free(a);
  free(b);
  return out;
}

static void take(struct pairing *p, size_t i, size_t k,
                 enum cul_step_state state) {
  p->out->steps[i] = (struct cul_step){state, k};
  p->taken[k] = true;
}

/* Do these two steps have the same inputs, and outputs of the same sizes?
 * Steps without inputs are told apart by their names. */
static bool same_inputs(struct pairing *p, size_t i, size_t k) {
  const struct cul_trace_event *a = &p->got->events[i];
  const struct cul_trace_event *b = &p->want->events[k];
  return !p->taken[k] && alike(&a->outputs, &b->outputs) &&
         a->inputs.n == b->inputs.n && (a->inputs.n || p->namesake[i] == k) &&
         agree_all(p, inputs(&p->values, i), inputs(&p->values_want, k),
                   a->inputs.n);
}

static bool same_outputs(struct pairing *p, size_t i, size_t k) {
  return agree_all(p, outputs(&p->values, p->got, i),
                   outputs(&p->values_want, p->want, k),
                   p->got->events[i].outputs.n);
}

/* The step of want with the inputs of step i, and with its outputs (both) or
 * with outputs of the same sizes; the step of the same name is tried first.
 * SIZE_MAX: none. */
static size_t partner(struct pairing *p, size_t i, bool both) {
  size_t k = p->namesake[i];
  if (k != SIZE_MAX && same_inputs(p, i, k) && (!both || same_outputs(p, i, k)))
    return k;
  for (k = 0; k < p->want->n && p->rc == 0; k++)
    if (same_inputs(p, i, k) && (!both || same_outputs(p, i, k)))
      return k;
  return SIZE_MAX;
}

/* Does each of these n values of got agree with a value of want? */
static bool all_known(struct pairing *p, const size_t *values, size_t n) {
  bool known = true;
  for (size_t i = 0; known && i < n; i++) {
    known = false;
    for (size_t k = 0; k < p->values_want.n && !known; k++)
      known = agree(p, values[i], k);
  }
  return known;
}

/* Does step k read an output of step i? */
static bool reads(const struct pairing *p, size_t k, size_t i) {
  const size_t *in = inputs(&p->values, k);
  const size_t *out = outputs(&p->values, p->got, i);
  for (size_t a = 0; a < p->got->events[k].inputs.n; a++)
    for (size_t b = 0; b < p->got->events[i].outputs.n; b++)
      if (cul_digest_equal(&p->values.items[in[a]].bytes,
                           &p->values.items[out[b]].bytes))
        return true;
  return false;
}

/* Is there a step that reads the outputs of step i, and are all these steps the
 * same? */
static bool is_redeemed(const struct pairing *p, size_t i) {
  bool same = true, read = false;
  for (size_t k = i + 1; same && k < p->got->n; k++)
    if (reads(p, k, i)) {
      read = true;
      same = p->out->steps[k].state == CUL_STEP_SAME;
    }
  return read && same;
}

static void pair_equal(struct pairing *p) {
  for (size_t i = 0; i < p->got->n; i++) {
    size_t k = partner(p, i, true);
    if (k != SIZE_MAX)
      take(p, i, k, CUL_STEP_SAME);
  }
  for (size_t i = p->got->n; i-- > 0;) {
    struct cul_step *step = &p->out->steps[i];
    size_t k = p->namesake[i], n = p->got->events[i].outputs.n;
    if (step->state != CUL_STEP_SAME && n &&
        !(k != SIZE_MAX && same_inputs(p, i, k)) &&
        (all_known(p, outputs(&p->values, p->got, i), n) || is_redeemed(p, i)))
      step->state = CUL_STEP_SAME;
  }
}

static void pair_others(struct pairing *p) {
  for (size_t i = 0; i < p->got->n; i++) {
    size_t k;
    if (p->out->steps[i].state == CUL_STEP_SAME)
      continue;
    k = partner(p, i, false);
    if (k != SIZE_MAX)
      take(p, i, k, CUL_STEP_WRONG);
  }
  for (size_t i = 0; i < p->got->n; i++) {
    size_t k = p->namesake[i];
    if (p->out->steps[i].state == CUL_STEP_ALONE && k != SIZE_MAX &&
        !p->taken[k])
      take(p, i, k, CUL_STEP_LATER);
  }
  /* The work may be divided differently: a step without a partner is wrong if
   * all its inputs are values of the reference. */
  for (size_t i = 0; i < p->got->n; i++)
    if (p->out->steps[i].state == CUL_STEP_ALONE &&
        p->got->events[i].inputs.n && by_rounding(p->conf) &&
        all_known(p, inputs(&p->values, i), p->got->events[i].inputs.n))
      p->out->steps[i].state = CUL_STEP_WRONG;
}

/* Does each of these n values of want agree with a value of got? */
static bool all_got(struct pairing *p, const size_t *values, size_t n) {
  bool known = true;
  for (size_t i = 0; known && i < n; i++) {
    known = false;
    for (size_t k = 0; k < p->values.n && !known; k++)
      known = agree(p, k, values[i]);
  }
  return known;
}

static void find_lacking(struct pairing *p) {
  for (size_t k = 0; k < p->want->n && !p->got->ended; k++) {
    const struct cul_trace_event *e = &p->want->events[k];
    p->out->lacks[k] =
        !p->taken[k] && all_got(p, inputs(&p->values_want, k), e->inputs.n) &&
        !all_got(p, outputs(&p->values_want, p->want, k), e->outputs.n);
  }
}

static void count(const struct pairing *p) {
  struct cul_trace_pairs *out = p->out;
  size_t later = SIZE_MAX;
  out->first = SIZE_MAX;
  for (size_t i = 0; i < out->n; i++) {
    out->n_wrong += out->steps[i].state == CUL_STEP_WRONG;
    if (out->steps[i].state == CUL_STEP_WRONG && out->first == SIZE_MAX)
      out->first = i;
    if (out->steps[i].state == CUL_STEP_LATER && later == SIZE_MAX)
      later = i;
    out->only_got += out->steps[i].want == SIZE_MAX;
  }
  if (out->first == SIZE_MAX)
    out->first = later;
  for (size_t k = 0; k < p->want->n; k++)
    out->only_want += !p->taken[k];
  out->only_want = p->got->ended ? 0 : out->only_want;
  out->only_got = p->want->ended ? 0 : out->only_got;
}

int cul_trace_pair(const struct cul_trace *got, const struct cul_trace *want,
                   const struct cul_tolerance_conf *tolerance,
                   const struct cul_patience *patience,
                   struct cul_trace_pairs *out, struct cul_err *err) {
  struct pairing p = {.got = got,
                      .want = want,
                      .conf = tolerance,
                      .out = out,
                      .patience = patience,
                      .err = err,
                      .taken = cul_xcalloc(want->n + 1, sizeof *p.taken),
                      .namesake = find_namesakes(got, want)};
  *out = (struct cul_trace_pairs){
      .steps = cul_xcalloc(got->n + 1, sizeof *out->steps),
      .n = got->n,
      .lacks = cul_xcalloc(want->n + 1, sizeof *out->lacks)};
  for (size_t i = 0; i < got->n; i++)
    out->steps[i] = (struct cul_step){CUL_STEP_ALONE, SIZE_MAX};
  find_values(got, &p.values);
  find_values(want, &p.values_want);
  p.answers = cul_xcalloc(p.values.n + 1, sizeof *p.answers);
  pair_equal(&p);
  pair_others(&p);
  find_lacking(&p);
  count(&p);
  for (size_t i = 0; i < p.values.n; i++)
    free(p.answers[i]);
  free(p.answers);
  values_release(&p.values);
  values_release(&p.values_want);
  free(p.taken);
  free(p.namesake);
  return p.rc;
}

void cul_trace_pairs_release(struct cul_trace_pairs *pairs) {
  free(pairs->steps);
  free(pairs->lacks);
  *pairs = (struct cul_trace_pairs){0};
}
