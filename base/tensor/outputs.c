/* Comparison of all outputs of two runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

/* The tensor of that name; a single tensor matches any name. */
static const struct cul_tensor *beside(const struct cul_tensors *known,
                                       const char *name) {
  if (!known)
    return NULL;
  return known->n == 1 ? &known->items[0] : cul_tensors_find(known, name);
}

static void add(struct cul_outputs *out, const struct cul_tensor *got,
                const struct cul_tensor *want,
                const struct cul_tolerance_conf *conf) {
  struct cul_output *output = &out->items[out->n++];
  struct cul_difference *d = &output->difference;
  const struct cul_tensor *any = want ? want : got;
  *output = (struct cul_output){.name = any->name, .got = got, .want = want};
  output->tolerance = cul_tolerance_of(conf, got ? got : any, any);
  if (conf->rounding && conf->noise && want)
    output->tolerance.noise = cul_tensors_find(conf->noise, want->name);
  if (want)
    output->tolerance.ignore = beside(conf->ignore, want->name);
  if (got && want) {
    cul_tensor_compare(got, want, &output->tolerance, d);
  } else {
    d->class = CUL_ERR_SHAPE;
    d->n = any->n;
    d->n_fail = d->n_differ = d->n ? d->n : 1; /* count the missing tensor */
    d->severity = (double)__builtin_inf();
    snprintf(d->why, sizeof d->why, "%s",
             got ? "no wanted output has that name" : "it is missing");
  }
  if (d->class == CUL_ERR_NONE)
    return;
  if (out->n_fail++ == 0 || d->class == CUL_ERR_SHAPE)
    out->class = d->class;
  if (!(d->severity <= out->severity))
    out->severity = d->severity;
}

void cul_tensors_compare(const struct cul_tensors *got,
                         const struct cul_tensors *want,
                         const struct cul_tolerance_conf *tolerance,
                         struct cul_outputs *out) {
  bool single = got->n == 1 && want->n == 1;
  *out = (struct cul_outputs){
      .items = cul_xcalloc(got->n + want->n, sizeof *out->items)};
  if (single) {
    add(out, &got->items[0], &want->items[0], tolerance);
    return;
  }
  for (size_t i = 0; i < want->n; i++)
    add(out, cul_tensors_find(got, want->items[i].name), &want->items[i],
        tolerance);
  for (size_t i = 0; i < got->n; i++)
    if (!cul_tensors_find(want, got->items[i].name))
      add(out, &got->items[i], NULL, tolerance);
}

void cul_outputs_release(struct cul_outputs *outputs) {
  for (size_t i = 0; i < outputs->n; i++)
    cul_difference_release(&outputs->items[i].difference);
  free(outputs->items);
  *outputs = (struct cul_outputs){0};
}
