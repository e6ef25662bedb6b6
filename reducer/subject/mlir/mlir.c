/* The subject kind "mlir": parse, verify, print.  See ir.h. */

#include <errno.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <mlir-c/RegisterEverything.h>
#include <mlir-c/Target/LLVMIR.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/files/fd.h"
#include "../../../base/files/file.h"
#include "../../opmodel/opmodel.h"
#include "../ir/ir.h"
#include "../ir/private.h"

/* The module as it was last exported. */
struct cul_llvm {
  struct cul_buf text; /* LLVM IR, not yet written */
  bool known;          /* text is up to date */
  uint64_t ops;        /* instructions, functions, globals, the module */
  uint64_t values;     /* operands that are no constants */
};

/* ---- llvm ---- */

/* Form llvm: LLVM IR to and from modules of MLIR's dialect llvm.
 *
 * The C API of MLIR exports LLVM IR but cannot import it, so mlir-translate, a
 * program of the linked LLVM, runs once for each subject opened. */

/* ---- import ---- */

/* Environment variable that names the importer if it is not next to the
 * library. */
static const char variable[] = "CULPRIT_MLIR_TRANSLATE";

/* Find the importer; caller frees; NULL: there is none.  One next to the
 * library is preferred to any on PATH, because the text of another version may
 * not parse here. */
static char *find_importer(void) {
  const char *named = getenv(variable);
  char *prefix, *path, *found;
  if (named && *named)
    return cul_find_program(named);
  prefix = cul_llvm_prefix(CULPRIT_LLVM_PREFIX);
  path = cul_xasprintf("%s/bin/mlir-translate", prefix);
  found = cul_find_program(path);
  free(path);
  free(prefix);
  return found ? found : cul_find_program("mlir-translate-22");
}

/* The standard streams of the importer: files in memory, so that neither side
 * waits for the other. */
enum { IN, OUT, ERR, N_ENDS };

static int open_ends(struct cul_bytes text, int ends[N_ENDS],
                     struct cul_err *err) {
  for (int i = 0; i < N_ENDS; i++)
    ends[i] = memfd_create("import", MFD_CLOEXEC);
  if (ends[IN] < 0 || ends[OUT] < 0 || ends[ERR] < 0 ||
      cul_write_all(ends[IN], text.data, text.len) < 0 ||
      lseek(ends[IN], 0, SEEK_SET) < 0)
    return cul_fail(err, CUL_EENV, "free some memory", "cannot import: %s",
                    strerror(errno));
  return 0;
}

static void close_ends(const int ends[N_ENDS]) {
  for (int i = 0; i < N_ENDS; i++)
    if (ends[i] >= 0)
      close(ends[i]);
}

/* Run the importer until it ends.  Its status is not known, because SIGCHLD is
 * ignored here; a program that failed has written nothing. */
static int run_importer(const char *program, const int ends[N_ENDS],
                        struct cul_err *err) {
  char *argv[] = {(char *)program, "--import-llvm", "--mlir-print-debuginfo",
                  NULL};
  posix_spawn_file_actions_t actions;
  pid_t pid;
  int error;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < N_ENDS; i++)
    posix_spawn_file_actions_adddup2(&actions, ends[i], i);
  error = posix_spawn(&pid, program, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return cul_fail(err, CUL_EENV, "", "cannot run %s: %s", program,
                    strerror(error));
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    ;
  return 0;
}

static void read_end(int fd, struct cul_buf *out) {
  char bytes[1 << 16];
  ssize_t n;
  lseek(fd, 0, SEEK_SET);
  while ((n = TEMP_FAILURE_RETRY(read(fd, bytes, sizeof bytes))) > 0)
    cul_buf_add(out, bytes, (size_t)n);
}

/* Fail with the importer's first error; if it wrote nothing, it was killed. */
static int fail_refused(int fd, struct cul_err *err) {
  struct cul_buf said = {0};
  const char *text, *at;
  int rc;
  read_end(fd, &said);
  text = cul_buf_str(&said);
  at = strstr(text, "error: ");
  at = at ? at + strlen("error: ") : text;
  if (*at)
    rc =
        cul_fail(err, CUL_EUSAGE, "", "mlir-translate does not import it: %.*s",
                 (int)strcspn(at, "\n"), at);
  else
    rc = cul_fail(err, CUL_EENV,
                  "allow more memory; then run the same command again",
                  "mlir-translate ended without a message");
  cul_buf_release(&said);
  return rc;
}

