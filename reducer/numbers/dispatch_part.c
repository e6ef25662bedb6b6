/* A dispatch that is cut out: see dispatch_part.h. */
#include "dispatch_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "dispatch_text.h"
#include "dispatch_values.h"

void cul_dispatch_part_release(struct cul_dispatch_part *part) {
  cul_buf_release(&part->module);
  cul_tensors_release(&part->inputs);
  cul_tensors_release(&part->want);
  cul_tensors_release(&part->got);
  cul_tensors_release(&part->mended);
  free(part->fault);
  free(part->arguments);
}

/* ---- its values ---- */

static int copy_tensor(const struct cul_tensor *from, const char *name,
                       struct cul_tensors *to, struct cul_err *err) {
  struct cul_tensor *out;
  if (cul_tensors_add(to, name, from->dtype, from->rank, from->dims, &out,
                      err) < 0)
    return err->code;
  memcpy(out->data, from->data, from->n * cul_dtype_info(from->dtype)->size);
  return 0;
}

/* The number of an input of the reference with the values of the suspect's
 * input k: k itself if possible; SIZE_MAX: none has them. */
static size_t same_input(const struct cul_dispatch_sides *sides,
                         const struct cul_trace_event *got,
                         const struct cul_trace_event *want, size_t k) {
  const struct cul_tensor *input = &got->inputs.items[k];
  size_t found = SIZE_MAX;
  char what[200];
  for (size_t i = 0; i < want->inputs.n && found != k; i++)
    if ((found == SIZE_MAX || i == k) && input->n == want->inputs.items[i].n &&
        !cul_dispatch_differ(sides->job, input, &want->inputs.items[i], what,
                             sizeof what))
      found = i;
  return found;
}

/* Are these the values that the trace printed?  If not, they are those of
 * another dispatch of the same name, as in a loop. */
static bool is_printed(const struct cul_trace_event *event,
                       const struct cul_tensors *exact) {
  size_t n = event->inputs.n;
  bool same = exact->n == n + event->outputs.n;
  char what[200];
  for (size_t i = 0; i < exact->n && same; i++) {
    const struct cul_tensor *printed =
        i < n ? &event->inputs.items[i] : &event->outputs.items[i - n];
    same = exact->items[i].n == printed->n &&
           !cul_dispatch_differ(NULL, &exact->items[i], printed, what,
                                sizeof what);
  }
  return same;
}

/* Compute the values of the reference's dispatch, bit for bit: the *n that it
 * reads, then those that it writes. */
static int look_at_reference(struct cul_dispatch_sides *sides, size_t step,
                             struct cul_tensors *out, size_t *n,
                             struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->reference;
  CUL_OWNED(cul_buf) module = {0};
  CUL_OWNED(cul_dispatch_site) site = {0};
  if (cul_dispatch_flow(sides->job, side, err) < 0 ||
      cul_dispatch_site_find(&side->flow, side->trace.events[step].name,
                             cul_dispatch_nth(&side->trace, step), &site,
                             err) < 0 ||
      cul_dispatch_text_look(&side->flow, &site, NULL, &module, n, err) < 0)
    return err->code;
  return cul_dispatch_call(
      sides->job,
      &(struct cul_dispatch_request){side, "--compile-from=flow", &module, NULL,
                                     *n + site.results.n},
      out, err);
}

/* Set part->inputs to the reference's values in the suspect's order and shapes.
 * exact: the values of the reference's dispatch; NULL: take those of its
 * trace. */
