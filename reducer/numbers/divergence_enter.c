/* The divergence inside loops, branches, calls and bodies: see
 * divergence_job.h. */
#include <stdlib.h>
#include <string.h>

#include "../engines/program/trace_step.h"
#include "divergence_job.h"

void cul_inner_release(struct cul_inner *inner) {
  for (size_t i = 0; i < inner->n_ops; i++)
    cul_flow_op_release(&inner->ops[i].op);
  free(inner->ops);
  free(inner->steps);
  cul_buf_release(&inner->want);
  *inner = (struct cul_inner){0};
}

/* ---- operations and steps ---- */

static void read_line(struct cul_divergence_job *job, const char *at) {
  struct cul_inner *inner = &job->inner;
  struct cul_inner_op op = {0};
  struct cul_inner_step step = {0};
  int skip = 0;
  if (sscanf(at, "inner %*u %u %u %u %u %n", &op.parent, &op.last, &op.region,
             &op.block, &skip) == 4) {
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

static int list(struct cul_divergence_job *job, const char *root,
                struct cul_err *err) {
  const char *words[] = {"--trace", root, "--flow", NULL};
  int rc = cul_divergence_list(job, words, read_line, err);
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

/* The operation that decides that the runs continue with different steps a and
 * b: the inner one of the two operations whose blocks begin, else the earlier;
 * UINT32_MAX: neither step is a block. */
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

/* In a region of several blocks, the terminator of the last block decides which
 * one is next. */
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

/* Find the wrong operation: the next steps of the two runs differ, or have
 * different values.  False: it is the root itself, or cannot be told. */
static bool blame(struct cul_inner *inner, const struct walk *want,
                  const struct walk *got, struct cul_divergent *what) {
  const struct cul_inner_step *step = &inner->steps[want->step];
  if (want->step == got->step && step->kind == CUL_TRACE_RESULT) {
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
  cul_tensors_release(&want.value);
  cul_tensors_release(&got.value);
  cul_tensors_release(&again.value);
  return rc;
}

/* ---- where ---- */

int cul_inner_value(const struct cul_inner *inner, uint32_t number,
                    struct cul_tensors *out, struct cul_err *err) {
  const char *at =
      number >= CUL_TRACE_STEP && number - CUL_TRACE_STEP < inner->n_steps
          ? inner->steps[number - CUL_TRACE_STEP].seen
          : NULL;
  bool found;
  if (!at)
    return cul_fail(err, CUL_EUSAGE, "", "value %u is not recorded", number);
  return cul_divergence_next(&at, out, &found, err);
}

/* The block of operation `op` that contains the divergence. */
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

/* Append "(0, 3)": the values of the steps of this kind. */
static void add_place(const struct cul_inner *inner, uint32_t op, int kind,
                      struct cul_buf *out) {
  const char *comma = "(";
  for (uint32_t i = 0; i < inner->n_steps; i++) {
    const struct cul_inner_step *step = &inner->steps[i];
    struct cul_tensors value = {0};
    struct cul_err ignored = {0};
    if (step->op != op || step->kind != kind || !step->when)
      continue;
    if (cul_inner_value(inner, CUL_TRACE_STEP + i, &value, &ignored) == 0)
      cul_buf_addf(out, "%s%lld", comma,
                   (long long)cul_tensor_get(&value.items[0], 0, 0));
    cul_tensors_release(&value);
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

static int run(struct cul_divergence_job *job, const struct cul_buf *program,
               enum cul_run_role role, struct cul_buf *out,
               struct cul_err *err) {
  return cul_divergence_run(job, program, role, NULL, out, err);
}

static void find_place(struct cul_inner *inner) {
  const struct cul_inner_op *op = &inner->ops[inner->op];
  inner->at = 0;
  for (uint32_t i = op->parent + 1; i < inner->op; i++)
    inner->at += inner->ops[i].parent == op->parent &&
                 inner->ops[i].region == op->region &&
                 inner->ops[i].block == op->block;
}

/* May the difference come from memory?  Not if the operation computes numbers
 * from numbers that agree. */
static bool may_be_memory(const struct cul_inner *inner) {
  const struct cul_inner_op *op = &inner->ops[inner->op];
  return !inner->entered || op->last > inner->op ||
         strstr(op->op.text, "memref") || strstr(op->op.text, "tensor");
}

static int trace(struct cul_divergence_job *job, const char *root,
                 struct cul_divergent *what, struct cul_err *err) {
  const char *words[] = {"--trace", root, NULL};
  struct cul_inner *inner = &job->inner;
  struct prints prints = {{0}, {0}};
  struct cul_buf program = {0};
  /* Memory that is not written then has the same content as in the
   * reference. */
  enum cul_run_role suspect =
      job->fresh ? CUL_ROLE_SUSPECT_POISON : CUL_ROLE_SUSPECT;
  bool differs = false;
  int rc = list(job, root, err);
  if (rc == 0)
    rc = cul_divergence_make(job, words, NULL, &program, err);
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

int cul_divergence_enter(struct cul_divergence_job *job,
                         struct cul_divergence_range *range,
                         struct cul_err *err) {
  struct cul_divergent what = {0};
  char root[24];
  int rc;
  cul_inner_release(&job->inner);
  if (!job->ops[range->hi].inside)
    return 0;
  snprintf(root, sizeof root, "%lld", (long long)range->hi);
  rc = trace(job, root, &what, err);
  if (rc == CUL_EUSAGE) { /* name the operation as a whole */
    *err = (struct cul_err){0};
    cul_inner_release(&job->inner);
    return 0;
  }
  if (rc == 0 && job->inner.entered) {
    job->inner.root = (uint32_t)range->hi;
    find_place(&job->inner);
    what.differs = true;
    range->what = what;
  }
  return rc;
}
