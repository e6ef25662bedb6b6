/* culprit compare: compares tensors, and describes how they differ; profiles,
 * see compare_profile.c; dependencies of tasks, see compare_deps.c; values of
 * passes, see compare_passes.c. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/tensor/compare.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "../../systems/trace.h"
#include "../command.h"
#include "../options.h"
#include "compare_kind.h"
#include "compare_page.h"

struct options {
  const char *type, *json, *heatmap, *html;
  struct cul_tolerance_conf tolerance;
  struct cul_strings again;
  struct cul_compare_profile_conf profile;
};

#define FIELD(name) offsetof(struct options, name)

static const struct cul_opt opts[] = {
    {.name = "tolerance",
     .group = "Tolerance",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(tolerance),
     .table = cul_tolerance_opts},
    {.name = "type",
     .group = "Input",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(type),
     .value = "TYPE",
     .help = "the type, for files that do not contain it: 2x3xf32 for raw "
             "bytes, bf16 for npy, f32 for a memref print"},
    {.name = "again",
     .group = "Input",
     .main = true,
     .type = CUL_OPT_LIST,
     .offset = FIELD(again),
     .value = "GOT",
     .help = "another run of GOT: elements that differ from run to run are "
             "counted; may be given more than once"},
    {.name = "metric",
     .group = "Profiles",
     .main = true,
     .words = "time bytes count",
     .type = CUL_OPT_STRING,
     .offset = FIELD(profile.metric),
     .value = "NAME",
     .help = "for profiles: compare this metric: time, bytes, count, or "
             "another one by its name in the file"},
    {.name = "threshold",
     .group = "Profiles",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(profile.threshold),
     .value = "SHARE",
     .help = "for profiles: the change that a call path may have: a share of "
             "its value (default 5%), or an amount (10us, 4KiB, 0)"},
    {.name = "under",
     .group = "Profiles",
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(profile.under),
     .value = "PATH",
     .help = "for profiles: only call paths with these frames (outer;inner), "
             "and paths below them"},
    {.name = "json",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(json),
     .writes = true,
     .value = "FILE",
     .help = "write the findings as JSON; - is standard output"},
    {.name = "heatmap",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(heatmap),
     .writes = true,
     .value = "FILE",
     .help = "write an image of the first output that differs: .png or .svg"},
    {.name = "html",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(html),
     .writes = true,
     .value = "FILE",
     .help = "write a page for a browser that shows the differences, their "
             "size and place; - is standard output"},
    {.name = NULL}};

enum { MOST_RUNS = 64 };

struct job {
  const struct options *options;
  const struct cul_command_line *line;
  struct cul_tensors got, want, runs[MOST_RUNS];
  struct cul_outputs outputs;
  struct cul_buf steps; /* of traces: text about the steps */
  /* of traces: one run has steps that the other lacks, or ended early */
  bool steps_differ;
  char *first_pass; /* heap; in which a value differs; or NULL */
  FILE *out;
};

static const struct cul_tensor *same_output(const struct cul_tensors *tensors,
                                            const struct cul_tensor *tensor) {
  return tensors->n == 1 ? &tensors->items[0]
                         : cul_tensors_find(tensors, tensor->name);
}

/* The number of elements that differ between runs of GOT. */
static uint64_t unsteady(const struct job *job,
                         const struct cul_output *output) {
  const struct cul_tensor *all[MOST_RUNS + 1] = {output->got};
  size_t n = 1;
  for (size_t i = 0; i < job->options->again.n && output->got; i++) {
    const struct cul_tensor *run = same_output(&job->runs[i], output->got);
    if (!run)
      return output->got->n;
    all[n++] = run;
  }
  return n > 1 ? cul_tensor_unsteady(all, n) : 0;
}

