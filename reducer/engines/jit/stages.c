/* The engine "stages": the work of a pipe of mlir-opt and mlir-runner on one
 * module in memory.
 *
 * Each --stage is the pipeline of one mlir-opt; with --call the last stage is
 * mlir-runner.  The output, the exit status and the errors are those of the
 * tools.  --wide first changes the module to f64, as a separate process of the
 * command does.  --shell runs the stages in a child: the status of a pipe is a
 * number even if a stage dies of a signal, and the stages after it then read an
 * empty module.  A shell that starts its last command without a pipe becomes
 * that program (--exec). */
#include <dlfcn.h>
#include <errno.h>
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/RegisterEverything.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/options/opt.h"
#include "../../subject/ir/compat.h"
#include "../engine.h"
#include "../gpu/memory.h"
#include "../plan/passes.h"
#include "widen.h"

struct options {
  struct cul_strings stages, unverified, libraries;
  const char *call, *result;
  int64_t level, fill; /* -1: not given */
  bool wide, silent, shell, pipefail, stops, exec, check;
};

static const struct cul_opt opts[] = {
    {.name = "stage",
     .type = CUL_OPT_LIST,
     .offset = offsetof(struct options, stages),
     .value = "PIPELINE",
     .help = "what one mlir-opt runs: builtin.module(...); \"\" is nothing"},
    {.name = "unverified",
     .type = CUL_OPT_LIST,
     .offset = offsetof(struct options, unverified),
     .value = "N",
     .help = "verify nothing after the passes of stage N (the first is 0)"},
    {.name = "wide",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, wide),
     .help = "change every float to f64 first"},
    {.name = "silent",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, silent),
     .help = "print no module"},
    {.name = "call",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, call),
     .value = "NAME",
     .help = "then compile the module and call this function"},
    {.name = "result",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, result),
     .value = "void|i32|i64|f32",
     .help = "what it returns, which is printed"},
    {.name = "level",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, level),
     .max = 3,
     .value = "N",
     .help = "optimize the code (default 0)"},
    {.name = "library",
     .type = CUL_OPT_LIST,
     .offset = offsetof(struct options, libraries),
     .value = "FILE",
     .help = "the code may call its functions"},
    {.name = "fill",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, fill),
     .max = 255,
     .value = "BYTE",
     .help = "fresh memory of the code holds this byte"},
    {.name = "shell",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, shell),
     .help = "end as a shell that ran the stages does"},
    {.name = "pipefail",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, pipefail),
     .help = "end as the last stage that fails"},
    {.name = "stops",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, stops),
     .help = "stop at the first stage that fails"},
    {.name = "exec",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, exec),
     .help = "the shell's process becomes the last stage: its signal ends it"},
    {.name = "check",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, check),
     .help = "only read the pipelines; print where libMLIR is"},
    {.name = NULL}};

static bool read_words(int argc, char **argv, struct options *out) {
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  struct cul_err err = {0};
  *out = (struct options){.level = 0, .fill = -1};
  if (cul_opt_parse(opts, out, argc, argv, &operands, &err) == 0)
    return true;
  fprintf(stderr, "error: %s\n", err.what);
  return false;
}

/* ---- mlir-runner ---- */

static bool has_word(MlirOperation op, const char *attribute,
                     const char *text) {
  MlirAttribute value =
      mlirOperationGetAttributeByName(op, cul_ir_str(attribute));
  return value.ptr && mlirAttributeIsAString(value) &&
         cul_ir_str_is(mlirStringAttrGetValue(value), text);
}

/* The llvm.func of this name that has a body, or null. */
static MlirOperation find_function(MlirModule module, const char *name) {
  MlirBlock body = mlirModuleGetBody(module);
  CUL_IR_EACH_OP(op, body) {
    if (cul_ir_str_is(mlirIdentifierStr(mlirOperationGetName(op)),
                      "llvm.func") &&
        has_word(op, "sym_name", name) &&
        mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr)
      return op;
  }
  return (MlirOperation){NULL};
}

/* ---- what mlir-runner reads ---- */

/* mlir-runner parses the text of the module with fewer dialects than mlir-opt
 * has: those that libMLIR can translate. */
struct reading {
  MlirContext context; /* with these; null: not needed yet */
  MlirStringRef known; /* the last dialect that was found */
  MlirOperation refused;
};

/* Does mlir-runner know the dialect?  builtin, and LLVM's of the function that
 * it calls, are not asked for. */