static int take_inputs(struct cul_dispatch_sides *sides,
                       struct cul_dispatch_part *part,
                       const struct cul_tensors *exact, struct cul_err *err) {
  const struct cul_step *step = &sides->pairs.steps[part->step];
  const struct cul_trace_event *got = &sides->suspect.trace.events[part->step];
  const struct cul_trace_event *want =
      &sides->reference.trace.events[step->want];
  int rc = 0;
  for (size_t i = 0; i < got->inputs.n && rc == 0; i++) {
    const struct cul_tensor *own = &got->inputs.items[i], *from;
    size_t k = same_input(sides, got, want, i);
    char name[24];
    if (k == SIZE_MAX)
      return cul_fail(err, CUL_EUSAGE, "",
                      "its input %zu is none of the reference's", i);
    from = exact ? &exact->items[k] : &want->inputs.items[k];
    if (from->dtype != own->dtype) {
      /* printed integers are exact */
      part->exact =
          part->exact && cul_dtype_info(own->dtype)->kind == CUL_IS_INT;
      from = own;
    }
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(from, name, &part->inputs, err);
    if (rc == 0)
      cul_dispatch_reshape(&part->inputs.items[i], own);
  }
  return rc;
}

/* Set part->inputs and part->want to the values of the reference's dispatch:
 * exact ones or, if they cannot be computed, those of the trace. */
static int take_values(struct cul_dispatch_sides *sides,
                       struct cul_dispatch_part *part, struct cul_err *err) {
  const struct cul_step *step = &sides->pairs.steps[part->step];
  const struct cul_trace_event *got = &sides->suspect.trace.events[part->step];
  const struct cul_trace_event *want =
      &sides->reference.trace.events[step->want];
  CUL_OWNED(cul_tensors) exact = {0};
  size_t n = 0;
  bool good;
  int rc = look_at_reference(sides, step->want, &exact, &n, err);
  good = rc == 0 && n == want->inputs.n && is_printed(want, &exact);
  part->exact = good;
  if (rc == CUL_EUSAGE) {
    *err = (struct cul_err){0};
    rc = 0;
  }
  if (rc == 0)
    rc = take_inputs(sides, part, good ? &exact : NULL, err);
  for (size_t i = 0; i < want->outputs.n && rc == 0; i++) {
    char name[24];
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(good ? &exact.items[n + i] : &want->outputs.items[i], name,
                     &part->want, err);
    if (rc == 0 && i < got->outputs.n)
      cul_dispatch_reshape(&part->want.items[i], &got->outputs.items[i]);
  }
  return rc;
}

/* Set part->inputs to the inputs in the suspect's trace. */
static int take_own_inputs(struct cul_dispatch_sides *sides,
                           struct cul_dispatch_part *part,
                           struct cul_err *err) {
  const struct cul_trace_event *got = &sides->suspect.trace.events[part->step];
  int rc = 0;
  for (size_t i = 0; i < got->inputs.n && rc == 0; i++) {
    char name[24];
    snprintf(name, sizeof name, "%03zu", i);
    rc = copy_tensor(&got->inputs.items[i], name, &part->inputs, err);
  }
  return rc;
}

/* ---- the dispatch alone ---- */

/* Write the tensors to a directory, and remove those that an earlier candidate
 * left there. */
static int put_tensors(struct cul_divergence_job *job, const char *name,
                       const struct cul_tensors *tensors, struct cul_err *err) {
  CUL_HEAP char *dir = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = cul_held_ready(&job->out, dir, 0777, err);
  for (size_t i = 0; i < tensors->n && rc == 0; i++) {
    char *path = cul_xasprintf("%s/%03zu.npy", dir, i);
    CUL_OWNED(cul_buf) npy = {0};
    cul_tensor_write_npy(&tensors->items[i], &npy);
    rc = cul_held_replace(&job->out, path, cul_buf_bytes(&npy), 0666, err);
    free(path);
  }
  for (size_t i = tensors->n, left = rc == 0; left; i++) {
    char *path = cul_xasprintf("%s/%03zu.npy", dir, i);
    left = cul_held_unlink(&job->out, path);
    free(path);
  }
  return rc;
}

/* The inputs as words of iree-run-module; dir: as the shell sees it. */
static char *arguments_of(const struct cul_dispatch_part *part,
                          const char *dir) {
  struct cul_buf out = {0};
  for (size_t i = 0; i < part->inputs.n; i++)
    cul_buf_addf(&out, " --input=@\"%s/inputs/%03zu.npy\"", dir, i);
  return cul_buf_take(&out);
}

