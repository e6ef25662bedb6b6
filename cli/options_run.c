/* Options for how runs are made, and for how long: see options.h. */
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/files/file.h"
#include "../base/status.h"
#include "../runners/slurm/slurm.h"
#include "options.h"

#define FIELD(name) offsetof(struct cul_run_options, name)

const struct cul_opt cul_run_opts[] = {
    {.name = "timeout",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .main = true,
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(timeout),
     .value = "SECONDS",
     .help = "end each run after this time (default 60); if the first run "
             "takes that long, the failure is a timeout"},
    {.name = "max-time",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .main = true,
     .type = CUL_OPT_SECONDS,
     .offset = FIELD(max_time),
     .value = "TIME",
     .help = "stop after this total time and keep the best result so far: "
             "seconds, 5m, 2h"},
    {.name = "cache",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(cache),
     .value = "FILE",
     .help = "the store of earlier runs (default: cache.db in "
             "$XDG_CACHE_HOME/culprit)"},
    {.name = "no-cache",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_FLAG,
     .offset = FIELD(no_cache),
     .help = "do not use the store"},
    {.name = "env",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(set),
     .value = "NAME[=VALUE]",
     .help = "set a variable in every run, or pass one of a terminal, session "
             "or CI run (TERM, SSH_..., GITHUB_..., CI_JOB_...); runs inherit "
             "all others, and "
             "stored answers are valid only for exactly the passed variables"},
    {.name = "unset",
     .shared = true,
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(unset),
     .value = "NAME",
     .help = "remove a variable from the environment of every run; NAME* is "
             "all that begin so"},
    {.name = "unkeyed-env",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(unkeyed),
     .value = "NAME",
     .help =
         "pass a variable, but use stored results of runs with another value "
         "of it, too: for a variable that changes no result, such as a token; "
         "NAME* stands for all names that begin with NAME"},
    {.name = "pass-env",
     .words = "all",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(pass),
     .value = "all",
     .help = "pass all variables, including those of a terminal or CI run"},
    {.name = "sandbox",
     .words = "auto strict off",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(sandbox),
     .value = "MODE",
     .help =
         "restrict runs: auto (default): change no other process, and no file "
         "that the run on the original input did not change; strict: also read "
         "no other files and use no network; off: no restrictions"},
    {.name = "writable",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(writable),
     .value = "PATH",
     .help = "let runs and builds in the sandbox change this file, or files "
             "below this directory; may be given more than once"},
    {.name = "on",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(on),
     .value = "COMMAND",
     .help = "make runs elsewhere: 'ssh HOST', 'docker run -i --rm IMAGE', or "
             "any command that runs there the \"sh\" appended to it; "
             "N*COMMAND: N workers; may be given more than once"},
    {.name = "slurm",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(slurm),
     .value = "OPTIONS",
     .help = "make runs in a Slurm allocation, with one worker for each task; "
             "culprit asks salloc for one with these options, such as "
             "'--ntasks=8 --gpus-per-task=1', and releases it at the end; "
             "inside an allocation, it uses that one"},
    {.name = "send",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_LIST,
     .offset = FIELD(sent),
     .value = "PATH",
     .help = "with --on or --slurm: send this file or directory, too (default: "
             "the script, "
             "the inputs, and files below the working directory that words of "
             "the command name)"},
    {.name = "shared",
     .group = CUL_GROUP_RUNS,
     .type = CUL_OPT_STRING,
     .offset = FIELD(shared),
     .value = "DIR",
     .help = "with --on or --slurm: send no files of this directory, which the "
             "other machine "
             "mounts at the same place"},
    {.name = "max-memory",
     .shared = true,
     .group = CUL_GROUP_LIMITS,
     .type = CUL_OPT_INT,
     .offset = FIELD(memory),
     .min = 1,
     .max = 1 << 30,
     .value = "MIB",
     .help = "end a run whose processes together use more memory (default: 3/4 "
             "of the machine's memory); not with --sandbox=off"},
    {.name = NULL}};

