/* Shared options: see options.h. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/visible.h"
#include "../pipeline/shell_text.h"
#include "../probe/target/findings.h"
#include "command.h"

#define FIELD(name) offsetof(struct cul_failure_options, name)

const struct cul_opt cul_failure_opts[] = {
    {.name = "match",
     .shared = true,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(match),
     .value = "REGEX",
     .help = "the failure: stdout or stderr matches this PCRE2 expression"},
    {.name = "exit",
     .shared = true,
     .type = CUL_OPT_INT,
     .offset = FIELD(exit_code),
     .max = 255,
     .value = "N",
     .help = "the failure: the command exits with status N"},
    {.name = "signal",
     .shared = true,
     .words = "SIGABRT SIGBUS SIGFPE SIGILL SIGKILL SIGSEGV SIGTRAP",
     .type = CUL_OPT_STRING,
     .offset = FIELD(signal),
     .value = "NAME|N",
     .help = "the failure: the command dies of this signal"},
    {.name = "any-crash",
     .shared = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(any_crash),
     .help = "the failure: the command dies of any signal or assertion"},
    {.name = NULL}};

#undef FIELD
#define FIELD(name) offsetof(struct cul_tolerance_conf, name)

const struct cul_opt cul_tolerance_opts[] = {
    {.name = "rtol",
     .shared = true,
     .type = CUL_OPT_REAL,
     .offset = FIELD(rtol),
     .value = "X",
     .help = "numbers differ if |got-want| > atol + rtol*|want| (default: any "
             "difference; with --mismatch: more than rounding can explain)"},
    {.name = "atol",
     .shared = true,
     .type = CUL_OPT_REAL,
     .offset = FIELD(atol),
     .value = "X",
     .help = "see --rtol"},
    {.name = "ulp",
     .shared = true,
     .type = CUL_OPT_INT,
     .offset = FIELD(ulps),
     .max = INT64_MAX,
     .value = "N",
     .help =
         "floats that are at most N representable numbers apart do not differ"},
    {.name = "signed-zero",
     .shared = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(signed_zero),
     .help = "-0 and 0 differ, with any tolerance"},
    {.name = "flush-denormals",
     .shared = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(flush_denormals),
     .help = "treat denormal numbers as 0 on both sides (numbers without a "
             "type count as f32)"},
    {.name = "preset",
     .shared = true,
     .words = "numpy numpy-testing torch jax onnx iree xla polygraphy",
     .type = CUL_OPT_STRING,
     .offset = FIELD(preset),
     .value = "NAME",
     .help = "the tolerance in the tests of another tool, by type if it "
             "defines that:"},
    {.name = NULL}};

#undef FIELD
#define FIELD(name) offsetof(struct cul_worker_options, name)

const struct cul_opt cul_worker_opts[] = {
    {.name = "jobs",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .main = true,
     .letter = 'j',
     .type = CUL_OPT_INT,
     .offset = FIELD(n),
     .min = 1,
     .max = CUL_MAX_WORKERS,
     .value = "N",
     .help = "workers (default: the number of cores)"},
    {.name = "run",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(run),
     .table = cul_run_opts},
    {.name = NULL}};

#undef FIELD
#define FIELD(name) offsetof(struct cul_target_options, name)

const struct cul_opt cul_target_opts[] = {
    {.name = "passes",
     .shared = true,
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(passes),
     .value = "PIPELINE",
     .help = "run this pass pipeline, builtin.module(...), with culprit's own "
             "MLIR, in the process that holds the candidate, without any tool"},
    {.name = "within",
     .shared = true,
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(workers.run.within),
     .value = "DIR",
     .help = "FILE is in this directory, which the command uses: each run has "
             "a copy of it, @{within}, in which only FILE, @@, is changed and "
             "newer"},
    {.name = "failure",
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_TABLE,
     .offset = FIELD(failure),
     .table = cul_failure_opts},
    {.name = "script",
     .group = CUL_GROUP_FAILURE,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(script),
     .value = "FILE",
     .help =
         "preserve: the exit status of FILE means \"interesting\"; FILE gets "
         "the candidate as last argument, on standard input and under its name "
         "in the working directory; words after \"--\" precede the candidate"},
    {.name = "contract",
     .shared = true,
     .words = "all bisect circt circt-must-fail creduce cvise delta "
              "halfempty hlo iree llvm mlir perses picire polygraphy "
              "shrinkray spirv treereduce",
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_STRING,
     .offset = FIELD(contract),
     .value = "NAME",
     .help =
         "the script was written for this reducer (default: all; a run on an "
         "empty file shows whether 0 or another status is interesting):"},
    {.name = "also-interesting",
     .shared = true,
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_INT,
     .offset = FIELD(also),
     .min = 1,
     .max = 124,
     .value = "N",
     .help =
         "keep candidates for which the script exits with N as other failures"},
    {.name = "oracle",
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_STRING,
     .offset = FIELD(plugin),
     .value = "FILE.so",
     .help = "preserve: this plugin accepts the candidate (oracles/plugin.h)"},
    {.name = "all-of",
     .shared = true,
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(all_of),
     .help = "preserve all given ones of --match, --exit, --signal, "
             "--any-crash, --script and --mismatch"},
    {.name = "mismatch",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(mismatch),
     .help = "preserve: the numbers differ from those of --ref; they are "
             "printed (IREE results, memref and vector prints, any line with "
             "numbers) or written as tensor files into @{out}; --exit or "
             "--signal gives how the command then ends"},
    {.name = "ref",
     .group = CUL_GROUP_NUMBERS,
     .main = true,
     .type = CUL_OPT_STRING,
     .offset = FIELD(reference),
     .value = "'CMD @@'",
     .help = "the reference, run by bash; its numbers must not depend on "
             "uninitialized memory"},
    {.name = "ref-passes",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(ref_passes),
     .value = "PIPELINE",
     .help =
         "with --passes and --mismatch, --slower or --memory: the passes of "
         "the reference (default: none); for --mismatch, both results are "
         "lowered to the CPU, compiled and called with generated inputs"},
    {.name = "values",
     .shared = true,
     .words = "integers reals positive",
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(values),
     .value = "KIND",
     .help = "the generated inputs (default: integers, whose sums are exact):"},
    {.name = "seeds",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_INT,
     .offset = FIELD(seeds),
     .min = 1,
     .max = 64,
     .value = "N",
     .help = "use inputs of N seeds in each run (default 1); two of three must "
             "be wrong, or as many as for the original"},
    {.name = "device",
     .words = "emul cuda hip",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(device),
     .value = "emul|cuda|hip[:CHIP][,compile]",
     .help = "turn loops into GPU kernels, and run them thread by thread on "
             "the CPU (emul; emul:64 has subgroups of 64 threads instead of "
             "32) or on a GPU (default CHIP: sm_90, gfx90a); with \",compile\" "
             "they are only compiled, and no GPU is needed"},
    {.name = "control",
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(control),
     .value = "'CMD @@'",
     .help = "another reference, which must succeed and agree: with bounds "
             "checks, another back end, or another version"},
    {.name = "tolerance",
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_TABLE,
     .offset = FIELD(tolerance),
     .table = cul_tolerance_opts},
    {.name = "any-class",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(any_class),
     .help = "--mismatch: also accept numbers that are wrong in another way "
             "(values, not finite, all zero, unwritten memory, shape)"},
    {.name = "prints-nothing",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(accepted.prints_nothing),
     .help = "--mismatch: the failure is that the command prints no numbers "
             "although the reference prints some"},
    {.name = "assume-defined",
     .shared = true,
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(accepted.assume_defined),
     .help = "--mismatch: accept the kinds of undefined behaviour that the "
             "input shows, also in candidates, and no others"},
    {.name = "whole",
     .group = CUL_GROUP_WHOLE,
     .type = CUL_OPT_TABLE,
     .offset = FIELD(whole),
     .table = cul_whole_opts},
    {.name = "inputs",
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(inputs),
     .value = "DIR",
     .help = "@{inputs} in the commands: a directory of tensor files"},
    {.name = "want",
     .group = CUL_GROUP_NUMBERS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(want),
     .value = "DIR",
     .help = "instead of --ref: the tensor files that the command should write "
             "into @{out}; not for reduce, because they belong to this input"},
    {.name = "repeat",
     .shared = true,
     .words = "auto",
     .group = CUL_GROUP_FAILURE,
     .type = CUL_OPT_STRING,
     .offset = FIELD(repeat),
     .value = "N|auto",
     .help =
         "the number of runs that measure how often the input fails (default "
         "auto: two failing runs are enough); if some runs pass, candidates "
         "are run until a sequential test is sure of their rate"},
    {.name = "workers",
     .type = CUL_OPT_TABLE,
     .offset = FIELD(workers),
     .table = cul_worker_opts},
    {.name = NULL}};

const struct cul_opt cul_form_opts[] = {
    {.name = "form",
     .shared = true,
     .words = "native native-generic llvm opaque mlir-text text",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(form),
     .value = "FORM",
     .help =
         "how to read the input (default: the first that keeps the failure):"},
    {.name = "opt-tool",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_STRING,
     .offset = FIELD(opt_tool),
     .value = "'CMD @@'",
     .help =
         "a command that prints the generic form of a module, for form opaque"},
    {.name = "even-if-empty",
     .group = CUL_GROUP_SEARCH,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(even_if_empty),
     .help = "continue even if an empty file fails in the same way"},
    {.name = NULL}};

void cul_target_options_init(struct cul_target_options *options) {
  *options = (struct cul_target_options){
      .failure = {.exit_code = -1},
      .workers = {.run = {.start_us = cul_now_us()}},
      .whole = {.keep = -1},
      .tolerance = {.rtol = -1, .atol = -1, .ulps = -1}};
}

/* Parse --repeat; 0: auto. */
static int parse_repeat(const char *text, uint32_t *out, struct cul_err *err) {
  char *end = NULL;
  unsigned long n = text ? strtoul(text, &end, 10) : 0;
  *out = 0;
  if (!text || !strcmp(text, "auto"))
    return 0;
  if (*end || text[0] < '0' || text[0] > '9' || n < 2 || n > CUL_RATE_RUNS)
    return cul_fail(err, CUL_EUSAGE, "give a number of 2 to 200, or auto",
                    "--repeat: \"%s\" is not a number of runs", text);
  *out = (uint32_t)n;
  return 0;
}