static void print_place(const struct job *job, const char *label,
                        const struct cul_output *output, uint64_t i) {
  struct cul_buf text = {0};
  cul_tensor_add_index(output->want, i, &text);
  cul_buf_adds(&text, ": ");
  cul_tensor_add_pair(output->got, output->want, i, &text);
  cul_say(job->out, "  %-9s %s\n", label, cul_buf_str(&text));
  cul_buf_release(&text);
}

static void print_figures(const struct job *job,
                          const struct cul_output *output) {
  const struct cul_difference *d = &output->difference;
  struct cul_buf pattern = {0}, place = {0};
  print_place(job, "first:", output, d->first);
  print_place(job, "largest:", output, d->worst);
  if (d->max_abs > 0) { /* else no two finite numbers are apart */
    cul_say(job->out, "  apart:    %.6Lg at most, relative %.6Lg", d->max_abs,
            d->max_rel);
    if (d->has_ulps)
      cul_say(job->out, ", %llu ULP", (unsigned long long)d->max_ulps);
    cul_say(job->out, "\n");
  }
  cul_tensor_pattern(output->got, output->want, d, &pattern);
  if (pattern.len)
    cul_say(job->out, "  pattern:  %s\n", cul_buf_str(&pattern));
  cul_outputs_place(&job->outputs, output, &place);
  if (place.len)
    cul_say(job->out, "  place:    %s\n", cul_buf_str(&place));
  cul_buf_release(&pattern);
  cul_buf_release(&place);
}

/* Are the numbers of two files compared, although their types differ (f16 and
 * f32)?  Signless and signed integers of one width are one type. */
static bool is_of_other_type(const struct cul_output *output) {
  const struct cul_tensor *got = output->got, *want = output->want;
  return got && want && got->dtype != want->dtype && !got->untyped &&
         !want->untyped && cul_dtype_info(want->dtype)->kind != CUL_IS_INT;
}

/* Append the type of WANT, and of GOT where it is another one. */
static void add_types(const struct cul_output *output, struct cul_buf *out) {
  const struct cul_tensor *got = output->got, *want = output->want;
  cul_tensor_type(want ? want : got, out);
  if (!is_of_other_type(output))
    return;
  cul_buf_adds(out, " (got ");
  cul_tensor_type(got, out);
  cul_buf_addc(out, ')');
}

static void print_output(const struct job *job,
                         const struct cul_output *output) {
  const struct cul_difference *d = &output->difference;
  const char *name = *output->name ? output->name : "tensor";
  uint64_t moves = unsteady(job, output);
  struct cul_buf type = {0};
  add_types(output, &type);
  if (d->class == CUL_ERR_SHAPE)
    cul_say(job->out, "%s: %s\n", name, d->why);
  else if (d->n_fail)
    cul_say(job->out, "%s: %s, %llu of %llu are off (%s)\n", name,
            cul_buf_str(&type), (unsigned long long)d->n_fail,
            (unsigned long long)d->n, cul_error_class_name(d->class));
  else if (d->n_differ)
    cul_say(job->out,
            "%s: %s, equal within the tolerance, %llu of %llu "
            "differ\n",
            name, cul_buf_str(&type), (unsigned long long)d->n_differ,
            (unsigned long long)d->n);
  else
    cul_say(job->out, "%s: %s, equal\n", name, cul_buf_str(&type));
  if (d->class != CUL_ERR_SHAPE && (d->n_fail || d->n_differ))
    print_figures(job, output);
  if (d->got_nan + d->got_inf + d->want_nan + d->want_inf)
    cul_say(job->out,
            "  NaN:      got %llu, want %llu; infinite: got %llu, "
            "want %llu\n",
            (unsigned long long)d->got_nan, (unsigned long long)d->want_nan,
            (unsigned long long)d->got_inf, (unsigned long long)d->want_inf);
  if (moves)
    cul_say(job->out, "  unsteady: %llu differ from run to run\n",
            (unsigned long long)moves);
  cul_buf_release(&type);
}

