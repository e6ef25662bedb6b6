/* LLVM IR to and from modules of MLIR's dialect llvm: see llvm.h. */
#include "llvm.h"

#include <errno.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
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
#include "../ir/edits.h"

/* ---- import ---- */

/* Environment variable that names the importer if it is not next to the
 * library. */
static const char variable[] = "CULPRIT_MLIR_TRANSLATE";

/* Find the importer; caller frees; NULL: there is none.  One next to the
 * library is preferred to any on PATH, because the text of another version may
 * not parse here. */
static char *find_importer(void) {
  const char *named = getenv(variable);
  CUL_HEAP char *prefix = NULL, *path = NULL;
  char *found;
  if (named && *named)
    return cul_find_program(named);
  prefix = cul_llvm_prefix(CULPRIT_LLVM_PREFIX);
  path = cul_xasprintf("%s/bin/mlir-translate", prefix);
  found = cul_find_program(path);
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
  CUL_OWNED(cul_buf) said = {0};
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
  return rc;
}

int cul_llvm_import(struct cul_bytes text, struct cul_buf *out,
                    struct cul_err *err) {
  CUL_HEAP char *program = find_importer();
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
  return rc;
}

bool cul_llvm_has_layout(struct cul_bytes text) {
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

/* Count the operands of an instruction that are instructions or arguments; all
 * of a return, because a function that returns nothing is simpler. */
static uint64_t count_values(LLVMValueRef instruction) {
  bool returns = LLVMIsAReturnInst(instruction);
  unsigned n = (unsigned)LLVMGetNumOperands(instruction);
  uint64_t values = 0;
  for (unsigned i = 0; i < n; i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, i);
    values +=
        returns || LLVMIsAInstruction(operand) || LLVMIsAArgument(operand);
  }
  return values;
}

/* Count the attributes of a call itself, not those of its operands. */
static uint64_t count_attributes(LLVMValueRef instruction) {
  return LLVMIsACallInst(instruction) || LLVMIsAInvokeInst(instruction)
             ? LLVMGetCallSiteAttributeCount(instruction,
                                             LLVMAttributeFunctionIndex)
             : 0;
}

static void count_instructions(LLVMValueRef function, struct cul_llvm *llvm) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
         at = LLVMGetNextInstruction(at)) {
      llvm->ops++;
      llvm->values += count_values(at) + count_attributes(at);
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
      llvm->values +=
          LLVMGetAttributeCountAtIndex(at, LLVMAttributeFunctionIndex);
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

bool cul_llvm_export(const struct cul_ir *ir, struct cul_llvm *llvm) {
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