/* The number of given options that define what is preserved.  With --mismatch,
 * one of --exit and --signal does not count: it is the way in which the command
 * with the wrong numbers ends. */
static int count_given(const struct cul_target_options *options) {
  int ends =
      (options->failure.exit_code >= 0) + (options->failure.signal != NULL);
  if (options->mismatch && !options->all_of && ends)
    ends--;
  return (options->failure.match != NULL) + ends + options->failure.any_crash +
         (options->script != NULL) + (options->plugin != NULL) +
         options->mismatch + options->whole.nondeterminism +
         options->whole.slower + options->whole.memory;
}

/* Check options that have no meaning without, or together with, another one. */
static int check_together(const struct cul_target_options *options,
                          struct cul_err *err) {
  if (options->plugin && count_given(options) > 1)
    return cul_fail(err, CUL_EUSAGE, "let the plugin test for them",
                    "--oracle excludes all other options of the failure");
  if (count_given(options) > 1 && !options->all_of)
    return cul_fail(err, CUL_EUSAGE, "give one of them, or --all-of",
                    "--match, --exit, --signal, --any-crash, --script, "
                    "--mismatch, --nondeterminism, --slower and --memory "
                    "exclude each other, but for --mismatch with --exit or "
                    "--signal");
  if (options->all_of && count_given(options) < 2)
    return cul_fail(err, CUL_EUSAGE,
                    "give two or more of --match, --exit, --signal, "
                    "--any-crash, --script and --mismatch",
                    "--all-of needs two conditions");
  if (options->contract && !options->script)
    return cul_fail(err, CUL_EUSAGE, "give --script FILE",
                    "--contract needs a script");
  if (options->also && !options->script)
    return cul_fail(err, CUL_EUSAGE, "give --script FILE",
                    "--also-interesting needs a script");
  return 0;
}

