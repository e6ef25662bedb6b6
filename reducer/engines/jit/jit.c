/* The engine "jit": lower the module to LLVM, compile it in this process, call
 * a function with generated inputs, and print its results. */
#include <mlir-c/ExecutionEngine.h>
#include <mlir-c/RegisterEverything.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../base/options/opt.h"
#include "../engine.h"
#include "../gpu/device.h"
#include "../gpu/emul.h"
#include "../gpu/gpu.h"
#include "../plan/entry.h"
#include "../plan/passes.h"
#include "../sound/sound.h"
#include "call.h"
#include "checked.h"
#include "compile.h"
#include "wide.h"
#include "widen.h"

struct options {
  const char *passes, *entry, *inputs, *arguments, *on;
  struct cul_tensors given; /* parsed from arguments */
  struct cul_device device; /* parsed from on */
  int64_t seed, seeds, extent, optimize, poison;
  double patience;
  bool show_inputs, checks, closed, wide, time_kernels;
};

static const struct cul_opt opts[] = {
    {.name = "passes",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, passes),
     .value = "PIPELINE",
     .help = "run these passes first, builtin.module(...); the built-in "
             "pipeline lowers their output"},
    {.name = "entry",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, entry),
     .value = "NAME",
     .help = "the function to call (default: main, else the first public one)"},
    {.name = "inputs",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, inputs),
     .value = "KIND",
     .help = "integers, reals or positive; then the values of single "
             "arguments: integers,0=ones,1=zeros,2=drawn@0-3+9,3=index@7"},
    {.name = "arguments",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, arguments),
     .value = "TEXT",
     .help = "use these instead of generated ones, one per line: "
             "2x2xf32=1 2 3 4; a single number is for all elements"},
    {.name = "show-inputs",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, show_inputs),
     .help = "print the arguments, and call nothing"},
    {.name = "seed",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seed),
     .max = INT64_MAX,
     .value = "N",
     .help = "seed of the inputs"},
    {.name = "seeds",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, seeds),
     .min = 1,
     .max = 64,
     .value = "N",
     .help = "call it with the inputs of N seeds, one after the other "
             "(default 1)"},
    {.name = "extent",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, extent),
     .min = 1,
     .max = 1 << 20,
     .value = "N",
     .help = "size of dynamic dimensions, and the value of index arguments "
             "(default 4)"},
    {.name = "optimize",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, optimize),
     .max = 3,
     .value = "N",
     .help = "level of the code generator (default 0)"},
    {.name = "device",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, on),
     .value = "emul|cuda|hip[:CHIP]",
     .help = "map the loops to GPU kernels, and run those thread by thread on "
             "the CPU, or on a card (CHIP: sm_90, gfx90a ...)"},
    {.name = "patience",
     .type = CUL_OPT_SECONDS,
     .offset = offsetof(struct options, patience),
     .value = "SECONDS",
     .help = "treat a kernel on a card that takes longer as hanging "
             "(default 10)"},
    {.name = "time-kernels",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, time_kernels),
     .help = "print to standard error the times that events on the card "
             "measure: \"kernel NAME: 12.5 us in 3 launches\", \"kernels: 12.5 "
             "us\""},
    {.name = "poison",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, poison),
     .min = 1,
     .max = 255,
     .value = "N",
     .help = "fill fresh memory with this byte"},
    {.name = "checks",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, checks),
     .help = "stop at undefined behaviour: accesses out of bounds, divisions "
             "by zero, results that depend on poison; print the "
             "floating-point exceptions raised"},
    {.name = "closed",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, closed),
     .help = "require a @main without arguments, and call it"},
    {.name = "wide",
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, wide),
     .help = "change every float to f64; also print how far results move "
             "when inputs move by one roundoff of their own type, and "
             "whether that type would round at all"},
    {.name = NULL}};

#define AFFINE "builtin.module(lower-affine)"
#define CHECKS "builtin.module(generate-runtime-verification)"
/* For a GPU: turn loops into kernels with blocks of 16 by 16 threads; then
 * lower the host's side, whose kernels are empty by then, so that no vendor
 * tool is needed. */
#define TO_KERNELS                                                             \
  "builtin.module(func.func(convert-linalg-to-parallel-loops,"                 \
  "scf-parallel-loop-tiling{parallel-loop-tile-sizes=16,16 "                   \
  "no-min-max-bounds=true},gpu-map-parallel-loops,"                            \
  "convert-parallel-loops-to-gpu,canonicalize,cse),lower-affine,"              \
  "gpu-kernel-outlining,canonicalize)"