/* Run the dispatch on its inputs with the reference's tools and target. */
static int call_reference(struct cul_dispatch_sides *sides,
                          const struct cul_dispatch_part *part,
                          struct cul_tensors *out, struct cul_err *err) {
  CUL_OWNED(cul_buf) module = {0};
  cul_dispatch_text_retarget(&part->module, &sides->reference.flow, &module);
  return cul_dispatch_call(
      sides->job,
      &(struct cul_dispatch_request){&sides->reference, "--compile-from=flow",
                                     &module, part->arguments, part->got.n},
      out, err);
}

/* Run the dispatch that is wrong by itself with the reference's tools, too.  If
 * they compute the same values, the two dispatches of the pair may only divide
 * the work differently.  If they refuse the text, which another version may
 * have printed, nothing is known. */
static int ask_reference(struct cul_dispatch_sides *sides,
                         struct cul_dispatch_part *part, struct cul_err *err) {
  char what[200];
  int rc = call_reference(sides, part, &part->mended, err);
  part->agreed = rc == 0;
  for (size_t i = 0; i < part->mended.n && part->agreed; i++)
    part->agreed =
        !cul_dispatch_differ(sides->job, &part->got.items[i],
                             &part->mended.items[i], what, sizeof what);
  if (rc != CUL_EUSAGE)
    return rc;
  *err = (struct cul_err){0};
  return 0;
}

/* Take the numbers that a dispatch inside control flow reads from its trace, by
 * their places among its operands; false: it does not have them all. */
static bool take_traced(const struct cul_dispatch_site *site,
                        const struct cul_trace_event *event,
                        struct cul_dispatch_scalars *out, struct cul_err *err) {
  bool all = event->scalars.n > 0;
  for (size_t i = 0; i < out->names.n && all; i++) {
    const struct cul_tensor *value = NULL;
    size_t place = 0;
    for (size_t k = 0; k < site->operands.n && !value; k++) {
      if (cul_mlir_starts(site->types.items[k], "tensor<"))
        continue;
      if (strcmp(site->operands.items[k], out->names.items[i]) == 0 &&
          place < event->scalars.n)
        value = &event->scalars.items[place];
      place++;
    }
    /* other numbers are printed with six digits */
    all = value && cul_dtype_info(value->dtype)->kind == CUL_IS_INT &&
          copy_tensor(value, out->names.items[i], &out->values, err) == 0;
  }
  return all;
}

/* Make the module with the dispatch alone.  If it reads numbers that the
 * suspect's host computes, the suspect's module is run to return them. */
static int make_alone(struct cul_dispatch_sides *sides,
                      const struct cul_trace_event *event,
                      const struct cul_dispatch_site *site, struct cul_buf *out,
                      struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->suspect;
  struct cul_dispatch_scalars scalars = {0};
  CUL_OWNED(cul_buf) look = {0};
  size_t n;
  int rc =
      cul_dispatch_text_alone(&side->flow, site, event, &scalars, out, err);
  if (rc == CUL_EUSAGE && scalars.names.n) {
    bool traced = take_traced(site, event, &scalars, err);
    *err = (struct cul_err){0};
    cul_buf_release(out);
    if (!traced)
      cul_tensors_release(&scalars.values);
    rc = traced ? 0
                : cul_dispatch_text_look(&side->flow, site, &scalars, &look, &n,
                                         err);
    if (rc == 0 && !traced)
      rc = cul_dispatch_call(sides->job,
                             &(struct cul_dispatch_request){
                                 side, "--compile-from=flow", &look, NULL, n},
                             &scalars.values, err);
    if (rc == 0)
      rc =
          cul_dispatch_text_alone(&side->flow, site, event, &scalars, out, err);
  }
  cul_mlir_words_release(&scalars.names);
  cul_mlir_words_release(&scalars.types);
  cul_tensors_release(&scalars.values);
  return rc;
}

