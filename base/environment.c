/* The environment of what culprit runs: see environment.h. */
#include "environment.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "buf.h"

extern char **environ;

struct cul_environment {
  char **entries; /* sorted, NULL terminated */
  size_t n;
  struct cul_digest digest;
  struct cul_sandbox *sandbox;
};

/* What is not passed, and the exceptions: the first that matches counts. */
static const struct {
  const char *pattern;
  bool hidden;
} names[] = {
#define HIDDEN(pattern, reason) {pattern, true},
#define PASSED(pattern, reason) {pattern, false},
#include "environment.list"
#undef HIDDEN
#undef PASSED
};

/* What tells that a variable is a secret. */
static const struct {
  enum { SECRET_PART, SECRET_LAST, SECRET_VALUE } where;
  const char *text;
} secrets[] = {
#define PART(text) {SECRET_PART, text},
#define LAST(text) {SECRET_LAST, text},
#define VALUE(text) {SECRET_VALUE, text},
#include "secrets.list"
#undef PART
#undef LAST
#undef VALUE
};

/* Variables whose values people compare when a failure occurs on one machine
 * only. */
/* clang-format off */
static const char *const shown[] = {
    "PATH",     "LD_*",      "LIBRARY_PATH", "PYTHON*", "VIRTUAL_ENV",
    "CONDA_*",  "LANG",      "LC_*",         "LLVM_*",  "MLIR_*",
    "TRITON_*", "XLA_*",     "JAX_*",        "IREE_*",  "TF_*",
    "TORCH_*",  "PYTORCH_*", "NVFUSER_*",    "CUDA_*",  "NVCC_*",
    "ROCM_*",   "HIP_*",     "HSA_*",        "OMP_*",   "MKL_*",
    "CC",       "CXX",       "*FLAGS",       "GLIBC_TUNABLES",
    "MALLOC_*", "CULPRIT_*"};
/* clang-format on */

static size_t name_length(const char *entry) { return strcspn(entry, "="); }

/* Does name match pattern? A '*' is at the start or the end: "TERM_*",
 * "*FLAGS". */
static bool fits(const char *pattern, const char *name, size_t len) {
  size_t n = strlen(pattern);
  if (pattern[0] == '*')
    return len >= n - 1 &&
           memcmp(name + len - (n - 1), pattern + 1, n - 1) == 0;
  if (pattern[n - 1] == '*')
    return len >= n - 1 && memcmp(name, pattern, n - 1) == 0;
  return len == n && memcmp(name, pattern, n) == 0;
}

static bool fits_one_of(const char *const *patterns, size_t n,
                        const char *entry) {
  size_t len = name_length(entry);
  for (size_t i = 0; i < n; i++)
    if (fits(patterns[i], entry, len))
      return true;
  return false;
}

static bool is_hidden(const char *entry) {
  size_t len = name_length(entry);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (fits(names[i].pattern, entry, len))
      return names[i].hidden;
  return false;
}

bool cul_environment_is_unkeyed(const struct cul_environment_conf *conf,
                                const char *entry) {
  return fits_one_of(conf->unkeyed, conf->n_unkeyed, entry) &&
         !fits_one_of(conf->unset, conf->n_unset, entry);
}

char *cul_environment_shown(const char *entry) {
  const char *value = entry + name_length(entry);
  struct cul_digest digest;
  value += *value == '=';
  if (fits_one_of(shown, CUL_ARRAY_SIZE(shown), entry) &&
      !cul_environment_is_secret(entry))
    return cul_xstrdup(value);
  digest = cul_digest_of(value, strlen(value));
  return cul_xasprintf("#%04x", (unsigned)(digest.w[0] & 0xffff));
}

static bool same_name(const char *a, const char *b) {
  size_t len = name_length(a);
  return len == name_length(b) && memcmp(a, b, len) == 0;
}

static char **find(const struct cul_environment *env, const char *entry) {
  for (size_t i = 0; i < env->n; i++)
    if (same_name(env->entries[i], entry))
      return &env->entries[i];
  return NULL;
}