static bool knows(struct reading *reading, MlirStringRef dialect) {
  if (cul_ir_str_is(dialect, "builtin") || cul_ir_str_is(dialect, "llvm") ||
      mlirStringRefEqual(dialect, reading->known))
    return true;
  if (!reading->context.ptr) {
    reading->context = mlirContextCreateWithThreading(false);
    mlirRegisterAllLLVMTranslations(reading->context);
  }
  if (!mlirContextGetOrLoadDialect(reading->context, dialect).ptr)
    return false;
  reading->known = dialect;
  return true;
}

static MlirWalkResult read_op(MlirOperation op, void *arg) {
  struct reading *reading = arg;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const char *dot = memchr(name.data, '.', name.length);
  name.length = dot ? (size_t)(dot - name.data) : 0;
  if (knows(reading, name))
    return MlirWalkResultAdvance;
  reading->refused = op;
  return MlirWalkResultInterrupt;
}

/* Is the operation printed as a string, not by its dialect? */
static bool is_generic(MlirOperation op) {
  struct cul_buf text = {0};
  const char *at;
  bool generic;
  mlirOperationPrint(op, cul_compat_append, &text);
  at = cul_buf_str(&text);
  if (*at == '%' && (at = strstr(at, " = ")))
    at += 3;
  generic = at && *at == '"';
  cul_buf_release(&text);
  return generic;
}

/* Refuse what mlir-runner does not parse, with its words.  True: it parses the
 * module. */
static bool is_readable(MlirOperation module) {
  struct reading reading = {.known = {NULL, 0}};
  MlirStringRef name;
  mlirOperationWalk(module, read_op, &reading, MlirWalkPreOrder);
  if (!reading.refused.ptr)
    return true;
  name = mlirIdentifierStr(mlirOperationGetName(reading.refused));
  fflush(stdout);
  if (is_generic(reading.refused))
    fprintf(stderr, "error: operation being parsed with an unregistered "
                    "dialect. If this is intended, please use "
                    "-allow-unregistered-dialect with the MLIR tool used\n");
  else
    fprintf(stderr, "error: Dialect `%.*s' not found for custom op '%.*s'\n",
            (int)strcspn(name.data, "."), name.data, (int)name.length,
            name.data);
  fputs("could not parse the input IR\n", stderr);
  return false;
}

static int fail(const char *what) {
  fflush(stdout);
  fprintf(stderr, "Error: %s\n", what);
  return 1;
}

/* mlir-runner's complaint about a function that it cannot call; NULL: none. */
static const char *complaint(struct cul_ir *ir, MlirOperation function,
                             const char *result) {
  static const char head[] = "!llvm.func<";
  MlirAttribute type =
      mlirOperationGetAttributeByName(function, cul_ir_str("function_type"));
  const char *text = type.ptr && mlirAttributeIsAType(type)
                         ? cul_ir_type_text(ir, mlirTypeAttrGetValue(type))
                         : "";
  const char *open = strrchr(text, '(');
  size_t n = strlen(result);
  if (!open || (strcmp(open, "()>") != 0 && strcmp(open, "(...)>") != 0))
    return "JIT can't invoke a main function expecting arguments";
  text += sizeof head - 1;
  if (strncmp(text, result, n) == 0 && strncmp(text + n, " (", 2) == 0)
    return NULL;
  return strcmp(result, "void") == 0 ? "expected void function"
         : strcmp(result, "i32") == 0
             ? "only single i32 function result supported"
         : strcmp(result, "i64") == 0
             ? "only single i64 function result supported"
             : "only single f32 function result supported";
}

/* Give compiled code an allocator that fills memory with the byte; -1: do
 * not. */
static void fill_memory(MlirExecutionEngine jit, int64_t byte) {
  if (byte < 0)
    return;
  cul_jit_poison((unsigned char)byte);
  for (const struct cul_jit_symbol *s = cul_jit_symbols; s->name; s++)
    if (strcmp(s->name, "malloc") == 0 ||
        strcmp(s->name, "aligned_alloc") == 0 || strcmp(s->name, "free") == 0)
      mlirExecutionEngineRegisterSymbol(jit, cul_ir_str(s->name), s->address);
}

static MlirExecutionEngine compile(MlirModule module,
                                   const struct options *options) {
  size_t n = options->libraries.n;
  MlirStringRef *paths = cul_xcalloc(n + 1, sizeof *paths);
  MlirExecutionEngine jit;
  for (size_t i = 0; i < n; i++)
    paths[i] = cul_ir_str(options->libraries.items[i]);
  jit = cul_compat_jit(module, (int)options->level, (int)n, paths);
  free(paths);
  return jit;
}

