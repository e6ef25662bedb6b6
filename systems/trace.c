/* Traces of steps, and the point where two of them diverge: see trace.h. */
#include "trace.h"

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

/* ---- matching ---- */

/* An event, sorted by name, then by position in the trace. */
struct named {
  const char *name;
  size_t event;
};

static int by_name(const void *a, const void *b) {
  const struct named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->event > y->event) - (x->event < y->event);
}

static struct named *sorted(const struct cul_trace *trace) {
  struct named *out = cul_xcalloc(trace->n + 1, sizeof *out);
  for (size_t i = 0; i < trace->n; i++)
    out[i] = (struct named){trace->events[i].name, i};
  qsort(out, trace->n, sizeof *out, by_name);
  return out;
}

/* partner[i]: the event of got that matches event i of want; SIZE_MAX: none. */
static size_t *match(const struct cul_trace *got, const struct cul_trace *want,
                     struct cul_divergence *out) {
  struct named *a = sorted(got), *b = sorted(want);
  size_t *partner = cul_xcalloc(want->n + 1, sizeof *partner);
  size_t i = 0, k = 0;
  while (i < got->n || k < want->n) {
    int order = i == got->n    ? 1
                : k == want->n ? -1
                               : strcmp(a[i].name, b[k].name);
    if (order < 0) {
      out->only_got++;
      i++;
    } else if (order > 0) {
      out->only_want++;
      partner[b[k++].event] = SIZE_MAX;
    } else {
      partner[b[k++].event] = a[i++].event;
    }
  }
  free(a);
  free(b);
  return partner;
}

static bool agree(const struct cul_tensors *got, const struct cul_tensors *want,
                  const struct cul_tolerance_conf *tolerance) {
  struct cul_outputs outputs = {0};
  bool same;
  cul_tensors_compare(got, want, tolerance, &outputs);
  same = outputs.n_fail == 0;
  cul_outputs_release(&outputs);
  return same;
}

void cul_trace_diverge(struct cul_trace *got, struct cul_trace *want,
                       const struct cul_tolerance_conf *tolerance,
                       struct cul_divergence *out) {
  size_t *partner;
  *out = (struct cul_divergence){0};
  partner = match(got, want, out);
  for (size_t i = 0; i < want->n && !out->inputs_agree; i++) {
    struct cul_trace_event *b = &want->events[i], *a;
    bool inputs;
    if (partner[i] == SIZE_MAX)
      continue;
    a = &got->events[partner[i]];
    if (agree(&a->outputs, &b->outputs, tolerance))
      continue;
    inputs = agree(&a->inputs, &b->inputs, tolerance);
    if (out->want && !inputs)
      continue;
    *out = (struct cul_divergence){.got = a,
                                   .want = b,
                                   .event = i,
                                   .inputs_agree = inputs,
                                   .only_got = out->only_got,
                                   .only_want = out->only_want};
  }
  free(partner);
}
