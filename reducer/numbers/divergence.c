/* The first divergence: see divergence.h. */
#include "divergence.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../base/visible.h"
#include "../../oracles/numbers/numbers.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/target/findings.h"
#include "../engines/engine.h"
#include "../engines/program/trace_step.h"
#include "divergence_job.h"

/* ---- enter ---- */

/* The divergence inside loops, branches, calls and bodies. */

static void inner_release(struct cul_inner *inner) {
  for (size_t i = 0; i < inner->n_ops; i++)
    cul_flow_op_release(&inner->ops[i].op);
  free(inner->ops);
  free(inner->steps);
  cul_buf_release(&inner->want);
  cul_buf_release(&inner->before);
  free(inner->places);
  free(inner->stop);
  *inner = (struct cul_inner){0};
}

/* ---- operations and steps ---- */

static void read_line(struct cul_divergence_job *job, const char *at) {
  struct cul_inner *inner = &job->inner;
  struct cul_inner_op op = {0};
  struct cul_inner_step step = {0};
  unsigned number;
  int skip = 0;
  if (sscanf(at, "stop %u %n", &number, &skip) == 1 && number < inner->n_ops) {
    char **stop = &inner->ops[number].op.stop;
    free(*stop);
    *stop = cul_xstrndup(at + skip, strcspn(at + skip, "\n"));
  } else if (sscanf(at, "inner %*u %u %u %u %u %n", &op.parent, &op.last,
                    &op.region, &op.block, &skip) == 4) {
    cul_divergence_read_op(job, at + skip, &op.op);
    inner->ops =
        cul_xreallocarray(inner->ops, inner->n_ops + 1, sizeof *inner->ops);
    inner->ops[inner->n_ops++] = op;
  } else if (sscanf(at, "step %*u %d %u %u %u", &step.kind, &step.op,
                    &step.region, &step.number) == 4) {
    inner->steps = cul_xreallocarray(inner->steps, inner->n_steps + 1,
                                     sizeof *inner->steps);
    inner->steps[inner->n_steps++] = step;
  }
}

/* All numbers are valid, and operations precede those inside them. */
static int check_list(const struct cul_inner *inner, struct cul_err *err) {
  bool good = true;
  for (size_t i = 0; i < inner->n_ops; i++)
    good = good && inner->ops[i].last >= i &&
           inner->ops[i].last < inner->n_ops &&
           (i == 0 || inner->ops[i].parent < i);
  for (size_t i = 0; i < inner->n_steps; i++)
    good = good && inner->steps[i].op < inner->n_ops;
  return good ? 0
              : cul_fail(err, CUL_EUSAGE, "",
                         "the list of inner operations contradicts itself");
}

/* Words for the engine, which may borrow the arrays below. */
struct words {
  const char *items[20];
  size_t n;
  char range[32], root[24], op[24], at[24];
};

static void add_word(struct words *words, const char *word) {
  words->items[words->n++] = word;
  words->items[words->n] = NULL;
}

static void add_root(const struct cul_inner *inner, struct words *out) {
  snprintf(out->root, sizeof out->root, "%u", inner->root);
  add_word(out, inner->whole ? "--whole" : "--trace");
  if (!inner->whole)
    add_word(out, out->root);
}

static void add_view(const struct cul_inner_view *view, struct words *out) {
  snprintf(out->at, sizeof out->at, "%u", view->at);
  add_word(out, "--at");
  add_word(out, out->at);
  if (view->flat) {
    add_word(out, "--deep");
    add_word(out, "1");
  }
  if (!view->memory)
    add_word(out, "--no-memory");
}

static int list(struct cul_divergence_job *job, struct cul_err *err) {
  struct words words = {.n = 0};
  int rc;
  add_root(&job->inner, &words);
  add_word(&words, "--flow");
  rc = cul_divergence_list(job, words.items, read_line, err);
  return rc ? rc : check_list(&job->inner, err);
}

/* ---- step by step ---- */

/* A walk through the print of one run. */
struct walk {
  const char *at, *begin;
  struct cul_tensors value;
  uint32_t step; /* the next step; UINT32_MAX: the print has ended */
};

static int advance(const struct cul_inner *inner, struct walk *walk,
                   struct cul_err *err) {
  bool found;
  cul_tensors_release(&walk->value);
  walk->begin = walk->at;
  walk->step = UINT32_MAX;
  if (cul_divergence_next(&walk->at, &walk->value, &found, err) < 0)
    return err->code;
  if (!found)
    return 0;
  walk->step =
      (uint32_t)strtoul(walk->value.items[0].name, NULL, 10) - CUL_TRACE_STEP;
  if (walk->step >= inner->n_steps)
    return cul_fail(err, CUL_EUSAGE, "", "the program prints something else");
  return 0;
}

/* Note a step that is the same in both runs.  A block resets the turns of the
 * blocks inside it. */
static void note(struct cul_inner *inner, const struct walk *walk,
                 uint64_t when) {
  struct cul_inner_step *step = &inner->steps[walk->step];
  step->seen = walk->begin;
  step->when = when;
  if (step->kind != CUL_TRACE_BLOCK)
    return;
  step->turn++;
  for (size_t i = walk->step + 1;
       i < inner->n_steps && inner->steps[i].op > step->op; i++)
    inner->steps[i].turn = 0;
}

/* The operation that makes the runs continue with different steps, a and b.  If
 * both steps begin blocks, it is the operation that is inside the other, else
 * the earlier one.  UINT32_MAX: neither step begins a block. */