/* Cut the dispatch out and run it alone on the reference's values. */
static int cut(struct cul_dispatch_sides *sides, struct cul_dispatch_part *part,
               struct cul_err *err) {
  struct cul_dispatch_side *side = &sides->suspect;
  const struct cul_trace_event *event = &side->trace.events[part->step];
  CUL_OWNED(cul_dispatch_site) site = {0};
  CUL_HEAP char *dir = NULL;
  if (cul_dispatch_flow(sides->job, side, err) < 0 ||
      cul_dispatch_site_find(&side->flow, event->name,
                             cul_dispatch_nth(&side->trace, part->step), &site,
                             err) < 0 ||
      make_alone(sides, event, &site, &part->module, err) < 0 ||
      (part->own ? take_own_inputs(sides, part, err)
                 : take_values(sides, part, err)) < 0 ||
      put_tensors(sides->job, "inputs", &part->inputs, err) < 0)
    return err->code;
  dir = realpath(sides->job->conf->out, NULL);
  part->arguments = arguments_of(part, dir ? dir : sides->job->conf->out);
  if (cul_dispatch_call(sides->job,
                        &(struct cul_dispatch_request){
                            side, "--compile-from=flow", &part->module,
                            part->arguments, site.results.n},
                        &part->got, err) < 0 ||
      (part->own && call_reference(sides, part, &part->want, err) < 0))
    return err->code;
  for (size_t i = 0; i < part->got.n && i < part->want.n && !part->alone; i++)
    part->alone = cul_dispatch_differ(sides->job, &part->got.items[i],
                                      &part->want.items[i], part->what,
                                      sizeof part->what);
  return part->alone && !part->own ? ask_reference(sides, part, err) : 0;
}

/* ---- the one that is wrong ---- */

/* The most candidates that are cut out and run alone. */
enum { MOST_CUTS = 4 };

static bool reads(const struct cul_trace_event *event,
                  const struct cul_tensors *values) {
  bool found = false;
  for (size_t i = 0; i < event->inputs.n && !found; i++)
    for (size_t k = 0; k < values->n && !found; k++) {
      const struct cul_tensor *a = &event->inputs.items[i];
      const struct cul_tensor *b = &values->items[k];
      found =
          a->dtype == b->dtype && a->n == b->n &&
          memcmp(a->data, b->data, a->n * cul_dtype_info(a->dtype)->size) == 0;
    }
  return found;
}

/* Replace the part by the first dispatch that reads its results and that the
 * reference's tools compute differently from the same inputs.  Such a dispatch
 * could not be paired if the part only divides the work differently: its inputs
 * are no values of the reference. */
static int find_reader(struct cul_dispatch_sides *sides,
                       struct cul_dispatch_part *part, struct cul_err *err) {
  const struct cul_trace *trace = &sides->suspect.trace;
  unsigned tries = 0;
  for (size_t i = part->step + 1; i < trace->n && tries < MOST_CUTS; i++) {
    struct cul_dispatch_part reader = {.step = i, .own = true};
    int rc;
    if (sides->pairs.steps[i].state == CUL_STEP_SAME ||
        !reads(&trace->events[i], &trace->events[part->step].outputs))
      continue;
    tries++;
    rc = cul_dispatch_excuse(cut(sides, &reader, err), &reader.fault, err);
    if (rc < 0 || reader.alone) {
      sides->pairs.steps[part->step].state = CUL_STEP_SAME;
      sides->pairs.steps[i].state = CUL_STEP_WRONG;
      cul_dispatch_part_release(part);
      *part = reader;
      return rc;
    }
    cul_dispatch_part_release(&reader);
  }
  return tries ? put_tensors(sides->job, "inputs", &part->inputs, err) : 0;
}