static void set_number(json_t *object, const char *key, double value) {
  /* JSON has no infinity; null: no such number */
  json_object_set_new(object, key,
                      isfinite(value) ? json_real(value) : json_null());
}

static json_t *describe(const struct job *job,
                        const struct cul_output *output) {
  const struct cul_difference *d = &output->difference;
  struct cul_buf text = {0};
  json_t *json;
  cul_tensor_type(output->want ? output->want : output->got, &text);
  json = json_pack(
      "{s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "name",
      cul_report_string(output->name), "type",
      cul_report_string(cul_buf_str(&text)), "class",
      cul_error_class_name(d->class), "elements", (json_int_t)d->n, "off",
      (json_int_t)d->n_fail, "differ", (json_int_t)d->n_differ, "unsteady",
      (json_int_t)unsteady(job, output), "got_nan", (json_int_t)d->got_nan,
      "want_nan", (json_int_t)d->want_nan, "got_inf", (json_int_t)d->got_inf,
      "want_inf", (json_int_t)d->want_inf);
  cul_buf_clear(&text);
  if (is_of_other_type(output)) {
    cul_tensor_type(output->got, &text);
    json_object_set_new(json, "got_type",
                        cul_report_string(cul_buf_str(&text)));
  }
  set_number(json, "max_abs", (double)d->max_abs);
  set_number(json, "max_rel", (double)d->max_rel);
  if (d->has_ulps)
    json_object_set_new(json, "max_ulp", json_integer((json_int_t)d->max_ulps));
  cul_buf_clear(&text);
  cul_tolerance_describe(&output->tolerance, job->options->tolerance.preset,
                         &text);
  json_object_set_new(json, "tolerance", cul_report_string(cul_buf_str(&text)));
  cul_buf_clear(&text);
  if (d->class == CUL_ERR_SHAPE)
    cul_buf_adds(&text, d->why);
  else if (d->n_differ || d->n_fail)
    cul_tensor_pattern(output->got, output->want, d, &text);
  json_object_set_new(json, "pattern", cul_report_string(cul_buf_str(&text)));
  cul_buf_clear(&text);
  cul_outputs_place(&job->outputs, output, &text);
  json_object_set_new(json, "place", cul_report_string(cul_buf_str(&text)));
  if (d->class != CUL_ERR_SHAPE && (d->n_differ || d->n_fail)) {
    cul_buf_clear(&text);
    cul_tensor_add_index(output->want, d->first, &text);
    json_object_set_new(json, "first", cul_report_string(cul_buf_str(&text)));
  }
  cul_buf_release(&text);
  return json;
}

static json_t *report_of(const struct job *job) {
  json_t *all = json_array();
  for (size_t i = 0; i < job->outputs.n; i++)
    json_array_append_new(all, describe(job, &job->outputs.items[i]));
  all =
      json_pack("{s:b, s:o}", "equal",
                job->outputs.n_fail == 0 && !job->steps_differ, "outputs", all);
  if (job->first_pass)
    json_object_set_new(all, "first_pass", cul_report_string(job->first_pass));
  return all;
}

static int write_page(const struct job *job, const char *const *paths,
                      const json_t *report, struct cul_err *err) {
  const struct cul_compared compared = {.line = job->line,
                                        .paths = paths,
                                        .report = report,
                                        .outputs = &job->outputs,
                                        .steps = cul_buf_str(&job->steps)};
  const char *file = job->options->html;
  struct cul_buf page = {0};
  int rc = 0;
  if (!file)
    return 0;
  cul_compare_page(&compared, &page);
  if (strcmp(file, "-") != 0)
    rc = cul_file_write_through(file, page.data, page.len, 0666, err);
  else if (cul_say_text(stdout, cul_buf_str(&page)) == EOF ||
           fflush(stdout) == EOF)
    rc = cul_fail(err, CUL_EENV, "is the reader of the pipe still running?",
                  "cannot write to standard output");
  cul_buf_release(&page);
  return rc;
}