static uint32_t who_decides(const struct cul_inner *inner, uint32_t a,
                            uint32_t b) {
  const struct cul_inner_step *x = a < inner->n_steps ? &inner->steps[a] : NULL;
  const struct cul_inner_step *y = b < inner->n_steps ? &inner->steps[b] : NULL;
  if (x && x->kind != CUL_TRACE_BLOCK)
    x = NULL;
  if (y && y->kind != CUL_TRACE_BLOCK)
    y = NULL;
  if (!x || !y)
    return x ? x->op : y ? y->op : UINT32_MAX;
  if (x->op <= y->op && y->op <= inner->ops[x->op].last)
    return y->op;
  return y->op <= x->op && x->op <= inner->ops[y->op].last ? x->op
         : x->op < y->op                                   ? x->op
                                                           : y->op;
}

/* The step that began a block of `op` last; UINT32_MAX: none. */
static uint32_t block_of(const struct cul_inner *inner, uint32_t op) {
  uint32_t found = UINT32_MAX;
  for (uint32_t i = 0; i < inner->n_steps; i++)
    if (inner->steps[i].kind == CUL_TRACE_BLOCK && inner->steps[i].op == op &&
        inner->steps[i].when &&
        (found == UINT32_MAX ||
         inner->steps[i].when > inner->steps[found].when))
      found = i;
  return found;
}

/* The operation that chose the next block of `op`: if the block that began last
 * ends with a branch (cf.), this branch, else `op` itself. */
static uint32_t branch_of(const struct cul_inner *inner, uint32_t op) {
  uint32_t block = block_of(inner, op), number = 0, end = UINT32_MAX;
  if (block == UINT32_MAX)
    return op;
  for (uint32_t i = 0; i < block; i++)
    number += inner->steps[i].kind == CUL_TRACE_BLOCK &&
              inner->steps[i].op == op &&
              inner->steps[i].region == inner->steps[block].region;
  for (uint32_t i = op + 1; i <= inner->ops[op].last; i++)
    if (inner->ops[i].parent == op && inner->ops[i].block == number)
      end = i;
  return end != UINT32_MAX && (strncmp(inner->ops[end].op.name, "cf.", 3) == 0)
             ? end
             : op;
}

/* Set inner->op to the wrong operation, given the first steps of the two runs
 * that differ, or that have different values.  False: it is the root itself, or
 * not known. */
static bool blame(struct cul_inner *inner, const struct walk *want,
                  const struct walk *got, struct cul_divergent *what) {
  const struct cul_inner_step *step = &inner->steps[want->step];
  if (want->step == got->step &&
      (step->kind == CUL_TRACE_RESULT || step->kind == CUL_TRACE_MEMORY)) {
    inner->op = step->op;
  } else if (want->step == got->step) {
    inner->op = branch_of(inner, step->op);
  } else {
    uint32_t op = who_decides(inner, want->step, got->step);
    if (op == UINT32_MAX)
      return false;
    inner->op = branch_of(inner, op);
    snprintf(what->what, sizeof what->what, "its control flow differs: %s",
             want->step < inner->n_steps && step->kind == CUL_TRACE_BLOCK &&
                     step->op == op
                 ? "the reference enters a block that it does not"
                 : "it enters a block that the reference does not");
  }
  return inner->op > 0;
}

static int run(struct cul_divergence_job *job, const struct cul_buf *program,
               enum cul_run_role role, struct cul_buf *out,
               struct cul_err *err);

struct prints {
  /* again: the reference's second run; may be empty */
  struct cul_buf got, again;
};

static int compare(struct cul_divergence_job *job, struct prints *prints,
                   bool *differs, struct cul_divergent *what,
                   struct cul_err *err) {
  struct cul_inner *inner = &job->inner;
  struct walk want = {.at = cul_buf_str(&inner->want)};
  struct walk got = {.at = cul_buf_str(&prints->got)};
  struct walk again = {.at = cul_buf_str(&prints->again)};
  uint64_t when = 0;
  int rc = 0;
  *differs = false;
  for (size_t i = 0; i < inner->n_steps; i++)
    inner->steps[i].turn = inner->steps[i].when = 0;
  while (rc == 0) {
    if (advance(inner, &want, err) < 0 || advance(inner, &got, err) < 0 ||
        (prints->again.len && advance(inner, &again, err) < 0))
      rc = err->code;
    if (rc < 0 || (want.step == UINT32_MAX && got.step == UINT32_MAX))
      break;
    *differs = want.step != got.step;
    if (!*differs) {
      if (prints->again.len && again.step == want.step)
        cul_divergence_skip(&got.value.items[0], &want.value.items[0],
                            &want.value.items[0], &again.value.items[0]);
      cul_divergence_compare(job, &got.value.items[0], &want.value.items[0],
                             what);
      *differs = what->differs;
    }
    if (*differs) {
      inner->entered = blame(inner, &want, &got, what);
      break;
    }
    note(inner, &want, ++when);
  }
  inner->when = when;
  cul_tensors_release(&want.value);
  cul_tensors_release(&got.value);
  cul_tensors_release(&again.value);
  return rc;
}

/* ---- where ---- */

/* Read the last value before the divergence that the reference computed in a
 * step.  Errors: EUSAGE: none is recorded. */