/* Check --mismatch and the options that have no meaning without it. */
static int check_mismatch(const struct cul_target_options *options,
                          struct cul_err *err) {
  const struct cul_tolerance_conf *tolerance = &options->tolerance;
  bool given = cul_tolerance_is_given(tolerance) || tolerance->signed_zero ||
               tolerance->flush_denormals;
  bool engine = options->passes || options->device;
  if (engine && (options->reference || options->control))
    return cul_fail(err, CUL_EUSAGE, "use --ref-passes for the reference",
                    "--ref and --control are commands, but --passes and "
                    "--device run no command");
  if (!(engine && options->mismatch) && !options->device &&
      (options->values || options->seeds))
    return cul_fail(
        err, CUL_EUSAGE, "add --mismatch and --passes, or --device",
        "--values and --seeds apply only to modules that culprit calls");
  if (options->ref_passes &&
      !(engine &&
        (options->mismatch || options->whole.slower || options->whole.memory)))
    return cul_fail(err, CUL_EUSAGE, "add --passes and --mismatch or --slower",
                    "--ref-passes applies only to --passes with --mismatch, "
                    "--slower or --memory");
  if (options->want && (!options->mismatch || engine || options->reference))
    return cul_fail(
        err, CUL_EUSAGE, "give --mismatch and a command, and no --ref",
        "--want needs a command to compare with, and excludes --ref");
  if (options->mismatch && !options->reference && !engine && !options->want)
    return cul_fail(err, CUL_EUSAGE,
                    "give what computes the right numbers: --ref 'CMD @@', "
                    "--passes, or --want DIR",
                    "--mismatch without a reference");
  if (cul_options_whole(options) && options->all_of)
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--nondeterminism, --slower and --memory exclude --all-of, "
                    "because they judge several runs at once");
  if (!options->mismatch && (given || options->control))
    return cul_fail(err, CUL_EUSAGE, "add --mismatch",
                    "--control and tolerances apply only to --mismatch");
  if (!options->mismatch &&
      (options->accepted.prints_nothing || options->accepted.assume_defined))
    return cul_fail(
        err, CUL_EUSAGE, "add --mismatch",
        "--prints-nothing and --assume-defined apply only to --mismatch");
  if (options->any_class && !options->mismatch &&
      !options->whole.nondeterminism)
    return cul_fail(
        err, CUL_EUSAGE, "add one of them",
        "--any-class applies only to --mismatch and --nondeterminism");
  if (options->reference && !options->mismatch && !options->whole.slower &&
      !options->whole.memory)
    return cul_fail(err, CUL_EUSAGE, "add one of them",
                    "--ref applies only to --mismatch, --slower and --memory");
  return 0;
}