static int write_heatmap(const struct job *job, struct cul_err *err) {
  const char *path = job->options->heatmap;
  struct cul_buf image = {0};
  const struct cul_output *output = NULL;
  bool svg;
  int rc;
  if (!path)
    return 0;
  svg = strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".svg") == 0;
  if (!svg && !(strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".png")))
    return cul_fail(err, CUL_EUSAGE, "name it FILE.png or FILE.svg",
                    "--heatmap %s: neither PNG nor SVG", path);
  for (size_t i = job->outputs.n; i-- > 0;)
    if (job->outputs.items[i].difference.off)
      output = &job->outputs.items[i];
  if (!output)
    return cul_say(stderr, "culprit: no heat map: no element is off\n") < 0;
  (svg ? cul_heatmap_svg : cul_heatmap_png)(output->want, &output->difference,
                                            &image);
  rc = cul_file_write_through(path, image.data, image.len, 0666, err);
  cul_buf_release(&image);
  return rc;
}

static int load(struct job *job, const char *const *paths,
                struct cul_err *err) {
  const struct options *options = job->options;
  struct cul_tensor_hint hint = {0};
  int rc = 0;
  if (options->again.n > MOST_RUNS)
    rc = cul_fail(err, CUL_EUSAGE, "give fewer", "--again: more than %d runs",
                  MOST_RUNS);
  if (rc == 0 && options->type)
    rc = cul_tensor_hint_parse(options->type, &hint, err);
  cul_status_task("compare %.60s %.60s", cul_basename(paths[0]),
                  cul_basename(paths[1]));
  if (rc == 0)
    rc = cul_tensors_load(paths[0], &hint, &job->got, err);
  if (rc == 0)
    rc = cul_tensors_load(paths[1], &hint, &job->want, err);
  for (size_t i = 0; i < options->again.n && rc == 0; i++)
    rc = cul_tensors_load(options->again.items[i], &hint, &job->runs[i], err);
  return rc;
}

static void tell_ended(struct cul_buf *out, const char *side,
                       const struct cul_trace *trace,
                       const struct cul_trace *other) {
  size_t at = trace->at && other ? cul_trace_find(other, trace->at) : SIZE_MAX;
  if (!trace->ended)
    return;
  cul_buf_addf(out, "%s ends after %zu step%s: %s", side, trace->n,
               cul_s(trace->n), trace->ended);
  if (at != SIZE_MAX)
    cul_buf_addf(out, "; it is step %zu of %zu of the other run", at + 1,
                 other->n);
  if (at != SIZE_MAX && other->events[at].what)
    cul_buf_addf(out, " (%s)", other->events[at].what);
  cul_buf_addc(out, '\n');
}

static void tell_step(struct cul_buf *out, const struct cul_trace *got,
                      const struct cul_trace *want, const struct cul_step *step,
                      size_t i) {
  const struct cul_trace *of = step->want == SIZE_MAX ? got : want;
  size_t at = step->want == SIZE_MAX ? i : step->want;
  cul_trace_tell(of, at, out);
  if (step->want != SIZE_MAX &&
      strcmp(got->events[i].name, want->events[at].name) != 0)
    cul_buf_addf(out, " (got: %s)", got->events[i].name);
}

/* Tell the numbers that a step and its partner got as scalars, and that differ;
 * returns how many. */
static size_t tell_scalars(struct cul_buf *out, const struct cul_tensors *got,
                           const struct cul_tensors *want) {
  size_t n = 0;
  for (size_t i = 0; i < got->n; i++) {
    const struct cul_tensor *a = &got->items[i];
    const struct cul_tensor *b = cul_tensors_find(want, a->name);
    cul_number x, y;
    if (!b || a->n == 0 || b->n == 0) /* a log may call an empty one so */
      continue;
    x = cul_tensor_get(a, 0, 0);
    y = cul_tensor_get(b, 0, 0);
    if (x == y || (isnan(x) && isnan(y)))
      continue;
    cul_buf_addf(out, "%s%s: got %.12Lg, want %.12Lg", n ? "; " : "", a->name,
                 x, y);
    n++;
  }
  return n;
}