static int inner_value(const struct cul_inner *inner, uint32_t number,
                       struct cul_tensors *out, struct cul_err *err) {
  uint32_t step = number - CUL_TRACE_STEP;
  const char *at = NULL;
  bool found;
  if (number >= CUL_TRACE_STEP && step < inner->n_steps)
    at = inner->steps[step].seen;
  else if (number >= CUL_TRACE_STEP && step - inner->n_steps < inner->n_places)
    at = inner->places[step - inner->n_steps];
  if (!at)
    return cul_fail(err, CUL_EUSAGE, "", "value %u is not recorded", number);
  return cul_divergence_next(&at, out, &found, err);
}

/* The block of operation `op` that contains the divergence; NULL: none. */
static const struct cul_inner_step *block_at(const struct cul_inner *inner,
                                             uint32_t op) {
  uint32_t block = block_of(inner, op);
  return block == UINT32_MAX ? NULL : &inner->steps[block];
}

/* The turn of this block in which the divergence is, from 0. */
static uint64_t inner_turn(const struct cul_inner *inner, uint32_t op) {
  const struct cul_inner_step *block = block_at(inner, op);
  return block && block->turn ? block->turn - 1 : 0;
}

static bool is_among(const char *name, const char *const *names) {
  while (*names && strcmp(name, *names) != 0)
    names++;
  return *names != NULL;
}

/* Append the values of the steps of this kind in `op`, as "(0, 3)". */
static void add_place(const struct cul_inner *inner, uint32_t op, int kind,
                      struct cul_buf *out) {
  const char *comma = "(";
  for (uint32_t i = 0; i < inner->n_steps; i++) {
    const struct cul_inner_step *step = &inner->steps[i];
    struct cul_tensors value = {0};
    struct cul_err ignored = {0};
    if (step->op != op || step->kind != kind || !step->when)
      continue;
    if (inner_value(inner, CUL_TRACE_STEP + i, &value, &ignored) == 0)
      cul_buf_addf(out, "%s%lld", comma,
                   (long long)cul_tensor_get(&value.items[0], 0, 0));
    cul_tensors_release(&value);
    comma = ", ";
  }
  cul_buf_adds(out, *comma == ',' ? ")" : "");
}

/* Append the turn, branch or element of operation `op` that contains the wrong
 * step: "turn 4", "else", "element (0, 3)"; nothing if it is not known. */
static void inner_where(const struct cul_inner *inner, uint32_t op,
                        struct cul_buf *out) {
  static const char *const loops[] = {"scf.for",       "affine.for",
                                      "scf.while",     "linalg.map",
                                      "linalg.reduce", NULL};
  static const char *const branches[] = {"scf.if", "affine.if", NULL};
  static const char *const places[] = {
      "scf.parallel", "scf.forall", "affine.parallel", "tensor.generate", NULL};
  const struct cul_inner_step *block = block_at(inner, op);
  const char *name = inner->ops[op].op.name;
  if (!block)
    return;
  if (is_among(name, branches))
    cul_buf_adds(out, block->region ? "else" : "then");
  else if (strcmp(name, "scf.index_switch") == 0)
    cul_buf_addf(out, "region %u", block->region);
  else if (strcmp(name, "linalg.generic") == 0)
    cul_buf_adds(out, "element "), add_place(inner, op, CUL_TRACE_INDEX, out);
  else if (is_among(name, places))
    add_place(inner, op, CUL_TRACE_ARGUMENT, out);
  else if (is_among(name, loops))
    cul_buf_addf(out, "turn %llu", (unsigned long long)block->turn);
  if (strcmp(name, "scf.while") == 0 && !block->region)
    cul_buf_adds(out, ", its condition");
}

/* ---- the step ---- */

static int run(struct cul_divergence_job *job, const struct cul_buf *program,
               enum cul_run_role role, struct cul_buf *out,
               struct cul_err *err) {
  return cul_divergence_run(job, program, role, NULL, out, err);
}

/* Set inner->at, the index of the wrong operation in its block. */
static void find_place(struct cul_inner *inner) {
  const struct cul_inner_op *op = &inner->ops[inner->op];
  inner->at = 0;
  for (uint32_t i = op->parent + 1; i < inner->op; i++)
    inner->at += inner->ops[i].parent == op->parent &&
                 inner->ops[i].region == op->region &&
                 inner->ops[i].block == op->block;
}

/* May the difference come from memory that was not written?  Not if the wrong
 * operation contains no others and has neither memrefs nor tensors. */
static bool may_be_memory(const struct cul_inner *inner) {
  const struct cul_inner_op *op = &inner->ops[inner->op];
  return !inner->entered || op->last > inner->op ||
         strstr(op->op.text, "memref") || strstr(op->op.text, "tensor");
}

/* Compare the steps in this view, and set inner->entered if the wrong operation
 * is found. */
static int look_inside(struct cul_divergence_job *job,
                       const struct cul_inner_view *view,
                       struct cul_divergent *what, struct cul_err *err) {
  struct cul_inner *inner = &job->inner;
  struct prints prints = {{0}, {0}};
  struct words words = {.n = 0};
  struct cul_buf program = {0};
  /* This role fills memory that is not written like the reference. */
  enum cul_run_role suspect =
      job->fresh ? CUL_ROLE_SUSPECT_POISON : CUL_ROLE_SUSPECT;
  bool differs = false;
  int rc;
  add_root(inner, &words);
  add_view(view, &words);
  inner->view = *view;
  inner->entered = false;
  cul_buf_clear(&inner->want);
  rc = cul_divergence_make(job, words.items, NULL, &program, err);
  if (rc == 0)
    rc = run(job, &program, CUL_ROLE_REFERENCE, &inner->want, err);
  if (rc == 0)
    rc = run(job, &program, suspect, &prints.got, err);
  if (rc == 0)
    rc = compare(job, &prints, &differs, what, err);
  if (rc == 0 && differs && job->fresh && may_be_memory(inner)) {
    rc = run(job, &program, CUL_ROLE_POISON, &prints.again, err);
    inner->entered = false;
    if (rc == 0)
      rc = compare(job, &prints, &differs, what, err);
  }
  cul_buf_release(&prints.got);
  cul_buf_release(&prints.again);
  cul_buf_release(&program);
  return rc;
}

