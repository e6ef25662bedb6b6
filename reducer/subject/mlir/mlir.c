/* The subject kind "mlir": parse, verify, print.  See ir.h. */
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../opmodel/opmodel.h"
#include "../ir/facts.h"
#include "../ir/mangle.h"
#include "../ir/origins.h"
#include "../print/print.h"
#include "alias.h"
#include "llvm.h"
#include "resources.h"

/* ---- entry points ---- */

static void free_entries(struct cul_ir *ir) {
  for (size_t i = 0; i < ir->n_entries; i++) {
    free(ir->entries[i].name);
    free(ir->entries[i].types);
  }
  free(ir->entries);
  ir->entries = NULL;
  ir->n_entries = 0;
}

/* The function of the module with this name and a body; null: there is none. */
static MlirOperation entered(const struct cul_ir *ir, const char *name) {
  MlirBlock body = mlirModuleGetBody(ir->module);
  MlirStringRef own;
  CUL_IR_EACH_OP(op, body)
  if (cul_ir_is_function(op) && cul_ir_symbol_name(op, &own) &&
      cul_ir_str_is(own, name))
    return cul_ir_has_body(op) ? op : (MlirOperation){NULL};
  return (MlirOperation){NULL};
}

static intptr_t arguments_of(MlirOperation function) {
  return mlirBlockGetNumArguments(cul_ir_entry(function));
}

static bool returns(MlirOperation function) {
  MlirAttribute type = cul_ir_get(function, "function_type");
  MlirType is = type.ptr && mlirAttributeIsAType(type)
                    ? mlirTypeAttrGetValue(type)
                    : (MlirType){NULL};
  return is.ptr && mlirTypeIsAFunction(is) &&
         mlirFunctionTypeGetNumResults(is) > 0;
}

/* The length of the dimension that the type "2x3xf32" begins with; 0: it begins
 * with the type of its elements. */
static size_t dimension_of(const char *type) {
  size_t n = *type == '?' ? 1 : strspn(type, "0123456789");
  return n && type[n] == 'x' ? n : 0;
}

/* The type without the sign of its integers, which calls do not tell apart. */
static const char *unsigned_of(const char *type) {
  return (*type == 's' || *type == 'u') && type[1] == 'i' ? type + 1 : type;
}

/* Does "?x3xf32" take values of the type "2x3xf32"? */
static bool takes(const char *own, const char *given) {
  size_t n, m;
  while ((n = dimension_of(own)) && (m = dimension_of(given))) {
    if (*own != '?' && (n != m || strncmp(own, given, n) != 0))
      return false;
    own += n + 1;
    given += m + 1;
  }
  return strcmp(unsigned_of(own), unsigned_of(given)) == 0;
}

/* Does the argument take values of this type?  "": of a number without one. */
static bool takes_value(MlirValue argument, const char *given) {
  static const char tensor[] = "tensor<";
  struct cul_buf type = {0};
  const char *own;
  bool fits;
  if (!*given)
    return true;
  mlirTypePrint(mlirValueGetType(argument), cul_compat_append, &type);
  own = cul_buf_str(&type);
  if (strncmp(own, tensor, sizeof tensor - 1) == 0 &&
      type.data[type.len - 1] == '>') {
    type.data[type.len - 1] = '\0';
    own += sizeof tensor - 1;
  }
  fits = takes(own, given);
  cul_buf_release(&type);
  return fits;
}

/* Can the function be called with arguments of these types? */
static bool takes_all(MlirOperation function, const char *types) {
  MlirBlock block = cul_ir_entry(function);
  intptr_t n = mlirBlockGetNumArguments(block);
  bool fits = true;
  for (intptr_t i = 0; fits && i < n && types; i++) {
    size_t len = strcspn(types, ",");
    char *given = cul_xstrndup(types, len);
    fits = takes_value(mlirBlockGetArgument(block, i), given);
    free(given);
    types = types[len] ? types + len + 1 : NULL;
    fits = fits && (types == NULL) == (i + 1 == n);
  }
  return fits && n > 0;
}