/* The first entry of a name counts, as for getenv(3). */
static void inherit(struct cul_environment *env,
                    const struct cul_environment_conf *conf) {
  for (char **e = environ; e && *e; e++)
    if (strchr(*e, '=') && !find(env, *e) &&
        (conf->all || !is_hidden(*e) || cul_environment_is_unkeyed(conf, *e)))
      env->entries[env->n++] = cul_xstrdup(*e);
}

static void drop(struct cul_environment *env, const char *pattern) {
  for (size_t i = env->n; i-- > 0;)
    if (fits(pattern, env->entries[i], name_length(env->entries[i]))) {
      free(env->entries[i]);
      env->entries[i] = env->entries[--env->n];
      env->entries[env->n] = NULL;
    }
}

static int fail_name(const char *option, const char *text,
                     struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE,
                  "give a name, as in --env FLAG=1 or --unset "
                  "FLAG",
                  "%s: \"%s\" is not the name of a variable", option, text);
}

static int check_name(const char *option, const char *text,
                      struct cul_err *err) {
  return *text && !strchr(text, '=') ? 0 : fail_name(option, text, err);
}

static int set(struct cul_environment *env, const char *text,
               struct cul_err *err) {
  const char *value = strchr(text, '=');
  char **old = find(env, text), *entry;
  if (value == text || !*text)
    return fail_name("--env", text, err);
  if (!value) {
    value = getenv(text);
    if (!value)
      return cul_fail(err, CUL_EUSAGE, "set it, or give --env NAME=VALUE",
                      "--env %s: this environment has no such variable", text);
    entry = cul_xasprintf("%s=%s", text, value);
  } else {
    entry = cul_xstrdup(text);
  }
  if (old) {
    free(*old);
    *old = entry;
  } else {
    env->entries[env->n++] = entry;
  }
  return 0;
}

static int compare(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Add the other inherited properties on which the outcome of a run may depend:
 * a deep recursion needs stack, and a race needs processors. */
static void add_inherited(struct cul_hasher *h) {
  struct rlimit limit;
  mode_t mask = umask(0);
  cpu_set_t cpus;
  /* Each run decides itself whether its addresses vary. */
  int persona = personality(0xffffffff) & ~ADDR_NO_RANDOMIZE;
  umask(mask);
  cul_hasher_u64(h, mask);
  if (persona != 0) /* setarch(8) */
    cul_hasher_u64(h, (uint64_t)persona);
  /* The number is unknown if the machine has more processors than cpu_set_t. */
  cul_hasher_u64(h, sched_getaffinity(0, sizeof cpus, &cpus) == 0
                        ? (uint64_t)CPU_COUNT(&cpus)
                        : 0);
  for (int i = 0; i < RLIM_NLIMITS; i++)
    if (i != RLIMIT_CORE) /* runs never dump core */
      cul_hasher_u64(h, getrlimit((enum __rlimit_resource)i, &limit) == 0
                            ? limit.rlim_cur
                            : 0);
}

static struct cul_digest digest_of(const struct cul_environment *env,
                                   const struct cul_environment_conf *conf) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_field(h, "environment 2");
  for (size_t i = 0; i < env->n; i++)
    if (!cul_environment_is_unkeyed(conf, env->entries[i]))
      cul_hasher_field(h, env->entries[i]);
  cul_hasher_field(h, NULL);
  add_inherited(h);
  /* A denied access may change the result of a run. */
  if (env->sandbox->mode != CUL_SANDBOX_OFF) {
    cul_hasher_field(h, NULL);
    cul_hasher_field(h, cul_sandbox_name(env->sandbox->mode));
    for (size_t i = 0; i < env->sandbox->writes.n; i++)
      cul_hasher_field(h, env->sandbox->writes.items[i]);
  }
  return cul_hasher_finish(h);
}

/* Store the resolved path: the kernel compares real paths. */
static int allow_writes(struct cul_sandbox *sandbox, const char *path,
                        struct cul_err *err) {
  char *real = realpath(path, NULL);
  if (!real)
    return cul_fail(err, CUL_EUSAGE, "make it first, or give another one",
                    "--writable %s: %s", path, strerror(errno));
  cul_paths_add(&sandbox->writes, real);
  free(real);
  return 0;
}

