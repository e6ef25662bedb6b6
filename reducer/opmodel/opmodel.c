/* The operation model: which questions to ask, how to ask them, and what the
 * answers mean.  See opmodel.h. */
#include "opmodel.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../subject/apart.h"
#include "../subject/ir/compat.h"
#include "../subject/ir/mangle.h"
#include "model.h"
#include "sets.h"

/* ---- snippet ---- */

/* Questions as text, for the tool's verifier: a module with a copy of one
 * operation and all that the copy needs to be valid.
 *
 * Its operands are results of builtin.unrealized_conversion_cast, which every
 * MLIR compiler has and which can have any type.  Symbols that the operation
 * names are copied too: functions as declarations, others unchanged if they are
 * small.  If an operation must be inside a certain other operation, that one is
 * copied as well, and of its block only the operation and the terminator are
 * kept. */

enum {
  MOST_INSIDE = 300, /* maximal number of operations in a copy */
  MOST_SYMBOL = 16   /* the same for a symbol that is not a function */
};

struct snippet {
  struct cul_ir *ir;
  MlirBlock body;
  struct cul_map named; /* symbols that have been copied */
};

/* Replace the values that op and its regions use from outside by results of
 * casts before op, except arguments of its own block.  False: a value has no
 * replacement. */
static bool isolate(struct cul_ir *ir, MlirOperation op) {
  CUL_IR_EACH_LIVE_IN(walk, op) {
    MlirValue with;
    if (cul_ir_is_argument_of(walk.value, mlirOperationGetBlock(op)))
      continue;
    with = cul_ir_constant(ir, mlirValueGetType(walk.value), CUL_IR_CAST, op);
    if (!with.ptr)
      return false;
    cul_ir_replace_inside(op, walk.value, with);
  }
  return true;
}

/* ---- symbols ---- */

static void make_declaration(struct cul_ir *ir, MlirOperation function) {
  MlirRegion region = mlirOperationGetRegion(function, 0);
  cul_edit_take_body(region, mlirRegionCreate());
  if (cul_ir_is(function, "func.func"))
    (void)cul_ir_set_string(ir, function, "sym_visibility", "private");
}

static void add_named(struct snippet *s, MlirOperation op, MlirAttribute ref) {
  MlirOperation symbol = cul_ir_resolve(s->ir, op, ref), copy;
  while (symbol.ptr && cul_ir_parent(symbol).ptr &&
         cul_ir_parent(symbol).ptr != s->ir->root.ptr)
    symbol = cul_ir_parent(symbol);
  if (!symbol.ptr || cul_map_has(&s->named, symbol.ptr) ||
      (!cul_ir_is_function(symbol) && cul_ir_count(symbol) > MOST_SYMBOL))
    return;
  cul_map_put(&s->named, symbol.ptr, 1);
  copy = cul_ir_clone(symbol);
  cul_edit_insert_at(s->body, 0, copy);
  if (cul_ir_is_function(copy))
    make_declaration(s->ir, copy);
}

static void add_named_by(struct snippet *s, MlirOperation op) {
  CUL_IR_EACH_ATTR(walk, s->ir, op) {
    MlirAttribute attr = walk.attr->attr;
    if (mlirAttributeIsASymbolRef(attr))
      add_named(s, op, attr);
    for (intptr_t k = 0; k < cul_ir_array_size(attr); k++)
      if (mlirAttributeIsASymbolRef(mlirArrayAttrGetElement(attr, k)))
        add_named(s, op, mlirArrayAttrGetElement(attr, k));
  }
}

/* Add the symbols that op and the operations inside it name. */
static void add_all_named(struct snippet *s, MlirOperation op) {
  CUL_IR_EACH_ITEM(walk, op) { add_named_by(s, walk.op); }
}

/* ---- frames ---- */