/* The sum of the differences of all elements, relative to the sum of want's. */
static double share_off(const struct cul_tensor *got,
                        const struct cul_tensor *want) {
  unsigned parts = cul_tensor_parts(want);
  cul_number off = 0, all = 0;
  for (uint64_t i = 0; i < want->n * parts; i++) {
    cul_number a = cul_tensor_get(got, i / parts, i % parts);
    cul_number b = cul_tensor_get(want, i / parts, i % parts);
    bool same = a == b || (isnan(a) && isnan(b));
    if (!same)
      off += isfinite(a) && isfinite(b) ? fabsl(a - b) : (cul_number)INFINITY;
    all += isfinite(b) ? fabsl(b) : 0;
  }
  return off > 0 ? (double)(off / all) : 0;
}

/* The error of got: the sum of the differences of a tensor's elements, relative
 * to the sum of want's; the largest of all tensors, and no less than rounding
 * explains.  It stays about the same where quantization rightly rounds a few
 * elements, whose inputs differ a little, to another step.  NAN: the numbers of
 * tensors or elements differ. */
static double error_of(const struct cul_tensors *got,
                       const struct cul_tensors *want) {
  double most = 0;
  bool fits = got->n == want->n;
  for (size_t i = 0; i < got->n && fits; i++) {
    const struct cul_tensor *a = &got->items[i], *b = &want->items[i];
    fits = a->n == b->n && cul_tensor_parts(a) == cul_tensor_parts(b);
    if (fits)
      most = fmax(most,
                  fmax(share_off(a, b), cul_trace_slack(a->dtype, b->dtype)));
  }
  return fits ? most : NAN;
}

/* A dispatch whose outputs are off far more than its inputs. */
struct suspicion {
  size_t step;
  double inputs, growth; /* the error of its inputs; of its outputs by that */
};

/* The least growth.  Most dispatches keep an error as it is, and some, such as
 * differences of near numbers, increase it rightly. */
enum { LEAST_GROWTH = 8 };

static int by_growth(const void *left, const void *right) {
  const struct suspicion *a = left, *b = right;
  if (a->growth != b->growth)
    return a->growth > b->growth ? -1 : 1;
  return (a->step > b->step) - (a->step < b->step);
}

/* List the dispatches that were not tried and whose outputs are off far more
 * than their inputs, the worst first; heap. */
static struct suspicion *list_suspicions(const struct cul_dispatch_sides *sides,
                                         const bool *tried, size_t *n) {
  const struct cul_trace *trace = &sides->suspect.trace;
  struct suspicion *out = cul_xcalloc(trace->n + 1, sizeof *out);
  *n = 0;
  for (size_t i = 0; i < trace->n; i++) {
    const struct cul_step *step = &sides->pairs.steps[i];
    const struct cul_trace_event *got = &trace->events[i], *want;
    struct suspicion one = {.step = i};
    if (tried[i] || step->state == CUL_STEP_SAME || step->want == SIZE_MAX)
      continue;
    want = &sides->reference.trace.events[step->want];
    /* inputs that agree may be in another order */
    one.inputs = step->state == CUL_STEP_WRONG
                     ? error_of(&got->inputs, &got->inputs)
                     : error_of(&got->inputs, &want->inputs);
    one.growth = error_of(&got->outputs, &want->outputs) / one.inputs;
    if (one.growth >= LEAST_GROWTH)
      out[(*n)++] = one;
  }
  qsort(out, *n, sizeof *out, by_growth);
  return out;
}

/* Find a dispatch that the reference's tools compute differently from its own
 * inputs, among those whose outputs are off far more than their inputs:
 * rounding that accumulates makes the inputs of a wrong dispatch differ, too,
 * and then it is not marked.  Its error alone must be that much larger, because
 * rounding inside a dispatch may rightly change some elements by a step. */
static int find_late(struct cul_dispatch_sides *sides, const bool *tried,
                     struct cul_dispatch_part *out, struct cul_err *err) {
  size_t n;
  struct suspicion *list = list_suspicions(sides, tried, &n);
  int rc = 0;
  for (size_t i = 0; i < n && i < MOST_CUTS && rc == 0 && !out->late; i++) {
    cul_dispatch_part_release(out);
    *out = (struct cul_dispatch_part){.step = list[i].step, .own = true};
    rc = cul_dispatch_excuse(cut(sides, out, err), &out->fault, err);
    out->late =
        rc == 0 && out->alone &&
        error_of(&out->got, &out->want) >= LEAST_GROWTH * list[i].inputs;
  }
  free(list);
  return rc;
}