static int fill_oracle(const struct cul_target_options *options,
                       struct cul_oracle_conf *oracle, struct cul_err *err) {
  *oracle = (struct cul_oracle_conf){
      .match = options->failure.match,
      .exit_code = (int)options->failure.exit_code,
      .any_crash = options->failure.any_crash,
      .all_of = options->all_of,
      .plugin = options->plugin,
      .script = {.wanted = options->script != NULL, .also = (int)options->also},
      .mismatch = {.wanted = options->mismatch,
                   .control = options->control != NULL || options->passes ||
                              options->device,
                   .silent = options->accepted.prints_nothing,
                   .assume_defined = options->accepted.assume_defined,
                   .tolerance = options->tolerance,
                   .ignore = options->whole.ignore},
      .nondeterminism = {.wanted = options->whole.nondeterminism,
                         .ignore = options->whole.ignore},
      .measured = {.slower = options->whole.slower,
                   .memory = options->whole.memory,
                   .reference = options->reference || options->ref_passes,
                   .by = cul_options_by(options),
                   .above = options->whole.above,
                   .keep = options->whole.keep,
                   .iterations = (uint64_t)options->whole.iterations},
      .any_class = options->any_class};
  if (parse_repeat(options->repeat, &oracle->repeat.runs, err) < 0)
    return err->code;
  if (!options->failure.signal)
    return 0;
  oracle->signal = cul_signal_number(options->failure.signal);
  if (!oracle->signal)
    return cul_fail(
        err, CUL_EUSAGE, "give a name such as SIGSEGV or ABRT, or a number",
        "--signal: \"%s\" is not a signal", options->failure.signal);
  return 0;
}

