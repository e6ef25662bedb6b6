/* Traces of steps, and the point where two of them diverge: see trace.h. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRACE(name) extern const struct cul_trace_reader cul_trace_##name;
#define SYSTEM(name, program, opt, arguments)
#define PACKAGE(name, library)
#define READER(name)
#include "list.h"
#undef TRACE

static const struct cul_trace_reader *const readers[] = {
#define TRACE(name) &cul_trace_##name,
#include "list.h"
#undef TRACE
#undef READER
#undef SYSTEM
#undef PACKAGE
};

int cul_trace_load(const char *path, struct cul_trace *out, bool *found,
                   struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_trace){0};
  *found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(readers) && !*found && rc == 0; i++)
    rc = readers[i]->read(path, out, found, err);
  return rc;
}

void cul_trace_release(struct cul_trace *trace) {
  for (size_t i = 0; i < trace->n; i++) {
    free(trace->events[i].name);
    cul_tensors_release(&trace->events[i].inputs);
    cul_tensors_release(&trace->events[i].outputs);
  }
  free(trace->events);
  free(trace->ended);
  *trace = (struct cul_trace){0};
}

struct cul_trace_event *cul_trace_add(struct cul_trace *trace, const char *name,
                                      size_t len) {
  struct cul_trace_event *event;
  if ((trace->n & (trace->n - 1)) == 0)
    trace->events = cul_xreallocarray(
        trace->events, trace->n ? 2 * trace->n : 1, sizeof *trace->events);
  event = &trace->events[trace->n++];
  *event = (struct cul_trace_event){.name = cul_xstrndup(name, len)};
  return event;
}

/* ---- values ---- */

/* What rounding explains, relative to the largest value: some roundoffs, and
 * the print of six digits. */
static double slack(enum cul_dtype a, enum cul_dtype b) {
  const double factor = 64, printed = 2e-5;
  double u = fmax(cul_dtype_roundoff(cul_dtype_info(a)->part),
                  cul_dtype_roundoff(cul_dtype_info(b)->part));
  return fmax(factor * u, printed);
}

static bool by_rounding(const struct cul_tolerance_conf *t) {
  return t->rounding && !t->preset && t->ulps < 0 && t->rtol < 0 && t->atol < 0;
}

static bool near(const struct cul_tensor *got, const struct cul_tensor *want) {
  double most = 0, rtol = slack(got->dtype, want->dtype);
  unsigned parts = cul_tensor_parts(want);
  bool whole = cul_dtype_info(want->dtype)->kind == CUL_IS_INT, same = true;
  if (got->n != want->n || parts != cul_tensor_parts(got) ||
      whole != (cul_dtype_info(got->dtype)->kind == CUL_IS_INT))
    return false;
  for (uint64_t i = 0; i < want->n * parts; i++) {
    double x = fabs((double)cul_tensor_get(want, i / parts, i % parts));
    most = isfinite(x) && x > most ? x : most;
  }
  for (uint64_t i = 0; i < want->n * parts && same; i++) {
    cul_number a = cul_tensor_get(got, i / parts, i % parts);
    cul_number b = cul_tensor_get(want, i / parts, i % parts);
    same = a == b || (isnan(a) && isnan(b)) ||
           (!whole && fabsl(a - b) <= rtol * most);
  }
  return same;
}

/* Equal values; by rounding, the shape may differ. */
static bool agree(const struct cul_tensor *got, const struct cul_tensor *want,
                  const struct cul_tolerance_conf *conf) {
  struct cul_tolerance tolerance;
  struct cul_difference difference;
  bool same;
  if (by_rounding(conf))
    return near(got, want);
  if (got->n != want->n)
    return false;
  tolerance = cul_tolerance_of(conf, got, want);
  cul_tensor_compare(got, want, &tolerance, &difference);
  same = difference.class == CUL_ERR_NONE;
  cul_difference_release(&difference);
  return same;
}

/* Each value of a is one of b, and b has no others; in any order. */
static bool agree_all(const struct cul_tensors *a, const struct cul_tensors *b,
                      const struct cul_tolerance_conf *conf) {
  bool *used, same = a->n == b->n;
  if (!same)
    return false;
  used = cul_xcalloc(b->n + 1, sizeof *used);
  for (size_t i = 0; i < a->n && same; i++) {
    size_t k = 0;
    while (k < b->n && (used[k] || !agree(&a->items[i], &b->items[k], conf)))
      k++;
    same = k < b->n;
    used[k] = true;
  }
  free(used);
  return same;
}

static bool alike(const struct cul_tensors *a, const struct cul_tensors *b) {
  bool same = a->n == b->n;
  for (size_t i = 0; same && i < a->n; i++)
    same = a->items[i].n == b->items[i].n;
  return same;
}

/* ---- pairs ---- */

struct pairing {
  const struct cul_trace *got, *want;
  const struct cul_tolerance_conf *conf;
  struct cul_trace_pairs *out;
  bool *taken; /* steps of want */
  /* the number of a step among those of its name; of got, of want */
  size_t *nth, *nth_want;
};

static size_t *number_names(const struct cul_trace *trace) {
  size_t *out = cul_xcalloc(trace->n + 1, sizeof *out);
  for (size_t i = 0; i < trace->n; i++)
    for (size_t k = i; k-- > 0;)
      if (strcmp(trace->events[k].name, trace->events[i].name) == 0) {
        out[i] = out[k] + 1;
        break;
      }
  return out;
}