static void tell_inputs(struct cul_buf *out, const struct cul_trace *got,
                        const struct cul_trace *want,
                        const struct cul_step *step, size_t i) {
  struct cul_buf scalars = {0};
  size_t n = step->want == SIZE_MAX
                 ? 0
                 : tell_scalars(&scalars, &got->events[i].scalars,
                                &want->events[step->want].scalars);
  if (step->state != CUL_STEP_WRONG)
    cul_buf_adds(out, ": its inputs already differ, for a reason that the "
                      "traces do not contain\n");
  else if (n == 0)
    cul_buf_adds(out, ": its inputs agree, its outputs do not\n");
  else
    cul_buf_adds(out, ": its tensors agree, its scalars and outputs do not\n");
  if (n)
    cul_buf_addf(out, "  scalars:  %s\n", cul_buf_str(&scalars));
  cul_buf_release(&scalars);
}

static void tell_divergence(struct cul_buf *out,
                            const struct cul_trace_pairs *pairs,
                            const struct cul_trace *got,
                            const struct cul_trace *want) {
  const struct cul_step *first =
      pairs->first == SIZE_MAX ? NULL : &pairs->steps[pairs->first];
  size_t agree = 0;
  for (size_t i = 0; i < pairs->n; i++)
    agree += pairs->steps[i].state == CUL_STEP_SAME;
  tell_ended(out, "got", got, want);
  tell_ended(out, "want", want, got);
  if (pairs->only_got || pairs->only_want)
    cul_buf_addf(out, "steps in one run only: %zu in got, %zu in want\n",
                 pairs->only_got, pairs->only_want);
  if (!first) {
    cul_buf_addf(out, "%zu %s\n", agree,
                 agree == 1 ? "step agrees" : "steps agree");
    return;
  }
  cul_buf_adds(out, first->state == CUL_STEP_WRONG ? "first divergence: "
                                                   : "first difference: ");
  tell_step(out, got, want, first, pairs->first);
  tell_inputs(out, got, want, first, pairs->first);
  for (size_t i = pairs->first + 1; i < pairs->n; i++) {
    if (pairs->steps[i].state != CUL_STEP_WRONG)
      continue;
    cul_buf_adds(out, "diverges, too: ");
    tell_step(out, got, want, &pairs->steps[i], i);
    cul_buf_addc(out, '\n');
  }
}

/* The other side is no trace: golden tensors, perhaps. */
static int load_golden(struct job *job, const char *const *paths,
                       const struct cul_trace *got, struct cul_err *err) {
  struct cul_tensor_hint hint = {0};
  struct cul_err own = {0};
  struct stat st;
  bool known = cul_tensors_knows(paths[1]);
  int rc = 0;
  if (job->options->type)
    rc = cul_tensor_hint_parse(job->options->type, &hint, err);
  if (rc < 0)
    return rc;
  if (known || (stat(paths[1], &st) == 0 && S_ISDIR(st.st_mode)))
    rc = cul_tensors_load(paths[1], &hint, &job->want, &own);
  if (rc < 0 && known) {
    *err = own;
    return rc;
  }
  if (rc < 0 || job->want.n == 0)
    return cul_fail(
        err, CUL_EUSAGE, "give a trace of the other run, or golden tensors",
        "%s contains the steps of a run, %s does not", paths[0], paths[1]);
  tell_ended(&job->steps, "got", got, NULL);
  job->steps_differ = got->ended;
  rc = cul_compare_golden.place(got, &job->want, &job->options->tolerance,
                                &job->got, &job->steps, err);
  cul_say(job->out, "%s", cul_buf_str(&job->steps));
  return rc;
}

