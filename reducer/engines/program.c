/* The engine "program": the module as a program that prints numbers, whole or
 * in part, on standard output; see program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/opt.h"
#include "../subject/mlir_map.h"
#include "engine.h"
#include "entry.h"
#include "inputs.h"
#include "program.h"

struct options {
  const char *entry, *open, *show, *keep, *from, *to, *inputs;
  int64_t seed, extent, turns;
  bool flow, needs;
};

static const struct cul_opt opts[] = {
    {.name = "entry",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, entry),
     .value = "NAME",
     .help = "the function (default: main, else the first public one)"},
    {.name = "flow",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, flow),
     .help = "print the function's operations and values instead"},
    {.name = "show",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, show),
     .value = "N,N...|all",
     .help = "end behind the last of these values, and print them instead of "
             "the results"},
    {.name = "keep",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, keep),
     .value = "FIRST:LAST",
     .help = "keep these operations alone; print what they compute"},
    {.name = "needs",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, needs),
     .help = "with --keep: print the names of what they take from outside"},
    {.name = "turns",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, turns),
     .max = UINT32_MAX,
     .value = "N",
     .help = "end behind loop N; print what each of its turns leaves"},
    {.name = "open",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, open),
     .value = "N:TURN,...",
     .help = "first replace the call, branch or loop at N by its body, of a "
             "loop in that turn; then the next one"},
    {.name = "from",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, from),
     .value = "DIR",
     .help = "what comes from outside: DIR/valueN.npy, DIR/argN.npy"},
    {.name = "to",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, to),
     .value = "DIR",
     .help = "write what comes from outside there"},
    {.name = "inputs",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, inputs),
     .value = "KIND",
     .help = "arguments without a file: integers, reals or positive"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seed),
     .max = INT64_MAX,
     .value = "N",
     .help = "of those"},
    {.name = "extent",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, extent),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "of their dynamic dimensions (default 4)"},
    {.name = NULL}};

/* Results, and what a turn leaves, are numbered from here on. */
enum { RESULT = 1000000, TURN = 2000000 };

struct program {
  struct cul_ir *ir;
  struct options options;
  struct cul_feed_conf feed;
  MlirOperation entry;
  struct cul_flow flow;
  struct cul_shown shown;
  struct cul_fed *fed;
  size_t n_fed;
};

static void add_fed(struct program *p, MlirValue value, const char *kind,
                    size_t number) {
  struct cul_fed *fed;
  for (size_t i = 0; i < p->n_fed; i++)
    if (p->fed[i].value.ptr == value.ptr)
      return;
  p->fed = cul_xreallocarray(p->fed, p->n_fed + 1, sizeof *p->fed);
  fed = &p->fed[p->n_fed++];
  fed->value = value;
  snprintf(fed->name, sizeof fed->name, "%s%zu", kind, number);
}

static MlirOperation end_of(const struct program *p) {
  return mlirBlockGetTerminator(cul_ir_entry(p->entry));
}

/* ---- @main ---- */

static int feed_all(struct program *p, struct cul_err *err) {
  MlirBlock block = cul_ir_entry(p->entry);
  return cul_feed(p->ir, &p->feed, p->fed, p->n_fed,
                  mlirBlockGetFirstOperation(block), err);
}

/* The arguments, which nothing uses any more, are gone; so is what was
 * returned. */
static int become_main(struct program *p, struct cul_err *err) {
  struct cul_ir_signature none = {0};
  MlirBlock block = cul_ir_entry(p->entry);
  MlirStringRef old;
  mlirOperationSetOperands(end_of(p), 0, NULL);
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
    mlirBlockEraseArgument(block, (unsigned)i);
  if (!cul_ir_signature_set(p->ir, p->entry, &none) ||
      !cul_ir_symbol_name(p->entry, &old))
    return cul_fail(err, CUL_EUSAGE, "", "the function's type cannot change");
  cul_ir_rename_uses(p->ir, p->ir->root, old, cul_ir_str("main"));
  mlirOperationSetAttributeByName(
      p->entry, cul_ir_str("sym_name"),
      mlirStringAttrGet(p->ir->context, cul_ir_str("main")));
  if (cul_ir_get(p->entry, "sym_visibility").ptr)
    mlirOperationSetAttributeByName(
        p->entry, cul_ir_str("sym_visibility"),
        mlirStringAttrGet(p->ir->context, cul_ir_str("public")));
  return 0;
}