/* Cut out the marked dispatches until one is wrong alone and computed
 * differently by the reference's tools: out.  wrong: the first that is wrong
 * alone; SIZE_MAX: none.  tried, right: for each dispatch, was it cut out, and
 * was it then right? */
static int try_marked(struct cul_dispatch_sides *sides, bool *tried,
                      bool *right, size_t *wrong, struct cul_dispatch_part *out,
                      struct cul_err *err) {
  unsigned tries = 0;
  int rc = 0;
  for (size_t i = sides->pairs.first; i < sides->pairs.n && tries < MOST_CUTS;
       i++) {
    const struct cul_step *step = &sides->pairs.steps[i];
    if (step->state != CUL_STEP_WRONG || step->want == SIZE_MAX)
      continue;
    tries++;
    tried[i] = true;
    cul_dispatch_part_release(out);
    *out = (struct cul_dispatch_part){.step = i};
    rc = cul_dispatch_excuse(cut(sides, out, err), &out->fault, err);
    right[i] = rc == 0 && !out->fault && !out->alone;
    if (rc == 0 && out->alone && *wrong == SIZE_MAX)
      *wrong = i;
    if (rc < 0 || (out->alone && !out->agreed))
      break;
  }
  return rc;
}

/* Cut out this divergent dispatch. */
static int take(struct cul_dispatch_sides *sides, size_t step,
                struct cul_dispatch_part *out, struct cul_err *err) {
  cul_dispatch_part_release(out);
  *out = (struct cul_dispatch_part){.step = step};
  if (sides->pairs.steps[step].want != SIZE_MAX)
    return cul_dispatch_excuse(cut(sides, out, err), &out->fault, err);
  out->fault = cul_xstrdup("no dispatch of the reference has these inputs: it "
                           "divides its work differently");
  return 0;
}

int cul_dispatch_part_find(struct cul_dispatch_sides *sides,
                           struct cul_dispatch_part *out, struct cul_err *err) {
  size_t n = sides->pairs.n, wrong = SIZE_MAX;
  bool *tried = cul_xcalloc(n + 1, sizeof *tried);
  bool *right = cul_xcalloc(n + 1, sizeof *right);
  int rc = try_marked(sides, tried, right, &wrong, out, err);
  bool found = out->alone && !out->agreed;
  if (rc == 0 && wrong == SIZE_MAX) {
    rc = find_late(sides, tried, out, err);
    found = out->late;
  }
  for (size_t i = 0; i < n && out->late; i++)
    if (right[i])
      sides->pairs.steps[i].state = CUL_STEP_LATER;
  if (out->late)
    sides->pairs.steps[out->step].state = CUL_STEP_WRONG;
  wrong = wrong == SIZE_MAX ? sides->pairs.first : wrong;
  if (rc == 0 && !found && (out->own || out->step != wrong || !tried[wrong]))
    rc = take(sides, wrong, out, err);
  if (rc == 0 && !found && out->agreed)
    rc = find_reader(sides, out, err);
  free(tried);
  free(right);
  return rc;
}

/* ---- files ---- */

