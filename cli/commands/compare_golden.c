/* Golden tensors against a trace: which step wrote each of them.
 *
 * A trace does not say which of its outputs a golden file is of: an output of
 * the file's name, where steps name their tensors, else any of its shape.  The
 * last output that equals the golden tensor is chosen; if none does, the one
 * with the fewest elements that are off, and the last of these.  An output of
 * another type, or of the name and another shape, comes last. */
#include <string.h>

#include "compare_kind.h"

/* An output of a trace. */
struct place {
  const struct cul_tensor *tensor; /* NULL: none has the name or shape */
  size_t step;
  uint64_t off; /* elements; UINT64_MAX: of another type or shape */
};

static bool is_alike(const struct cul_tensor *a, const struct cul_tensor *b) {
  return a->rank == b->rank &&
         memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

static bool has_name(const struct cul_trace *trace, const char *name) {
  for (size_t i = 0; i < trace->n; i++)
    if (cul_tensors_find(&trace->events[i].outputs, name))
      return true;
  return false;
}

static struct place find(const struct cul_trace *trace,
                         const struct cul_tensor *want,
                         const struct cul_tolerance_conf *conf) {
  bool named = *want->name && has_name(trace, want->name);
  struct place best = {0};
  for (size_t i = 0; i < trace->n; i++)
    for (size_t k = 0; k < trace->events[i].outputs.n; k++) {
      const struct cul_tensor *got = &trace->events[i].outputs.items[k];
      struct cul_tolerance tolerance = cul_tolerance_of(conf, got, want);
      struct cul_difference difference = {0};
      uint64_t off;
      if (named ? strcmp(got->name, want->name) != 0 : !is_alike(got, want))
        continue;
      cul_tensor_compare(got, want, &tolerance, &difference);
      off = difference.class == CUL_ERR_SHAPE ? UINT64_MAX : difference.n_fail;
      if (!best.tensor || off <= best.off)
        best = (struct place){got, i, off};
      cul_difference_release(&difference);
    }
  return best;
}

static void tell(const struct cul_trace *trace, const struct cul_tensor *want,
                 const struct place *place, struct cul_buf *out) {
  const char *name = *want->name ? want->name : "golden";
  if (!place->tensor) {
    cul_buf_addf(out, "%s: no step has an output of its shape\n", name);
    return;
  }
  cul_buf_addf(out,
               place->off ? "%s: no output equals it; nearest is " : "%s: is ",
               name);
  cul_buf_addf(out, "%s of ", place->tensor->name);
  cul_trace_tell(trace, place->step, out);
  cul_buf_addc(out, '\n');
}

static int place(const struct cul_trace *trace, const struct cul_tensors *want,
                 const struct cul_tolerance_conf *conf, struct cul_tensors *got,
                 struct cul_buf *steps, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0; i < want->n && rc == 0; i++) {
    struct place found = find(trace, &want->items[i], conf);
    const struct cul_tensor *from = found.tensor;
    struct cul_tensor *copy;
    tell(trace, &want->items[i], &found, steps);
    if (!from)
      continue;
    rc = cul_tensors_add(got, want->items[i].name, from->dtype, from->rank,
                         from->dims, &copy, err);
    if (rc == 0 && copy->n)
      memcpy(copy->data, from->data,
             copy->n * cul_dtype_info(from->dtype)->size);
  }
  return rc;
}

const struct cul_compare_golden cul_compare_golden = {.place = place};
