/* The first divergence: see divergence.h. */
#include "divergence.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../oracles/numbers/numbers.h"
#include "../../probe/target/findings.h"
#include "dispatches.h"
#include "divergence_bisect.h"
#include "divergence_inner.h"
#include "divergence_segment.h"

/* The mismatch oracle's bound: a smaller difference may be rounding. */
static const double least_severity = 16;
/* If the operation found is not wrong by itself, its difference may be rounding
 * that grew: search again for differences this many times larger, at most
 * MOST_LOUDER times. */
static const double louder = 16;
enum { MOST_LOUDER = 4 };
/* The most elements that the reference prints in one run. */
static const uint64_t most_elements = 4 << 20;

/* ---- the job ---- */

/* Did the oracle's run in f64 prove that the reference does no rounding? */
static bool is_exact(const struct cul_judged *original) {
  bool exact = false;
  for (size_t i = 0; i < original->n && !exact; i++) {
    CUL_OWNED(cul_numbers) numbers = {0};
    struct cul_err ignored = {0};
    exact = original->records[i].role == CUL_ROLE_WIDE &&
            cul_numbers_read(&original->records[i], &numbers, &ignored) == 0 &&
            numbers.exact;
  }
  return exact;
}

/* Does the reference overflow, in its results or on the way?  The elements that
 * differ are finite in the reference: the oracle makes sure of that. */
static bool overflows(const struct cul_judged *original) {
  struct cul_numbers by[CUL_N_ROLES] = {{.digits = 0}};
  bool found = false;
  for (size_t i = 0; i < original->n; i++) {
    struct cul_numbers *of_role = &by[original->records[i].role], read = {0};
    struct cul_err ignored = {0};
    if (cul_numbers_read(&original->records[i], &read, &ignored) == 0)
      found = found || strstr(read.raised, "overflow");
    cul_numbers_release(of_role);
    *of_role = read;
  }
  found = found || cul_numbers_overflow(&by[CUL_ROLE_WIDE].tensors,
                                        &by[CUL_ROLE_REFERENCE].tensors);
  for (size_t r = 0; r < CUL_N_ROLES; r++)
    cul_numbers_release(&by[r]);
  return found;
}

/* Record all values of the reference in one run, if they are few enough. */
static int record_all(struct cul_divergence_job *job, struct cul_err *err) {
  CUL_HEAP uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  uint64_t elements = 0;
  int rc = 0;
  for (uint32_t v = 0; v < job->n_values; v++) {
    numbers[v] = v;
    elements += job->values[v].elements;
  }
  if (elements <= most_elements)
    rc = cul_divergence_want(job, numbers, job->n_values, err);
  return rc;
}

/* Set up the search for a classified target. */
static int prepare(struct cul_divergence_job *job, struct cul_err *err) {
  struct cul_target *target = job->target;
  char *dir = cul_program_dir();
  job->program = cul_own_file(dir, "culprit-worker-mlir", X_OK);
  free(dir);
  if (!job->program)
    return cul_fail(err, CUL_EENV, "install culprit again: a part is missing",
                    "no program culprit-worker-mlir");
  job->input = cul_xasprintf("%s/input.mlir", target->dir);
  job->overflows = overflows(&target->original);
  if (!cul_tolerance_is_given(&target->oracle_conf.mismatch.tolerance)) {
    job->exact = is_exact(&target->original);
    job->floor = job->exact ? 0 : least_severity;
  }
  return cul_held_put(&target->place.held, job->input,
                      target->subject.text.bytes, 0600, err);
}

static int classify(struct cul_divergence_job *job, struct cul_err *err) {
  struct cul_target *target = job->target;
  if (cul_target_open(target, &job->conf->target, err) < 0 ||
      cul_held_make(&job->out, job->conf->out, 0777, err) < 0 ||
      cul_target_recall(target, err) < 0 ||
      cul_target_classify(target, err) < 0 ||
      cul_target_demand_failure(target, err) < 0)
    return err->code;
  target->probe.phase = CUL_RUNS_SEARCH;
  return 0;
}

