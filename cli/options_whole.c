/* Options of the oracles that judge many runs together: see options.h. */
#include <string.h>

#include "options.h"

#define FIELD(name) offsetof(struct cul_whole_options, name)

const struct cul_opt cul_whole_opts[] = {
    {.name = "nondeterminism",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(nondeterminism),
     .help =
         "preserve: standard output, or the files under @{out}, differ from "
         "run to run, in the same way (order of lines, names, numbers, "
         "text) and about as often"},
    {.name = "ignore",
     .words = "addresses times addresses,times",
     .type = CUL_OPT_STRING,
     .offset = FIELD(ignore),
     .value = "WHAT",
     .help = "--nondeterminism: these differences are allowed: addresses, "
             "times, addresses,times, or a PCRE2 expression; --mismatch: "
             "ignore numbers in this text"},
    {.name = "slower",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(slower),
     .help = "preserve: the command is slower than --ref, or takes longer than "
             "--above"},
    {.name = "memory",
     .type = CUL_OPT_FLAG,
     .offset = FIELD(memory),
     .help = "preserve: the command's peak memory is more than that of --ref, "
             "or than --above, or grows with --iterations"},
    {.name = "above",
     .type = CUL_OPT_STRING,
     .offset = FIELD(above),
     .value = "BOUND",
     .help = "--slower, --memory: with --ref a factor (1.5), otherwise an "
             "amount (300ms, 2s, 512MiB)"},
    {.name = "keep",
     .type = CUL_OPT_REAL,
     .offset = FIELD(keep),
     .value = "SHARE",
     .help = "--slower, --memory: the share of the input's excess to preserve "
             "(default 0.5; if --above is an amount, only that counts)"},
    {.name = "by",
     .words = "cpu wall kernels rss",
     .type = CUL_OPT_STRING,
     .offset = FIELD(by),
     .value = "WHAT",
     .help =
         "--slower: cpu (default; user and system time of all processes), "
         "wall, or kernels (default with --device cuda or hip: events on the "
         "GPU); --memory: rss; or a PCRE2 expression whose first group is a "
         "number that the command prints; or profile:FILE:PATH, a call path in "
         "the profile that the command writes to @{out}/FILE (- is standard "
         "output); or hatchet:PATH, a call path in its .hatchet"},
    {.name = "iterations",
     .type = CUL_OPT_INT,
     .offset = FIELD(iterations),
     .min = 1,
     .max = INT64_C(1) << 40,
     .value = "N",
     .help = "--memory: compare the memory of 2 N iterations with that of N; "
             "@{n} in the command is the number of iterations"},
    {.name = NULL}};

bool cul_options_whole(const struct cul_target_options *options) {
  return options->whole.nondeterminism || options->whole.slower ||
         options->whole.memory;
}

/* "cuda:sm_90,compile" */
static bool compiles_only(const struct cul_target_options *options) {
  const char *comma = options->device ? strchr(options->device, ',') : NULL;
  return comma && strcmp(comma, ",compile") == 0;
}

static bool on_card(const struct cul_target_options *options) {
  return options->device && strncmp(options->device, "emul", 4) != 0 &&
         !compiles_only(options);
}

const char *cul_options_by(const struct cul_target_options *options) {
  return !options->whole.by && options->whole.slower && on_card(options)
             ? "kernels"
             : options->whole.by;
}

/* Check that --slower and --memory have something to compare with. */
static int check_bound(const struct cul_target_options *options,
                       struct cul_err *err) {
  if (options->whole.iterations &&
      (!options->whole.memory || options->reference || options->passes ||
       options->device))
    return cul_fail(err, CUL_EUSAGE,
                    "give --memory, and a command without --ref: it is its own "
                    "reference",
                    "--iterations applies only to --memory without --ref");
  if (!options->reference && !options->ref_passes && !options->whole.above &&
      !options->whole.iterations)
    return cul_fail(
        err, CUL_EUSAGE,
        "give --ref 'CMD @@' (--ref-passes with --passes), a bound (--above "
        "2s, --above 512MiB), or, for growing memory, --iterations N",
        "--%s needs a reference or a bound",
        options->whole.slower ? "slower" : "memory");
  if (options->repeat)
    return cul_fail(err, CUL_EUSAGE,
                    "leave it out: the noise determines the number of runs",
                    "--repeat has no effect on --slower and --memory");
  return 0;
}

int cul_options_check_whole(const struct cul_target_options *options,
                            struct cul_err *err) {
  bool measured = options->whole.slower || options->whole.memory;
  const char *by = cul_options_by(options);
  if (compiles_only(options) &&
      (options->mismatch || options->values || options->seeds))
    return cul_fail(err, CUL_EUSAGE, "leave \",compile\" out",
                    "--device %s runs nothing, but --mismatch, --values and "
                    "--seeds apply to modules that culprit calls",
                    options->device);
  if (options->whole.slower && by && !strcmp(by, "kernels") &&
      (options->passes || options->device) && !on_card(options))
    return cul_fail(err, CUL_EUSAGE, "add --device cuda or hip",
                    "--by kernels: nothing runs on a GPU");
  if (options->whole.ignore && !options->whole.nondeterminism &&
      !options->mismatch)
    return cul_fail(err, CUL_EUSAGE, "add one of them",
                    "--ignore applies only to --nondeterminism and --mismatch");
  if (!measured && (options->whole.above || options->whole.by ||
                    options->whole.keep >= 0 || options->whole.iterations))
    return cul_fail(err, CUL_EUSAGE, "add --slower or --memory",
                    "--above, --by, --keep and --iterations apply only to "
                    "--slower and --memory");
  if (options->whole.keep > 1)
    return cul_fail(err, CUL_EUSAGE, "give a share of 0 to 1",
                    "--keep: a candidate cannot keep more than the input has");
  return measured ? check_bound(options, err) : 0;
}

int cul_options_demand_single(const struct cul_target_options *options,
                              struct cul_err *err) {
  if (!cul_options_whole(options))
    return 0;
  return cul_fail(err, CUL_EUSAGE,
                  "give a --script that makes the comparison and exits 0 or 1",
                  "--nondeterminism, --slower and --memory are for check, "
                  "reduce and extract");
}