static bool is_namesake(const struct pairing *p, size_t i, size_t k) {
  return p->nth[i] == p->nth_want[k] &&
         strcmp(p->got->events[i].name, p->want->events[k].name) == 0;
}

static void take(struct pairing *p, size_t i, size_t k,
                 enum cul_step_state state) {
  p->out->steps[i] = (struct cul_step){state, k};
  p->taken[k] = true;
}

/* Do these two steps have the same inputs?  Steps without inputs are told
 * apart by their names. */
static bool same_inputs(const struct pairing *p, size_t i, size_t k) {
  const struct cul_trace_event *a = &p->got->events[i];
  const struct cul_trace_event *b = &p->want->events[k];
  return (a->inputs.n || is_namesake(p, i, k)) &&
         agree_all(&a->inputs, &b->inputs, p->conf);
}

/* The step of want with the inputs of step i, and with its outputs (outputs)
 * or with outputs of their sizes; that of its name goes first.  SIZE_MAX:
 * none. */
static size_t partner(const struct pairing *p, size_t i, bool outputs) {
  const struct cul_trace_event *a = &p->got->events[i];
  size_t found = SIZE_MAX;
  for (size_t k = 0; k < p->want->n; k++) {
    const struct cul_trace_event *b = &p->want->events[k];
    bool namesake = is_namesake(p, i, k);
    if (p->taken[k] || (found != SIZE_MAX && !namesake) ||
        !alike(&a->outputs, &b->outputs) || !same_inputs(p, i, k) ||
        (outputs && !agree_all(&a->outputs, &b->outputs, p->conf)))
      continue;
    found = k;
    if (namesake)
      break;
  }
  return found;
}

/* Is this a value of the reference? */
static bool is_known(const struct pairing *p, const struct cul_tensor *value) {
  for (size_t k = 0; k < p->want->n; k++) {
    const struct cul_trace_event *e = &p->want->events[k];
    for (size_t i = 0; i < e->inputs.n; i++)
      if (agree(value, &e->inputs.items[i], p->conf))
        return true;
    for (size_t i = 0; i < e->outputs.n; i++)
      if (agree(value, &e->outputs.items[i], p->conf))
        return true;
  }
  return false;
}

static bool all_known(const struct pairing *p, const struct cul_tensors *of) {
  bool known = true;
  for (size_t i = 0; known && i < of->n; i++)
    known = is_known(p, &of->items[i]);
  return known;
}

static bool same_bytes(const struct cul_tensor *a, const struct cul_tensor *b) {
  return a->dtype == b->dtype && a->n == b->n &&
         memcmp(a->data, b->data, a->n * cul_dtype_info(a->dtype)->size) == 0;
}

static bool reads(const struct cul_trace_event *e,
                  const struct cul_tensors *values) {
  for (size_t i = 0; i < e->inputs.n; i++)
    for (size_t k = 0; k < values->n; k++)
      if (same_bytes(&e->inputs.items[i], &values->items[k]))
        return true;
  return false;
}

/* Is every step that reads the outputs of step i, and there is one, the
 * same? */
static bool is_redeemed(const struct pairing *p, size_t i) {
  bool same = true, read = false;
  for (size_t k = i + 1; same && k < p->got->n; k++)
    if (reads(&p->got->events[k], &p->got->events[i].outputs)) {
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
    const struct cul_trace_event *e = &p->got->events[i];
    bool namesake = false;
    for (size_t k = 0; k < p->want->n && !namesake; k++)
      namesake = !p->taken[k] && is_namesake(p, i, k) && same_inputs(p, i, k) &&
                 alike(&e->outputs, &p->want->events[k].outputs);
    if (step->state != CUL_STEP_SAME && !namesake && e->outputs.n &&
        (all_known(p, &e->outputs) || is_redeemed(p, i)))
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
  for (size_t i = 0; i < p->got->n; i++)
    for (size_t k = 0; k < p->want->n; k++)
      if (p->out->steps[i].state == CUL_STEP_ALONE && !p->taken[k] &&
          is_namesake(p, i, k))
        take(p, i, k, CUL_STEP_LATER);
  /* Another division of the work: a step without a partner, all of whose
   * inputs are the reference's. */
  for (size_t i = 0; i < p->got->n; i++)
    if (p->out->steps[i].state == CUL_STEP_ALONE &&
        p->got->events[i].inputs.n && by_rounding(p->conf) &&
        all_known(p, &p->got->events[i].inputs))
      p->out->steps[i].state = CUL_STEP_WRONG;
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

void cul_trace_pair(const struct cul_trace *got, const struct cul_trace *want,
                    const struct cul_tolerance_conf *tolerance,
                    struct cul_trace_pairs *out) {
  struct pairing p = {.got = got,
                      .want = want,
                      .conf = tolerance,
                      .out = out,
                      .taken = cul_xcalloc(want->n + 1, sizeof *p.taken),
                      .nth = number_names(got),
                      .nth_want = number_names(want)};
  *out = (struct cul_trace_pairs){
      .steps = cul_xcalloc(got->n + 1, sizeof *out->steps), .n = got->n};
  for (size_t i = 0; i < got->n; i++)
    out->steps[i] = (struct cul_step){CUL_STEP_ALONE, SIZE_MAX};
  pair_equal(&p);
  pair_others(&p);
  count(&p);
  free(p.taken);
  free(p.nth);
  free(p.nth_want);
}

void cul_trace_pairs_release(struct cul_trace_pairs *pairs) {
  free(pairs->steps);
  *pairs = (struct cul_trace_pairs){0};
}