/* ---- level by level ---- */

static void set_stop(struct cul_inner *inner, const char *why) {
  free(inner->stop);
  inner->stop = why ? cul_xstrdup(why) : NULL;
}

/* Find the wrong operation inside operation `at`.  Try the views from the one
 * that prints most to the one that prints least: a print may be too long, need
 * operations that the commands cannot lower, or hide the difference.  *found:
 * if false, inner->stop has the reason. */
static int look_at(struct cul_divergence_job *job, uint32_t at, bool *found,
                   struct cul_divergent *what, struct cul_err *err) {
  static const struct cul_inner_view views[] = {{.memory = true},
                                                {.memory = false},
                                                {.flat = true, .memory = true},
                                                {.flat = true}};
  struct cul_inner *inner = &job->inner;
  int rc = 0;
  *found = false;
  set_stop(inner, NULL);
  for (size_t i = 0; rc == 0 && !*found && i < CUL_ARRAY_SIZE(views); i++) {
    struct cul_inner_view view = views[i];
    view.at = at;
    rc = look_inside(job, &view, what, err);
    *found = rc == 0 && inner->entered && inner->op != at;
    if (rc == CUL_EUSAGE) {
      set_stop(inner, err->what);
      *err = (struct cul_err){0};
      rc = 0;
    } else if (!*found && !inner->stop) {
      set_stop(inner,
               "all values inside agree where they are printed, or their "
               "prints hide the difference");
    }
  }
  return rc;
}

/* The results of one view, kept while a deeper one is tried. */
struct shown {
  struct cul_inner_step *steps; /* heap */
  struct cul_buf want;
  struct cul_inner_view view;
  uint64_t when;
  uint32_t op;
  bool entered;
};

static struct shown set_aside(struct cul_inner *inner) {
  struct shown out = {.want = inner->want,
                      .view = inner->view,
                      .when = inner->when,
                      .op = inner->op,
                      .entered = inner->entered};
  size_t size = inner->n_steps * sizeof *inner->steps;
  out.steps = cul_xcalloc(inner->n_steps + 1, sizeof *out.steps);
  if (size)
    memcpy(out.steps, inner->steps, size);
  inner->want = (struct cul_buf){0};
  return out;
}

static void take_back(struct cul_inner *inner, struct shown *shown) {
  free(inner->steps);
  cul_buf_release(&inner->want);
  inner->steps = shown->steps;
  inner->want = shown->want;
  inner->view = shown->view;
  inner->when = shown->when;
  inner->op = shown->op;
  inner->entered = shown->entered;
  *shown = (struct shown){0};
}

/* Find the innermost wrong operation.  A view that is not flat shows all levels
 * at once; a flat one is followed by views of the operation it found. */
static int descend(struct cul_divergence_job *job, struct cul_divergent *what,
                   struct cul_err *err) {
  struct cul_inner *inner = &job->inner;
  struct cul_divergent one = {0};
  uint32_t at = 0;
  bool found = true;
  int rc = 0;
  inner->entered = false;
  while (rc == 0 && found) {
    struct shown before = set_aside(inner);
    rc = look_at(job, at, &found, &one, err);
    if (rc == 0 && found) {
      at = inner->op;
      *what = one;
      set_stop(inner, NULL);
      found = inner->view.flat && inner->ops[at].last > at;
    } else {
      take_back(inner, &before);
    }
    free(before.steps);
    cul_buf_release(&before.want);
  }
  return rc;
}

/* If steps inside the range's operation can be followed, find the first one
 * that differs: fill job->inner, and range->what for this step.
 * job->inner.entered is false if the operation as a whole is to be named;
 * job->inner.stop then has the reason.  whole: follow the entry function. */
static int divergence_enter(struct cul_divergence_job *job,
                            struct cul_divergence_range *range, bool whole,
                            struct cul_err *err) {
  struct cul_divergent what = {0};
  struct cul_inner *inner = &job->inner;
  int rc;
  inner_release(inner);
  if (!whole && !job->ops[range->hi].inside)
    return 0;
  inner->whole = whole;
  inner->root = whole ? 0 : (uint32_t)range->hi;
  rc = list(job, err);
  if (rc == 0)
    rc = descend(job, &what, err);
  if (rc == CUL_EUSAGE) { /* name the operation as a whole */
    set_stop(inner, err->what);
    inner->entered = false;
    *err = (struct cul_err){0};
    return 0;
  }
  if (rc == 0 && inner->entered) {
    find_place(inner);
    what.differs = true;
    range->what = what;
  }
  return rc;
}

/* ---- memory before it ---- */

/* Set inner->places to the memory before the wrong operation, which the print
 * has behind the last step that agrees. */