static void enter(struct cul_subject *subject, const char *names) {
  struct cul_ir *ir = cul_ir_of(subject);
  size_t n;
  free_entries(ir);
  for (const char *at = names + strspn(names, " "); *at;
       at += n + strspn(at + n, " ")) {
    char *name = cul_xstrndup(at, n = strcspn(at, " "));
    char *types = strchr(name, '=');
    MlirOperation op;
    if (types)
      *types++ = '\0';
    op = entered(ir, name);
    if (!op.ptr) {
      free(name);
      continue;
    }
    ir->entries =
        cul_xreallocarray(ir->entries, ir->n_entries + 1, sizeof *ir->entries);
    ir->entries[ir->n_entries++] = (struct cul_ir_entry){
        name, arguments_of(op), returns(op),
        types && takes_all(op, types) ? cul_xstrdup(types) : NULL};
  }
}

/* The name of the first entry point that has lost its function or its body, has
 * other arguments than those it is called with, or more than before, which no
 * caller passes, or returns something and did not before.  NULL: there is
 * none. */
static const char *lost_entry(const struct cul_ir *ir) {
  for (size_t i = 0; i < ir->n_entries; i++) {
    const struct cul_ir_entry *entry = &ir->entries[i];
    MlirOperation op = entered(ir, entry->name);
    if (!op.ptr || arguments_of(op) > entry->n_arguments ||
        returns(op) > entry->returns ||
        (entry->types && !takes_all(op, entry->types)))
      return entry->name;
  }
  return NULL;
}

static void free_subject(struct cul_subject *subject) {
  struct cul_ir *ir = cul_ir_of(subject);
  if (!ir)
    return;
  cul_ir_tell(ir, CUL_IR_CLOSED);
  cul_ir_facts_free(ir->facts);
  if (ir->llvm)
    cul_buf_release(&ir->llvm->text);
  free(ir->llvm);
  cul_model_free(ir->model);
  if (ir->module.ptr)
    cul_edit_destroy_module(ir->module);
  mlirContextDestroy(ir->context);
  cul_buf_release(&ir->resources);
  cul_buf_release(&ir->diagnostic);
  free_entries(ir);
  free(ir);
}

extern const struct cul_subject_kind cul_subject_kind_mlir;

/* Make a context with all dialects and passes, which takes most of the time of
 * opening a small module. */
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
    mlirRegisterAllLLVMTranslations(ir->context);
    ir->llvm = cul_xcalloc(1, sizeof *ir->llvm);
  }
  return ir;
}

/* Replace buf by the output of fn. */
static void wrap(struct cul_buf *buf,
                 void (*fn)(struct cul_bytes, struct cul_buf *)) {
  struct cul_buf out = {0};
  fn(cul_buf_bytes(buf), &out);
  cul_buf_release(buf);
  *buf = out;
}