uint64_t cul_run_options_deadline(const struct cul_run_options *options) {
  uint64_t from_us = options->start_us ? options->start_us : cul_now_us();
  return options->max_time > 0 ? from_us + (uint64_t)(options->max_time * 1e6)
                               : 0;
}

int cul_run_options_environment(const struct cul_run_options *options,
                                struct cul_environment_conf *out,
                                struct cul_err *err) {
  *out = (struct cul_environment_conf){.set = options->set.items,
                                       .n_set = options->set.n,
                                       .unset = options->unset.items,
                                       .n_unset = options->unset.n,
                                       .unkeyed = options->unkeyed.items,
                                       .n_unkeyed = options->unkeyed.n,
                                       .all = options->pass != NULL,
                                       .sandbox = CUL_SANDBOX_AUTO,
                                       .writable = options->writable.items,
                                       .n_writable = options->writable.n,
                                       .on = options->on.items,
                                       .n_on = options->on.n,
                                       .sent = options->sent.items,
                                       .n_sent = options->sent.n,
                                       .shared = options->shared,
                                       .memory_bytes = (uint64_t)options->memory
                                                       << 20};
  if (options->pass && strcmp(options->pass, "all") != 0)
    return cul_fail(err, CUL_EUSAGE,
                    "--pass-env all, or --env NAME for one of them",
                    "--pass-env: \"%s\" is not \"all\"", options->pass);
  if (options->sandbox && !cul_sandbox_parse(options->sandbox, &out->sandbox))
    return cul_fail(err, CUL_EUSAGE, "give auto, strict or off",
                    "--sandbox: \"%s\" is not a mode", options->sandbox);
  if (!options->on.n && !options->slurm && (options->sent.n || options->shared))
    return cul_fail(err, CUL_EUSAGE, "give --on 'ssh HOST', or leave it out",
                    "--%s has no effect without --on or --slurm",
                    options->sent.n ? "send" : "shared");
  return 0;
}

struct wait {
  uint64_t deadline_us;
};

static int wait_left(const void *self, struct cul_err *err) {
  const struct wait *wait = self;
  if (cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted");
  if (wait->deadline_us && cul_now_us() >= wait->deadline_us)
    return cul_fail(err, CUL_EBUDGET,
                    "raise it, or ask for less: --slurm waits for others",
                    "--max-time was reached before there was an allocation");
  return 0;
}

int cul_run_options_allocate(struct cul_run_options *options,
                             struct cul_environment_conf *out,
                             struct cul_err *err) {
  const struct wait wait = {cul_run_options_deadline(options)};
  const struct cul_patience patience = {wait_left, &wait};
  const char *const *places;
  size_t n;
  if (!options->slurm)
    return 0;
  if (!options->allocation &&
      cul_scheduler_slurm.open(options->slurm, &patience, &options->allocation,
                               err) < 0)
    return err->code;
  places = cul_scheduler_slurm.places(options->allocation, &n);
  free(options->places);
  options->places = cul_xcalloc(options->on.n + n, sizeof *options->places);
  if (options->on.n)
    memcpy(options->places, options->on.items,
           options->on.n * sizeof *options->places);
  memcpy(options->places + options->on.n, places, n * sizeof *places);
  out->on = options->places;
  out->n_on = options->on.n + n;
  out->allocated = options->on.n == 0;
  return 0;
}

int cul_options_in_vain(int rc, struct cul_err *err) {
  return rc == CUL_EBUDGET
             ? cul_fail(err, rc, "raise it; runs that ended are stored",
                        "--max-time was reached before there was an answer; "
                        "nothing is written")
             : rc;
}

void cul_run_options_release(struct cul_run_options *options) {
  free(options->set.items);
  free(options->unset.items);
  free(options->unkeyed.items);
  free(options->writable.items);
  free(options->on.items);
  free(options->sent.items);
  free(options->places);
  for (size_t i = 0; i < options->made.n; i++)
    free((void *)options->made.items[i]);
  free(options->made.items);
  options->made = (struct cul_strings){0};
  cul_scheduler_slurm.close(options->allocation);
  options->places = NULL;
  options->allocation = NULL;
}