static int find_before(struct cul_inner *inner, struct cul_err *err) {
  const char *at = cul_buf_str(&inner->before);
  uint64_t steps = 0;
  bool found = true;
  while (found && steps <= inner->when) {
    struct cul_tensors value = {0};
    const char *begin = at;
    size_t number, place;
    if (cul_divergence_next(&at, &value, &found, err) < 0)
      return err->code;
    number = found ? strtoul(value.items[0].name, NULL, 10) : 0;
    cul_tensors_release(&value);
    steps += found && number < CUL_TRACE_STEP + inner->n_steps;
    if (!found || number < CUL_TRACE_STEP + inner->n_steps)
      continue;
    place = number - CUL_TRACE_STEP - inner->n_steps;
    if (place >= 64)
      return cul_fail(err, CUL_EUSAGE, "", "it reaches too much memory");
    for (; inner->n_places <= place; inner->n_places++) {
      inner->places = cul_xreallocarray(inner->places, inner->n_places + 1,
                                        sizeof *inner->places);
      inner->places[inner->n_places] = NULL;
    }
    inner->places[place] = begin;
  }
  return 0;
}

/* Make the reference print the memory before the wrong operation, unless it has
 * done so. */
static int record_before(struct cul_divergence_job *job, struct cul_err *err) {
  struct cul_inner *inner = &job->inner;
  struct words words = {.n = 0};
  struct cul_buf program = {0};
  int rc;
  if (inner->before.len)
    return 0;
  add_root(inner, &words);
  add_view(&inner->view, &words);
  snprintf(words.op, sizeof words.op, "%u", inner->op);
  add_word(&words, "--before");
  add_word(&words, words.op);
  rc = cul_divergence_make(job, words.items, NULL, &program, err);
  if (rc == 0)
    rc = run(job, &program, CUL_ROLE_REFERENCE, &inner->before, err);
  if (rc == 0)
    rc = find_before(inner, err);
  cul_buf_release(&program);
  return rc;
}

/* ---- segment ---- */

/* The segment that is wrong by itself, with recorded inputs. */

/* The most segments that are tried after the single operation. */
enum { MOST_TRIES = 10 };

static void divergence_segment_release(struct cul_divergence_segment *segment) {
  cul_buf_release(&segment->program);
  cul_buf_release(&segment->got);
  cul_buf_release(&segment->want);
  cul_tensors_release(&segment->want_tensors);
  *segment = (struct cul_divergence_segment){0};
}

static char *inputs_dir(const struct cul_divergence_job *job) {
  return cul_xasprintf("%s/recorded", job->target->dir);
}

static int write_npy(const struct cul_held *place, const char *dir,
                     const char *name, const struct cul_tensor *tensor,
                     struct cul_err *err) {
  char *path = cul_xasprintf("%s/%s.npy", dir, name);
  struct cul_buf npy = {0};
  int rc;
  cul_tensor_write_npy(tensor, &npy);
  rc = cul_held_replace(place, path, cul_buf_bytes(&npy), 0666, err);
  cul_buf_release(&npy);
  free(path);
  return rc;
}

static int record_one(struct cul_divergence_job *job, const char *dir,
                      uint32_t number, struct cul_err *err) {
  const struct cul_held *place = &job->target->place.held;
  struct cul_tensors inside = {0};
  char name[24], file[32];
  int rc;
  snprintf(name, sizeof name, "%u", number);
  snprintf(file, sizeof file, "value%u", number);
  if (number < job->n_values) {
    rc = cul_divergence_want(job, &number, 1, err);
    return rc == 0 ? write_npy(place, dir, file,
                               cul_tensors_find(&job->want, name), err)
                   : rc;
  }
  if (number >= CUL_TRACE_STEP + job->inner.n_steps)
    rc = record_before(job, err);
  else
    rc = 0;
  if (rc == 0)
    rc = inner_value(&job->inner, number, &inside, err);
  if (rc == 0)
    rc = write_npy(place, dir, file, &inside.items[0], err);
  cul_tensors_release(&inside);
  return rc;
}

/* Write the reference's value N into a file for each line "valueN". */
static int record(struct cul_divergence_job *job, const char *needs,
                  struct cul_err *err) {
  char *dir = inputs_dir(job);
  int rc = cul_held_ready(&job->target->place.held, dir, 0700, err);
  for (const char *at = needs; rc == 0 && *at; at += strcspn(at, "\n") + 1) {
    uint32_t number;
    if (sscanf(at, "value%u", &number) == 1)
      rc = record_one(job, dir, number, err);
  }
  free(dir);
  return rc;
}

/* The engine's words for a segment. */
static void begin_words(const struct cul_divergence_job *job,
                        const struct cul_divergence_segment *s,
                        struct words *out) {
  snprintf(out->range, sizeof out->range, "%u:%u", s->first, s->last);
  snprintf(out->op, sizeof out->op, "%u", job->inner.op);
  add_word(out, "--keep");
  add_word(out, out->range);
  if (!s->inside)
    return;
  add_root(&job->inner, out);
  add_word(out, "--inside");
  add_word(out, out->op);
}

/* Append words, NULL terminated, to those of begin_words. */
static const char *const *add_words(struct words *words,
                                    const char *const *more) {
  size_t n = words->n;
  while (*more)
    words->items[n++] = *more++;
  words->items[n] = NULL;
  return words->items;
}