static MlirOperation add_copy(struct snippet *s, MlirOperation op) {
  MlirOperation copy = cul_ir_clone(op);
  cul_edit_append(s->body, copy);
  return isolate(s->ir, copy) ? copy : (MlirOperation){NULL};
}

/* The copy of op in the copy of its parent. */
static MlirOperation find_in_copy(MlirOperation op, MlirOperation parent,
                                  MlirOperation copy) {
  size_t at = SIZE_MAX, n = 0;
  CUL_IR_EACH_ITEM(walk, parent) {
    if (walk.op.ptr == op.ptr)
      at = n;
    n++;
  }
  n = 0;
  CUL_IR_EACH_ITEM(walk, copy) {
    if (n++ == at)
      return walk.op;
  }
  return (MlirOperation){NULL};
}

/* Unlink all operations of op's block but op, the last one and the casts.
 * False: a value has no replacement. */
static bool keep_terminator(struct cul_ir *ir, MlirOperation op) {
  MlirBlock block = mlirOperationGetBlock(op);
  MlirOperation last = op;
  CUL_IR_EACH_OP(inner, block) last = inner;
  if (!isolate(ir, op) || (last.ptr != op.ptr && !isolate(ir, last)))
    return false;
  CUL_IR_EACH_OP(inner, block)
  if (inner.ptr != op.ptr && inner.ptr != last.ptr &&
      !(cul_ir_is(inner, "builtin.unrealized_conversion_cast") &&
        mlirOperationGetNumOperands(inner) == 0))
    cul_edit_unlink(inner);
  return true;
}

/* Add a copy of op's parent; returns the copy of op in it.  Null: op's region
 * has several blocks, or a value has no replacement. */
static MlirOperation add_parent_copy(struct snippet *s, MlirOperation op) {
  MlirOperation parent = cul_ir_parent(op), copy, inner = {NULL};
  MlirBlock block = mlirOperationGetBlock(op);
  MlirBlock first = mlirRegionGetFirstBlock(mlirBlockGetParentRegion(block));
  if (!parent.ptr || !mlirBlockEqual(block, first) ||
      cul_ir_next_block(block).ptr)
    return inner;
  copy = cul_ir_clone(parent);
  cul_edit_append(s->body, copy);
  if (!isolate(s->ir, copy))
    return inner;
  add_named_by(s, parent);
  inner = find_in_copy(op, parent, copy);
  return inner.ptr && keep_terminator(s->ir, inner) ? inner
                                                    : (MlirOperation){NULL};
}

/* ---- text ---- */

/* Append the text of the module's body: the lines between its first and
 * last. */
