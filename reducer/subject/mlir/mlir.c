/* The subject kind "mlir": parse, judge, print.  See ir.h. */
#include "../ir/ir.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../opmodel/opmodel.h"
#include "../ir/private.h"
#include "llvm.h"

static void free_subject(struct cul_subject *subject) {
  struct cul_ir *ir = cul_ir_of(subject);
  if (!ir)
    return;
  cul_ir_tell(ir, CUL_IR_CLOSED);
  cul_ir_facts_free(ir->facts);
  cul_llvm_free(ir->llvm);
  cul_model_free(ir->model);
  if (ir->module.ptr)
    cul_edit_destroy_module(ir->module);
  mlirContextDestroy(ir->context);
  cul_buf_release(&ir->resources);
  cul_buf_release(&ir->diagnostic);
  free(ir);
}

extern const struct cul_subject_kind cul_subject_kind_mlir;

/* All dialects and passes: most of what opening a small module takes. */
static void *prepare(void) { return cul_compat_context(true).ptr; }

static struct cul_ir *new_subject(struct cul_reading how, void *prepared) {
  struct cul_ir *ir = cul_xcalloc(1, sizeof *ir);
  bool opaque = how.form == CUL_FORM_OPAQUE;
  ir->head.kind = &cul_subject_kind_mlir;
  ir->head.bits = opaque ? CUL_SUBJECT_OPAQUE : CUL_SUBJECT_NATIVE;
  ir->form = how.form;
  ir->check = how.check;
  ir->located = how.located;
  ir->context.ptr = prepared;
  if (opaque || !prepared)
    ir->context = cul_compat_context(!opaque);
  ir->unknown = mlirLocationUnknownGet(ir->context);
  ir->memo = cul_ir_memo_new(ir);
  cul_compat_catch(ir->context, &ir->diagnostic);
  if (how.form == CUL_FORM_LLVM) {
    cul_llvm_register(ir->context);
    ir->llvm = cul_xcalloc(1, sizeof *ir->llvm);
  }
  return ir;
}

/* Replace buf by what fn makes of it. */
static void wrap(struct cul_buf *buf,
                 void (*fn)(struct cul_bytes, struct cul_buf *)) {
  struct cul_buf out = {0};
  fn(cul_buf_bytes(buf), &out);
  cul_buf_release(buf);
  *buf = out;
}

static int parse(struct cul_ir *ir, struct cul_bytes text,
                 struct cul_err *err) {
  struct cul_buf rest = {0};
  cul_ir_resources_cut(text, &rest, &ir->resources);
  if (cul_ir_is_opaque(ir)) {
    wrap(&rest, cul_ir_expand_aliases);
    wrap(&rest, cul_ir_mangle);
  }
  ir->module =
      mlirModuleCreateParse(ir->context, cul_ir_str(cul_buf_str(&rest)));
  cul_buf_release(&rest);
  if (mlirModuleIsNull(ir->module))
    return cul_fail(err, CUL_EUSAGE,
                    "try another --form, or give --opt-tool a tool that "
                    "prints the generic form",
                    "cannot parse the module as %s: line %s",
                    cul_form_name(ir->form),
                    ir->diagnostic.len ? cul_buf_str(&ir->diagnostic)
                                       : "unknown, the parser does not say");
  cul_buf_clear(&ir->diagnostic);
  ir->root = mlirModuleGetOperation(ir->module);
  return 0;
}

/* The text, or what it is imported as. */
static int parse_any(struct cul_ir *ir, struct cul_bytes text,
                     struct cul_err *err) {
  struct cul_buf imported = {0};
  int rc;
  if (!ir->llvm)
    return parse(ir, text, err);
  rc = cul_llvm_import(text, &imported, err);
  if (rc == 0)
    rc = parse(ir, cul_buf_bytes(&imported), err);
  if (rc == 0 && !cul_llvm_has_layout(text))
    cul_ir_remove_discardable(ir->root, "dlti.dl_spec");
  cul_buf_release(&imported);
  return rc;
}

static int open_subject(struct cul_bytes text, struct cul_reading how,
                        void *prepared, struct cul_subject **out,
                        struct cul_err *err) {
  struct cul_ir *ir = new_subject(how, prepared);
  int rc = parse_any(ir, text, err);
  if (rc < 0) {
    free_subject((struct cul_subject *)ir);
    return rc;
  }
  ir->facts = cul_ir_facts_learn(ir);
  *out = (struct cul_subject *)ir;
  return 0;
}

/* The verifier does not see how an operation's own operands are placed. */
static bool operands_dominate(struct cul_ir *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (value.ptr && !cul_ir_dominates(ir, value, op))
      return false;
  }
  return true;
}

static bool judge(struct cul_ir *ir, MlirOperation op, char *why, size_t n) {
  if (cul_ir_is_opaque(ir))
    return cul_ir_check_tree(ir, op, why, n);
  if (!mlirOperationVerify(op))
    return false;
  if (operands_dominate(ir, op))
    return true;
  cul_buf_adds(&ir->diagnostic, "operand does not dominate this use");
  return false;
}