static int make_segment(struct cul_divergence_job *job,
                        struct cul_divergence_segment *s, const char *to,
                        struct cul_err *err) {
  char *from = inputs_dir(job);
  const char *keep[] = {"--from", from, to ? "--to" : NULL, "@{out}", NULL};
  struct words words = {.n = 0};
  struct cul_buf needs = {0};
  int rc;
  begin_words(job, s, &words);
  rc = cul_divergence_make(
      job, add_words(&words, (const char *const[]){"--needs", NULL}), NULL,
      &needs, err);
  if (rc == 0)
    rc = record(job, cul_buf_str(&needs), err);
  cul_buf_clear(&s->program);
  if (rc == 0)
    rc =
        cul_divergence_make(job, add_words(&words, keep), to, &s->program, err);
  cul_buf_release(&needs);
  free(from);
  return rc;
}

/* Append the segment as a program that prints its results as plain numbers. */
static int divergence_segment_plain(struct cul_divergence_job *job,
                                    const struct cul_divergence_segment *s,
                                    struct cul_buf *out, struct cul_err *err) {
  char *from = inputs_dir(job);
  const char *keep[] = {"--from", from, "--plain", NULL};
  struct words words = {.n = 0};
  int rc;
  begin_words(job, s, &words);
  rc = cul_divergence_make(job, add_words(&words, keep), NULL, out, err);
  free(from);
  return rc;
}

static bool judge(struct cul_divergence_job *job,
                  struct cul_divergence_segment *s, struct cul_tensors *got) {
  bool differs = false;
  for (size_t i = 0; i < got->n && !differs; i++) {
    const struct cul_tensor *want =
        cul_tensors_find(&s->want_tensors, got->items[i].name);
    if (!want)
      continue;
    cul_divergence_compare(job, &got->items[i], want, &s->worst);
    differs = s->worst.differs;
  }
  return differs;
}

/* Is the segment wrong by itself?  One that does not run is not. */
static int try_segment(struct cul_divergence_job *job,
                       struct cul_divergence_segment *s, bool *differs,
                       struct cul_err *err) {
  struct cul_tensors got = {0};
  int rc = make_segment(job, s, NULL, err);
  *differs = false;
  cul_buf_clear(&s->want);
  cul_buf_clear(&s->got);
  cul_tensors_release(&s->want_tensors);
  if (rc == 0)
    rc = cul_divergence_run(job, &s->program, CUL_ROLE_REFERENCE,
                            &s->want_tensors, &s->want, err);
  if (rc == 0)
    rc = cul_divergence_run(job, &s->program, CUL_ROLE_SUSPECT, &got, &s->got,
                            err);
  if (rc == 0)
    *differs = judge(job, s, &got);
  cul_tensors_release(&got);
  return rc == CUL_EUSAGE ? 0 : rc;
}

/* Try the operation alone, then with twice as many operations before it each
 * time; inside another operation, with all of them at once.  *right: the
 * earliest start that was tried and is not wrong. */
static int find_wrong(struct cul_divergence_job *job,
                      struct cul_divergence_segment *out, uint32_t *right,
                      bool *found, struct cul_err *err) {
  uint32_t width = 1;
  *right = out->last + 1;
  *found = false;
  for (int tries = 0;; tries++) {
    if (try_segment(job, out, found, err) < 0)
      return err->code;
    if (*found || out->first == 0 || tries == MOST_TRIES)
      return 0;
    *right = out->first;
    width *= 2;
    out->first = !out->inside && out->last >= width ? out->last - width : 0;
  }
}

/* Bisect for the latest start at which the segment is wrong.  It is wrong from
 * out->first on, and not from `right` on. */
static int shorten(struct cul_divergence_job *job,
                   struct cul_divergence_segment *out, uint32_t right,
                   struct cul_err *err) {
  uint32_t wrong = out->first;
  bool differs = true;
  while (right - wrong > 1) {
    out->first = wrong + (right - wrong) / 2;
    if (try_segment(job, out, &differs, err) < 0)
      return err->code;
    if (differs)
      wrong = out->first;
    else
      right = out->first;
  }
  if (out->first == wrong)
    return 0;
  out->first = wrong;
  return try_segment(job, out, &differs, err);
}

/* Find the shortest segment that ends with operation `last`, or with the wrong
 * one inside it, and is wrong by itself.  *found: there is one.  out: release
 * it. */
static int divergence_segment_find(struct cul_divergence_job *job,
                                   uint32_t last,
                                   struct cul_divergence_segment *out,
                                   bool *found, struct cul_err *err) {
  uint32_t right = 0;
  int rc = 0;
  *found = false;
  *out = (struct cul_divergence_segment){0};
  for (int inside = job->inner.entered;
       rc == 0 && !*found && inside >= job->inner.whole; inside--) {
    divergence_segment_release(out);
    out->inside = inside;
    out->first = out->last = inside ? job->inner.at : last;
    rc = find_wrong(job, out, &right, found, err);
  }
  return rc == 0 && *found ? shorten(job, out, right, err) : rc;
}

/* ---- the bundle ---- */

static void add_passes(const char *passes, struct cul_buf *out) {
  if (!passes)
    return;
  cul_buf_adds(out, " |\n    \"$bin/mlir-opt\" --pass-pipeline=");
  cul_shell_quote(passes, out);
}

/* Append the work of the engine as a pipe of tools, which belong to the MLIR
 * that culprit was built with. */