static int not_interrupted(const void *none, struct cul_err *err) {
  (void)none;
  return cul_status_interrupted() ? cul_fail(err, CUL_EINTR, "", "interrupted")
                                  : 0;
}

/* Load a trace, and another or golden tensors; set the outputs to compare:
 * those of the first step that differs, or those that come nearest to the
 * golden ones.  *traces: false if the first path is no trace. */
static int load_traces(struct job *job, const char *const *paths, bool *traces,
                       struct cul_err *err) {
  const struct cul_patience patience = {.left = not_interrupted};
  struct cul_trace got, want = {0};
  struct cul_trace_pairs pairs = {0};
  bool second = false;
  int rc = cul_tolerance_check(&job->options->tolerance, err);
  if (rc < 0)
    return rc;
  rc = cul_trace_load(paths[0], &patience, &got, traces, err);
  if (rc == 0 && *traces)
    rc = cul_trace_load(paths[1], &patience, &want, &second, err);
  if (rc == 0 && *traces && job->options->again.n)
    rc = cul_fail(err, CUL_EUSAGE, "leave it out, or give tensors",
                  "--again: %s contains the steps of a run, and only two such "
                  "runs can be compared",
                  paths[0]);
  if (rc == 0 && *traces && !second)
    rc = load_golden(job, paths, &got, err);
  if (rc == 0 && *traces && second)
    rc = cul_trace_pair(&got, &want, &job->options->tolerance, &patience,
                        &pairs, err);
  if (rc == 0 && *traces && second) {
    tell_divergence(&job->steps, &pairs, &got, &want);
    cul_say(job->out, "%s", cul_buf_str(&job->steps));
    job->steps_differ =
        pairs.only_got || pairs.only_want || got.ended || want.ended;
    if (pairs.first != SIZE_MAX && pairs.steps[pairs.first].want != SIZE_MAX) {
      size_t partner = pairs.steps[pairs.first].want;
      cul_tensors_move(&job->got, &got.events[pairs.first].outputs, "");
      cul_tensors_move(&job->want, &want.events[partner].outputs, "");
    }
  }
  cul_trace_pairs_release(&pairs);
  cul_trace_release(&got);
  cul_trace_release(&want);
  return rc;
}

/* The values of each pass, and golden tensors.  *mine: false where the first is
 * something else. */
static int load_passes(struct job *job, const char *const *paths, bool *mine,
                       struct cul_err *err) {
  const struct cul_patience patience = {.left = not_interrupted};
  struct cul_compare_passed passed = {0};
  int rc = cul_compare_passes.follow(paths, &job->options->tolerance, &patience,
                                     mine, &passed, err);
  job->got = passed.got;
  job->want = passed.want;
  job->steps = passed.words;
  job->first_pass = passed.first;
  if (rc == 0 && *mine && job->options->again.n)
    rc = cul_fail(err, CUL_EUSAGE, "leave it out, or give tensors",
                  "--again: %s contains the values of each pass", paths[0]);
  if (rc == 0)
    cul_say(job->out, "%s", cul_buf_str(&job->steps));
  return rc;
}

/* *mine: false where they are neither profiles nor dependencies of tasks. */
static int compare_kinds(struct job *job, const char *const *paths, bool *mine,
                         struct cul_err *err) {
  static const struct cul_compare_kind *const kinds[] = {&cul_compare_profiles,
                                                         &cul_compare_deps};
  const struct options *options = job->options;
  const struct cul_tolerance_conf *t = &options->tolerance;
  bool numbers = cul_tolerance_is_given(t) || options->type || options->heatmap;
  const struct cul_compare_job both = {.paths = paths,
                                       .again = &options->again,
                                       .conf = &options->profile,
                                       .tensor_options =
                                           numbers || options->html,
                                       .number_options = numbers,
                                       .html = options->html,
                                       .out = job->out};
  json_t *report = NULL;
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds) && rc == 0 && !*mine; i++)
    rc = kinds[i]->run(&both, mine, &report, err);
  if (report && cul_write_json(options->json, report, err) < 0)
    rc = err->code;
  json_decref(report);
  if (rc == 0 && !*mine &&
      (both.conf->metric || both.conf->threshold || both.conf->under))
    rc = cul_fail(err, CUL_EUSAGE, "leave them out, or give two profiles",
                  "--metric, --threshold and --under apply only to profiles");
  return rc;
}