static void print_body(const struct cul_ir *ir, MlirOperation module,
                       struct cul_buf *out) {
  MlirOpPrintingFlags flags = mlirOpPrintingFlagsCreate();
  CUL_OWNED(cul_buf) text = {0};
  const char *first, *last;
  mlirOpPrintingFlagsPrintGenericOpForm(flags);
  mlirOpPrintingFlagsUseLocalScope(flags);
  mlirOperationPrintWithFlags(module, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
  first = strchr(cul_buf_str(&text), '\n');
  last = strrchr(cul_buf_str(&text), '}');
  if (first && last && last > first && cul_ir_is_opaque(ir))
    cul_ir_unmangle((struct cul_bytes){first + 1, (size_t)(last - first) - 1},
                    out);
}

/* ---- attributes and operands that can be removed ---- */

enum { MOST_ATTRS = 48, MOST_PAIRED = 5 };

/* Is it one of the attributes by which MLIR describes the structure of
 * operations?  They are not asked about. */
static bool is_structure(MlirStringRef name) {
  return cul_ir_str_is_word(
      name, " sym_name sym_visibility function_type operandSegmentSizes "
            "resultSegmentSizes ");
}

/* May the spot be in a pair?  refused: only attributes that cannot be removed
 * alone. */
static bool may_pair(const struct cul_spot *spot, bool refused) {
  return spot->kind == CUL_SPOT_ATTR &&
         (!refused || spot->alone == CUL_REFUSED);
}

/* Add the pairs of attributes as trials. */
static bool add_pairs(struct cul_sets *sets, bool refused) {
  size_t before = sets->n_trials, n = 0;
  for (size_t i = 0; i < sets->n; i++)
    n += may_pair(&sets->spots[i], refused);
  for (size_t i = 0; n <= MOST_PAIRED && i < sets->n; i++)
    for (size_t k = 0; k < i; k++)
      if (may_pair(&sets->spots[i], refused) &&
          may_pair(&sets->spots[k], refused))
        cul_sets_add(sets, UINT64_C(1) << k | UINT64_C(1) << i);
  return sets->n_trials > before;
}

static void add_part(struct cul_sets *sets, const struct cul_spot *spot) {
  cul_sets_add(sets, UINT64_C(1) << sets->n);
  sets->spots[sets->n] = *spot;
  sets->spots[sets->n++].set = UINT32_MAX;
}

/* Add the operands of op, but not those of terminators and branches: they are
 * verified by the parent or the successor, which a copy of op alone lacks. */
static void add_operands(struct cul_ir *ir, MlirOperation op,
                         struct cul_sets *out) {
  intptr_t n = mlirOperationGetNumOperands(op);
  if (cul_ir_is_terminator(ir, op) || mlirOperationGetNumSuccessors(op) > 0)
    return;
  for (uint32_t k = 0; k < n && out->n < CUL_MOST_SPOTS; k++)
    add_part(out, &(struct cul_spot){.kind = CUL_SPOT_OPERAND, .value = k});
}

/* Find the parts of op that may be removable.  If a tool is asked, few pairs
 * are added at once: starting it costs more than many questions. */
static bool parts_find(struct cul_ir *ir, MlirOperation op,
                       struct cul_sets *out) {
  bool tool = cul_ir_is_opaque(ir);
  CUL_IR_EACH_ATTR(walk, ir, op) {
    MlirIdentifier name = mlirIdentifierGet(ir->context, walk.attr->name);
    if (out->n < MOST_ATTRS && !is_structure(walk.attr->name))
      add_part(out, &(struct cul_spot){
                        .kind = CUL_SPOT_ATTR,
                        .attr = name,
                        .held = cul_class_value(ir, walk.attr->attr)});
  }
  add_operands(ir, op, out);
  out->n_variants = tool && cul_ir_parent(op).ptr != ir->root.ptr ? 2 : 1;
  if (tool)
    (void)add_pairs(out, false);
  return out->n > 0;
}

static bool drop_operand(struct cul_ir *ir, MlirOperation op, uint32_t k) {
  size_t n = (size_t)mlirOperationGetNumOperands(op);
  CUL_HEAP bool *keep = cul_xcalloc(n + 1, sizeof *keep);
  memset(keep, true, n);
  keep[k] = false;
  return cul_ir_keep_operands(ir, op, keep);
}

/* Returns false if it fails, or if an attribute has a default and thus comes
 * back. */
static bool drop_attrs(struct cul_ir *ir, const struct cul_sets *sets,
                       uint64_t among, MlirOperation *copy) {
  const char *names[3] = {NULL};
  struct cul_ir_change change = {.drop_attrs = names};
  MlirAttribute before;
  MlirOperation made;
  size_t n = 0;
  for (size_t i = 0; i < sets->n && n < 2; i++)
    if (among >> i & 1)
      names[n++] = mlirIdentifierStr(sets->spots[i].attr).data;
  before = cul_ir_get(*copy, names[0]);
  made = cul_ir_rebuild(ir, *copy, &change);
  if (!made.ptr)
    return false;
  *copy = made;
  return cul_ir_get(made, names[0]).ptr != before.ptr;
}

static bool parts_change(struct cul_ir *ir, const struct cul_sets *sets,
                         uint64_t among, MlirOperation *copy) {
  const struct cul_spot *first = &sets->spots[__builtin_ctzll(among)];
  return first->kind == CUL_SPOT_OPERAND ? drop_operand(ir, *copy, first->value)
                                         : drop_attrs(ir, sets, among, copy);
}

/* ---- questions ---- */

/* Apply the change of the question to *copy, an operation in a block; *copy:
 * the resulting operation. False: the change is impossible or changes
 * nothing. */
static bool ask_change(struct cul_ir *ir, const struct cul_class *class,
                       const struct cul_ask *ask, MlirOperation *copy) {
  const struct cul_sets *sets = class->sets[ask->sets];
  uint64_t spots;
  if (ask->trial == CUL_CONTROL)
    return true;
  spots = sets->trials[ask->trial].spots;
  return ask->sets == CUL_SETS_PARTS
             ? parts_change(ir, sets, spots, copy)
             : cul_sets_change(ir, sets, spots, ask->variant, copy);
}

/* Append the question as the body of a module in generic form; nothing if it
 * cannot be expressed. Edits the module of this process, so call it in a
 * fork. */
static void snippet_write(struct cul_ir *ir, const struct cul_class *class,
                          const struct cul_ask *ask, struct cul_buf *out) {
  MlirModule module = mlirModuleCreateEmpty(ir->unknown);
  struct snippet s = {.ir = ir, .body = mlirModuleGetBody(module)};
  MlirOperation op = class->seen, copy = {NULL};
  MlirOperation held = ask->frame == CUL_FRAME_PARENT ? cul_ir_parent(op) : op;
  if (mlirOperationGetNumSuccessors(op) == 0 &&
      cul_ir_count(held) <= MOST_INSIDE)
    copy = ask->frame == CUL_FRAME_PARENT ? add_parent_copy(&s, op)
                                          : add_copy(&s, op);
  if (copy.ptr) {
    add_all_named(&s, op);
    if (ask_change(ir, class, ask, &copy))
      print_body(ir, mlirModuleGetOperation(module), out);
  }
  cul_map_release(&s.named);
}

/* ---- rounds ---- */

/* The questions and their order.
 *
 * First: does an unchanged copy verify, alone and inside a copy of its parent?
 * Does it verify without each of its attributes and operands, and without two
 * attributes?  These questions of all classes of the module are asked at once,
 * because starting a tool costs more than many questions.  If there are too
 * many pairs, or if libMLIR is asked, pairs are asked about later, and only
 * those of attributes that cannot be removed alone. */

enum { MOST_ASKS = 20000 /* for one subject */ };

static void add_question(struct cul_model *model, uint32_t number,
                         enum cul_sets_kind kind, uint32_t trial,
                         uint32_t variant) {
  enum cul_frame frame =
      kind == CUL_SETS_PARTS ? (enum cul_frame)variant : CUL_FRAME_ALONE;
  CUL_XADD(model->asks, model->n_asks, model->cap_asks) =
      (struct cul_ask){number, frame, kind, trial, variant};
}

/* The first frame in which the unchanged copy verifies; CUL_N_FRAMES: none. */
static enum cul_frame frame_of(const struct cul_class *class) {
  enum cul_frame frame = CUL_FRAME_ALONE;
  while (frame < CUL_N_FRAMES && class->control[frame] != CUL_ACCEPTED)
    frame++;
  return frame;
}

/* ---- sets ---- */

static bool find_sets(struct cul_ir *ir, const struct cul_class *class,
                      enum cul_sets_kind kind, struct cul_sets *out) {
  MlirOperation op = class->seen;
  if (kind == CUL_SETS_PARTS)
    return parts_find(ir, op, out);
  if (mlirOperationGetNumSuccessors(op) > 0 || op.ptr == ir->root.ptr)
    return false;
  for (uint32_t i = 0; i < cul_ir_n_values(op); i++)
    if (!cul_ir_value(op, i).ptr)
      return false;
  return cul_sets_list(ir, op, class->sets[CUL_SETS_TIES], out);
}

static struct cul_sets *sets_of(struct cul_ir *ir,
                                const struct cul_class *class,
                                enum cul_sets_kind kind) {
  struct cul_sets *sets = cul_xcalloc(1, sizeof *sets);
  sets->kind = kind;
  if (find_sets(ir, class, kind, sets))
    return sets;
  cul_sets_free(sets);
  return NULL;
}

/* Take over the answers of another class of the same operation that was asked
 * the same questions.  An edit often turns one class into another; asking again
 * would start the tool.  A wrong answer costs only a run. */
static bool inherit_sets(const struct cul_model *model,
                         const struct cul_class *class,
                         enum cul_sets_kind kind) {
  for (size_t i = 0; i < model->n; i++) {
    const struct cul_class *other = model->classes[i];
    if (other->op.ptr == class->op.ptr && other->sets[kind] &&
        cul_sets_inherit(class->sets[kind], other->sets[kind]))
      return true;
  }
  return false;
}

/* Add the trials from number first on, and the control, as questions. */
static void add_trials(struct cul_model *model, uint32_t number,
                       enum cul_sets_kind kind, uint32_t first) {
  const struct cul_sets *sets = model->classes[number]->sets[kind];
  for (uint32_t v = 0; v < sets->n_variants; v++) {
    if (first == 0 && (v == 0 || kind == CUL_SETS_PARTS))
      add_question(model, number, kind, CUL_CONTROL, v);
    for (uint32_t i = first; i < sets->n_trials; i++)
      add_question(model, number, kind, i, v);
  }
}

/* Must questions be asked about the sets of this kind? */
static bool has_questions(const struct cul_ir *ir,
                          const struct cul_model *model,
                          const struct cul_class *class,
                          enum cul_sets_kind kind) {
  return class->sets[kind] &&
         !(cul_ir_is_opaque(ir) && inherit_sets(model, class, kind));
}

/* Add the questions of the next kind: ties before ranks, because the trials of
 * ranks depend on the ties.  Copies are asked alone, without their parent,
 * because types rarely depend on it. */
static void plan_sets(struct cul_ir *ir, struct cul_model *model,
                      uint32_t number) {
  struct cul_class *class = model->classes[number];
  bool asks = false;
  while (!asks && class->n_planned < CUL_SETS_PARTS) {
    enum cul_sets_kind kind = (enum cul_sets_kind)class->n_planned++;
    class->sets[kind] = sets_of(ir, class, kind);
    asks = has_questions(ir, model, class, kind);
    if (asks)
      add_trials(model, number, kind, 0);
  }
}

/* Add the questions about parts, except for the module itself, which cannot be
 * rebuilt.  Round 0: all trials; round 1: pairs. */
static void plan_parts(struct cul_ir *ir, struct cul_model *model,
                       uint32_t number) {
  struct cul_class *class = model->classes[number];
  struct cul_sets *sets = class->sets[CUL_SETS_PARTS];
  uint32_t round = class->n_rounds++, n = sets ? (uint32_t)sets->n_trials : 0;
  if (round == 0 && class->seen.ptr != ir->root.ptr &&
      has_questions(ir, model, class, CUL_SETS_PARTS))
    add_trials(model, number, CUL_SETS_PARTS, 0);
  else if (round == 1 && sets && sets->known && !sets->inherited &&
           add_pairs(sets, true))
    add_trials(model, number, CUL_SETS_PARTS, n);
}

/* Set model->asks to the next questions of all classes in the module; false:
 * there are none.  The answers to all of them must be passed to model_answer
 * before the next call. */
static bool model_plan(struct cul_ir *ir, struct cul_model *model,
                       cul_wanted_fn *wanted) {
  model->n_asks = 0;
  for (uint32_t i = 0; i < model->n; i++) {
    struct cul_class *class = model->classes[i];
    if (class->look != model->look ||
        model->counts.questions + model->n_asks >= MOST_ASKS)
      continue;
    if (!wanted)
      plan_parts(ir, model, i);
    else if (wanted(class->seen.ptr) &&
             (cul_ir_is_opaque(ir) || cul_compat_is_registered(class->seen)))
      plan_sets(ir, model, i); /* a verifier knows the operation */
  }
  return model->n_asks > 0;
}

/* Compute the sets of a class from the answers: ties and ranks if the control
 * verifies alone, parts in the first frame in which it verifies. */
static void conclude(struct cul_class *class) {
  enum cul_frame frame = frame_of(class);
  for (int i = 0; i < CUL_N_SETS; i++) {
    struct cul_sets *sets = class->sets[i];
    bool parts = i == CUL_SETS_PARTS;
    if (!sets || sets->inherited || frame >= (parts ? sets->n_variants : 1) ||
        (parts && class->n_rounds == 0)) /* not asked */
      continue;
    if (parts)
      sets->variant = frame;
    cul_sets_conclude(sets);
  }
}

static void record_answer(struct cul_class *class, const struct cul_ask *ask,
                          enum cul_ruling answer) {
  uint32_t bit = UINT32_C(1) << ask->variant;
  struct cul_trial *trial;
  if (ask->trial == CUL_CONTROL) {
    class->control[ask->frame] = answer;
    return;
  }
  trial = &class->sets[ask->sets]->trials[ask->trial];
  trial->accepted |= answer == CUL_ACCEPTED ? bit : 0;
  trial->refused |= answer == CUL_REFUSED ? bit : 0;
}

static void model_answer(struct cul_model *model, const uint8_t *answers) {
  for (size_t i = 0; i < model->n_asks; i++) {
    const struct cul_ask *ask = &model->asks[i];
    record_answer(model->classes[ask->class], ask, (enum cul_ruling)answers[i]);
    model->counts.unknown += answers[i] == CUL_UNKNOWN;
    model->vendor |= answers[i] != CUL_UNKNOWN;
  }
  model->counts.questions += model->n_asks;
  model->n_asks = 0;
  for (size_t i = 0; i < model->n; i++)
    conclude(model->classes[i]);
}

/* ---- place ---- */

/* Questions to libMLIR: a copy is inserted next to the operation, where its
 * operands and its parent are valid, changed, and verified by itself. */

/* The maximal number of operations to copy for one question. */
static const uint32_t most_inside = 500;

struct asking {
  struct cul_ir *ir;
  const struct cul_model *model;
  uint8_t *answers;    /* of libMLIR: one enum cul_ruling for each question */
  struct cul_buf *out; /* the questions as text, for the vendor's verifier */
};

/* A terminator must be last in its block. */
static MlirOperation copy_beside(MlirOperation op) {
  MlirOperation copy = cul_ir_clone(op);
  MlirBlock block = mlirOperationGetBlock(op);
  if (cul_ir_next_op(op).ptr)
    cul_edit_insert_before(block, op, copy);
  else
    cul_edit_append(block, copy);
  return copy;
}

/* Print op and discard the text: a printer may crash on an operation that its
 * verifier wrongly accepts, which must happen here and not in a candidate. */
static void print(struct cul_ir *ir, MlirOperation op) {
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  CUL_OWNED(cul_buf) text = {0};
  mlirOperationPrintWithFlags(op, flags, cul_compat_append, &text);
  mlirOpPrintingFlagsDestroy(flags);
}

/* Does the text of an isolated copy of op parse?  Some verifiers accept an
 * operation without an operand that its printed form requires.  Call this in a
 * fork: nothing is freed. */
static bool reads_back(struct cul_ir *ir, MlirOperation op) {
  MlirModule module = mlirModuleCreateEmpty(ir->unknown), read = {NULL};
  struct snippet s = {.ir = ir, .body = mlirModuleGetBody(module)};
  MlirOpPrintingFlags flags = cul_ir_print_flags(ir);
  CUL_OWNED(cul_buf) text = {0};
  if (add_copy(&s, op).ptr) {
    add_all_named(&s, op);
    mlirOperationPrintWithFlags(mlirModuleGetOperation(module), flags,
                                cul_compat_append, &text);
    read = mlirModuleCreateParse(ir->context, cul_ir_str(cul_buf_str(&text)));
  }
  mlirOpPrintingFlagsDestroy(flags);
  cul_map_release(&s.named);
  return read.ptr != NULL;
}

static bool is_about_operand(const struct cul_class *class,
                             const struct cul_ask *ask) {
  const struct cul_sets *sets = class->sets[ask->sets];
  return ask->trial != CUL_CONTROL &&
         sets->spots[__builtin_ctzll(sets->trials[ask->trial].spots)].kind ==
             CUL_SPOT_OPERAND;
}

static enum cul_ruling ask_one(struct cul_ir *ir, const struct cul_class *class,
                               const struct cul_ask *ask) {
  MlirOperation copy;
  bool good;
  if (cul_ir_count(class->seen) > most_inside)
    return CUL_UNKNOWN;
  copy = copy_beside(class->seen);
  good = ask_change(ir, class, ask, &copy) && mlirOperationVerify(copy);
  if (good)
    print(ir, copy);
  if (good && is_about_operand(class, ask))
    good = reads_back(ir, copy) || !reads_back(ir, class->seen);
  cul_buf_clear(&ir->diagnostic);
  cul_ir_discard(ir,
                 copy); /* the next copy may have to be the last operation */
  return good ? CUL_ACCEPTED : CUL_REFUSED;
}

static void ask(void *arg, size_t i, struct cul_buf *out) {
  const struct asking *asking = arg;
  const struct cul_ask *one = &asking->model->asks[i];
  cul_buf_addc(
      out, (char)ask_one(asking->ir, asking->model->classes[one->class], one));
}

static void receive_answer(void *arg, size_t i, const struct cul_bytes *bytes) {
  const struct asking *asking = arg;
  asking->answers[i] =
      bytes && bytes->len == 1 ? (uint8_t)bytes->data[0] : CUL_UNKNOWN;
}

/* ---- opmodel ---- */

static struct cul_model *model_of(struct cul_ir *ir) {
  if (!ir->model)
    ir->model = cul_xcalloc(1, sizeof *ir->model);
  return ir->model;
}

void cul_model_free(struct cul_model *model) {
  if (!model)
    return;
  for (size_t i = 0; i < model->n; i++)
    cul_class_free(model->classes[i]);
  free(model->classes);
  free(model->asks);
  cul_map_release(&model->of);
  free(model);
}

static void look(struct cul_ir *ir, struct cul_model *model,
                 cul_wanted_fn *wanted) {
  model->look++;
  CUL_IR_EACH_ITEM(walk, ir->root) {
    struct cul_class *class;
    if (wanted && !wanted(walk.op.ptr))
      continue;
    class = cul_class_of(ir, model, walk.op);
    cul_map_put_ptr(&model->of, walk.op.ptr, class);
    if (class->look != model->look) /* the first one represents its class */
      class->seen = walk.op;
    class->look = model->look;
    if (!class->sets[CUL_SETS_PARTS])
      class->sets[CUL_SETS_PARTS] = sets_of(ir, class, CUL_SETS_PARTS);
  }
}

/* Ask libMLIR until there are no more questions. */
static void ask_libmlir(struct cul_ir *ir, struct cul_model *model,
                        cul_wanted_fn *wanted) {
  uint64_t begun = cul_now_us();
  while (model_plan(ir, model, wanted)) {
    struct asking asking = {ir, model, cul_xcalloc(model->n_asks, 1), NULL};
    if (!model->counts.first_us)
      model->counts.first_us = begun;
    cul_apart(model->n_asks, ask, receive_answer, &asking);
    model_answer(model, asking.answers);
    free(asking.answers);
  }
  model->counts.us += cul_now_us() - begun;
}

/* For opaque forms the main program asks (questions). */
static void look_and_ask(struct cul_ir *ir, cul_wanted_fn *wanted) {
  struct cul_model *model = model_of(ir);
  look(ir, model, wanted);
  if (!cul_ir_is_opaque(ir))
    ask_libmlir(ir, model, wanted);
}

void cul_model_look(struct cul_ir *ir) { look_and_ask(ir, NULL); }

void cul_model_look_for_ties(struct cul_ir *ir, cul_wanted_fn *wanted) {
  struct cul_model *model = model_of(ir);
  if (!model->looked_for_ties)
    look_and_ask(ir, wanted);
  model->looked_for_ties = true;
}

void cul_model_forget(struct cul_model *model) {
  if (!model)
    return;
  cul_map_release(&model->of);
  model->of = (struct cul_map){0};
  model->looked_for_ties = false;
}

const struct cul_class *cul_model_class(const struct cul_ir *ir,
                                        MlirOperation op) {
  return ir->model ? cul_map_get_ptr(&ir->model->of, op.ptr) : NULL;
}

bool cul_model_is_verified(const struct cul_ir *ir) {
  return !cul_ir_is_opaque(ir) || (ir->model && ir->model->vendor);
}

/* ---- questions for the vendor's verifier ---- */

static void write_one(void *arg, size_t i, struct cul_buf *out) {
  const struct asking *w = arg;
  const struct cul_ask *ask = &w->model->asks[i];
  snippet_write(w->ir, w->model->classes[ask->class], ask, out);
}

/* The key under which the answer is stored; it does not depend on the
 * subject. */
static struct cul_digest name_of(const struct cul_model *model,
                                 const struct cul_ask *ask) {
  const struct cul_class *class = model->classes[ask->class];
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &class->key, sizeof class->key);
  cul_hasher_u64(h, ask->frame);
  if (ask->trial != CUL_CONTROL) {
    cul_hasher_u64(h, ask->sets);
    cul_hasher_u64(h, ask->variant);
    cul_hasher_u64(h, class->sets[ask->sets]->trials[ask->trial].spots);
  }
  return cul_hasher_finish(h);
}

