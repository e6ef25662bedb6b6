/* A segment alone, with what it takes from outside: see job.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

struct segment {
  struct cul_program *p;
  const struct cul_flow *flow; /* of the block that it is cut out of */
  uint32_t first, last;
  struct cul_map kept;     /* operations in front that stay */
  struct cul_ir_ops moved; /* and those that come from inside others */
  struct cul_trace *trace; /* of options.trace, where it is inside; or NULL */
};

/* The number of the block's operation; UINT32_MAX: it is none. */
static uint32_t number_of(const struct cul_flow *flow, MlirOperation op) {
  for (uint32_t i = 0; i < flow->n_ops; i++)
    if (flow->ops[i].ptr == op.ptr)
      return i;
  return UINT32_MAX;
}

/* The entry's operation in front of which all that is not inside stands. */
static uint32_t outer_first(const struct segment *s) {
  return s->trace ? (uint32_t)s->p->options.trace : s->first;
}

/* The number of what a value is, or holds, in front of the segment. */
static bool find_value(const struct segment *s, MlirValue value,
                       size_t *number) {
  const struct cul_flow *flow = &s->p->flow;
  bool found = false;
  for (size_t i = 0; i < flow->n && flow->values[i].op < outer_first(s); i++)
    if (flow->values[i].value.ptr == value.ptr)
      *number = i, found = true;
  return found;
}

/* Constants go along; so do views, whose memory is given, and what makes fresh
 * memory that nobody has written yet. */
static bool goes_along(const struct segment *s, MlirValue value) {
  MlirOperation def = cul_ir_defining_op(value);
  size_t ignored;
  if (!def.ptr || mlirOperationGetNumRegions(def) ||
      mlirOperationGetNumResults(def) != 1)
    return false;
  if (cul_flow_is_view(def))
    return true;
  if (mlirTypeIsAMemRef(mlirValueGetType(value)))
    return !find_value(s, value, &ignored);
  return mlirOperationGetNumOperands(def) == 0 ||
         cul_ir_is(def, "tensor.empty") ||
         cul_ir_is(def, "bufferization.alloc_tensor");
}

static int take(struct segment *s, MlirValue value, struct cul_err *err);

static int take_ins(struct segment *s, MlirOperation op, struct cul_err *err) {
  struct cul_ir_values values = {0};
  int rc = 0;
  cul_ir_live_ins(op, &values);
  for (size_t i = 0; i < values.n && rc == 0; i++)
    rc = take(s, values.items[i], err);
  cul_ir_values_release(&values);
  return rc;
}

static int take_along(struct segment *s, MlirOperation def,
                      struct cul_err *err) {
  if (cul_map_has(&s->kept, def.ptr))
    return 0;
  cul_map_put(&s->kept, def.ptr, 1);
  if (take_ins(s, def, err) < 0)
    return err->code;
  if (number_of(&s->p->flow, def) == UINT32_MAX)
    cul_ir_ops_add(&s->moved, def);
  return 0;
}

/* Does what is traced write memory, or hand it to somebody? */
static bool writes_memory(const struct cul_trace *trace) {
  for (size_t i = 0; i < trace->n_ops; i++) {
    MlirOperation op = trace->ops[i].op;
    struct cul_ir_values values = {0};
    bool touches = false;
    if (trace->ops[i].last > i || cul_flow_only_reads(op))
      continue;
    cul_ir_live_ins(op, &values);
    for (size_t v = 0; v < values.n; v++)
      touches |= mlirTypeIsAMemRef(mlirValueGetType(values.items[v]));
    cul_ir_values_release(&values);
    if (touches)
      return true;
  }
  return false;
}

/* Two that are the same memory would be two. */
static int check_alone(const struct segment *s, size_t number,
                       struct cul_err *err) {
  const struct cul_flow *flow = &s->p->flow;
  for (size_t i = 0; i < s->p->n_fed; i++)
    for (size_t v = 0; v < flow->n; v++)
      if (flow->values[v].memory && flow->values[number].memory &&
          flow->values[v].value.ptr == s->p->fed[i].value.ptr &&
          flow->values[v].value.ptr != flow->values[number].value.ptr &&
          flow->values[v].group == flow->values[number].group)
        return cul_fail(err, CUL_EUSAGE, "",
                        "it takes the same memory by two names");
  return 0;
}

/* From outside: as it was recorded, or as the program was given it. */
static int take_fed(struct segment *s, MlirValue value, struct cul_err *err) {
  struct cul_program *p = s->p;
  MlirType type = mlirValueGetType(value);
  uint64_t *step = s->trace ? cul_map_get(&s->trace->numbers, value.ptr) : NULL;
  size_t number;
  if (s->trace && mlirTypeIsAMemRef(type) && writes_memory(s->trace))
    return cul_fail(err, CUL_EUSAGE, "",
                    "what memory holds inside is not recorded");
  if (step) {
    cul_program_add_fed(p, value, "value", CUL_TRACE_STEP + *step - 1);
  } else if (find_value(s, value, &number)) {
    if (check_alone(s, number, err) < 0)
      return err->code;
    cul_program_add_fed(p, value, "value", number);
  } else if (!cul_ir_defining_op(value).ptr &&
             cul_ir_defining_block(value).ptr == cul_ir_entry(p->entry).ptr) {
    cul_program_add_fed(p, value, "arg",
                        (size_t)mlirBlockArgumentGetArgNumber(value));
  } else {
    return cul_fail(err, CUL_EUSAGE, "", "a value of type %s is not recorded",
                    cul_ir_type_text(p->ir, type));
  }
  return 0;
}