static int compare(struct job *job, const char *const *paths,
                   struct cul_err *err) {
  bool traces = false, other = false;
  json_t *report;
  int rc = compare_kinds(job, paths, &other, err);
  if (rc == 0 && !other)
    rc = load_passes(job, paths, &traces, err);
  if (rc == 0 && !other && !traces)
    rc = load_traces(job, paths, &traces, err);
  if (other)
    return rc;
  if (rc == 0 && !traces)
    rc = cul_compare_passes.refuse(paths[0], err);
  if (rc == 0 && !traces)
    rc = load(job, paths, err);
  if (rc < 0)
    return rc;
  cul_tensors_compare(&job->got, &job->want, &job->options->tolerance,
                      &job->outputs);
  for (size_t i = 0; i < job->outputs.n; i++)
    print_output(job, &job->outputs.items[i]);
  if (job->outputs.n > 1)
    cul_say(job->out, "%zu of %zu outputs %s\n", job->outputs.n_fail,
            job->outputs.n, job->outputs.n_fail == 1 ? "differs" : "differ");
  report = report_of(job);
  rc = cul_write_json(job->options->json, report, err);
  if (rc == 0)
    rc = write_page(job, paths, report, err);
  json_decref(report);
  if (rc == 0)
    rc = write_heatmap(job, err);
  return rc == 0 && (job->outputs.n_fail || job->steps_differ) ? CUL_EDIFFER
                                                               : rc;
}

static bool is_stdout(const char *file) {
  return file && strcmp(file, "-") == 0;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.tolerance = {.rtol = -1, .atol = -1, .ulps = -1}};
  struct job *job = cul_xcalloc(1, sizeof *job);
  const char *paths[2];
  struct cul_operands operands = {.items = paths, .max = 2};
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && operands.n < 2)
    rc = cul_fail(err, CUL_EUSAGE, "culprit compare GOT WANT",
                  "two files or directories are compared");
  if (rc == 0 && is_stdout(options.json) && is_stdout(options.html))
    rc = cul_fail(err, CUL_EUSAGE, "write one of the two to a file",
                  "--json - and --html - both ask for standard output");
  job->options = &options;
  job->line = line;
  job->out = cul_text_stream(is_stdout(options.html) ? "-" : options.json,
                             line->quiet);
  if (rc == 0)
    rc = compare(job, paths, err);
  cul_text_close(job->out);
  cul_outputs_release(&job->outputs);
  cul_buf_release(&job->steps);
  free(job->first_pass);
  cul_tensors_release(&job->got);
  cul_tensors_release(&job->want);
  for (size_t i = 0; i < MOST_RUNS; i++)
    cul_tensors_release(&job->runs[i]);
  free(options.again.items);
  free(job);
  return rc;
}

const struct cul_cli_command cul_cli_compare = {
    .name = "compare",
    .usage = "GOT WANT [options]",
    .group = "Many failures, numbers",
    .summary = "compare tensors or profiles, and describe how they differ",
    .brief = "are tensors or profiles equal?",
    .examples = {{"culprit compare got.npy want.npy", "compare two tensors"},
                 {"culprit compare got.npy want.npy --html apart.html",
                  "write a page that shows how far apart they are, and where"},
                 {"culprit compare new.hatchet old.hatchet",
                  "find the call path that became slower"}},
    .opts = opts,
    .run = run};