/* Import LLVM IR, text or bitcode, as MLIR with locations, which carry the
 * debug info.  Appended to out.  Errors: EUSAGE (no importer, or its first
 * error message), EENV. */
static int llvm_import(struct cul_bytes text, struct cul_buf *out,
                       struct cul_err *err) {
  char *program = find_importer();
  size_t before = out->len;
  int ends[N_ENDS] = {-1, -1, -1};
  int rc;
  if (!program)
    return cul_fail(err, CUL_EUSAGE, "install mlir-22-tools",
                    "mlir-translate-22, which imports LLVM IR, is missing");
  rc = open_ends(text, ends, err);
  if (rc == 0)
    rc = run_importer(program, ends, err);
  if (rc == 0)
    read_end(ends[OUT], out);
  if (rc == 0 && out->len == before)
    rc = fail_refused(ends[ERR], err);
  close_ends(ends);
  free(program);
  return rc;
}

/* Does the LLVM IR have a data layout?  Otherwise the layout follows from the
 * target, and the imported module would have another one. */
static bool llvm_has_layout(struct cul_bytes text) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.len, "input");
  LLVMModuleRef module = NULL;
  char *why = NULL;
  bool has = true; /* unreadable: keep the imported one */
  if (LLVMParseIRInContext(context, buffer, &module, &why) == 0) {
    has = LLVMGetDataLayoutStr(module)[0] != '\0';
    LLVMDisposeModule(module);
  }
  LLVMDisposeMessage(why);
  LLVMContextDispose(context);
  return has;
}

/* ---- export ---- */

/* Enable export in the context, once. */
static void llvm_register(MlirContext context) {
  mlirRegisterAllLLVMTranslations(context);
}

/* Count the operands of an instruction that are instructions or arguments. */
static uint64_t count_values(LLVMValueRef instruction) {
  unsigned n = (unsigned)LLVMGetNumOperands(instruction);
  uint64_t values = 0;
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, i);
    values += LLVMIsAInstruction(operand) || LLVMIsAArgument(operand);
  }
  return values;
}

static void count_instructions(LLVMValueRef function, struct cul_llvm *llvm) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
         at = LLVMGetNextInstruction(at)) {
      llvm->ops++;
      llvm->values += count_values(at);
    }
}

/* Count without declarations of intrinsics, which exist as long as there are
 * calls of them. */
static void count(LLVMModuleRef module, struct cul_llvm *llvm) {
  llvm->ops = 1;
  llvm->values = 0;
  for (LLVMValueRef at = LLVMGetFirstFunction(module); at;
       at = LLVMGetNextFunction(at))
    if (!LLVMGetIntrinsicID(at)) {
      llvm->ops++;
      count_instructions(at, llvm);
    }
  for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
       at = LLVMGetNextGlobal(at))
    llvm->ops++;
}

/* Export a copy, because exporting edits the module: it changes branches that
 * name one block twice. */
static LLVMModuleRef translate(const struct cul_ir *ir,
                               LLVMContextRef context) {
  MlirOperation copy = mlirOperationClone(ir->root);
  LLVMModuleRef module = mlirTranslateModuleToLLVMIR(copy, context);
  cul_edit_destroy(copy);
  return module;
}

/* The exporter adds this flag to every module. */
static const char made_up[] = "\n!llvm.module.flags = !{!0}\n\n"
                              "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n";

static bool has_flags(const struct cul_ir *ir) {
  MlirBlock body = mlirModuleGetBody(ir->module);
  CUL_IR_EACH_OP(op, body)
  if (cul_ir_is(op, "llvm.module_flags"))
    return true;
  return false;
}

/* Take the text without that flag if there is no other metadata. */
static void take_text(const struct cul_ir *ir, LLVMModuleRef module,
                      struct cul_buf *out) {
  char *text = LLVMPrintModuleToString(module);
  size_t n = strlen(text), extra = strlen(made_up);
  if (n > extra && strcmp(text + n - extra, made_up) == 0 && !has_flags(ir))
    n -= extra;
  cul_buf_add(out, text, n);
  LLVMDisposeMessage(text);
}