static void release(struct cul_divergence_job *job) {
  cul_divergence_free_flow(job);
  cul_inner_release(&job->inner);
  cul_tensors_release(&job->want);
  cul_tensors_release(&job->again);
  cul_buf_release(&job->made);
  cul_buf_release(&job->made_by);
  cul_held_close(&job->out);
  free(job->program);
  free(job->input);
}

struct found {
  struct cul_divergence_range range;
  struct cul_divergence_segment segment;
  bool alone; /* a segment that is wrong by itself exists */
  bool shows; /* its script repro.sh shows the failure */
};

/* Follow the entry function step by step, because the values of its block do
 * not show the difference, for the reason in err.  Errors: EUSAGE if its steps
 * do not show it either, with both reasons; those of runs. */
static int enter_whole(struct cul_divergence_job *job,
                       struct cul_divergence_range *range,
                       struct cul_err *err) {
  struct cul_err later = {0};
  int rc = cul_inner_enter(job, range, true, &later);
  if (rc == 0 && !job->inner.entered) {
    cul_fail(&later, CUL_EUSAGE, "", "%s; and step by step, %s", err->what,
             job->inner.stop ? job->inner.stop : "nothing differs");
    rc = later.code;
  }
  if (rc == 0)
    job->hidden = 0; /* the prints of its block had nothing to show */
  *err = later;
  return rc;
}

/* Find the wrong operation, or the one that contains it: among those of the
 * entry function's block, or step by step if the values of this block do not
 * show all memory that it reads. */
static int narrow_down(struct cul_divergence_job *job,
                       struct cul_divergence_range *range,
                       struct cul_err *err) {
  int rc = 0;
  if (job->shared)
    rc = cul_inner_enter(job, range, true, err);
  if (rc < 0 || job->inner.entered)
    return rc;
  if (job->n_values == 0)
    rc = cul_fail(err, CUL_EUSAGE, "", "it computes no value that is printed");
  else
    rc = cul_divergence_bisect(job, range, err);
  if (rc == 0)
    return cul_inner_enter(job, range, false, err);
  return rc == CUL_EUSAGE ? enter_whole(job, range, err) : rc;
}

static int try_once(struct cul_divergence_job *job, struct found *out,
                    struct cul_err *err) {
  struct cul_divergence_range *range = &out->range;
  cul_segment_release(&out->segment);
  int rc;
  cul_inner_release(&job->inner);
  *range =
      (struct cul_divergence_range){.lo = -1, .hi = (int64_t)job->n_ops - 1};
  rc = narrow_down(job, range, err);
  return rc ? rc
            : cul_segment_find(job, (uint32_t)range->hi, &out->segment,
                               &out->alone, err);
}

/* No second search is needed for a single operation that is wrong by itself,
 * for an exact module, for a step inside an operation, or for a large
 * difference. */
static bool is_sure(const struct cul_divergence_job *job,
                    const struct found *found) {
  return (found->alone && found->segment.first == found->segment.last) ||
         job->floor == 0 || job->inner.entered ||
         found->range.what.severity > job->floor * louder;
}

/* Bisect, and test whether the operation found is wrong by itself.  If it is
 * not, and its difference is small, this may be rounding: search for a larger
 * difference.  If there is none, search again for the small one. */
static int find(struct cul_divergence_job *job, struct found *out,
                struct cul_err *err) {
  int rc = try_once(job, out, err);
  for (int tries = 0; rc == 0 && !is_sure(job, out) && tries < MOST_LOUDER;
       tries++) {
    job->floor *= louder;
    job->hidden = 0;
    rc = try_once(job, out, err);
    if (rc == CUL_EUSAGE) {
      *err = (struct cul_err){0};
      job->floor /= louder;
      job->hidden = 0;
      return try_once(job, out, err);
    }
  }
  return rc;
}

static uint32_t count_runs(const struct cul_divergence_job *job) {
  return job->runs[CUL_ROLE_SUSPECT] + job->runs[CUL_ROLE_REFERENCE] +
         job->runs[CUL_ROLE_POISON];
}

static uint32_t count_classified(const struct cul_divergence_job *job) {
  return (uint32_t)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY];
}

/* The wrong operation: one inside the operation found, or that itself. */
static const struct cul_flow_op *wrong_op(const struct cul_divergence_job *job,
                                          const struct found *found) {
  const struct cul_inner *inner = &job->inner;
  return inner->entered ? &inner->ops[inner->op].op
                        : &job->ops[found->range.hi];
}

