/* culprit env: the environment of a bundle, or the differences of two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../base/visible.h"
#include "../../reducer/finish/bundle.h"
#include "../../reducer/finish/report.h"
#include "../../reducer/results/seal.h"
#include "../command.h"
#include "../options.h"

struct options {
  bool diff;
};

static const struct cul_opt opts[] = {
    {.name = "diff",
     .group = CUL_GROUP_OUTPUT,
     .main = true,
     .type = CUL_OPT_FLAG,
     .offset = offsetof(struct options, diff),
     .help = "print the differences between A and B; \".\" is the current "
             "state of this machine"},
    {.name = NULL}};

static bool is_here(const char *path) { return strcmp(path, ".") == 0; }

/* Load the environment of a bundle directory or of an env.json; "." is this
 * machine. */
static int load(const char *path, json_t **out, struct cul_err *err) {
  struct cul_buf text = {0};
  struct stat st;
  char *file;
  bool bundle;
  json_error_t why;
  int rc;
  if (is_here(path)) {
    struct cul_target here = {0};
    *out = cul_bundle_environment(&here);
    return 0;
  }
  bundle = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  file = bundle ? cul_xasprintf("%s/env.json", path) : cul_xstrdup(path);
  rc = bundle ? cul_bundle_read(path, "env.json", &text, err)
              : cul_file_read(path, 0, &text, err);
  if (rc == 0 && !(*out = json_loadb(text.data, text.len, 0, &why)))
    rc = cul_fail(err, CUL_EUSAGE, "give a bundle, or the env.json of one",
                  "%s line %d: %s", file, why.line, why.text);
  cul_buf_release(&text);
  free(file);
  return rc;
}

/* The files that env names, with their digests here; null: the file cannot be
 * read. */
static json_t *files_here(const json_t *env) {
  json_t *out = json_object(), *value;
  const char *path;
  json_object_foreach(json_object_get(env, "files"), path, value) {
    struct cul_digest digest;
    struct cul_err ignored = {0};
    struct stat st; /* skip pipes, which would block */
    bool plain = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    json_object_set_new(out, path,
                        plain && cul_file_digest(path, &digest, &ignored) == 0
                            ? cul_report_digest(&digest)
                            : json_null());
  }
  return out;
}

/* Compare this machine by the files that the other environment names.  Nothing
 * else is known about its tool without a run, so both lose the rest about
 * it. */
static void compare_here(json_t *here, json_t *env) {
  json_object_set_new(here, "files", files_here(env));
  json_object_del(here, "tool");
  json_object_del(env, "tool");
  fputs("not compared: properties of the tool that only a run shows (version, "
        "further files)\n",
        stderr);
}

static char *text_of(const json_t *value) {
  char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
  return text ? text : cul_xstrdup("(nothing)");
}

/* Print the members of a and b that differ, depth first.  Return whether any
 * does. */
static bool diff(const char *path, const json_t *a, const json_t *b) {
  const char *key;
  json_t *value;
  bool differ = false;
  if (json_is_object(a) && json_is_object(b)) {
    json_object_foreach((json_t *)a, key, value) {
      char *inner = cul_xasprintf("%s%s%s", path, *path ? "." : "", key);
      differ |= diff(inner, value, json_object_get(b, key));
      free(inner);
    }
    json_object_foreach((json_t *)b, key, value) {
      char *inner = cul_xasprintf("%s%s%s", path, *path ? "." : "", key);
      if (!json_object_get(a, key))
        differ |= diff(inner, NULL, value);
      free(inner);
    }
  } else if (!a || !b || !json_equal(a, b)) {
    char *left = text_of(a), *right = text_of(b);
    cul_say(stdout, "%s\n  - %s\n  + %s\n", path, left, right);
    free(left);
    free(right);
    differ = true;
  }
  return differ;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {0};
  const char *paths[2] = {".", "."};
  struct cul_operands operands = {.items = paths, .max = 2};
  json_t *envs[2] = {NULL, NULL};
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc == 0 && options.diff != (operands.n == 2))
    rc = cul_fail(err, CUL_EUSAGE,
                  "culprit env [BUNDLE], or culprit env --diff A B",
                  options.diff ? "--diff takes two environments"
                               : "two environments without --diff");
  if (rc == 0)
    rc = load(paths[0], &envs[0], err);
  if (rc == 0 && options.diff)
    rc = load(paths[1], &envs[1], err);
  if (rc == 0 && options.diff && is_here(paths[0]) != is_here(paths[1]))
    compare_here(envs[is_here(paths[1])], envs[is_here(paths[0])]);
  if (rc == 0 && options.diff) {
    rc = diff("", envs[0], envs[1]) ? CUL_EDIFFER : 0;
  } else if (rc == 0) {
    char *text = cul_report_text(envs[0]);
    cul_say_text(stdout, text);
    free(text);
  }
  json_decref(envs[0]);
  json_decref(envs[1]);
  return rc;
}

const struct cul_cli_command cul_cli_env = {
    .name = "env",
    .usage = "[BUNDLE] | --diff A B",
    .group = "Results",
    .summary =
        "print the environment of a bundle, or the differences between two",
    .brief = "the differences between machines",
    .examples =
        {{"culprit env --diff bundle .",
          "print how this machine differs from the one that made the bundle"},
         {"culprit env", "print the environment here as JSON"},
         {"culprit env bundle", "print the environment of a bundle"}},
    .opts = opts,
    .run = run};