static void add_tools(const char *passes, struct cul_buf *out) {
  cul_buf_adds(out, "  cat \"$repro\"");
  add_passes(passes, out);
  add_passes(CUL_BUFFERIZE, out);
  add_passes(CUL_LOWER, out);
  cul_buf_adds(out, " |\n    \"$bin/mlir-runner\" -O0 -e main "
                    "-entry-point-result=void -shared-libs=\"$libs\"\n");
}

static void add_role(const struct cul_divergence_job *job,
                     enum cul_run_role role, struct cul_buf *out) {
  const struct cul_target *target = job->target;
  const struct cul_target_conf *conf = &job->conf->target;
  const struct cul_command *command = role == CUL_ROLE_SUSPECT
                                          ? cul_target_command(target)
                                          : &target->roles.of[role].command;
  if (target->engine.argv && !conf->device) {
    add_tools(role == CUL_ROLE_SUSPECT ? conf->passes : conf->ref.passes, out);
    return;
  }
  cul_buf_adds(out, "  env");
  cul_shell_program(command->argv, NULL, out);
  if (command->delivery == CUL_BY_STDIN)
    cul_buf_adds(out, " <\"$repro\"");
  cul_buf_addc(out, '\n');
}

static void add_script(const struct cul_divergence_job *job,
                       struct cul_buf *out) {
  cul_buf_adds(out, "#!/bin/bash\n# Exits 0 if the command's numbers differ "
                    "from those of the reference,\n# want/printed.txt; "
                    "inputs/ are in repro.mlir.\n# ");
  cul_shell_comment(job->target->original.verdict.sig.title, out);
  cul_buf_addf(out,
               "\nset -o pipefail\n"
               "here=$(cd \"$(dirname \"$0\")\" && pwd)\n"
               "repro=$here/repro.mlir\n"
               "bin=${MLIR_BIN:-%s/bin}\nlib=${MLIR_LIB:-%s/lib}\n"
               "libs=$lib/libmlir_c_runner_utils.so,"
               "$lib/libmlir_runner_utils.so\n"
               "work=$(mktemp -d) || exit 2\ntrap 'rm -rf \"$work\"' EXIT\n"
               "suspect() {\n",
               CULPRIT_LLVM_PREFIX, CULPRIT_LLVM_PREFIX);
  add_role(job, CUL_ROLE_SUSPECT, out);
  cul_buf_adds(out, "}\nreference() {\n");
  add_role(job, CUL_ROLE_REFERENCE, out);
  cul_buf_adds(
      out, "}\nif [ \"$1\" = --reference ]; then\n"
           "  reference >\"$work/want\" || exit 2\n"
           "  cmp \"$work/want\" \"$here/want/printed.txt\"\n  exit\nfi\n"
           "suspect >\"$work/got\" || exit 2\n"
           "cmp -s \"$work/got\" \"$here/want/printed.txt\" && exit 1\n"
           "cmp -s \"$work/got\" \"$here/got/printed.txt\" ||\n"
           "  echo 'wrong, but not by the same bits as when it was recorded'\n"
           "diff \"$work/got\" \"$here/want/printed.txt\" | head -n 20\n"
           "exit 0\n");
}

static int put_tensors(const struct cul_divergence_job *job, const char *name,
                       const struct cul_tensors *tensors, struct cul_err *err) {
  char *dir = cul_xasprintf("%s/%s", job->conf->out, name);
  int rc = 0;
  for (size_t i = 0; i < tensors->n && rc == 0; i++) {
    char *file = cul_xasprintf("value%s", tensors->items[i].name);
    for (char *at = file; *at; at++) /* the name comes from a program's print */
      *at = *at == '/' ? '_' : *at;
    rc = write_npy(&job->out, dir, file, &tensors->items[i], err);
    free(file);
  }
  free(dir);
  return rc;
}

static int put_inputs(struct cul_divergence_job *job,
                      const struct cul_divergence_segment *segment,
                      struct cul_err *err) {
  struct cul_divergence_segment again = {.inside = segment->inside,
                                         .first = segment->first,
                                         .last = segment->last};
  char *dir = cul_xasprintf("%s/inputs", job->conf->out);
  int rc = cul_held_ready(&job->out, dir, 0777, err);
  if (rc == 0)
    rc = make_segment(job, &again, dir, err);
  divergence_segment_release(&again);
  free(dir);
  return rc;
}

/* Run repro.sh as a user would. */
static int run_script(struct cul_divergence_job *job, bool *shows,
                      struct cul_err *err) {
  char *path = cul_xasprintf("%s/repro.sh", job->conf->out);
  char *tmp = cul_xasprintf("%s/t%04d", job->target->dir, CUL_SLOT_OTHER);
  const char *argv[] = {"bash", path, NULL};
  struct cul_command command = {
      .argv = argv, .cwd = ".", .environment = job->target->tool.environment};
  struct cul_request request = {.role = "repro",
                                .cmd = &command,
                                .wall_ms = job->target->probe.request.wall_ms};
  struct cul_artefact none = {.dir = "", .file = "", .live_fd = -1};
  struct cul_record record = {0};
  int rc = cul_probe_wait(&job->target->probe, cul_runner_find("process"),
                          &none, &request, tmp, &record, err);
  job->runs[CUL_ROLE_SUSPECT]++;
  *shows = rc == 0 && record.end == CUL_EXITED && record.status == 0;
  cul_record_release(&record);
  free(path);
  free(tmp);
  return rc;
}

/* Write the segment into conf->out.  *shows: repro.sh, run afterwards, shows
 * the failure. */