#define HOST                                                                   \
  "builtin.module(expand-strided-metadata,lower-affine,"                       \
  "gpu-lower-to-nvvm-pipeline{cubin-chip=sm_60 cubin-format=isa})"

static int usage(const struct cul_err *err) {
  fprintf(stderr, "error: %s\n", err->what);
  return CUL_ENGINE_USAGE;
}

static int missing(const struct cul_err *err) {
  fprintf(stderr, "error: %s; %s\n", err->what, err->advice);
  return CUL_ENGINE_MISSING;
}

static int read_words(int argc, char **argv, struct options *out,
                      struct cul_jit_inputs *inputs, struct cul_err *err) {
  const char *file;
  struct cul_operands operands = {.items = &file, .max = 1};
  *out = (struct options){.seeds = 1, .extent = 4, .patience = 10};
  *inputs = (struct cul_jit_inputs){.seed = 0};
  if (cul_opt_parse(opts, out, argc, argv, &operands, err) < 0)
    return err->code;
  if (out->inputs && !cul_recipe_parse(out->inputs, &inputs->recipe))
    return cul_fail(err, CUL_EUSAGE,
                    "integers, reals or positive; behind it ,0=ones ,1=zeros "
                    ",2=drawn@0-3+9 ,3=index for single arguments",
                    "--inputs: unknown kind \"%s\"", out->inputs);
  if (out->arguments) {
    struct cul_bytes text = {out->arguments, strlen(out->arguments)};
    if (cul_tensors_parse_text(text, NULL, &out->given, err) < 0)
      return err->code;
    inputs->given = &out->given;
  }
  if (out->on && cul_device_parse(out->on, &out->device, err) < 0)
    return err->code;
  if (out->time_kernels && !out->device.stack)
    return cul_fail(err, CUL_EUSAGE, "add --device cuda or hip",
                    "--time-kernels: events are a card's");
  inputs->seed = (uint64_t)out->seed;
  inputs->extent = (uint64_t)out->extent;
  return 0;
}

/* ---- the function ---- */

static MlirType type_of(MlirOperation entry) {
  return mlirTypeAttrGetValue(
      mlirOperationGetAttributeByName(entry, cul_ir_str("function_type")));
}

/* Make the entry callable through MLIR's C interface. */
static void expose(struct cul_ir *ir, MlirOperation entry) {
  cul_edit_set_attribute(entry, cul_ir_str("llvm.emit_c_interface"),
                         mlirUnitAttrGet(ir->context));
  if (mlirOperationGetAttributeByName(entry, cul_ir_str("sym_visibility")).ptr)
    cul_edit_set_attribute(
        entry, cul_ir_str("sym_visibility"),
        mlirStringAttrGet(ir->context, cul_ir_str("public")));
}

/* ---- compiling ---- */

/* Lower to the host's code and *kernels, which are emulated; or, for a card, to
 * both in one module. */
static int lower_kernels(struct cul_ir *ir, const struct options *options,
                         const struct cul_passes_warm *warm,
                         struct cul_emul_kernels *kernels) {
  struct cul_err err = {0};
  int rc = cul_passes_run(ir, ir->root, TO_KERNELS, warm);
  if (rc)
    return rc;
  if (options->device.stack)
    return cul_device_lower(ir, &options->device, warm);
  if (cul_emul_cut(ir, kernels, &err) < 0)
    return usage(&err);
  if (kernels->module.ptr)
    rc = cul_passes_run(ir, mlirModuleGetOperation(kernels->module), CUL_LOWER,
                        warm);
  return rc ? rc : cul_passes_run(ir, ir->root, HOST, warm);
}

/* Add the checks that need bufferized code; affine accesses become memref's
 * first. */
static int add_checks(struct cul_ir *ir, const struct cul_passes_warm *warm) {
  int rc = cul_passes_run(ir, ir->root, AFFINE, warm);
  if (rc)
    return rc;
  cul_sound_check(ir);
  return cul_passes_run(ir, ir->root, CHECKS, warm);
}

/* Lower to the LLVM dialect; emulated kernels go to *kernels. */
static int lower(struct cul_ir *ir, const struct options *options,
                 const struct cul_passes_warm *warm,
                 struct cul_emul_kernels *kernels) {
  int rc =
      options->passes ? cul_passes_run(ir, ir->root, options->passes, warm) : 0;
  if (rc == 0 && options->checks)
    cul_sound_check(ir);
  if (rc == 0)
    rc = cul_passes_run(ir, ir->root, CUL_BUFFERIZE, warm);
  if (rc == 0 && (options->poison || options->checks))
    cul_sound_fill(
        ir, (unsigned char)(options->poison ? options->poison : CUL_JIT_FRESH));
  if (rc == 0 && options->checks)
    rc = add_checks(ir, warm);
  if (rc == 0 && options->on)
    rc = lower_kernels(ir, options, warm, kernels);
  return rc ? rc : cul_passes_run(ir, ir->root, CUL_LOWER, warm);
}