/* Is there an operation around this one, below the entry function? */
static bool has_around(const struct cul_inner *inner, uint32_t op) {
  return inner->entered && op > 0 &&
         (!inner->whole || inner->ops[op].parent > 0);
}

/* Print the operations around the wrong one, from the inside out. */
static void say_inside(const struct cul_inner *inner, FILE *text) {
  for (uint32_t at = inner->op; has_around(inner, at);) {
    CUL_OWNED(cul_buf) where = {0};
    at = inner->ops[at].parent;
    cul_inner_where(inner, at, &where);
    cul_say(text, "  inside %s at %s%s%s\n", inner->ops[at].op.name,
            inner->ops[at].op.location, where.len ? ", " : "",
            cul_buf_str(&where));
  }
}

/* The reason why no operation inside the wrong one is named; NULL: it contains
 * none. */
static const char *why_stop(const struct cul_divergence_job *job,
                            const struct found *found) {
  return job->inner.stop ? job->inner.stop : wrong_op(job, found)->stop;
}

/* Number of operations, and of values, that were looked at. */
static size_t count_ops(const struct cul_divergence_job *job) {
  return job->inner.whole ? job->inner.n_ops : job->n_ops;
}
static size_t count_values(const struct cul_divergence_job *job) {
  return job->inner.whole ? job->inner.n_steps : job->n_values;
}

static void say(const struct cul_divergence_job *job, const struct found *found,
                FILE *text) {
  const struct cul_flow_op *op = wrong_op(job, found);
  size_t n_ops = count_ops(job), n_values = count_values(job);
  cul_status_make_way();
  cul_say(text, "failure: %s\n", job->target->original.verdict.sig.title);
  cul_say(text,
          "first divergence: %s at %s\n  %.200s\n  %s; its inputs agree\n",
          op->name, *op->location ? op->location : "a place that is not known",
          op->text, found->range.what.what);
  if (why_stop(job, found))
    cul_say(text, "  not entered: %s\n", why_stop(job, found));
  say_inside(&job->inner, text);
  cul_say(text,
          "runs: %u, %u of them to classify, among %zu operation%s and %zu "
          "value%s\n",
          count_classified(job) + count_runs(job), count_classified(job), n_ops,
          cul_s(n_ops), n_values, cul_s(n_values));
  if (job->hidden)
    cul_say(text, "note: some programs that print more did not show the "
                  "difference\n");
  if (found->alone)
    cul_say(text, "segment: %u operation%s with recorded inputs, %s: %s\n",
            found->segment.last - found->segment.first + 1,
            cul_s(found->segment.last - found->segment.first + 1),
            found->segment.worst.what,
            found->shows ? "repro.sh shows it" : "repro.sh does not show it");
  else
    cul_say(text, "segment: no run of operations that ends there is wrong by "
                  "itself\n");
  cul_say(text, "written: %s\n", job->conf->out);
}

/* The operations around the wrong one as JSON, from the outside in. */
static json_t *path_of(const struct cul_inner *inner) {
  json_t *out = json_array();
  for (uint32_t at = inner->op; has_around(inner, at);) {
    CUL_OWNED(cul_buf) where = {0};
    at = inner->ops[at].parent;
    cul_inner_where(inner, at, &where);
    json_array_insert_new(
        out, 0,
        json_pack("{s:o, s:o, s:o, s:I}", "operation",
                  cul_report_string(inner->ops[at].op.name), "location",
                  cul_report_string(inner->ops[at].op.location), "where",
                  cul_report_string(cul_buf_str(&where)), "turn",
                  (json_int_t)cul_inner_turn(inner, at)));
  }
  return out;
}

