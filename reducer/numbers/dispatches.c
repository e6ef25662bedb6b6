/* Explain the wrong numbers of a command that runs iree-compile and
 * iree-run-module: cut out the first dispatch that diverges, and find the wrong
 * operation in it.
 *
 * The dispatches of both sides are traced and paired (dispatch_sides.h).  Each
 * side's iree-compile, called with the traced words, prints the module at phase
 * "flow".  Two modules are made of this text (dispatch_text.h): one that
 * returns the values that a dispatch of the reference read and wrote, bit for
 * bit; and one with the command's dispatch alone (dispatch_part.h). */
#include <string.h>

#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../probe/target/findings.h"
#include "dispatch_inside.h"
#include "dispatch_proof.h"
#include "dispatch_values.h"
#include "dispatches.h"

struct answer {
  struct cul_dispatch_sides sides;
  struct cul_dispatch_part part;
  struct cul_dispatch_inside inside;
  struct cul_dispatch_proof proof;
  bool shows;           /* repro.sh shows the part */
  uint32_t to_dispatch; /* runs until a dispatch was named */
};

/* ---- the report ---- */

static uint32_t count_all(const struct cul_divergence_job *job) {
  uint32_t n = (uint32_t)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY];
  for (size_t i = 0; i < CUL_N_ROLES; i++)
    n += job->runs[i];
  return n;
}

/* How the values of a step's outputs differ in the traces. */
static void say_values(const struct cul_dispatch_sides *sides, size_t step,
                       char *what, size_t room) {
  const struct cul_trace_event *got = &sides->suspect.trace.events[step];
  size_t k = sides->pairs.steps[step].want;
  const struct cul_trace_event *want =
      k == SIZE_MAX ? NULL : &sides->reference.trace.events[k];
  for (size_t i = 0; want && i < got->outputs.n && i < want->outputs.n; i++)
    if (cul_dispatch_differ(sides->job, &got->outputs.items[i],
                            &want->outputs.items[i], what, room))
      return;
  snprintf(what, room, "its outputs are no values of the reference");
}

static void say_ended(const struct cul_dispatch_side *side, FILE *text) {
  if (side->trace.ended)
    cul_say(text, "note: the trace of the %s ends after %zu dispatches: %s\n",
            side->name, side->trace.n, side->trace.ended);
}

static void say_op(const char *where, const struct cul_dispatch_level *level,
                   FILE *text) {
  const struct cul_dispatch_op *op = level->wrong;
  cul_say(text, "%s: %s%s%s\n  %.*s\n  %s; %s\n", where, op->name,
          *op->location ? " at " : "", op->location,
          (int)strcspn(op->text, "\n"), op->text, level->what,
          op->behind ? "some before it, as comparisons, are not compared"
                     : "its inputs agree");
}

static void say_inside(const struct cul_dispatch_inside *inside, FILE *text) {
  if (inside->body.wrong)
    say_op("inside", &inside->body, text);
  else if (inside->stop)
    cul_say(text, "  not entered: %s\n", inside->stop);
  if (inside->scalars.wrong)
    say_op("in its body", &inside->scalars, text);
}

/* Print some steps of the reference that the command lacks. */
static void say_lacking(const struct cul_dispatch_sides *sides, FILE *text) {
  enum { NAMED = 4 };
  const struct cul_trace *want = &sides->reference.trace;
  size_t n = 0;
  for (size_t i = 0; i < want->n; i++)
    if (sides->pairs.lacks[i] && n++ < NAMED)
      cul_say(text, "%s dispatch %zu, %s",
              n == 1 ? "only in the reference:" : ";", i + 1,
              want->events[i].name);
  if (n > NAMED)
    cul_say(text, "; and %zu more", n - NAMED);
  if (n)
    cul_say(text, "\n");
}

static json_t *lacking_of(const struct cul_dispatch_sides *sides) {
  json_t *out = json_array();
  for (size_t i = 0; i < sides->reference.trace.n; i++)
    if (sides->pairs.lacks[i])
      json_array_append_new(
          out, cul_report_string(sides->reference.trace.events[i].name));
  return out;
}

static void say_untried(const struct cul_dispatch_proof *proof, FILE *text) {
  const char *const why[] = {proof->executable, proof->why, proof->unmixed};
  const char *before = "not confirmed: ";
  for (size_t i = 0; i < CUL_ARRAY_SIZE(why); i++)
    if (why[i]) {
      cul_say(text, "%s%s", before, why[i]);
      before = "; ";
    }
  cul_say(text, "\n");
}