static int take(struct segment *s, MlirValue value, struct cul_err *err) {
  MlirOperation def = cul_ir_defining_op(value);
  uint32_t op = def.ptr ? number_of(s->flow, def) : UINT32_MAX;
  if (op != UINT32_MAX && op >= s->first)
    return 0;
  if (goes_along(s, value))
    return take_along(s, def, err);
  return take_fed(s, value, err);
}

/* What lives on behind it; or all, where nothing does. */
static void show_outs(struct segment *s) {
  const struct cul_flow *flow = s->flow;
  size_t shown = 0;
  for (int all = 0; all < 2 && shown == 0; all++)
    for (size_t i = 0; i < flow->n; i++) {
      const struct cul_flow_value *value = &flow->values[i];
      if (value->op < s->first || value->op > s->last ||
          (!all && value->end <= s->last))
        continue;
      cul_show(s->p->ir, &s->p->shown, value->value, i,
               cul_ir_next_op(flow->ops[value->op]));
      shown++;
    }
}

/* What comes from inside stands at the end of the function, with what prints
 * it. */
static void move_out(struct segment *s) {
  MlirOperation end = cul_program_end(s->p), at, next, behind;
  for (size_t i = 0; i < s->moved.n; i++)
    cul_edit_move_before(s->moved.items[i], end);
  behind = s->flow->ops[s->last + 1]; /* the terminator at last */
  for (at = s->flow->ops[s->first]; at.ptr != behind.ptr; at = next) {
    next = cul_ir_next_op(at);
    cul_edit_move_before(at, end);
  }
}

/* Functions, and globals, that the segment does not use are none of it. */
static void keep_used(struct cul_program *p) {
  struct cul_ir_ops whole = {0};
  cul_ir_ops_add(&whole, p->entry);
  cul_ir_tell(p->ir, CUL_IR_SYMBOLS);
  cul_ir_prune(p->ir, &whole);
  cul_ir_ops_release(&whole);
}

static int cut_out(struct segment *s, struct cul_err *err) {
  struct cul_program *p = s->p;
  int rc;
  show_outs(s);
  cul_edit_set_operands(cul_program_end(p), 0, NULL);
  if (!s->trace && cul_program_discard(p, s->last + 1, (uint32_t)p->flow.n_ops,
                                       NULL, err) < 0)
    return err->code;
  rc = cul_program_feed(p, err);
  if (rc == 0 && s->trace)
    move_out(s);
  if (rc == 0)
    rc = cul_program_discard(
        p, 0, s->trace ? (uint32_t)p->flow.n_ops : s->first, &s->kept, err);
  if (rc == 0 && s->trace)
    cul_trace_sweep(p->ir, s->trace, p->entry);
  if (rc == 0)
    rc = cul_program_become_main(p, err);
  if (rc == 0)
    keep_used(p);
  return rc;
}

static int keep(struct segment *s, struct cul_err *err) {
  int rc = 0;
  if (sscanf(s->p->options.keep, "%u:%u", &s->first, &s->last) != 2 ||
      s->first > s->last || s->last >= s->flow->n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--keep: there are no operations %s", s->p->options.keep);
  for (uint32_t i = s->first; i <= s->last && rc == 0; i++)
    rc = take_ins(s, s->flow->ops[i], err);
  return rc == 0 && !s->p->options.needs ? cut_out(s, err) : rc;
}

static int keep_inside(struct segment *s, struct cul_err *err) {
  struct cul_program *p = s->p;
  struct cul_trace trace = {0};
  struct cul_flow flow = {0};
  int rc;
  if (p->options.trace < 0 || (size_t)p->options.trace >= p->flow.n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--inside: --trace names no operation");
  rc = cul_trace_init(p->ir, p->flow.ops[p->options.trace], true, &trace, err);
  if (rc == 0 && (size_t)p->options.inside >= trace.n_ops)
    rc = cul_fail(err, CUL_EUSAGE, "--trace N --flow lists them",
                  "--inside: there is no such operation");
  if (rc == 0) {
    cul_flow_init(p->ir, mlirOperationGetBlock(trace.ops[p->options.inside].op),
                  &flow);
    s->flow = &flow;
    s->trace = &trace;
    rc = keep(s, err);
  }
  cul_flow_release(&flow);
  cul_trace_release(&trace);
  return rc;
}

int cul_program_keep(struct cul_program *p, struct cul_err *err) {
  struct segment s = {.p = p, .flow = &p->flow};
  int rc = p->options.inside >= 0 ? keep_inside(&s, err) : keep(&s, err);
  cul_map_release(&s.kept);
  cul_ir_ops_release(&s.moved);
  return rc;
}