/* ---- running ---- */

/* Compile the kernels; the host's code launches them from then on. */
static bool compile_kernels(const struct options *options,
                            struct cul_emul_kernels *kernels) {
  MlirExecutionEngine jit;
  if (!kernels->module.ptr)
    return true;
  jit = cul_jit_compile(kernels->module, (int)options->optimize);
  cul_jit_register(jit, cul_emul_kernel_symbols);
  for (size_t i = 0; jit.ptr && i < kernels->n; i++)
    kernels->items[i].code = (void (*)(void **))mlirExecutionEngineLookupPacked(
        jit, cul_ir_str(kernels->items[i].name));
  cul_emul_serve(kernels);
  return jit.ptr != NULL;
}

/* Print results; with several seeds as "result[0/1]", here of the second. */
static void print_seed(const struct options *options, uint64_t seed,
                       const struct cul_tensors *results, struct cul_buf *out) {
  char suffix[24] = "";
  if (options->seeds > 1)
    snprintf(suffix, sizeof suffix, "/%llu", (unsigned long long)seed);
  cul_jit_print(results, "", suffix, out);
}

struct calling {
  const struct options *options;
  const struct cul_jit_wide *wide;
  MlirExecutionEngine jit;
  bool called;
  int raised; /* exceptions of the first call */
};

/* Call the function for every seed; print all results to standard output. */
static int call_all(void *arg, struct cul_err *err) {
  struct calling *c = arg;
  const struct cul_jit_wide *wide = c->wide;
  struct cul_jit_inputs inputs = *wide->inputs;
  struct cul_buf text = {0};
  int rc = 0;
  for (uint64_t s = 0; s < (uint64_t)c->options->seeds && rc == 0; s++) {
    struct cul_tensors results = {0};
    int flags;
    inputs.seed = wide->inputs->seed + s;
    rc = cul_jit_call_run(wide->call, c->jit, wide->name, &inputs, &results,
                          &flags, err);
    if (!c->called)
      c->raised |= flags;
    if (rc == 0)
      print_seed(c->options, s, &results, &text);
    cul_tensors_release(&results);
  }
  c->called = true;
  if (rc == 0)
    fwrite(cul_buf_str(&text), 1, text.len, stdout);
  if (rc == 0 && c->options->time_kernels)
    cul_gpu_say_times();
  cul_buf_release(&text);
  return rc;
}

static int call(struct cul_ir *ir, const struct options *options,
                const struct cul_jit_wide *wide, struct cul_err *err) {
  struct calling c = {.options = options, .wide = wide};
  int rc;
  c.jit = cul_jit_compile(ir->module, (int)options->optimize);
  cul_jit_register(c.jit, options->device.stack ? cul_gpu_symbols
                                                : cul_emul_host_symbols);
  cul_jit_register(c.jit, cul_sound_symbols);
  if (options->time_kernels)
    cul_gpu_time_kernels();
  if (options->poison)
    cul_jit_poison((unsigned char)options->poison);
  if (!c.jit.ptr)
    return 1;
  rc = options->checks ? cul_jit_checked(call_all, &c, err) : call_all(&c, err);
  if (rc == 0 && options->checks)
    cul_jit_say_raised(c.raised);
  return rc == 0 && options->wide ? cul_jit_wide_run(wide, c.jit, err) : rc;
}

/* Read the signature.  With --wide, change the module to f64, and let arguments
 * be rounded to their original types. */
static int read_signature(struct cul_ir *ir, const struct options *options,
                          MlirOperation entry, struct cul_jit_wide *wide,
                          struct cul_err *err) {
  struct cul_jit_call narrow = {0};
  uint64_t extent = wide->inputs->extent;
  int rc = cul_jit_call_init(ir, type_of(entry), extent, wide->call, err);
  if (rc < 0 || !options->wide)
    return rc;
  narrow = *wide->call;
  *wide->call = (struct cul_jit_call){0};
  rc = cul_widen(ir, &wide->widened, err);
  if (rc < 0)
    rc = CUL_ENGINE_UNABLE;
  else
    rc = cul_jit_call_init(ir, type_of(entry), extent, wide->call, err);
  if (rc == 0)
    cul_jit_call_store_as(wide->call, &narrow);
  cul_jit_call_release(&narrow);
  return rc;
}