int cul_environment_new(const struct cul_environment_conf *conf,
                        struct cul_environment **out, struct cul_err *err) {
  struct cul_environment *env = cul_xcalloc(1, sizeof *env);
  size_t most = conf->n_set + 1;
  int rc = 0;
  for (char **e = environ; e && *e; e++)
    most++;
  env->entries = cul_xcalloc(most, sizeof *env->entries);
  env->sandbox = cul_sandbox_new(conf->sandbox);
  env->sandbox->memory_bytes = conf->memory_bytes;
  for (size_t i = 0; i < conf->n_unkeyed && rc == 0; i++)
    rc = check_name("--unkeyed-env", conf->unkeyed[i], err);
  if (rc == 0)
    inherit(env, conf);
  for (size_t i = 0; i < conf->n_unset && rc == 0; i++) {
    rc = check_name("--unset", conf->unset[i], err);
    if (rc == 0)
      drop(env, conf->unset[i]);
  }
  for (size_t i = 0; i < conf->n_set && rc == 0; i++)
    rc = set(env, conf->set[i], err);
  for (size_t i = 0; i < conf->n_writable && rc == 0; i++)
    rc = allow_writes(env->sandbox, conf->writable[i], err);
  if (env->n)
    qsort(env->entries, env->n, sizeof *env->entries, compare);
  if (rc < 0) {
    cul_environment_free(env);
    return rc;
  }
  env->digest = digest_of(env, conf);
  *out = env;
  return 0;
}

void cul_environment_free(struct cul_environment *env) {
  if (!env)
    return;
  for (size_t i = 0; i < env->n; i++)
    free(env->entries[i]);
  free(env->entries);
  cul_sandbox_free(env->sandbox);
  free(env);
}

struct cul_sandbox *cul_environment_sandbox(const struct cul_environment *env) {
  return env ? env->sandbox : NULL;
}

const char *const *cul_environment_list(const struct cul_environment *env) {
  return (const char *const *)env->entries;
}

const char *cul_environment_get(const struct cul_environment *env,
                                const char *name) {
  char **entry = find(env, name);
  return entry ? *entry + name_length(*entry) + 1 : NULL;
}

/* Add the parts that the sandbox had to leave out. */
static struct cul_digest with_parts(const struct cul_digest *digest,
                                    uint32_t parts) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, digest, sizeof *digest);
  cul_hasher_u64(h, parts);
  return cul_hasher_finish(h);
}

struct cul_digest cul_environment_digest(const struct cul_environment *env) {
  struct cul_environment *usual = env ? NULL : cul_environment_usual();
  struct cul_digest digest = env ? env->digest : usual->digest;
  const uint32_t steady = CUL_PARTS_WRITING | CUL_PART_READS;
  if (env && (env->sandbox->without & ~steady))
    digest = with_parts(&digest, env->sandbox->without & ~steady);
  cul_environment_free(usual);
  return digest;
}

struct cul_environment *cul_environment_usual(void) {
  static const struct cul_environment_conf usual;
  struct cul_environment *env = NULL;
  struct cul_err err = {0};
  if (cul_environment_new(&usual, &env, &err) < 0)
    cul_bug("the usual environment: %s", err.what);
  return env;
}

/* Is the value in a URL of the form "https://user:word@host/"?  Lists of URLs
 * are common: PIP_EXTRA_INDEX_URL, GOPROXY. */
static bool has_user(const char *value) {
  bool found = false;
  for (const char *url = value; !found && (url = strstr(url, "://"));) {
    url += 3;
    found = url[strcspn(url, "/@")] == '@';
  }
  return found;
}

bool cul_environment_is_secret(const char *entry) {
  CUL_HEAP char *name = cul_xstrndup(entry, strcspn(entry, "="));
  const char *value = entry[strlen(name)] ? entry + strlen(name) + 1 : "";
  const char *last = strrchr(name, '_') ? strrchr(name, '_') + 1 : name;
  bool found = has_user(value);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(secrets) && !found; i++) {
    const char *text = secrets[i].text;
    if (secrets[i].where == SECRET_PART)
      found = strcasestr(name, text) != NULL;
    else if (secrets[i].where == SECRET_LAST)
      found = value[0] != '/' && strcasecmp(last, text) == 0;
    else
      found = strncmp(value, text, strlen(text)) == 0;
  }
  return found;
}
