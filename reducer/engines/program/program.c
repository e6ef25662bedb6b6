/* The engine "program": the module as a program that prints numbers, whole or
 * in part, on standard output; see program.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/opt.h"
#include "../engine.h"
#include "../plan/entry.h"
#include "../plan/inputs.h"
#include "job.h"

static const struct cul_opt opts[] = {
    {.name = "entry",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, entry),
     .value = "NAME",
     .help = "the function (default: main, else the first public one)"},
    {.name = "flow",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, flow),
     .help = "print the function's operations and values instead"},
    {.name = "show",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, show),
     .value = "N,N...|all",
     .help = "end behind the last of these values, and print them instead of "
             "the results"},
    {.name = "keep",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, keep),
     .value = "FIRST:LAST",
     .help = "keep these operations alone; print what they compute"},
    {.name = "needs",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, needs),
     .help = "with --keep: print the names of what they take from outside"},
    {.name = "plain",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct cul_program_options, plain),
     .help = "print numbers as such, and nothing else: not their bits"},
    {.name = "trace",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, trace),
     .max = UINT32_MAX,
     .value = "N",
     .help = "end behind operation N; print what it computes inside, step by "
             "step, or, with --flow, list that"},
    {.name = "inside",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, inside),
     .max = UINT32_MAX,
     .value = "K",
     .help = "with --trace and --keep: operations are those of the block that "
             "has K of that list"},
    {.name = "from",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, from),
     .value = "DIR",
     .help = "what comes from outside: DIR/valueN.npy, DIR/argN.npy"},
    {.name = "to",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, to),
     .value = "DIR",
     .help = "write what comes from outside there"},
    {.name = "inputs",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct cul_program_options, inputs),
     .value = "KIND",
     .help = "arguments without a file: integers, reals or positive"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, seed),
     .max = INT64_MAX,
     .value = "N",
     .help = "of those"},
    {.name = "extent",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct cul_program_options, extent),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "of their dynamic dimensions (default 4)"},
    {.name = NULL}};

/* Results are numbered from here on. */
enum { RESULT = 1000000 };

void cul_program_add_fed(struct cul_program *p, MlirValue value,
                         const char *kind, size_t number) {
  struct cul_fed *fed;
  for (size_t i = 0; i < p->n_fed; i++)
    if (p->fed[i].value.ptr == value.ptr)
      return;
  p->fed = cul_xreallocarray(p->fed, p->n_fed + 1, sizeof *p->fed);
  fed = &p->fed[p->n_fed++];
  fed->value = value;
  snprintf(fed->name, sizeof fed->name, "%s%zu", kind, number);
}

MlirOperation cul_program_end(const struct cul_program *p) {
  return mlirBlockGetTerminator(cul_ir_entry(p->entry));
}

/* ---- @main ---- */

int cul_program_feed(struct cul_program *p, struct cul_err *err) {
  MlirBlock block = cul_ir_entry(p->entry);
  return cul_feed(p->ir, &p->feed, p->fed, p->n_fed,
                  mlirBlockGetFirstOperation(block), err);
}

/* The arguments, which nothing uses any more, are gone; so is what was
 * returned. */
int cul_program_become_main(struct cul_program *p, struct cul_err *err) {
  struct cul_ir_signature none = {0};
  MlirBlock block = cul_ir_entry(p->entry);
  MlirStringRef old;
  cul_edit_set_operands(cul_program_end(p), 0, NULL);
  for (intptr_t i = mlirBlockGetNumArguments(block); i-- > 0;)
    cul_edit_erase_argument(block, (unsigned)i);
  if (!cul_ir_signature_set(p->ir, p->entry, &none) ||
      !cul_ir_symbol_name(p->entry, &old))
    return cul_fail(err, CUL_EUSAGE, "", "the function's type cannot change");
  cul_ir_rename_uses(p->ir, p->ir->root, old, cul_ir_str("main"));
  cul_edit_set_attribute(p->entry, cul_ir_str("sym_name"),
                         mlirStringAttrGet(p->ir->context, cul_ir_str("main")));
  if (cul_ir_get(p->entry, "sym_visibility").ptr)
    cul_edit_set_attribute(
        p->entry, cul_ir_str("sym_visibility"),
        mlirStringAttrGet(p->ir->context, cul_ir_str("public")));
  return 0;
}

