/* Digests of everything that verdicts and builds depend on, besides the
 * sources. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "ledger.h"

/* Programs that builds use without naming them. */
static const char *const tools[] = {
    "bash",    "cc",    "c++",    "gcc",   "g++",   "clang",
    "clang++", "ld",    "ld.lld", "as",    "cmake", "ninja",
    "make",    "bazel", "cargo",  "rustc", "go",    "python3"};
/* Databases that change with every package, and so with headers and
 * libraries. */
static const char *const package_bases[] = {
    "/var/lib/dpkg/status",  "/var/lib/rpm/rpmdb.sqlite",
    "/lib/apk/db/installed", "/var/lib/pacman/local",
    "/usr/local/include",    "/usr/local/lib"};

/* Files that a build command reads if it names them; other files it may write,
 * as logs and marks. */
static const char *const endings[] = {
    ".patch", ".diff", ".sh",  ".py",  ".pl",  ".mk",  ".cmake",  ".toml",
    ".json",  ".yaml", ".yml", ".cfg", ".ini", ".rsp", ".bazelrc"};

static bool is_input(const char *name) {
  size_t len = strlen(name);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(endings); i++) {
    size_t n = strlen(endings[i]);
    if (name[0] == '/' && len > n && strcmp(name + len - n, endings[i]) == 0)
      return true;
  }
  return false;
}

static void add_program(const struct cul_ledger *ledger, struct cul_hasher *h,
                        const char *name) {
  char *program = cul_find_program(name);
  struct cul_digest digest;
  struct cul_err ignored = {0};
  const char *file = program ? program : is_input(name) ? name : NULL;
  if (file &&
      cul_cache_file_digest(ledger->cache, file, &digest, &ignored) == 0) {
    cul_hasher_field(h, name);
    cul_hasher_add(h, &digest, sizeof digest);
  }
  free(program);
}

/* Add the files named by words of the build command: programs, scripts,
 * patches. */
static void add_words(const struct cul_ledger *ledger, const char *build,
                      struct cul_hasher *h) {
  char *text = cul_xstrdup(build), *at = NULL;
  for (char *word = strtok_r(text, " \t\n;&|()'\"", &at); word;
       word = strtok_r(NULL, " \t\n;&|()'\"", &at))
    if (!strchr(word, '='))
      add_program(ledger, h, word);
  free(text);
}

/* Add the whole environment, because it is not known which part a build or test
 * reads. */
static void add_environment(const struct cul_environment *environment,
                            struct cul_hasher *h) {
  struct cul_digest digest = cul_environment_digest(environment);
  cul_hasher_add(h, &digest, sizeof digest);
}

static struct cul_digest name_build(const struct cul_ledger *ledger,
                                    const struct cul_ledger_keys *keys) {
  struct cul_hasher *h = cul_hasher_new();
  struct stat st;
  cul_hasher_field(h, keys->build);
  cul_repo_lfs_names(ledger->repo, h);
  if (keys->there) {
    cul_hasher_field(h, keys->there);
    add_environment(keys->environment, h);
  } else if (keys->build) {
    add_words(ledger, keys->build, h);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(tools); i++)
      add_program(ledger, h, tools[i]);
    add_environment(keys->environment, h);
    for (size_t i = 0; i < CUL_ARRAY_SIZE(package_bases); i++)
      cul_hasher_u64(h, stat(package_bases[i], &st) == 0
                            ? (uint64_t)st.st_mtim.tv_sec
                            : 0);
  }
  return cul_hasher_finish(h);
}

static struct cul_digest name_test(const struct cul_ledger *ledger,
                                   const struct cul_ledger_keys *keys) {
  struct cul_hasher *h = cul_hasher_new();
  const char *const *argv = keys->argv;
  for (const char *const *arg = argv; *arg; arg++) {
    struct cul_digest digest = {{0, 0}};
    struct cul_err ignored = {0};
    char *program = arg == argv ? cul_find_program(*arg) : NULL;
    cul_hasher_field(h, *arg);
    if (ledger->cache &&
        cul_cache_file_digest(ledger->cache, program ? program : *arg, &digest,
                              &ignored) == 0)
      cul_hasher_add(h, &digest, sizeof digest);
    free(program);
  }
  add_environment(keys->environment, h);
  if (keys->there)
    cul_hasher_field(h, keys->there);
  return cul_hasher_finish(h);
}

void cul_ledger_name(struct cul_ledger *ledger,
                     const struct cul_ledger_keys *keys) {
  const struct cul_oracle_conf *oracle = keys->oracle;
  struct cul_digest rules = cul_rules_digest(oracle->rules);
  struct cul_hasher *h = cul_hasher_new();
  ledger->build = name_build(ledger, keys);
  ledger->test = name_test(ledger, keys);
  cul_hasher_add(h, &rules, sizeof rules);
  cul_hasher_add(h, &ledger->test, sizeof ledger->test);
  cul_hasher_field(h, oracle->match);
  cul_hasher_u64(h, (uint64_t)(int64_t)oracle->exit_code);
  cul_hasher_u64(h, (uint64_t)oracle->signal);
  cul_hasher_u64(h, oracle->any_crash);
  cul_hasher_u64(h, oracle->script.wanted);
  cul_hasher_add(h, keys->bad.raw, sizeof keys->bad.raw);
  ledger->job = cul_hasher_finish(h);
}