static json_t *report_of(const struct cul_divergence_job *job,
                         const struct found *found) {
  const struct cul_flow_op *op = wrong_op(job, found);
  json_t *out = json_pack(
      "{s:s, s:s, s:o, s:{s:I, s:o, s:o, s:o, s:s}, s:{s:I, s:I, s:I}, s:I, "
      "s:b}",
      "culprit_version", CULPRIT_VERSION, "job", "extract", "title",
      cul_report_string(job->target->original.verdict.sig.title), "divergence",
      "number", (json_int_t)found->range.hi, "operation",
      cul_report_string(op->name), "location", cul_report_string(op->location),
      "text", cul_report_string(op->text), "what", found->range.what.what,
      "runs", "suspect", (json_int_t)job->runs[CUL_ROLE_SUSPECT], "reference",
      (json_int_t)(count_runs(job) - job->runs[CUL_ROLE_SUSPECT]), "classify",
      (json_int_t)count_classified(job), "operations",
      (json_int_t)count_ops(job), "hidden", job->hidden > 0);
  json_t *wrong = json_object_get(out, "divergence");
  const char *stop = why_stop(job, found);
  if (job->inner.whole)
    json_object_set_new(wrong, "number", json_null());
  json_object_set_new(wrong, "stop",
                      stop ? cul_report_string(stop) : json_null());
  json_object_set_new(out, "inside", path_of(&job->inner));
  if (found->alone)
    json_object_set_new(out, "segment",
                        json_pack("{s:I, s:I, s:s, s:b}", "first",
                                  (json_int_t)found->segment.first, "last",
                                  (json_int_t)found->segment.last, "what",
                                  found->segment.worst.what, "repro",
                                  found->shows));
  return out;
}

static int follow(struct cul_divergence_job *job, struct found *found,
                  struct cul_err *err) {
  int rc = cul_divergence_read_flow(job, err);
  if (rc == 0)
    rc = record_all(job, err);
  if (rc < 0)
    return rc;
  rc = find(job, found, err);
  if (rc != CUL_EUSAGE || !job->overflows)
    return rc;
  job->overflows = false; /* the difference may be where f64 overflows too */
  job->hidden = 0;
  *err = (struct cul_err){0};
  return find(job, found, err);
}

/* Follow the operations; print and write the result. */
static int follow_operations(struct cul_divergence_job *job, FILE *text,
                             json_t **report, struct cul_err *err) {
  struct found found = {0};
  int rc = follow(job, &found, err);
  if (rc == 0 && found.alone)
    rc = cul_segment_write(job, &found.segment, &found.shows, err);
  if (rc == 0) {
    say(job, &found, text);
    *report = report_of(job, &found);
    rc = cul_divergence_put_report(job, *report, err);
  }
  cul_segment_release(&found.segment);
  return rc;
}

int cul_divergence(const struct cul_divergence_conf *conf, FILE *text,
                   json_t **report, bool *followed, struct cul_err *err) {
  CUL_OWNED(cul_target) target = {0};
  struct cul_divergence_job job = {.conf = conf, .target = &target};
  bool dispatches = false;
  int rc = classify(&job, err);
  *followed = true;
  if (rc == 0)
    rc = prepare(&job, err);
  if (rc == 0) {
    rc = cul_dispatches(&job, text, report, &dispatches, err);
    if (rc == 0 && !dispatches)
      rc = follow_operations(&job, text, report, err);
    *followed = rc != CUL_EUSAGE;
  }
  release(&job);
  return rc;
}

void cul_divergent_part_release(struct cul_divergent_part *part) {
  cul_buf_release(&part->program);
  free(part->operation);
  free(part->location);
  *part = (struct cul_divergent_part){0};
}

int cul_divergent_part_find(struct cul_target *target,
                            struct cul_divergent_part *out,
                            struct cul_err *err) {
  struct cul_divergence_conf conf = {.target = *target->conf};
  struct cul_divergence_job job = {.conf = &conf, .target = target};
  struct found found = {0};
  int rc = prepare(&job, err);
  *out = (struct cul_divergent_part){0};
  if (rc == 0)
    rc = follow(&job, &found, err);
  out->runs = count_runs(&job);
  if (rc == 0) {
    const struct cul_flow_op *op = wrong_op(&job, &found);
    out->operation = cul_xstrdup(op->name);
    out->location = cul_xstrdup(op->location);
  }
  if (rc == 0 && found.alone)
    rc = cul_segment_plain(&job, &found.segment, &out->program, err);
  cul_segment_release(&found.segment);
  release(&job);
  return rc;
}
