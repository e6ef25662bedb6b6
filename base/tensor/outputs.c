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
  if (output->tolerance.steep > 0 && conf->bounds && want)
    output->tolerance.bound = cul_tensors_find(conf->bounds, want->name);
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
  if (!(d->graded <= out->graded))
    out->graded = d->graded;
}

/* ---- outputs that equal another output ---- */

/* Are all its numbers equal?  Such a tensor may equal another one by chance. */
static bool is_plain(const struct cul_tensor *tensor) {
  size_t size = cul_dtype_info(tensor->dtype)->size;
  for (uint64_t i = 1; i < tensor->n; i++)
    if (memcmp(tensor->data, tensor->data + i * size, size) != 0)
      return false;
  return true;
}

/* Does `got` equal the wanted value of `output`?  The relative tolerance is at
 * most 2 %: within a wider one, different outputs would be equal. */
static bool equals_wanted(const struct cul_tensor *got,
                          const struct cul_output *output) {
  const double most = 0.02;
  struct cul_tolerance tolerance = output->tolerance;
  if (tolerance.rtol > most)
    tolerance.rtol = most;
  if (!got || !output->want || got->n != output->want->n || got->n == 0)
    return false;
  return cul_tensor_agrees(got, output->want, &tolerance);
}

static void add_name(const struct cul_outputs *outputs,
                     const struct cul_output *output, struct cul_buf *out) {
  if (*output->name)
    cul_buf_addf(out, "%.60s", output->name);
  else
    cul_buf_addf(out, "output %zu", (size_t)(output - outputs->items));
}

void cul_outputs_place(const struct cul_outputs *outputs,
                       const struct cul_output *output, struct cul_buf *out) {
  enum { MOST = 256 };
  const struct cul_output *other = NULL;
  bool swapped = false;
  if (!output->got || !output->want || !output->difference.n_fail ||
      outputs->n > MOST)
    return;
  for (size_t i = 0; i < outputs->n && !swapped; i++) {
    const struct cul_output *at = &outputs->items[i];
    if (at == output || !equals_wanted(output->got, at))
      continue;
    swapped = equals_wanted(at->got, output);
    if (swapped || (!other && !is_plain(at->want)))
      other = at;
  }
  if (!other)
    return;
  if (swapped && other < output) { /* the sentence would be the same for both */
    const struct cul_output *first = other;
    other = output;
    output = first;
  }
  add_name(outputs, output, out);
  cul_buf_adds(out, swapped ? " and " : " is ");
  add_name(outputs, other, out);
  cul_buf_adds(out, swapped ? " are swapped" : " of the reference");
}

/* If an output has the wrong shape, explain if that is the shape of another
 * output. */
static void explain_shapes(struct cul_outputs *outputs) {
  for (size_t i = 0; i < outputs->n; i++) {
    struct cul_difference *d = &outputs->items[i].difference;
    struct cul_buf place = {0};
    size_t len = strlen(d->why);
    if (d->class == CUL_ERR_SHAPE)
      cul_outputs_place(outputs, &outputs->items[i], &place);
    if (place.len)
      snprintf(d->why + len, sizeof d->why - len, ": %s", cul_buf_str(&place));
    cul_buf_release(&place);
  }
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
  explain_shapes(out);
}

void cul_outputs_release(struct cul_outputs *outputs) {
  for (size_t i = 0; i < outputs->n; i++)
    cul_difference_release(&outputs->items[i].difference);
  free(outputs->items);
  *outputs = (struct cul_outputs){0};
}