static void feed_arguments(struct program *p) {
  MlirBlock block = cul_ir_entry(p->entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (cul_ir_has_uses(mlirBlockGetArgument(block, i)))
      add_fed(p, mlirBlockGetArgument(block, i), "arg", (size_t)i);
}

/* Results, and memory that the caller gave. */
static void show_results(struct program *p) {
  MlirOperation end = end_of(p);
  MlirBlock block = cul_ir_entry(p->entry);
  size_t number = RESULT;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++, number++)
    if (cul_show_can(p->ir, mlirValueGetType(mlirOperationGetOperand(end, i))))
      cul_show(p->ir, &p->shown, mlirOperationGetOperand(end, i), number, end);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue arg = mlirBlockGetArgument(block, i);
    if (mlirTypeIsAMemRef(mlirValueGetType(arg)) && cul_ir_has_uses(arg))
      cul_show(p->ir, &p->shown, arg, number++, end);
  }
}

/* ---- parts ---- */

/* Operations [from, to) of the block go, but those that are kept. */
static int discard(struct program *p, uint32_t from, uint32_t to,
                   const struct cul_map *kept, struct cul_err *err) {
  struct cul_ir_ops gone = {0};
  bool done = true;
  for (uint32_t i = from; i < to; i++)
    if (!kept || !cul_map_has(kept, p->flow.ops[i].ptr))
      cul_ir_ops_add(&gone, p->flow.ops[i]);
  if (gone.n)
    done = cul_ir_discard_all(p->ir, &gone);
  cul_ir_ops_release(&gone);
  return done ? 0
              : cul_fail(err, CUL_EUSAGE, "",
                         "operations that are used cannot "
                         "go");
}

static void show_value(struct program *p, size_t number) {
  const struct cul_flow_value *value = &p->flow.values[number];
  cul_show(p->ir, &p->shown, value->value, number,
           cul_ir_next_op(p->flow.ops[value->op]));
}

static int show_chosen(struct program *p, struct cul_err *err) {
  const char *at = p->options.show;
  bool all = strcmp(at, "all") == 0;
  uint32_t last = 0;
  for (size_t i = 0; all && i < p->flow.n; i++)
    show_value(p, i), last = p->flow.values[i].op;
  while (!all && *at) {
    char *end;
    unsigned long number = strtoul(at, &end, 10);
    if (end == at || number >= p->flow.n)
      return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                      "--show: there is no value %.20s", at);
    show_value(p, number);
    if (p->flow.values[number].op > last)
      last = p->flow.values[number].op;
    at = end + (*end == ',');
  }
  mlirOperationSetOperands(end_of(p), 0, NULL);
  return discard(p, last + 1, (uint32_t)p->flow.n_ops, NULL, err);
}

/* At the end of the loop's body: what goes into the next turn, and memory. */
static int show_turns(struct program *p, struct cul_err *err) {
  uint32_t number = (uint32_t)p->options.turns;
  struct cul_ir_values values = {0};
  MlirOperation loop, end;
  if (number >= p->flow.n_ops ||
      !cul_program_is_loop(loop = p->flow.ops[number]))
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--turns: operation %u is no loop", number);
  end = mlirBlockGetTerminator(
      mlirRegionGetFirstBlock(mlirOperationGetRegion(loop, 0)));
  cul_ir_live_ins(loop, &values);
  for (size_t i = values.n; i-- > 0;)
    if (!mlirTypeIsAMemRef(mlirValueGetType(values.items[i])))
      values.items[i] = values.items[--values.n];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    cul_ir_values_add(&values, mlirOperationGetOperand(end, i));
  for (size_t i = 0; i < values.n; i++)
    if (cul_show_can(p->ir, mlirValueGetType(values.items[i])))
      cul_show(p->ir, &p->shown, values.items[i], TURN + i, end);
  cul_ir_values_release(&values);
  mlirOperationSetOperands(end_of(p), 0, NULL);
  return discard(p, number + 1, (uint32_t)p->flow.n_ops, NULL, err);
}

