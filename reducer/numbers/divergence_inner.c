/* The divergence inside loops, branches, calls and bodies: see
 * divergence_inner.h. */
#include "divergence_inner.h"

#include <stdlib.h>
#include <string.h>

#include "../engines/program/trace_step.h"

void cul_inner_release(struct cul_inner *inner) {
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

static void add_view(const struct cul_inner_view *view,
                     struct cul_divergence_words *out) {
  snprintf(out->at, sizeof out->at, "%u", view->at);
  cul_divergence_add_word(out, "--at");
  cul_divergence_add_word(out, out->at);
  if (view->flat) {
    cul_divergence_add_word(out, "--deep");
    cul_divergence_add_word(out, "1");
  }
  if (!view->memory)
    cul_divergence_add_word(out, "--no-memory");
}

static int list(struct cul_divergence_job *job, struct cul_err *err) {
  struct cul_divergence_words words = {.n = 0};
  int rc;
  cul_divergence_add_root(&job->inner, &words);
  cul_divergence_add_word(&words, "--flow");
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
    if (inner->ops[i].parent == op && inner->ops[i].block == number &&
        inner->ops[i].region == inner->steps[block].region)
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

struct prints {
  /* again: the reference's second run; may be empty */
  struct cul_buf got, again;
};

static void prints_release(struct prints *prints) {
  cul_buf_release(&prints->got);
  cul_buf_release(&prints->again);
}

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
static int step_value(const struct cul_inner *inner, uint32_t number,
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

uint64_t cul_inner_turn(const struct cul_inner *inner, uint32_t op) {
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
    CUL_OWNED(cul_tensors) value = {0};
    struct cul_err ignored = {0};
    if (step->op != op || step->kind != kind || !step->when)
      continue;
    if (step_value(inner, CUL_TRACE_STEP + i, &value, &ignored) == 0)
      cul_buf_addf(out, "%s%lld", comma,
                   (long long)cul_tensor_get(&value.items[0], 0, 0));
    comma = ", ";
  }
  cul_buf_adds(out, *comma == ',' ? ")" : "");
}

void cul_inner_where(const struct cul_inner *inner, uint32_t op,
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
  CUL_OWNED(prints) prints = {{0}, {0}};
  struct cul_divergence_words words = {.n = 0};
  CUL_OWNED(cul_buf) program = {0};
  /* This role fills memory that is not written like the reference. */
  enum cul_run_role suspect =
      job->fresh ? CUL_ROLE_SUSPECT_POISON : CUL_ROLE_SUSPECT;
  bool differs = false;
  cul_divergence_add_root(inner, &words);
  add_view(view, &words);
  inner->view = *view;
  inner->entered = false;
  cul_buf_clear(&inner->want);
  if (cul_divergence_make(job, words.items, NULL, &program, err) < 0 ||
      cul_divergence_run(job, &program, CUL_ROLE_REFERENCE, NULL, &inner->want,
                         err) < 0 ||
      cul_divergence_run(job, &program, suspect, NULL, &prints.got, err) < 0 ||
      compare(job, &prints, &differs, what, err) < 0)
    return err->code;
  if (!differs || !job->fresh || !may_be_memory(inner))
    return 0;
  inner->entered = false;
  if (cul_divergence_run(job, &program, CUL_ROLE_POISON, NULL, &prints.again,
                         err) < 0)
    return err->code;
  return compare(job, &prints, &differs, what, err);
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

int cul_inner_enter(struct cul_divergence_job *job,
                    struct cul_divergence_range *range, bool whole,
                    struct cul_err *err) {
  struct cul_divergent what = {0};
  struct cul_inner *inner = &job->inner;
  int rc;
  cul_inner_release(inner);
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
    CUL_OWNED(cul_tensors) value = {0};
    const char *begin = at;
    size_t number, place;
    if (cul_divergence_next(&at, &value, &found, err) < 0)
      return err->code;
    number = found ? strtoul(value.items[0].name, NULL, 10) : 0;
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
  struct cul_divergence_words words = {.n = 0};
  CUL_OWNED(cul_buf) program = {0};
  if (inner->before.len)
    return 0;
  cul_divergence_add_root(inner, &words);
  add_view(&inner->view, &words);
  snprintf(words.op, sizeof words.op, "%u", inner->op);
  cul_divergence_add_word(&words, "--before");
  cul_divergence_add_word(&words, words.op);
  if (cul_divergence_make(job, words.items, NULL, &program, err) < 0 ||
      cul_divergence_run(job, &program, CUL_ROLE_REFERENCE, NULL,
                         &inner->before, err) < 0)
    return err->code;
  return find_before(inner, err);
}

int cul_inner_value(struct cul_divergence_job *job, uint32_t number,
                    struct cul_tensors *out, struct cul_err *err) {
  if (number >= CUL_TRACE_STEP + job->inner.n_steps &&
      record_before(job, err) < 0)
    return err->code;
  return step_value(&job->inner, number, out, err);
}