static int parse(struct cul_ir *ir, struct cul_bytes text,
                 struct cul_err *err) {
  CUL_OWNED(cul_buf) rest = {0};
  cul_ir_resources_cut(text, &rest, &ir->resources);
  if (cul_ir_is_opaque(ir)) {
    wrap(&rest, cul_ir_expand_aliases);
    wrap(&rest, cul_ir_mangle);
  }
  ir->module =
      mlirModuleCreateParse(ir->context, cul_ir_str(cul_buf_str(&rest)));
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

/* Parse the text, or its import. */
static int parse_any(struct cul_ir *ir, struct cul_bytes text,
                     struct cul_err *err) {
  CUL_OWNED(cul_buf) imported = {0};
  int rc;
  if (!ir->llvm)
    return parse(ir, text, err);
  rc = cul_llvm_import(text, &imported, err);
  if (rc == 0)
    rc = parse(ir, cul_buf_bytes(&imported), err);
  if (rc == 0 && !cul_llvm_has_layout(text))
    cul_ir_remove_discardable(ir->root, "dlti.dl_spec");
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

/* Do the definitions of op's operands dominate it?  The verifier does not check
 * this for op itself. */
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
  CUL_OWNED(cul_ir_ops) touched = {0};
  bool ok = true;
  cul_ir_tell(ir, CUL_IR_BLOCKS);
  if (!ir->prints || !cul_print_cache_touched(ir, &touched))
    ok = judge(ir, ir->root, why, n);
  for (size_t i = 0; ok && i < touched.n; i++)
    ok = judge(ir, touched.items[i], why, n);
  return ok;
}

static bool export_llvm(struct cul_ir *ir) {
  if (cul_llvm_export(ir, ir->llvm))
    return true;
  /* LLVM's own verifier prints to standard error only. */
  if (!ir->diagnostic.len)
    cul_buf_adds(&ir->diagnostic, "not valid LLVM IR");
  return false;
}

static bool valid(struct cul_subject *subject, char *why, size_t n) {
  struct cul_ir *ir = cul_ir_of(subject);
  const char *lost;
  bool ok;
  cul_buf_clear(&ir->diagnostic);
  lost = lost_entry(ir);
  if (lost) {
    snprintf(why, n, "the function @%s is entered, and must stay", lost);
    return false;
  }
  /* The exporter needs a verified module. */
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

/* Undo the wrapping of types, and add the parts outside the module. */
static void finish(struct cul_ir *ir, struct cul_buf *text) {
  if (cul_ir_is_opaque(ir))
    wrap(text, cul_ir_unmangle);
  if (text->len && text->data[text->len - 1] != '\n')
    cul_buf_addc(text, '\n');
  cul_ir_resources_add(cul_buf_bytes(&ir->resources), text);
  cul_buf_clear(&ir->diagnostic);
}

/* Write the exported text once: the next edit makes it out of date. */
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
  /* The cache does not print locations. */
  if (!ir->llvm && !ir->located)
    cul_print_cache_keep(ir);
}

/* Print with aliases. */
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
  /* No edit was exported yet; the text of this export is not kept. */
  if (ir->llvm && !ir->llvm->ops && cul_llvm_export(ir, ir->llvm))
    ir->llvm->known = false;
  out->ops = ir->llvm ? ir->llvm->ops : cul_print_cache_count(ir);
  out->values = ir->llvm ? ir->llvm->values : 0;
}

/* Locations of an imported module are those of its source language. */
static void origins(struct cul_subject *subject, struct cul_buf *out) {
  if (!cul_ir_of(subject)->llvm)
    cul_ir_origins(subject, out);
}

static uint32_t mix(uint32_t hash, uint64_t more) {
  return (hash ^ (uint32_t)more ^ (uint32_t)(more >> 32)) *
         UINT32_C(0x01000193);
}

static uint32_t mix_type(uint32_t hash, MlirType type) {
  if (!mlirTypeIsAShaped(type))
    return mix(hash, 1);
  return mix(hash, mlirShapedTypeHasRank(type)
                       ? 3 + (uint64_t)mlirShapedTypeGetRank(type)
                       : 2);
}

/* By its name, and by the numbers of its operands, results and regions with
 * their ranks. */
static struct cul_like like(struct cul_subject *subject, void *place) {
  MlirOperation op = cul_ir_current(cul_ir_of(subject), (MlirOperation){place});
  MlirStringRef name = cul_ir_name(op);
  struct cul_like out = {UINT32_C(0x811c9dc5), 0};
  intptr_t n = mlirOperationGetNumOperands(op);
  for (size_t i = 0; i < name.length; i++)
    out.name = mix(out.name, (unsigned char)name.data[i]);
  out.shape = mix(out.name, (uint64_t)mlirOperationGetNumRegions(op));
  out.shape = mix(out.shape, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++)
    out.shape =
        mix_type(out.shape, mlirValueGetType(mlirOperationGetOperand(op, i)));
  n = mlirOperationGetNumResults(op);
  out.shape = mix(out.shape, (uint64_t)n);
  for (intptr_t i = 0; i < n; i++)
    out.shape =
        mix_type(out.shape, mlirValueGetType(mlirOperationGetResult(op, i)));
  return out;
}

const struct cul_subject_kind cul_subject_kind_mlir = {
    .name = "mlir",
    .summary = "MLIR modules, with all upstream dialects or with none",
    .bits = CUL_SUBJECT_MLIR,
    .prepare = prepare,
    .open = open_subject,
    .enter = enter,
    .valid = valid,
    .write = write_subject,
    .keep = keep,
    .present = present,
    .measure = measure,
    .origins = origins,
    .like = like,
    .model = &cul_op_model,
    .free = free_subject,
};
