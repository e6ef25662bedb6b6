/* Compiler passes as mutations, with the whole module as the only site.  Only
 * for native subjects; a pass may crash.  It frees and makes operations, so
 * places listed before it are invalid afterwards. */
#include <mlir-c/Pass.h>

#include "../../subject/ir/walk.h"
#include "../mutation.h"

/* A pass.  It has a site if prefix is NULL, or starts the name of some
 * operation that is no terminator and is not named `but` (may be NULL). */
struct cul_run_pass {
  const char *pipeline; /* textual: "builtin.module(cse)" */
  const char *prefix, *but;
  void (*before)(struct cul_ir *ir), (*after)(struct cul_ir *ir); /* or NULL */
};

#define CUL_PASS(id, ...) CUL_MUTATION(cul_run_pass, id, __VA_ARGS__)

static bool is_user(const struct cul_ir *ir, const struct cul_run_pass *pass,
                    MlirOperation op) {
  return cul_ir_is_of(op, pass->prefix) && !cul_ir_is_terminator(ir, op) &&
         !(pass->but && cul_ir_is(op, pass->but));
}

static void sites(const void *how, struct cul_subject *subject,
                  struct cul_sites *out) {
  const struct cul_run_pass *pass = how;
  struct cul_ir *ir = cul_ir_of(subject);
  bool found = !pass->prefix;
  CUL_IR_EACH_INNER(walk, ir->root) {
    found |= pass->prefix && is_user(ir, pass, walk.op);
  }
  if (found)
    cul_sites_add(out, ir->root.ptr, 0, 1);
}

static void ignore(MlirStringRef text, void *arg) {
  (void)text;
  (void)arg;
}

/* Returns 1 if the pipeline succeeded, else 0. */
static size_t run(struct cul_ir *ir, const char *pipeline) {
  MlirPassManager manager =
      mlirPassManagerCreateOnOperation(ir->context, cul_ir_name(ir->root));
  MlirLogicalResult result =
      mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(manager),
                            cul_ir_str(pipeline), ignore, NULL);
  /* the result is checked like that of any other edit */
  mlirPassManagerEnableVerifier(manager, false);
  if (mlirLogicalResultIsSuccess(result))
    result = cul_edit_run_passes(manager, ir->root);
  cul_buf_clear(&ir->diagnostic);
  cul_ir_tell(ir, CUL_IR_FREED);
  mlirPassManagerDestroy(manager);
  return mlirLogicalResultIsSuccess(result);
}

static size_t apply(const void *how, struct cul_subject *subject,
                    const struct cul_sites *sites, const uint32_t *ids,
                    size_t n) {
  const struct cul_run_pass *pass = how;
  struct cul_ir *ir = cul_ir_of(subject);
  (void)sites, (void)ids;
  if (pass->before)
    pass->before(ir);
  n = run(ir, pass->pipeline);
  if (pass->after)
    pass->after(ir);
  return n;
}

const struct cul_mutation_frame cul_run_pass_frame = {.sites = sites,
                                                      .apply = apply};

/* The compiler's own canonicalizer: folds, dead code, simpler forms. */
CUL_PASS(pass_canonicalize, .pipeline = "builtin.module(canonicalize)");

/* The compiler's own elimination of common subexpressions. */
CUL_PASS(pass_cse, .pipeline = "builtin.module(cse)");

/* The compiler's own inliner, which also inlines callees of several blocks; the
 * empty default-pipeline keeps it from running the canonicalizer. */
CUL_PASS(pass_inline, .pipeline = "builtin.module(inline{default-pipeline=})");

/* Lower loops, branches and subscripts of affine to scf, memref and arith,
 * whose operands may be any values. */
CUL_PASS(affine_to_scf, .pipeline = "builtin.module(lower-affine)",
         .prefix = "affine.");

/* ---- named linalg operations ---- */

/* generalize-linalg makes linalg.matmul and the like linalg.generic, whose
 * inputs, iterators and body can be edited.  The pass also removes dead
 * operations, so each result gets a user meanwhile. */
#define KEEPER "culprit.keep"

static void keep_results(struct cul_ir *ir) {
  CUL_IR_EACH_INNER(walk, ir->root) {
    CUL_IR_EACH_RESULT(result, walk.op) {
      struct cul_ir_new what = {KEEPER, &result, 1, NULL, 0};
      MlirOperation keeper = cul_ir_create(ir, &what, walk.op);
      if (keeper.ptr)
        cul_edit_move_after(keeper, walk.op);
    }
  }
}

static void let_go(struct cul_ir *ir) {
  CUL_IR_EACH_INNER(walk, ir->root) {
    if (cul_ir_is(walk.op, KEEPER))
      cul_ir_discard(ir, walk.op);
  }
}

CUL_PASS(generalize_linalg,
         .pipeline = "builtin.module(linalg-generalize-named-ops)",
         .prefix = "linalg.", .but = "linalg.generic", .before = keep_results,
         .after = let_go);
