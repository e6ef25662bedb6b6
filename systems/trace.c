/* Load a trace with the first reader that accepts it: see trace.h. */
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

int cul_trace_load(const char *path, const struct cul_patience *patience,
                   struct cul_trace *out, bool *found, struct cul_err *err) {
  int rc = 0;
  *out = (struct cul_trace){0};
  *found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(readers) && !*found && rc == 0; i++)
    rc = readers[i]->read(path, patience, out, found, err);
  return rc;
}

static void event_release(struct cul_trace_event *event) {
  for (size_t k = 0; event->borrows && k < event->inputs.n; k++)
    if (event->borrows[k])
      event->inputs.items[k].data = NULL;
  free(event->borrows);
  free(event->name);
  free(event->what);
  cul_tensors_release(&event->inputs);
  cul_tensors_release(&event->outputs);
  cul_tensors_release(&event->scalars);
}

void cul_trace_release(struct cul_trace *trace) {
  for (size_t i = 0; i < trace->n; i++)
    event_release(&trace->events[i]);
  free(trace->events);
  free(trace->ended);
  free(trace->at);
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

void cul_trace_tell(const struct cul_trace *trace, size_t step,
                    struct cul_buf *out) {
  const struct cul_trace_event *event = &trace->events[step];
  cul_buf_addf(out, "step %zu of %zu, %s", step + 1, trace->n, event->name);
  if (event->what)
    cul_buf_addf(out, " (%s)", event->what);
}

/* Read a name as a number; false: it is none. */
static bool as_number(const char *name, uint64_t *out) {
  char *end;
  *out = strtoull(name, &end, 0);
  return *name >= '0' && *name <= '9' && *end == '\0';
}

size_t cul_trace_find(const struct cul_trace *trace, const char *name) {
  uint64_t number, other;
  bool known = as_number(name, &number);
  for (size_t i = 0; i < trace->n; i++)
    if (strcmp(trace->events[i].name, name) == 0 ||
        (known && as_number(trace->events[i].name, &other) && other == number))
      return i;
  return SIZE_MAX;
}