static void feed_arguments(struct cul_program *p) {
  MlirBlock block = cul_ir_entry(p->entry);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++)
    if (cul_ir_has_uses(mlirBlockGetArgument(block, i)))
      cul_program_add_fed(p, mlirBlockGetArgument(block, i), "arg", (size_t)i);
}

/* Results, and memory that the caller gave. */
static void show_results(struct cul_program *p) {
  MlirOperation end = cul_program_end(p);
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
int cul_program_discard(struct cul_program *p, uint32_t from, uint32_t to,
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

static void show_value(struct cul_program *p, size_t number) {
  const struct cul_flow_value *value = &p->flow.values[number];
  cul_show(p->ir, &p->shown, value->value, number,
           cul_ir_next_op(p->flow.ops[value->op]));
}

static int show_chosen(struct cul_program *p, struct cul_err *err) {
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
  cul_edit_set_operands(cul_program_end(p), 0, NULL);
  return cul_program_discard(p, last + 1, (uint32_t)p->flow.n_ops, NULL, err);
}

/* What it does inside, and what it leaves. */
static int show_trace(struct cul_program *p, struct cul_buf *out,
                      struct cul_err *err) {
  uint32_t number = (uint32_t)p->options.trace;
  struct cul_trace trace = {0};
  int rc;
  if (number >= p->flow.n_ops)
    return cul_fail(err, CUL_EUSAGE, "--flow lists them",
                    "--trace: there is no operation %u", number);
  rc =
      cul_trace_init(p->ir, p->flow.ops[number], !p->options.flow, &trace, err);
  if (rc == 0 && p->options.flow) {
    cul_trace_print(&trace, out);
  } else if (rc == 0) {
    cul_trace_show(p->ir, &trace, &p->shown);
    cul_edit_set_operands(cul_program_end(p), 0, NULL);
    rc = cul_program_discard(p, number + 1, (uint32_t)p->flow.n_ops, NULL, err);
  }
  cul_trace_release(&trace);
  return rc;
}

/* ---- the engine ---- */

static int make_program(struct cul_program *p, struct cul_buf *out,
                        struct cul_err *err) {
  int rc = 0;
  if (p->options.trace >= 0)
    rc = show_trace(p, out, err);
  else if (p->options.show)
    rc = show_chosen(p, err);
  else
    show_results(p);
  if (p->options.flow)
    return rc;
  feed_arguments(p);
  if (rc == 0)
    rc = cul_program_feed(p, err);
  return rc == 0 ? cul_program_become_main(p, err) : rc;
}

static int make(struct cul_program *p, struct cul_buf *out,
                struct cul_err *err) {
  MlirBlock block = cul_ir_entry(p->entry);
  int rc;
  if (cul_ir_next_block(block).ptr)
    return cul_fail(err, CUL_EUSAGE, "run it before branches are made",
                    "the function of entry has more than one block");
  cul_flow_init(p->ir, block, &p->flow);
  if (p->options.keep) {
    rc = cul_program_keep(p, err);
    for (size_t i = 0; p->options.needs && i < p->n_fed; i++)
      cul_buf_addf(out, "%s\n", p->fed[i].name);
    return rc;
  }
  if (!p->options.flow || p->options.trace >= 0)
    return make_program(p, out, err);
  cul_flow_print(p->ir, &p->flow, out);
  return 0;
}

/* The module as it is now. */
static int print(struct cul_program *p, struct cul_buf *out,
                 struct cul_err *err) {
  struct cul_subject *subject = (struct cul_subject *)p->ir;
  char why[160] = "";
  if (!p->ir->head.kind->valid(subject, why, sizeof why))
    return cul_fail(err, CUL_EUSAGE, "", "it does not verify: %s", why);
  p->ir->head.kind->write(subject, out);
  return 0;
}

static int read_words(int argc, char **argv, struct cul_program *p,
                      struct cul_err *err) {
  struct cul_program_options *o = &p->options;
  enum cul_input_kind kind = CUL_INPUTS_INTEGERS;
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  *o = (struct cul_program_options){.extent = 4, .trace = -1, .inside = -1};
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
  p->shown.plain = o->plain;
  return 0;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_program p = {.ir = cul_ir_of(subject)};
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
    fwrite(cul_buf_str(&out), 1, out.len, stdout);
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