/* ---- a segment with what it takes from outside ---- */

/* The number of the block's operation; UINT32_MAX: it is none. */
static uint32_t number_of(const struct program *p, MlirOperation op) {
  for (uint32_t i = 0; i < p->flow.n_ops; i++)
    if (p->flow.ops[i].ptr == op.ptr)
      return i;
  return UINT32_MAX;
}

/* The number of what a value is, or holds, in front of an operation. */
static bool find_value(const struct program *p, MlirValue value,
                       uint32_t before, size_t *number) {
  bool found = false;
  for (size_t i = 0; i < p->flow.n && p->flow.values[i].op < before; i++)
    if (p->flow.values[i].value.ptr == value.ptr)
      *number = i, found = true;
  return found;
}

/* Constants go along; so does what makes fresh memory that nobody has written
 * yet. */
static bool goes_along(const struct program *p, MlirValue value,
                       uint32_t first) {
  MlirOperation def = cul_ir_defining_op(value);
  size_t ignored;
  if (!def.ptr || mlirOperationGetNumRegions(def) ||
      mlirOperationGetNumResults(def) != 1)
    return false;
  if (mlirTypeIsAMemRef(mlirValueGetType(value)))
    return !find_value(p, value, first, &ignored);
  return mlirOperationGetNumOperands(def) == 0 ||
         cul_ir_is(def, "tensor.empty") ||
         cul_ir_is(def, "bufferization.alloc_tensor");
}

struct segment {
  struct program *p;
  uint32_t first, last;
  struct cul_map kept; /* operations in front that stay */
};

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

static int take(struct segment *s, MlirValue value, struct cul_err *err) {
  struct program *p = s->p;
  MlirOperation def = cul_ir_defining_op(value);
  uint32_t op = def.ptr ? number_of(p, def) : 0;
  size_t number;
  if (def.ptr && op >= s->first)
    return 0;
  if (goes_along(p, value, s->first)) {
    if (cul_map_has(&s->kept, def.ptr))
      return 0;
    cul_map_put(&s->kept, def.ptr, 1);
    return take_ins(s, def, err);
  }
  if (find_value(p, value, s->first, &number))
    add_fed(p, value, "value", number);
  else if (!def.ptr)
    add_fed(p, value, "arg", (size_t)mlirBlockArgumentGetArgNumber(value));
  else
    return cul_fail(err, CUL_EUSAGE, "", "a value of type %s is not recorded",
                    cul_ir_type_text(p->ir, mlirValueGetType(value)));
  return 0;
}

static void show_outs(struct segment *s) {
  const struct cul_flow *flow = &s->p->flow;
  size_t shown = 0;
  for (int all = 0; all < 2 && shown == 0; all++)
    for (size_t i = 0; i < flow->n; i++)
      if (flow->values[i].op >= s->first && flow->values[i].op <= s->last &&
          (all || flow->values[i].end > s->last))
        show_value(s->p, i), shown++;
}