static void print_result(const char *result, const void *value) {
  if (strcmp(result, "i32") == 0)
    printf("%d\n", *(const int32_t *)value);
  else if (strcmp(result, "i64") == 0)
    printf("%lld\n", (long long)*(const int64_t *)value);
  else if (strcmp(result, "f32") == 0)
    printf("%e\n", (double)*(const float *)value);
}

static int call(struct cul_ir *ir, const struct options *options) {
  MlirOperation function;
  const char *why;
  MlirExecutionEngine jit;
  int64_t value = 0;
  void *result = &value;
  void (*code)(void **);
  if (!is_readable(ir->root))
    return 1;
  function = find_function(ir->module, options->call);
  if (!function.ptr)
    return fail("entry point not found");
  why = complaint(ir, function, options->result);
  if (why)
    return fail(why);
  jit = compile(ir->module, options);
  if (!jit.ptr)
    return fail("could not convert to LLVM IR");
  fill_memory(jit, options->fill);
  code = (void (*)(void **))(uintptr_t)mlirExecutionEngineLookupPacked(
      jit, cul_ir_str(options->call));
  if (!code)
    return fail("Failed to materialize symbols");
  code(&result);
  print_result(options->result, &value);
  return 0;
}

/* ---- all stages ---- */

static void print_module(MlirOperation module, bool silent) {
  struct cul_buf text = {0};
  mlirOperationPrint(module, cul_compat_append, &text);
  if (!silent)
    printf("%s\n", cul_buf_str(&text));
  cul_buf_release(&text);
}

static bool is_nothing(const char *pipeline) { return !*pipeline; }

static bool is_unverified(const struct options *options, size_t stage) {
  bool found = false;
  for (size_t i = 0; i < options->unverified.n && !found; i++)
    found = strtoul(options->unverified.items[i], NULL, 10) == stage;
  return found;
}

/* Run stage i.  The tool that reads the output of an unverified stage verifies
 * it. */
static int run_stage(struct cul_ir *ir, const struct options *options,
                     const struct cul_passes_warm *warm, size_t i,
                     atomic_uint *at) {
  const char *pipeline = options->stages.items[i];
  bool last = i + 1 == options->stages.n && !options->call;
  int rc;
  *at = (unsigned)i;
  if (is_nothing(pipeline))
    return 0;
  if (!is_unverified(options, i))
    return cul_passes_run(ir, ir->root, pipeline, warm);
  rc = cul_passes_run_unverified(ir, ir->root, pipeline, warm);
  if (rc || last)
    return rc;
  *at = (unsigned)i + 1;
  return !mlirOperationVerify(ir->root);
}

/* Run all stages; *at: the number of the running one. */
static int run_stages(struct cul_ir *ir, const struct options *options,
                      const struct cul_passes_warm *warm, atomic_uint *at) {
  for (size_t i = 0; i < options->stages.n; i++) {
    int rc = run_stage(ir, options, warm, i, at);
    if (rc)
      return rc;
  }
  if (!options->call) {
    print_module(ir->root, options->silent);
    return 0;
  }
  *at = (unsigned)options->stages.n;
  return call(ir, options);
}

/* End a pipe in which a stage before the last one failed: the others read an
 * empty module. */
static int end_pipe(const struct options *options, int status) {
  int last = 0;
  if (options->stops)
    return status;
  if (options->call)
    last = fail("entry point not found");
  else if (!options->silent)
    printf("module {\n}\n\n");
  return options->pipefail && !last ? status : last;
}