/* Lower, compile and call. */
static int build_and_call(struct cul_ir *ir, const struct options *options,
                          struct cul_jit_wide *wide, void *warm,
                          struct cul_err *err) {
  struct cul_emul_kernels kernels = {.n = 0};
  int rc;
  cul_passes_speak(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context);
  rc = lower(ir, options, warm, &kernels);
  if (rc == 0 && options->device.stack &&
      cul_gpu_open(options->device.stack, (uint64_t)(options->patience * 1000),
                   err) < 0)
    return missing(err);
  if (rc == 0 && options->wide)
    wide->lowered = mlirOperationClone(ir->root);
  if (rc == 0 && !compile_kernels(options, &kernels))
    rc = 1;
  return rc ? rc : call(ir, options, wide, err);
}

/* With --closed: is the entry a @main without arguments? */
static int check_closed(const struct options *options, const char *name,
                        const struct cul_jit_call *signature,
                        struct cul_err *err) {
  if (!options->closed || (strcmp(name, "main") == 0 && signature->n_args == 0))
    return 0;
  cul_fail(err, CUL_EUSAGE, "leave --closed out",
           signature->n_args ? "@%s takes arguments" : "there is no @main",
           name);
  return CUL_ENGINE_UNABLE;
}

static int show_inputs(const struct cul_jit_call *call,
                       const struct cul_jit_inputs *inputs,
                       struct cul_err *err) {
  struct cul_tensors drawn = {0};
  struct cul_buf text = {0};
  int rc = cul_jit_call_draw(call, inputs, &drawn, err);
  cul_jit_print(&drawn, "", "", &text);
  fwrite(cul_buf_str(&text), 1, text.len, stdout);
  cul_buf_release(&text);
  cul_tensors_release(&drawn);
  return rc;
}

static int run(struct cul_subject *subject, void *warm, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct options options;
  struct cul_jit_inputs inputs;
  struct cul_jit_call signature = {0};
  struct cul_jit_wide wide = {.ir = ir, .call = &signature, .inputs = &inputs};
  struct cul_err err = {0};
  char *name = NULL;
  MlirOperation entry = {NULL};
  int rc = read_words(argc, argv, &options, &inputs, &err);
  wide.seeds = (uint64_t)options.seeds;
  if (rc == 0)
    entry = cul_entry_find(ir, options.entry, &name, &err);
  if (rc == 0)
    rc =
        entry.ptr ? read_signature(ir, &options, entry, &wide, &err) : err.code;
  if (rc == 0)
    rc = check_closed(&options, name, &signature, &err);
  if (rc == 0 && options.show_inputs) {
    rc = show_inputs(&signature, &inputs, &err);
  } else if (rc == 0) {
    expose(ir, entry);
    wide.name = name;
    rc = build_and_call(ir, &options, &wide, warm, &err);
  }
  if (rc == CUL_ENGINE_UNABLE && err.what[0])
    usage(&err);
  else if (rc < 0)
    rc = usage(&err);
  cul_jit_call_release(&signature);
  free(name);
  return rc;
}

/* Warm the passes, and the code generator, which initializes much at its first
 * use. */
static void *warm_up(struct cul_subject *subject, int argc, char **argv) {
  struct cul_ir *ir = cul_ir_of(subject);
  struct cul_passes_warm *warm = cul_xcalloc(1, sizeof *warm);
  MlirModule empty = mlirModuleCreateEmpty(ir->unknown);
  struct options options;
  struct cul_jit_inputs inputs;
  struct cul_err err = {0};
  mlirRegisterAllLLVMTranslations(ir->context);
  if (read_words(argc, argv, &options, &inputs, &err) == 0 &&
      (!options.passes || cul_passes_warm(ir, options.passes, warm)) &&
      cul_passes_warm(ir, CUL_BUFFERIZE, warm) &&
      cul_passes_warm(ir, AFFINE, warm) && cul_passes_warm(ir, CHECKS, warm) &&
      cul_passes_warm(ir, CUL_LOWER, warm) && cul_jit_compile(empty, 0).ptr)
    return warm;
  free(warm->items);
  free(warm);
  return NULL;
}

const struct cul_engine cul_engine_jit = {
    .name = "jit",
    .summary = "compile the module and call a function of it",
    .opts = opts,
    .run = run,
    .warm = warm_up,
};