static int divergence_bundle(struct cul_divergence_job *job,
                             const struct cul_divergence_segment *segment,
                             bool *shows, struct cul_err *err) {
  struct cul_buf script = {0};
  int rc = cul_divergence_put(job, "repro.mlir", &segment->program, 0666, err);
  add_script(job, &script);
  if (rc == 0)
    rc = cul_divergence_put(job, "repro.sh", &script, 0777, err);
  if (rc == 0)
    rc = put_inputs(job, segment, err);
  if (rc == 0)
    rc = put_tensors(job, "want", &segment->want_tensors, err);
  if (rc == 0)
    rc = cul_divergence_put(job, "want/printed.txt", &segment->want, 0666, err);
  if (rc == 0)
    rc = cul_divergence_put(job, "got/printed.txt", &segment->got, 0666, err);
  if (rc == 0)
    rc = run_script(job, shows, err);
  cul_buf_release(&script);
  return rc;
}

/* ---- divergence ---- */

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

static bool has_own_tolerance(const struct cul_tolerance_conf *conf) {
  return conf->preset || conf->ulps >= 0 || conf->rtol >= 0 || conf->atol >= 0;
}

/* Did the oracle's run in f64 prove that the reference does no rounding? */
static bool is_exact(const struct cul_judged *original) {
  bool exact = false;
  for (size_t i = 0; i < original->n && !exact; i++) {
    struct cul_numbers numbers = {0};
    struct cul_err ignored = {0};
    exact = original->records[i].role == CUL_ROLE_WIDE &&
            cul_numbers_read(&original->records[i], &numbers, &ignored) == 0 &&
            numbers.exact;
    cul_numbers_release(&numbers);
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
  uint32_t *numbers = cul_xcalloc(job->n_values + 1, sizeof *numbers);
  uint64_t elements = 0;
  int rc = 0;
  for (uint32_t v = 0; v < job->n_values; v++) {
    numbers[v] = v;
    elements += job->values[v].elements;
  }
  if (elements <= most_elements)
    rc = cul_divergence_want(job, numbers, job->n_values, err);
  free(numbers);
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
  if (!has_own_tolerance(&target->oracle_conf.mismatch.tolerance)) {
    job->exact = is_exact(&target->original);
    job->floor = job->exact ? 0 : least_severity;
  }
  return cul_held_put(&target->place.held, job->input,
                      target->subject.text.bytes, 0600, err);
}

static int classify(struct cul_divergence_job *job, struct cul_err *err) {
  struct cul_target *target = job->target;
  int rc = cul_target_open(target, &job->conf->target, err);
  if (rc == 0)
    rc = cul_held_make(&job->out, job->conf->out, 0777, err);
  if (rc == 0)
    rc = cul_target_recall(target, err);
  if (rc == 0)
    rc = cul_target_classify(target, err);
  if (rc == 0)
    rc = cul_target_demand_failure(target, err);
  target->probe.phase = CUL_RUNS_SEARCH;
  return rc;
}

static void release(struct cul_divergence_job *job) {
  cul_divergence_free_flow(job);
  inner_release(&job->inner);
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
  int rc = divergence_enter(job, range, true, &later);
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

static int try_once(struct cul_divergence_job *job, struct found *out,
                    struct cul_err *err) {
  struct cul_divergence_range *range = &out->range;
  divergence_segment_release(&out->segment);
  int rc = 0;
  *range =
      (struct cul_divergence_range){.lo = -1, .hi = (int64_t)job->n_ops - 1};
  if (job->n_values == 0)
    rc = cul_fail(err, CUL_EUSAGE, "", "it computes no value that is printed");
  if (rc == 0)
    rc = cul_divergence_bisect(job, range, err);
  if (rc == 0)
    rc = divergence_enter(job, range, false, err);
  else if (rc == CUL_EUSAGE)
    rc = enter_whole(job, range, err);
  return rc ? rc
            : divergence_segment_find(job, (uint32_t)range->hi, &out->segment,
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
    struct cul_buf where = {0};
    at = inner->ops[at].parent;
    inner_where(inner, at, &where);
    cul_say(text, "  inside %s at %s%s%s\n", inner->ops[at].op.name,
            inner->ops[at].op.location, where.len ? ", " : "",
            cul_buf_str(&where));
    cul_buf_release(&where);
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
    struct cul_buf where = {0};
    at = inner->ops[at].parent;
    inner_where(inner, at, &where);
    json_array_insert_new(
        out, 0,
        json_pack("{s:o, s:o, s:o, s:I}", "operation",
                  cul_report_string(inner->ops[at].op.name), "location",
                  cul_report_string(inner->ops[at].op.location), "where",
                  cul_report_string(cul_buf_str(&where)), "turn",
                  (json_int_t)inner_turn(inner, at)));
    cul_buf_release(&where);
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
    rc = divergence_bundle(job, &found.segment, &found.shows, err);
  if (rc == 0) {
    say(job, &found, text);
    *report = report_of(job, &found);
    rc = cul_divergence_put_report(job, *report, err);
  }
  divergence_segment_release(&found.segment);
  return rc;
}

int cul_divergence(const struct cul_divergence_conf *conf, FILE *text,
                   json_t **report, bool *followed, struct cul_err *err) {
  struct cul_target target = {0};
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
  cul_target_release(&target);
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
    rc = divergence_segment_plain(&job, &found.segment, &out->program, err);
  divergence_segment_release(&found.segment);
  release(&job);
  return rc;
}