static int run_as_shell(struct cul_ir *ir, const struct options *options,
                        const struct cul_passes_warm *warm) {
  size_t n = options->stages.n + (options->call != NULL);
  atomic_uint *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status = 0;
  pid_t pid;
  if (at == MAP_FAILED)
    return CUL_ENGINE_UNABLE;
  pid = fork();
  if (pid == 0) {
    status = run_stages(ir, options, warm, at);
    fflush(stdout);
    _exit(status);
  }
  if (pid < 0 || TEMP_FAILURE_RETRY(waitpid(pid, &status, 0)) < 0)
    return CUL_ENGINE_UNABLE;
  if (WIFSIGNALED(status) && options->exec && *at + 1 >= n) {
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return status && *at + 1 < n ? end_pipe(options, status) : status;
}

/* Does this libMLIR parse the pipelines?  Print the path of libMLIR. */
static int check(struct cul_ir *ir, const struct options *options) {
  Dl_info where;
  for (size_t i = 0; i < options->stages.n; i++)
    if (!is_nothing(options->stages.items[i]) &&
        !cul_passes_warm(ir, options->stages.items[i],
                         &(struct cul_passes_warm){0}))
      return CUL_ENGINE_USAGE;
  /* a C++ function that libMLIR itself defines */
  if (dladdr(dlsym(RTLD_DEFAULT, "_ZN4mlir11MLIRContextC1ENS0_9ThreadingE"),
             &where))
    printf("%s\n", where.dli_fname);
  return 0;
}

static bool widen(struct cul_ir *ir) {
  struct cul_widened widened;
  struct cul_err err = {0};
  if (cul_widen(ir, 0, &widened, &err) == 0)
    return true;
  fprintf(stderr, "error: %s\n", err.what);
  return false;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct options options;
  atomic_uint at = 0;
  if (!read_words(argc, argv, &options))
    return CUL_ENGINE_USAGE;
  if (options.check)
    return check(ir, &options);
  if (options.wide && !widen(ir))
    return CUL_ENGINE_UNABLE;
  cul_passes_speak(ir->context);
  if (options.call)
    mlirRegisterAllLLVMTranslations(ir->context);
  return options.shell ? run_as_shell(ir, &options, warm)
                       : run_stages(ir, &options, warm, &at);
}

static void load_libraries(const struct options *options) {
  for (size_t i = 0; i < options->libraries.n; i++)
    if (!dlopen(options->libraries.items[i], RTLD_NOW))
      return; /* the run reports the reason */
}

/* A function with the operations of most programs.  Compiling it once before
 * the runs does the work that the code generator and the loader otherwise do at
 * the first use in each run. */
static const char usual[] =
    "llvm.func @free(!llvm.ptr)\n"
    "llvm.func @malloc(i64) -> !llvm.ptr\n"
    "llvm.func @main() {\n"
    "  %0 = llvm.mlir.constant(0 : i64) : i64\n"
    "  %1 = llvm.mlir.constant(8 : i64) : i64\n"
    "  %x = llvm.mlir.constant(1.5 : f64) : f64\n"
    "  %f = llvm.mlir.constant(1.5 : f32) : f32\n"
    "  %a = llvm.call @malloc(%1) : (i64) -> !llvm.ptr\n"
    "  llvm.br ^head(%0 : i64)\n"
    "^head(%i: i64):\n"
    "  %c = llvm.icmp \"slt\" %i, %1 : i64\n"
    "  llvm.cond_br %c, ^body, ^end\n"
    "^body:\n"
    "  %p = llvm.getelementptr %a[%0] : (!llvm.ptr, i64) -> !llvm.ptr, f64\n"
    "  %v = llvm.load %p : !llvm.ptr -> f64\n"
    "  %g = llvm.fpext %f : f32 to f64\n"
    "  %h = llvm.fadd %v, %g : f64\n"
    "  %w = llvm.fmul %h, %x : f64\n"
    "  llvm.store %w, %p : f64, !llvm.ptr\n"
    "  %m = llvm.mul %i, %1 : i64\n"
    "  %s = llvm.sub %m, %i : i64\n"
    "  %k = llvm.sdiv %s, %1 : i64\n"
    "  %n = llvm.add %k, %1 : i64\n"
    "  llvm.br ^head(%n : i64)\n"
    "^end:\n"
    "  llvm.call @free(%a) : (!llvm.ptr) -> ()\n"
    "  llvm.return\n"
    "}\n";

static bool compile_usual(struct cul_ir *ir, const struct options *options) {
  MlirModule module = mlirModuleCreateParse(ir->context, cul_ir_str(usual));
  MlirExecutionEngine jit = {NULL};
  if (module.ptr)
    jit = compile(module, options);
  return jit.ptr && mlirExecutionEngineLookupPacked(jit, cul_ir_str("main"));
}

static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_passes_warm *warm = cul_xcalloc(1, sizeof *warm);
  struct options options;
  if (!read_words(argc, argv, &options))
    return NULL;
  for (size_t i = 0; i < options.stages.n; i++)
    if (!is_nothing(options.stages.items[i]) &&
        !cul_passes_warm(ir, options.stages.items[i], warm))
      return NULL;
  if (options.call) {
    mlirRegisterAllLLVMTranslations(ir->context);
    load_libraries(&options);
    if (!compile_usual(ir, &options))
      return NULL;
  }
  return warm;
}

const struct cul_engine cul_engine_stages = {
    .name = "stages",
    .summary = "do what a pipe of mlir-opt and mlir-runner does",
    .opts = opts,
    .run = run,
    .warm = warm_up,
};