/* ---- --within: runs in copies of the input's directory ---- */

/* The path of input below dir, both without symbolic links; heap.  Errors:
 * EUSAGE. */
static int path_within(const char *dir, const char *input, char **real_dir,
                       char **below, struct cul_err *err) {
  char *real = realpath(input, NULL);
  size_t n;
  int rc = 0;
  *below = NULL;
  *real_dir = realpath(dir, NULL);
  n = *real_dir ? strlen(*real_dir) : 0;
  if (!*real_dir)
    rc = cul_fail(err, CUL_EUSAGE, "give the directory in which FILE lies",
                  "--within: %s is not there", dir);
  else if (!real)
    rc = cul_fail(err, CUL_EUSAGE, "give a file that is there",
                  "%s cannot be found", input);
  else if (n < 2 || strncmp(real, *real_dir, n) != 0 || real[n] != '/')
    rc = cul_fail(err, CUL_EUSAGE, "give the directory in which FILE lies",
                  "--within: %s does not lie in %s", input, dir);
  else
    *below = cul_xstrdup(real + n + 1);
  free(real);
  return rc;
}

/* Append the word with //within// for the copy's path, in @@ and in @{within}:
 * the script (within.sh) replaces it. */
static void add_within(const char *word, const char *below,
                       struct cul_buf *out) {
  static const char copy[] = "@{within}";
  for (; *word; word++)
    if (strncmp(word, "@@", 2) == 0) {
      cul_buf_addf(out, "//within//%s", below);
      word++;
    } else if (strncmp(word, copy, sizeof copy - 1) == 0) {
      cul_buf_adds(out, "//within//");
      word += sizeof copy - 2;
      word += word[1] == '/';
    } else {
      cul_buf_addc(out, *word);
    }
}

static char *made(struct cul_run_options *options, char *block) {
  struct cul_strings *list = &options->made;
  list->items =
      cul_xreallocarray(list->items, list->n + 1, sizeof *list->items);
  return (char *)(list->items[list->n++] = block);
}

/* The command that runs argv in a copy of the directory. */
static const char *const *words_within(struct cul_run_options *options,
                                       const char *script, const char *dir,
                                       const char *below, char *const *argv) {
  const char **words;
  size_t n = 0;
  while (argv[n])
    n++;
  words = cul_xcalloc(n + 5, sizeof *words);
  words[0] = script;
  words[1] = dir;
  words[2] = below;
  words[3] = "@@";
  for (size_t i = 0; i < n; i++) {
    struct cul_buf word = {0};
    add_within(argv[i], below, &word);
    words[4 + i] = made(options, cul_buf_take(&word));
  }
  return (const char *const *)made(options, (char *)words);
}

/* Shell text that runs a shell command in a copy of the directory. */
static const char *text_within(struct cul_run_options *options,
                               const char *script, const char *dir,
                               const char *below, const char *command) {
  const char *const words[] = {script, dir, below};
  struct cul_buf text = {0}, inner = {0};
  if (!command)
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    cul_shell_quote(words[i], &text);
    cul_buf_addc(&text, ' ');
  }
  cul_buf_adds(&text, "@@ bash -c ");
  add_within(command, below, &inner);
  cul_shell_quote(cul_buf_str(&inner), &text);
  cul_buf_release(&inner);
  return made(options, cul_buf_take(&text));
}

/* Does the command name the file, or the copy of its directory? */
static bool names_copy(char *const *argv) {
  for (; argv && *argv; argv++)
    if (strstr(*argv, "@@") || strstr(*argv, "@{within}"))
      return true;
  return false;
}

/* For --within: replace the commands by ones that run in copies of the
 * directory. */