static void add_one(void *arg, size_t i, const struct cul_bytes *bytes) {
  const struct asking *w = arg;
  struct cul_question question = {.name = name_of(w->model, &w->model->asks[i]),
                                  .len = bytes ? bytes->len : 0};
  cul_buf_add(w->out, &question, sizeof question);
  if (bytes)
    cul_buf_add(w->out, bytes->data, bytes->len);
}

static void questions(struct cul_subject *subject, cul_wanted_fn *wanted,
                      struct cul_buf *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_model *model = model_of(ir);
  struct asking writing = {ir, model, NULL, out};
  look_and_ask(ir, wanted);
  if (cul_ir_is_opaque(ir) && model_plan(ir, model, wanted))
    cul_apart(model->n_asks, write_one, add_one, &writing);
}

static void told(struct cul_subject *subject, struct cul_bytes answers) {
  struct cul_model *model = model_of(cul_ir_of(subject));
  if (answers.len == model->n_asks)
    model_answer(model, (const uint8_t *)answers.data);
}

static void asked(const struct cul_subject *subject, struct cul_asked *out) {
  const struct cul_model *model = ((const struct cul_ir *)subject)->model;
  *out = (struct cul_asked){0};
  if (model)
    *out = model->counts;
  if (model)
    out->classes = model->n;
}

const struct cul_subject_model cul_op_model = {
    .questions = questions,
    .told = told,
    .explain = cul_model_explain,
    .asked = asked,
};