static int keep_segment(struct program *p, struct cul_err *err) {
  struct segment s = {.p = p};
  int rc = 0;
  if (sscanf(p->options.keep, "%u:%u", &s.first, &s.last) != 2 ||
      s.first > s.last || s.last >= p->flow.n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--keep: there are no operations %s", p->options.keep);
  for (uint32_t i = s.first; i <= s.last && rc == 0; i++)
    rc = take_ins(&s, p->flow.ops[i], err);
  if (rc == 0 && !p->options.needs) {
    show_outs(&s);
    mlirOperationSetOperands(end_of(p), 0, NULL);
    rc = discard(p, s.last + 1, (uint32_t)p->flow.n_ops, NULL, err);
    if (rc == 0)
      rc = feed_all(p, err);
    if (rc == 0)
      rc = discard(p, 0, s.first, &s.kept, err);
    if (rc == 0)
      rc = become_main(p, err);
  }
  cul_map_release(&s.kept);
  return rc;
}

/* ---- opening ---- */

static int open_all(struct program *p, struct cul_err *err) {
  const char *at = p->options.open;
  while (at && *at) {
    char *end;
    unsigned long number = strtoul(at, &end, 10), turn = 0;
    bool done;
    if (*end == ':')
      turn = strtoul(end + 1, &end, 10);
    if (cul_flow_init(p->ir, p->entry, &p->flow, err) < 0)
      return err->code;
    done = number < p->flow.n_ops &&
           cul_program_open(p->ir, p->flow.ops[number], turn);
    cul_flow_release(&p->flow);
    if (!done)
      return cul_fail(err, CUL_EUSAGE, "", "operation %lu cannot be opened",
                      number);
    at = end + (*end == ',');
  }
  return 0;
}

/* ---- the engine ---- */

static int make(struct program *p, struct cul_buf *out, struct cul_err *err) {
  int rc = open_all(p, err);
  if (rc == 0)
    rc = cul_flow_init(p->ir, p->entry, &p->flow, err);
  if (rc < 0)
    return rc;
  if (p->options.flow) {
    cul_flow_print(p->ir, &p->flow, out);
    return 0;
  }
  if (p->options.keep) {
    rc = keep_segment(p, err);
    for (size_t i = 0; p->options.needs && i < p->n_fed; i++)
      cul_buf_addf(out, "%s\n", p->fed[i].name);
  } else {
    if (p->options.turns >= 0)
      rc = show_turns(p, err);
    else if (p->options.show)
      rc = show_chosen(p, err);
    else
      show_results(p);
    feed_arguments(p);
    if (rc == 0)
      rc = feed_all(p, err);
    if (rc == 0)
      rc = become_main(p, err);
  }
  return rc;
}

/* The module as it is now. */
static int print(struct program *p, struct cul_buf *out, struct cul_err *err) {
  struct cul_subject *subject = (struct cul_subject *)p->ir;
  char why[160] = "";
  if (!p->ir->head.kind->valid(subject, why, sizeof why))
    return cul_fail(err, CUL_EUSAGE, "", "it does not verify: %s", why);
  p->ir->head.kind->write(subject, out);
  return 0;
}

static int read_words(int argc, char **argv, struct program *p,
                      struct cul_err *err) {
  struct options *o = &p->options;
  enum cul_input_kind kind = CUL_INPUTS_INTEGERS;
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  *o = (struct options){.extent = 4, .turns = -1};
  if (cul_opt_parse(opts, o, argc, argv, &operands, err) < 0)
    return err->code;
  if (o->inputs && !cul_input_kind_parse(o->inputs, &kind))
    return cul_fail(err, CUL_EUSAGE, "integers, reals or positive",
                    "--inputs: unknown kind \"%s\"", o->inputs);
  p->feed = (struct cul_feed_conf){.from = o->from,
                                   .to = o->to,
                                   .kind = kind,
                                   .seed = (uint64_t)o->seed,
                                   .extent = (uint64_t)o->extent};
  return 0;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct program p = {.ir = cul_ir_of(subject)};
  struct cul_buf out = {0};
  struct cul_err err = {0};
  char *name = NULL;
  int rc = read_words(argc, argv, &p, &err);
  (void)warm;
  if (rc == 0) {
    p.entry = cul_entry_find(p.ir, p.options.entry, &name, &err);
    rc = err.code;
  }
  if (rc == 0)
    rc = make(&p, &out, &err);
  if (rc == 0 && !p.options.flow && !p.options.needs)
    rc = print(&p, &out, &err);
  if (rc == 0)
    fwrite(out.data, 1, out.len, stdout);
  else
    fprintf(stderr, "error: %s\n", err.what);
  cul_flow_release(&p.flow);
  cul_buf_release(&out);
  free(p.shown.types);
  free(p.fed);
  free(name);
  return rc == 0 ? 0 : CUL_ENGINE_USAGE;
}

const struct cul_engine cul_engine_program = {
    .name = "program",
    .summary = "print the module as a program that prints its numbers",
    .opts = opts,
    .run = run,
};