static int move_within(struct cul_target_options *options, char *const *argv,
                       struct cul_target_conf *target, struct cul_err *err) {
  struct cul_run_options *run = &options->workers.run;
  char *program_dir, *script, *dir, *below;
  int rc;
  if (!run->within)
    return 0;
  if (options->script || options->passes || options->device || !argv || !*argv)
    return cul_fail(err, CUL_EUSAGE, "give a command behind \"--\"",
                    "--within goes with a command, and with no --script, "
                    "--passes or --device");
  if (!names_copy(argv))
    return cul_fail(err, CUL_EUSAGE,
                    "write @@ for FILE, or @{within} for the directory: -- "
                    "python @{within}/run.py",
                    "--within: the command names neither @@ nor @{within}, so "
                    "it would not see what changes");
  rc = path_within(run->within, target->input, &dir, &below, err);
  if (rc == 0) {
    program_dir = cul_program_dir();
    script = cul_own_file(program_dir, "within", X_OK);
    free(program_dir);
    if (!script)
      rc = cul_fail(err, CUL_EENV, "install culprit anew",
                    "a part of culprit is missing: libexec/culprit/within");
    else
      script = made(run, script);
  }
  if (rc < 0) {
    free(dir);
    free(below);
    return rc;
  }
  dir = made(run, dir);
  below = made(run, below);
  target->argv = words_within(run, script, dir, below, argv);
  target->ref.command =
      text_within(run, script, dir, below, options->reference);
  target->ref.control = text_within(run, script, dir, below, options->control);
  return 0;
}

int cul_target_options_apply(struct cul_target_options *options,
                             const char *input, char *const *argv,
                             struct cul_target_conf *target,
                             struct cul_form_conf *form, struct cul_err *err) {
  *target = (struct cul_target_conf){
      .input = input,
      .argv = (const char *const *)argv,
      .script = options->script,
      .passes = options->passes,
      .device = options->device,
      .ref.passes = options->ref_passes,
      .contract = options->contract,
      .ref.command = options->reference,
      .ref.control = options->control,
      .inputs = {.dir = options->inputs,
                 .values = options->values,
                 .seeds = options->seeds},
      .ref.want = options->want,
      .timeout_s = options->workers.run.timeout,
      .deadline_us = cul_run_options_deadline(&options->workers.run),
      .workers = (int)options->workers.n,
      .even_if_empty = options->even_if_empty,
      .cache = {.path = options->workers.run.cache,
                .off = options->workers.run.no_cache},
      .interrupted = &cul_interrupted};
  *form = (struct cul_form_conf){.forced = options->form != NULL,
                                 .opt_tool = options->opt_tool};
  if (options->form && !cul_form_parse(options->form, &form->form))
    return cul_fail(err, CUL_EUSAGE, "see --help",
                    "--form: unknown form \"%s\"", options->form);
  if (cul_run_options_environment(&options->workers.run, &target->environment,
                                  err) < 0 ||
      check_together(options, err) < 0 || check_mismatch(options, err) < 0 ||
      cul_options_check_whole(options, err) < 0 ||
      fill_oracle(options, &target->oracle, err) < 0 ||
      move_within(options, argv, target, err) < 0)
    return err->code;
  return cul_run_options_allocate(&options->workers.run, &target->environment,
                                  err);
}

FILE *cul_text_stream(const char *json, bool quiet) {
  FILE *nowhere = quiet ? fopen("/dev/null", "we") : NULL;
  if (nowhere)
    return nowhere;
  return json && strcmp(json, "-") == 0 ? stderr : stdout;
}

void cul_text_close(FILE *stream) {
  if (stream != stdout && stream != stderr)
    fclose(stream);
}

int cul_write_json(const char *path, const void *report, struct cul_err *err) {
  char *text = path && report ? cul_report_text(report) : NULL;
  int rc = 0;
  if (!text)
    return 0;
  if (strcmp(path, "-") != 0)
    rc = cul_file_write_through(path, text, strlen(text), 0666, err);
  else if (cul_say_text(stdout, text) == EOF || fflush(stdout) == EOF)
    rc = cul_fail(err, CUL_EENV, "is the reader of the pipe still running?",
                  "cannot write to standard output");
  free(text);
  return rc;
}