/* Write the executable's source as iree-compile dumps it. */
static int put_source(struct cul_dispatch_sides *sides,
                      const struct cul_dispatch_part *part,
                      struct cul_err *err) {
  const char *name = sides->suspect.trace.events[part->step].name;
  struct cul_bytes subject = sides->job->target->subject.text.bytes;
  CUL_OWNED(cul_buf) script = {0}, text = {0}, out = {0};
  CUL_OWNED(cul_record) record = {0};
  CUL_HEAP char *executable = cul_dispatch_executable(name);
  int rc;
  cul_buf_add(&text, subject.data, subject.len);
  cul_buf_adds(&script, "mkdir -p \"$TMPDIR/sources\" && ");
  cul_dispatch_add_compile(&sides->suspect, &script);
  cul_buf_adds(&script, " --compile-to=executable-sources "
                        "--iree-hal-dump-executable-sources-to="
                        "\"$TMPDIR/sources\" \"$1\" -o /dev/null && "
                        "cat \"$TMPDIR/sources/\"*");
  cul_shell_quote(executable, &script);
  cul_buf_adds(&script, ".mlir");
  rc = cul_dispatch_script(sides->job, &sides->suspect, &script, &text, &record,
                           err);
  if (rc == 0) {
    cul_buf_add(&out, record.out.data, record.out.len);
    rc = cul_divergence_put(sides->job, "source.mlir", &out, 0666, err);
  }
  return rc == CUL_EUSAGE ? (*err = (struct cul_err){0}, 0) : rc;
}

static void add_repro(const struct cul_dispatch_sides *sides,
                      const struct cul_dispatch_part *part,
                      struct cul_buf *out) {
  CUL_HEAP char *arguments = arguments_of(part, "$here");
  cul_buf_adds(out, "#!/bin/bash\n# Exits with 0 if the dispatch, run on "
                    "inputs/, does not return the\n# reference's values, "
                    "want/; with 1 if it does; with 2 if it fails.\n# ");
  cul_shell_comment(sides->job->target->original.verdict.sig.title, out);
  cul_buf_adds(out, "\nhere=$(cd \"$(dirname \"$0\")\" && pwd)\n"
                    "work=$(mktemp -d) || exit 2\n"
                    "trap 'rm -rf \"$work\"' EXIT\n");
  cul_dispatch_add_compile(&sides->suspect, out);
  cul_buf_adds(out, " --compile-from=flow \"$here/repro.mlir\" -o "
                    "\"$work/part.vmfb\" && ");
  cul_dispatch_add_run(&sides->suspect, false, out);
  cul_buf_addf(out, " --module=\"$work/part.vmfb\" --function=main%s",
               arguments);
  for (size_t i = 0; i < part->want.n; i++)
    cul_buf_addf(out, " --expected_output=@\"$here/want/%03zu.npy\"", i);
  cul_buf_adds(out, " | tee \"$work/said\" | head -c 2000\n"
                    "grep -q '\\[FAILED\\]' \"$work/said\" && exit 0\n"
                    "grep -q '\\[SUCCESS\\]' \"$work/said\" && exit 1\n"
                    "exit 2\n");
}

int cul_dispatch_part_write(struct cul_dispatch_sides *sides,
                            const struct cul_dispatch_part *part, bool *shows,
                            struct cul_err *err) {
  struct cul_divergence_job *job = sides->job;
  CUL_HEAP char *dir = realpath(job->conf->out, NULL);
  CUL_HEAP char *path =
      cul_xasprintf("%s/repro.sh", dir ? dir : job->conf->out);
  const char *argv[] = {"bash", path, NULL};
  struct cul_command command = *cul_dispatch_command(job, CUL_ROLE_SUSPECT);
  CUL_OWNED(cul_record) record = {0};
  CUL_OWNED(cul_buf) script = {0};
  *shows = false;
  add_repro(sides, part, &script);
  command.argv = argv;
  if (cul_divergence_put(job, "repro.mlir", &part->module, 0666, err) < 0 ||
      cul_divergence_put(job, "repro.sh", &script, 0777, err) < 0 ||
      put_tensors(job, "want", &part->want, err) < 0 ||
      put_tensors(job, "got", &part->got, err) < 0 ||
      put_source(sides, part, err) < 0 ||
      cul_dispatch_run(job, &command, &part->module, CUL_ROLE_SUSPECT, &record,
                       err) < 0)
    return err->code;
  *shows = record.end == CUL_EXITED && record.status == 0;
  return 0;
}