static bool judge_touched(struct cul_ir *ir, char *why, size_t n) {
  struct cul_ir_ops touched = {0};
  bool ok = true;
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  if (!ir->prints || !cul_print_cache_touched(ir, &touched))
    ok = judge(ir, ir->root, why, n);
  for (size_t i = 0; ok && i < touched.n; i++)
    ok = judge(ir, touched.items[i], why, n);
  cul_ir_ops_release(&touched);
  return ok;
}

static bool export_llvm(struct cul_ir *ir) {
  if (cul_llvm_export(ir, ir->llvm))
    return true;
  /* LLVM's own verifier tells standard error only. */
  if (!ir->diagnostic.len)
    cul_buf_adds(&ir->diagnostic, "not valid LLVM IR");
  return false;
}

static bool valid(struct cul_subject *subject, char *why, size_t n) {
  struct cul_ir *ir = cul_ir_of(subject);
  bool ok;
  cul_buf_clear(&ir->diagnostic);
  /* The exporter trusts its module. */
  ok = (!ir->check && !ir->llvm) || judge_touched(ir, why, n);
  if (ok && ir->llvm)
    ok = export_llvm(ir);
  if (!ok && !cul_ir_is_opaque(ir))
    snprintf(why, n, "%s", cul_buf_str(&ir->diagnostic));
  cul_buf_clear(&ir->diagnostic);
  return ok;
}

static void print(struct cul_ir *ir, MlirOpPrintingFlags flags,
                  struct cul_buf *out) {
  mlirOperationPrintWithFlags(ir->root, flags, cul_compat_append, out);
  mlirOpPrintingFlagsDestroy(flags);
}

/* What stands around the module, and in it under another name. */
static void finish(struct cul_ir *ir, struct cul_buf *text) {
  if (cul_ir_is_opaque(ir))
    wrap(text, cul_ir_unmangle);
  if (text->len && text->data[text->len - 1] != '\n')
    cul_buf_addc(text, '\n');
  cul_ir_resources_add(cul_buf_bytes(&ir->resources), text);
  cul_buf_clear(&ir->diagnostic);
}

/* What was exported is of this module once: the next edit makes another. */
static void write_llvm(struct cul_ir *ir, struct cul_buf *out) {
  if (ir->llvm->known || cul_llvm_export(ir, ir->llvm))
    cul_buf_add(out, ir->llvm->text.data, ir->llvm->text.len);
  ir->llvm->known = false;
  cul_buf_clear(&ir->diagnostic);
}

static void write_subject(struct cul_subject *subject, struct cul_buf *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_buf text = {0};
  if (ir->llvm) {
    write_llvm(ir, out);
    return;
  }
  if (!ir->prints || !cul_print_cache_print(ir, &text))
    print(ir, cul_ir_print_flags(ir), &text);
  finish(ir, &text);
  if (out->len == 0) {
    cul_buf_release(out);
    *out = text;
    return;
  }
  cul_buf_add(out, text.data, text.len);
  cul_buf_release(&text);
}

static void keep(struct cul_subject *subject) {
  struct cul_ir *ir = cul_ir_of(subject);
  cul_model_forget(ir->model);
  /* The cache knows nothing of locations. */
  if (!ir->llvm && !ir->located)
    cul_print_cache_keep(ir);
}

/* With aliases. */
static void present(struct cul_subject *subject, struct cul_buf *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  MlirOpPrintingFlags flags;
  if (ir->form != CUL_FORM_NATIVE) {
    write_subject(subject, out);
    return;
  }
  flags = mlirOpPrintingFlagsCreate();
  mlirOpPrintingFlagsEnableDebugInfo(flags, ir->located, false);
  if (ir->check)
    mlirOpPrintingFlagsAssumeVerified(flags);
  print(ir, flags, out);
  finish(ir, out);
}

static void measure(struct cul_subject *subject, struct cul_size *out) {
  struct cul_ir *ir = cul_ir_of(subject);
  /* When it was opened; no text is kept of that. */
  if (ir->llvm && !ir->llvm->ops && cul_llvm_export(ir, ir->llvm))
    ir->llvm->known = false;
  out->ops = ir->llvm ? ir->llvm->ops : cul_print_cache_count(ir);
}

/* Locations of what was imported are those of its source. */
static void origins(struct cul_subject *subject, struct cul_buf *out) {
  if (!cul_ir_of(subject)->llvm)
    cul_ir_origins(subject, out);
}

const struct cul_subject_kind cul_subject_kind_mlir = {
    .name = "mlir",
    .summary = "MLIR modules, with all upstream dialects or with none",
    .bits = CUL_SUBJECT_MLIR,
    .prepare = prepare,
    .open = open_subject,
    .valid = valid,
    .write = write_subject,
    .keep = keep,
    .present = present,
    .measure = measure,
    .origins = origins,
    .like = cul_ir_like,
    .questions = cul_model_questions,
    .told = cul_model_told,
    .explain = cul_model_explain,
    .asked = cul_model_count,
    .free = free_subject,
};