/* Export ir->root, unchanged, to *llvm.  False: it cannot be represented in
 * LLVM IR; diagnostics tell why. */
static bool llvm_export(const struct cul_ir *ir, struct cul_llvm *llvm) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = translate(ir, context);
  cul_buf_clear(&llvm->text);
  llvm->known = module != NULL;
  if (module) {
    /* Otherwise they would be names of the MLIR module. */
    LLVMSetSourceFileName(module, "", 0);
    LLVMSetModuleIdentifier(module, "", 0);
    take_text(ir, module, &llvm->text);
    count(module, llvm);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  return llvm->known;
}

static void llvm_free(struct cul_llvm *llvm) {
  if (llvm)
    cul_buf_release(&llvm->text);
  free(llvm);
}

/* ---- mlir ---- */

/* ---- entry points ---- */

static void free_entries(struct cul_ir *ir) {
  for (size_t i = 0; i < ir->n_entries; i++)
    free(ir->entries[i].name);
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

static void enter(struct cul_subject *subject, const char *names) {
  struct cul_ir *ir = cul_ir_of(subject);
  size_t n;
  free_entries(ir);
  for (const char *at = names + strspn(names, " "); *at;
       at += n + strspn(at + n, " ")) {
    char *name = cul_xstrndup(at, n = strcspn(at, " "));
    MlirOperation op = entered(ir, name);
    if (!op.ptr) {
      free(name);
      continue;
    }
    ir->entries =
        cul_xreallocarray(ir->entries, ir->n_entries + 1, sizeof *ir->entries);
    ir->entries[ir->n_entries++] =
        (struct cul_ir_entry){name, arguments_of(op), returns(op)};
  }
}

/* The name of the first entry point that has lost its function or its body, has
 * more arguments than before, which no caller passes, or returns something and
 * did not before.  NULL: there is none. */
static const char *lost_entry(const struct cul_ir *ir) {
  for (size_t i = 0; i < ir->n_entries; i++) {
    MlirOperation op = entered(ir, ir->entries[i].name);
    if (!op.ptr || arguments_of(op) > ir->entries[i].n_arguments ||
        returns(op) > ir->entries[i].returns)
      return ir->entries[i].name;
  }
  return NULL;
}

static void free_subject(struct cul_subject *subject) {
  struct cul_ir *ir = cul_ir_of(subject);
  if (!ir)
    return;
  cul_ir_tell(ir, CUL_IR_CLOSED);
  cul_ir_facts_free(ir->facts);
  llvm_free(ir->llvm);
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
    llvm_register(ir->context);
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

/* Parse the text, or its import. */
static int parse_any(struct cul_ir *ir, struct cul_bytes text,
                     struct cul_err *err) {
  struct cul_buf imported = {0};
  int rc;
  if (!ir->llvm)
    return parse(ir, text, err);
  rc = llvm_import(text, &imported, err);
  if (rc == 0)
    rc = parse(ir, cul_buf_bytes(&imported), err);
  if (rc == 0 && !llvm_has_layout(text))
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
  if (llvm_export(ir, ir->llvm))
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
  if (ir->llvm->known || llvm_export(ir, ir->llvm))
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
  if (ir->llvm && !ir->llvm->ops && llvm_export(ir, ir->llvm))
    ir->llvm->known = false;
  out->ops = ir->llvm ? ir->llvm->ops : cul_print_cache_count(ir);
  out->values = ir->llvm ? ir->llvm->values : 0;
}

/* Locations of an imported module are those of its source language. */
static void origins(struct cul_subject *subject, struct cul_buf *out) {
  if (!cul_ir_of(subject)->llvm)
    cul_ir_origins(subject, out);
}

static const struct cul_subject_model model = {
    .questions = cul_model_questions,
    .told = cul_model_told,
    .explain = cul_model_explain,
    .asked = cul_model_count,
};

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
    .like = cul_ir_like,
    .model = &model,
    .free = free_subject,
};
