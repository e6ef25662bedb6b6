/* LLVM IR in and out: see llvm.h. */
#include "llvm.h"

#include <errno.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <mlir-c/RegisterEverything.h>
#include <mlir-c/Target/LLVMIR.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/file.h"

/* ---- import ---- */

/* Names the importer, where it is not with the library. */
static const char variable[] = "CULPRIT_MLIR_TRANSLATE";

/* Caller frees; NULL: there is none.  Text of another version need not parse
 * here, so that of the library comes before any on PATH. */
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

/* The ends of a program: files in memory, so that none waits for another. */
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

/* Until it has ended.  How is not asked: nobody here waits for children
 * (SIGCHLD is ignored), and a program that failed wrote nothing. */
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

/* The first line that says what is wrong.  What was killed says nothing. */
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
                  "mlir-translate ended without a word");
  cul_buf_release(&said);
  return rc;
}

int cul_llvm_import(struct cul_bytes text, struct cul_buf *out,
                    struct cul_err *err) {
  char *program = find_importer();
  size_t before = out->len;
  int ends[N_ENDS] = {-1, -1, -1};
  int rc;
  if (!program)
    return cul_fail(err, CUL_EUSAGE, "install mlir-22-tools",
                    "LLVM IR is imported by mlir-translate-22, which is not "
                    "there");
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

bool cul_llvm_has_layout(struct cul_bytes text) {
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data, text.len, "input");
  LLVMModuleRef module = NULL;
  char *why = NULL;
  bool has = true; /* unread: as it is imported */
  if (LLVMParseIRInContext(context, buffer, &module, &why) == 0) {
    has = LLVMGetDataLayoutStr(module)[0] != '\0';
    LLVMDisposeModule(module);
  }
  LLVMDisposeMessage(why);
  LLVMContextDispose(context);
  return has;
}

/* ---- export ---- */

void cul_llvm_register(MlirContext context) {
  mlirRegisterAllLLVMTranslations(context);
}

static uint64_t count_instructions(LLVMValueRef function) {
  uint64_t n = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at;
         at = LLVMGetNextInstruction(at))
      n++;
  return n;
}

/* Declarations of intrinsics come and go with their calls. */
static uint64_t count_ops(LLVMModuleRef module) {
  uint64_t n = 1;
  for (LLVMValueRef at = LLVMGetFirstFunction(module); at;
       at = LLVMGetNextFunction(at))
    if (!LLVMGetIntrinsicID(at))
      n += 1 + count_instructions(at);
  for (LLVMValueRef at = LLVMGetFirstGlobal(module); at;
       at = LLVMGetNextGlobal(at))
    n++;
  return n;
}

/* Exporting edits what it exports: branches that go to one block twice. */
static LLVMModuleRef translate(const struct cul_ir *ir,
                               LLVMContextRef context) {
  MlirOperation copy = mlirOperationClone(ir->root);
  LLVMModuleRef module = mlirTranslateModuleToLLVMIR(copy, context);
  cul_edit_destroy(copy);
  return module;
}

/* The exporter gives every module this flag. */
static const char made_up[] = "\n!llvm.module.flags = !{!0}\n\n"
                              "!0 = !{i32 2, !\"Debug Info Version\", i32 3}\n";

static bool has_flags(const struct cul_ir *ir) {
  MlirBlock body = mlirModuleGetBody(ir->module);
  CUL_IR_EACH_OP(op, body)
  if (cul_ir_is(op, "llvm.module_flags"))
    return true;
  return false;
}

/* Without that, where it is all the metadata there is. */
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
    /* They would be names of MLIR's. */
    LLVMSetSourceFileName(module, "", 0);
    LLVMSetModuleIdentifier(module, "", 0);
    take_text(ir, module, &llvm->text);
    llvm->ops = count_ops(module);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  return llvm->known;
}

void cul_llvm_free(struct cul_llvm *llvm) {
  if (llvm)
    cul_buf_release(&llvm->text);
  free(llvm);
}