static void say_tried(const struct cul_dispatch_proof *proof, const char *event,
                      FILE *text) {
  const char *of = proof->values ? "values of " : "";
  CUL_HEAP char *name = cul_dispatch_executable(event);
  CUL_OWNED(cul_buf) next = {0};
  for (size_t i = 0; i < proof->next.n; i++)
    cul_buf_addf(&next, "%s%s", i ? ", " : "", proof->next.items[i]);
  if (!proof->right)
    cul_say(text,
            "not confirmed: with the reference's %s%s the output is still "
            "wrong\n",
            of, name);
  else
    cul_say(text,
            "confirmed: with the reference's %s%s%s%s%s%s the output is "
            "right\n",
            of, name,
            proof->all ? " and the others that diverge, and not without them,"
                       : "",
            next.len ? " and of the dispatches that diverge next (" : "",
            cul_buf_str(&next), next.len ? ")" : "");
  if (!proof->right && next.len)
    cul_say(text, "  with them, these diverge one after the other: %s\n",
            cul_buf_str(&next));
  if (proof->values && proof->executable)
    cul_say(text, "  not by its executable: %s\n", proof->executable);
  if (!proof->all && proof->others)
    cul_say(text, "  %zu other dispatch%s diverge%s\n", proof->others,
            proof->others == 1 ? "" : "es", proof->others == 1 ? "s" : "");
}

/* Is the dispatch wrong by itself, or does the reference's make the output
 * right?  If neither, it is only a candidate. */
static bool is_shown(const struct answer *answer) {
  const struct cul_dispatch_part *part = &answer->part;
  return (part->alone && !part->agreed) || answer->proof.right;
}

/* How the part's results differ. */
static void say_part(const struct answer *answer, char *what, size_t room) {
  if (answer->part.own)
    snprintf(what, room, "%s", answer->part.what);
  else
    say_values(&answer->sides, answer->part.step, what, room);
}

static void say_dispatch(const struct answer *answer, FILE *text) {
  const struct cul_dispatch_sides *sides = &answer->sides;
  const struct cul_dispatch_part *part = &answer->part;
  const struct cul_trace *got = &sides->suspect.trace;
  char what[200];
  say_part(answer, what, sizeof what);
  cul_say(text, "%s: dispatch %zu of %zu, %s\n  %s; %s\n",
          is_shown(answer) ? "first divergence"
                           : "first divergence: not confirmed\ncandidate",
          part->step + 1, got->n, got->events[part->step].name, what,
          part->late  ? "its inputs differ far less; the reference's tools "
                        "compute other values"
          : part->own ? "the reference's tools compute other values"
                      : "its inputs agree");
}

static void say(const struct answer *answer, FILE *text) {
  const struct cul_dispatch_sides *sides = &answer->sides;
  const struct cul_dispatch_part *part = &answer->part;
  const struct cul_divergence_job *job = sides->job;
  const struct cul_trace *got = &sides->suspect.trace;
  cul_status_make_way();
  cul_say(text, "failure: %s\n", job->target->original.verdict.sig.title);
  say_ended(&sides->suspect, text);
  say_ended(&sides->reference, text);
  say_dispatch(answer, text);
  say_inside(&answer->inside, text);
  for (size_t i = 0; i < sides->pairs.n; i++)
    if (i != part->step && sides->pairs.steps[i].state == CUL_STEP_WRONG)
      cul_say(text, "diverges, too: dispatch %zu, %s\n", i + 1,
              got->events[i].name);
  say_lacking(sides, text);
  cul_say(text, "runs: %u to the dispatch, %u in all, %u of them to classify\n",
          answer->to_dispatch, count_all(job),
          (unsigned)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]);
  if (part->fault)
    cul_say(text, "not cut out: %s\n", part->fault);
  else if (part->alone)
    cul_say(text, "alone: %s, on %s inputs%s: %s\n", part->what,
            part->own ? "its own" : "the reference's",
            part->exact ? "" : " as printed",
            answer->shows ? "repro.sh shows it" : "repro.sh does not show it");
  else
    cul_say(text, "alone: right, on the reference's inputs\n");
  if (!part->fault && part->agreed)
    cul_say(text, "note: the reference's tools compute the same from its text: "
                  "either the work is divided differently, or the text is "
                  "wrong\n");
  if (answer->proof.tried)
    say_tried(&answer->proof, got->events[part->step].name, text);
  else
    say_untried(&answer->proof, text);
  cul_say(text, "written: %s\n", job->conf->out);
}

static json_t *steps_of(const struct cul_dispatch_sides *sides) {
  json_t *out = json_array();
  for (size_t i = 0; i < sides->pairs.n; i++) {
    const struct cul_step *step = &sides->pairs.steps[i];
    json_t *one;
    if (step->state != CUL_STEP_WRONG)
      continue;
    one = json_pack("{s:I, s:o}", "number", (json_int_t)i, "name",
                    cul_report_string(sides->suspect.trace.events[i].name));
    json_object_set_new(
        one, "reference",
        step->want == SIZE_MAX
            ? json_null()
            : cul_report_string(
                  sides->reference.trace.events[step->want].name));
    json_array_append_new(out, one);
  }
  return out;
}

