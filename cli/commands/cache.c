/* culprit cache: shows and shrinks the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/visible.h"
#include "../../cache/cache.h"
#include "../command.h"
#include "../help.h"

struct options {
  const char *path;
  int64_t days, max_mib;
};

static const struct cul_opt store_opts[] = {
    {.name = "cache",
     .type = CUL_OPT_STRING,
     .offset = offsetof(struct options, path),
     .value = "FILE",
     .main = true,
     .group = "The store",
     .help = "the store (default: cache.db in $XDG_CACHE_HOME/culprit)"},
    {.name = NULL}};

static const struct cul_opt gc_opts[] = {
    {.name = "days",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, days),
     .max = 36500,
     .value = "N",
     .main = true,
     .group = "The store",
     .help = "remove entries that were not used for N days (default 30)"},
    {.name = "max-mib",
     .type = CUL_OPT_INT,
     .offset = offsetof(struct options, max_mib),
     .max = INT64_MAX >> 20,
     .value = "N",
     .main = true,
     .group = "The store",
     .help = "then remove the oldest entries until the file is below N MiB "
             "(default 1024; 0: no limit)"},
    {.name = "store", .type = CUL_OPT_TABLE, .table = store_opts},
    {.name = NULL}};

static const struct cul_opt no_opts[] = {{.name = NULL}};

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

/* Run one action on the store that the options name. */
static int work(const struct cul_command_line *line, const struct cul_opt *opts,
                int (*action)(struct cul_cache *, const struct options *,
                              struct cul_err *),
                struct cul_err *err) {
  struct options options = {.days = 30, .max_mib = 1024};
  struct cul_cache *cache = NULL;
  struct cul_operands operands = {.items = NULL, .max = 0};
  char *note = NULL;
  int rc =
      cul_opt_parse(opts, &options, line->argc, line->argv, &operands, err);
  if (rc < 0)
    return rc;
  rc = cul_cache_open(options.path, &cache, &note, err);
  if (rc == 0 && note)
    cul_say(stderr, "culprit: %s\n", note);
  if (rc == 0)
    rc = action(cache, &options, err);
  free(note);
  cul_cache_close(cache);
  return rc;
}

static int run_stats(const struct cul_command_line *line, struct cul_err *err) {
  return work(line, store_opts, stats, err);
}

static int run_gc(const struct cul_command_line *line, struct cul_err *err) {
  return work(line, gc_opts, gc, err);
}

static int run_clear(const struct cul_command_line *line, struct cul_err *err) {
  return work(line, store_opts, clear, err);
}

static const struct cul_cli_command cache_stats = {
    .name = "cache stats",
    .usage = "[--cache FILE]",
    .summary = "print the size and the place of the store",
    .examples = {{"culprit cache stats", "show the size of the store"},
                 {"culprit cache stats --cache other.db", "use another store"},
                 {"culprit help cache gc", "show how to shrink it"}},
    .opts = store_opts,
    .run = run_stats};

static const struct cul_cli_command cache_gc = {
    .name = "cache gc",
    .usage = "[--days N] [--max-mib N] [--cache FILE]",
    .summary = "remove old entries",
    .examples = {{"culprit cache gc",
                  "remove entries that were not used for 30 days"},
                 {"culprit cache gc --days 7",
                  "remove entries that were not used for a week"},
                 {"culprit cache gc --max-mib 100",
                  "remove the oldest entries until 100 MiB are left"}},
    .opts = gc_opts,
    .run = run_gc};

static const struct cul_cli_command cache_clear = {
    .name = "cache clear",
    .usage = "[--cache FILE]",
    .summary = "remove all entries",
    .examples = {{"culprit cache clear", "start from nothing"},
                 {"culprit cache clear --cache other.db", "another store"},
                 {"culprit reduce m.mlir --no-cache -- mlir-opt --cse @@",
                  "use no store in a job instead"}},
    .opts = store_opts,
    .run = run_clear};

static const struct cul_cli_command *const subs[] = {&cache_stats, &cache_gc,
                                                     &cache_clear, NULL};

/* Runs only if no action is named. */
static int run(const struct cul_command_line *line, struct cul_err *err) {
  char *meant;
  if (line->argc < 2)
    return cul_fail(err, CUL_EUSAGE, "culprit cache stats|gc|clear",
                    "no action given");
  meant = cul_command_meant(subs, line->argv[1]);
  cul_fail(err, CUL_EUSAGE, "culprit cache stats|gc|clear",
           "unknown action \"%s\"%s", line->argv[1], meant);
  free(meant);
  return err->code;
}

const struct cul_cli_command cul_cli_cache = {
    .name = "cache",
    .group = "Results",
    .usage = "stats|gc|clear [options]",
    .summary = "show or shrink the store of earlier runs",
    .brief = "the store of earlier runs",
    .examples = {{"culprit cache stats",
                  "print the size and the place of the store"},
                 {"culprit cache gc --days 7",
                  "remove entries that were not used for a week"},
                 {"culprit cache clear", "remove all entries"}},
    .opts = no_opts,
    .subs = subs,
    .run = run};
