/* culprit cache: what is stored, and how to make it less. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/file.h"
#include "../base/visible.h"
#include "../cache/cache.h"
#include "command.h"

struct options {
  const char *path;
  int64_t days, max_mib;
};

static const struct cul_opt opts[] = {
    {.name = "cache",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, path),
     .value = "FILE",
     .help = "the store (default: cache.db in $XDG_CACHE_HOME/culprit)"},
    {.name = "days",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, days),
     .max = 36500,
     .value = "N",
     .help = "gc: drop what was not used for N days (default 30)"},
    {.name = "max-mib",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, max_mib),
     .max = INT64_MAX >> 20,
     .value = "N",
     .help = "gc: then drop the oldest until the file is below N MiB (default "
             "1024; 0: no bound)"},
    {.name = NULL}};

static int stats(struct cul_cache *cache, const struct options *options,
                 struct cul_err *err) {
  struct cul_cache_stats found;
  char *path;
  int rc = cul_cache_stat(cache, &found, err);
  (void)options;
  if (rc < 0)
    return rc;
  path = cul_cache_dir();
  cul_say(stdout,
          "records: %llu\nmemos:   %llu\nbytes:   %llu\nplace:   %s%s\n",
          (unsigned long long)found.records, (unsigned long long)found.memos,
          (unsigned long long)found.bytes, options->path ? options->path : path,
          options->path ? "" : "/cache.db");
  free(path);
  return 0;
}

static int gc(struct cul_cache *cache, const struct options *options,
              struct cul_err *err) {
  uint64_t dropped;
  int rc = cul_cache_gc(cache, (int)options->days,
                        (uint64_t)options->max_mib << 20, &dropped, err);
  if (rc == 0)
    cul_say(stdout, "dropped: %llu rows\n", (unsigned long long)dropped);
  return rc;
}

static int clear(struct cul_cache *cache, const struct options *options,
                 struct cul_err *err) {
  (void)options;
  return cul_cache_clear(cache, err);
}

static const struct action {
  const char *name;
  int (*run)(struct cul_cache *, const struct options *, struct cul_err *);
} actions[] = {{"stats", stats}, {"gc", gc}, {"clear", clear}};

static const struct action *find(const char *name) {
  for (size_t i = 0; name && i < CUL_ARRAY_SIZE(actions); i++)
    if (strcmp(actions[i].name, name) == 0)
      return &actions[i];
  return NULL;
}

static int run(const struct cul_command_line *line, struct cul_err *err) {
  struct options options = {.days = 30, .max_mib = 1024};
  struct cul_cache *cache = NULL;
  const struct action *action;
  const char *name = NULL;
  struct cul_operands operands = {.items = &name, .max = 1};
  char *note = NULL;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc < 0)
    return rc;
  action = find(name);
  if (!action)
    return cul_fail(err, CUL_EUSAGE, "culprit cache stats|gc|clear", "%s%s%s",
                    name ? "unknown action \"" : "no action given",
                    name ? name : "", name ? "\"" : "");
  rc = cul_cache_open(options.path, &cache, &note, err);
  if (rc == 0 && note)
    cul_say(stderr, "culprit: %s\n", note);
  if (rc == 0)
    rc = action->run(cache, &options, err);
  free(note);
  cul_cache_close(cache);
  return rc;
}

const struct cul_cli_command cul_cli_cache = {
    .name = "cache",
    .usage = "stats|gc|clear [options]",
    .summary = "what is stored of earlier runs, and how to make it less",
    .opts = opts,
    .run = run};