static json_t *proof_of(const struct cul_dispatch_proof *proof) {
  static const char *const by[] = {"executable", "values"};
  json_t *next = json_array();
  json_t *out =
      json_pack("{s:o, s:o, s:b, s:I, s:I}", "right",
                proof->tried ? json_boolean(proof->right) : json_null(), "by",
                proof->tried ? json_string(by[proof->values]) : json_null(),
                "all", proof->all, "others", (json_int_t)proof->others, "runs",
                (json_int_t)proof->runs);
  for (size_t i = 0; i < proof->next.n; i++)
    json_array_append_new(next, cul_report_string(proof->next.items[i]));
  json_object_set_new(out, "no_executable",
                      proof->executable ? cul_report_string(proof->executable)
                                        : json_null());
  json_object_set_new(out, "no_values",
                      proof->why ? cul_report_string(proof->why) : json_null());
  json_object_set_new(out, "next", next);
  return out;
}

static json_t *op_of(const struct cul_dispatch_level *level) {
  const struct cul_dispatch_op *op = level->wrong;
  if (!op)
    return json_null();
  return json_pack("{s:o, s:o, s:o, s:s}", "operation",
                   cul_report_string(op->name), "location",
                   cul_report_string(op->location), "text",
                   cul_report_string(op->text), "what", level->what);
}

static json_t *dispatch_of(const struct answer *answer) {
  const struct cul_dispatch_sides *sides = &answer->sides;
  size_t step = answer->part.step;
  char what[200];
  say_part(answer, what, sizeof what);
  return json_pack("{s:I, s:o, s:s}", "number", (json_int_t)step, "name",
                   cul_report_string(sides->suspect.trace.events[step].name),
                   "what", what);
}

static json_t *report_of(const struct answer *answer) {
  const struct cul_dispatch_sides *sides = &answer->sides;
  const struct cul_dispatch_part *part = &answer->part;
  const struct cul_divergence_job *job = sides->job;
  bool shown = is_shown(answer);
  json_t *inside,
      *out = json_pack(
          "{s:s, s:s, s:o, s:o, s:o, s:o, s:b, s:b, s:{s:I, s:I, s:I}}",
          "culprit_version", CULPRIT_VERSION, "job", "extract", "title",
          cul_report_string(job->target->original.verdict.sig.title),
          "dispatch", shown ? dispatch_of(answer) : json_null(), "candidate",
          shown ? json_null() : dispatch_of(answer), "divergent",
          steps_of(sides), "alone", part->alone, "repro", answer->shows, "runs",
          "dispatch", (json_int_t)answer->to_dispatch, "all",
          (json_int_t)count_all(job), "classify",
          (json_int_t)job->target->probe.counts.by_phase[CUL_RUNS_CLASSIFY]);
  json_object_set_new(out, "reference_agrees", json_boolean(part->agreed));
  json_object_set_new(out, "only_reference", lacking_of(sides));
  json_object_set_new(out, "confirmed", proof_of(&answer->proof));
  inside = op_of(&answer->inside.body);
  if (answer->inside.body.wrong)
    json_object_set_new(inside, "body", op_of(&answer->inside.scalars));
  json_object_set_new(out, "inside", inside);
  return out;
}

/* ---- the job ---- */

/* Does the suspect run iree-compile, and is there a reference? */
static bool is_mine(const struct cul_divergence_job *job) {
  const struct cul_command *command =
      cul_dispatch_command((void *)job, CUL_ROLE_SUSPECT);
  struct cul_bytes files = cul_buf_bytes(&job->target->tool.identity.files);
  bool mine =
      files.len && memmem(files.data, files.len, "/iree-compile\n", 14) != NULL;
  for (const char *const *word = command->argv; *word && !mine; word++)
    mine = strstr(*word, "iree-compile") != NULL;
  return mine && job->target->roles.of[CUL_ROLE_REFERENCE].command.argv;
}

int cul_dispatches(struct cul_divergence_job *job, FILE *text, json_t **report,
                   bool *mine, struct cul_err *err) {
  struct answer answer = {
      .sides = {
          .job = job,
          .suspect = {.role = CUL_ROLE_SUSPECT, .name = "command"},
          .reference = {.role = CUL_ROLE_REFERENCE, .name = "reference"}}};
  struct cul_dispatch_sides *sides = &answer.sides;
  struct cul_dispatch_part *part = &answer.part;
  int rc = 0;
  *mine = is_mine(job);
  if (!*mine)
    return 0;
  rc = cul_dispatch_sides_trace(sides, err);
  answer.to_dispatch = count_all(job);
  if (rc == 0)
    rc = cul_dispatch_part_find(sides, part, err);
  if (rc == 0 && !part->fault)
    rc = cul_dispatch_part_write(sides, part, &answer.shows, err);
  if (rc == 0 && !part->fault)
    rc = cul_dispatch_inside_find(sides, part, &answer.inside, err);
  if (rc == 0)
    rc = cul_dispatch_confirm(sides, part, &answer.proof, err);
  if (rc == 0)
    rc = cul_dispatch_proof_write(sides, part, &answer.proof, err);
  if (rc == 0) {
    say(&answer, text);
    *report = report_of(&answer);
    rc = cul_divergence_put_report(job, *report, err);
  }
  cul_dispatch_part_release(part);
  cul_dispatch_inside_release(&answer.inside);
  cul_dispatch_proof_release(&answer.proof);
  cul_dispatch_sides_release(sides);
  return rc;
}
