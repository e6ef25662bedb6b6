/* The name of a reduce job, under which it goes on and its result is kept:
 * everything that the result depends on. */
#include <stdlib.h>

#include "../base/file.h"
#include "job/job.h"
#include "plan/recipe.h"
#include "steps.h"

static void add_program(struct cul_reduce *job, const char *path,
                        struct cul_hasher *h) {
  struct cul_digest digest = {{0, 0}};
  struct cul_err ignored = {0};
  if (path &&
      cul_cache_file_digest(job->target.cache, path, &digest, &ignored) < 0)
    digest = (struct cul_digest){{0, 0}};
  cul_hasher_add(h, &digest, sizeof digest);
}

/* culprit itself: another build may reduce otherwise. */
static void add_own_programs(struct cul_reduce *job, struct cul_hasher *h) {
  static const enum cul_form forms[] = {CUL_FORM_NATIVE, CUL_FORM_TEXT};
  char *dir = cul_program_dir();
  add_program(job, "/proc/self/exe", h);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms); i++) {
    char *path = cul_worker_program(dir, forms[i]);
    add_program(job, path, h);
    free(path);
  }
  free(dir);
}

/* What prints the generic form: by content, script and all. */
static void add_opt_tool(struct cul_reduce *job, struct cul_hasher *h) {
  char **argv = cul_form_opt_tool(&job->target, job->conf->form.opt_tool);
  for (size_t i = 0; argv && argv[i]; i++) {
    cul_hasher_field(h, argv[i]);
    if (argv[i][0] == '/')
      add_program(job, argv[i], h);
  }
  free(argv);
}

/* What the reference is, and how far from it is wrong. */
static void add_mismatch(const struct cul_reduce *job, struct cul_hasher *h) {
  const struct cul_target_conf *conf = &job->conf->target;
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_tolerance_conf *tolerance = &oracle->mismatch.tolerance;
  const struct cul_role *roles = job->target.probe.roles;
  cul_hasher_u64(h, oracle->mismatch.wanted);
  cul_hasher_u64(h, oracle->any_class);
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    for (char **word = job->target.roles.of[role].words; word && *word; word++)
      cul_hasher_field(h, *word);
  cul_hasher_field(h, conf->reference);
  cul_hasher_field(h, conf->control);
  cul_hasher_field(h, job->target.inputs.dir);
  cul_hasher_field(h, tolerance->preset);
  cul_hasher_add(h, &tolerance->rtol, sizeof tolerance->rtol);
  cul_hasher_add(h, &tolerance->atol, sizeof tolerance->atol);
  cul_hasher_u64(h, (uint64_t)tolerance->ulps);
  for (size_t role = 0; role < CUL_N_ROLES; role++)
    cul_hasher_add(h, &roles[role].tool, sizeof roles[role].tool);
}

/* What is compared or measured from run to run, and to what bound. */
static void add_whole(const struct cul_reduce *job, struct cul_hasher *h) {
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_measured_conf *measured = &oracle->measured;
  cul_hasher_u64(h, oracle->nondeterminism.wanted);
  cul_hasher_field(h, oracle->nondeterminism.ignore);
  cul_hasher_u64(h,
                 (uint64_t)measured->slower + 2 * (uint64_t)measured->memory);
  cul_hasher_field(h, measured->by);
  cul_hasher_field(h, measured->above);
  cul_hasher_add(h, &measured->keep, sizeof measured->keep);
  cul_hasher_u64(h, measured->iterations);
}

/* What is tried first. */
static void add_recipe(const struct cul_reduce *job, struct cul_hasher *h) {
  json_t *recipe = cul_recipe_of(job->conf->recipe);
  char *text =
      recipe ? json_dumps(recipe, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
  cul_hasher_field(h, text);
  free(text);
  json_decref(recipe);
}

static void add_environment(const struct cul_target *target,
                            struct cul_hasher *h) {
  struct cul_digest digest = cul_environment_digest(target->tool.environment);
  cul_hasher_add(h, &digest, sizeof digest);
}

void cul_reduce_name(struct cul_reduce *job) {
  const struct cul_reduce_conf *conf = job->conf;
  const struct cul_oracle_conf *oracle = &job->target.oracle_conf;
  const struct cul_target *target = &job->target;
  struct cul_hasher *h;
  if (cul_digest_is_zero(&target->tool.identity.digest) || !target->cache ||
      !cul_target_knows_roles(target))
    return;
  h = cul_hasher_new();
  add_own_programs(job, h);
  cul_hasher_add(h, &target->tool.identity.digest,
                 sizeof target->tool.identity.digest);
  cul_hasher_u64(h, target->subject.text.len);
  cul_hasher_add(h, target->subject.text.data, target->subject.text.len);
  for (const char *const *arg = target->tool.command.argv; *arg; arg++)
    cul_hasher_field(h, *arg);
  cul_hasher_field(h, target->subject.file);
  cul_hasher_u64(h, target->tool.command.delivery);
  cul_hasher_u64(h, target->subject.executable);
  cul_hasher_field(h, oracle->match);
  cul_hasher_u64(h, (uint64_t)(int64_t)oracle->exit_code);
  cul_hasher_u64(h, (uint64_t)oracle->signal);
  cul_hasher_u64(h, oracle->any_crash);
  cul_hasher_u64(h, oracle->script.wanted);
  cul_hasher_field(h, conf->target.contract);
  cul_hasher_u64(h, (uint64_t)oracle->script.also);
  cul_hasher_u64(h, oracle->all_of);
  add_mismatch(job, h);
  add_whole(job, h);
  add_program(job, oracle->plugin, h);
  cul_hasher_u64(h, oracle->timeout_ms);
  cul_hasher_u64(h, oracle->repeat.runs);
  cul_hasher_u64(h, conf->form.forced ? 1 + conf->form.form : 0);
  add_opt_tool(job, h);
  cul_hasher_u64(h, (uint64_t)target->probe.workers);
  cul_hasher_u64(h, conf->seed);
  cul_hasher_field(h, conf->search);
  cul_hasher_field(h, conf->without);
  add_program(job, conf->plugin, h);
  add_recipe(job, h);
  cul_hasher_u64(h, conf->reduce_command);
  cul_hasher_u64(h, conf->extract);
  cul_hasher_u64(h, conf->target.even_if_empty);
  cul_hasher_u64(h, conf->target.start);
  add_environment(target, h);
  job->digest = cul_hasher_finish(h);
}
