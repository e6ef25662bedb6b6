/* See defaults.h. */
#include "defaults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "../base/options/config.h"
#include "../base/options/nearest.h"
#include "../base/visible.h"

enum { MOST_BYTES = 1 << 20, MOST_LEVELS = 64 };

/* A file with defaults. */
struct source {
  struct cul_defaults *defaults;
  const struct cul_cli_command *command;
  const char *tool; /* base name of the program; or NULL */
  const char *path;
  bool own; /* the user's file, not a project's */
};

static int fail(const struct source *source,
                const struct cul_config_entry *entry, const char *advice,
                const char *what, const char *name, struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE, advice, "%s:%zu: %s \"%s\"", source->path,
                  entry->line, what, name);
}

/* Find an option in a table; *nearest collects similar names. */
static const struct cul_opt *find(const struct cul_opt *table, const char *name,
                                  struct cul_nearest *nearest) {
  const struct cul_opt *found = NULL;
  size_t n;
  struct cul_opt_row *rows = cul_opt_rows(table, &n);
  for (size_t i = 0; i < n && !found; i++) {
    if (strcmp(rows[i].opt->name, name) == 0)
      found = rows[i].opt;
    else
      cul_nearest_try(nearest, rows[i].opt->name);
  }
  free(rows);
  return found;
}

static const struct cul_opt *
find_in_all(const struct cul_cli_command *const *list, const char *name,
            struct cul_nearest *nearest) {
  const struct cul_opt *found = NULL;
  for (; list && *list && !found; list++) {
    found = find((*list)->opts, name, nearest);
    if (!found)
      found = find_in_all((*list)->subs, name, nearest);
  }
  return found;
}

static int fail_key(const struct source *source,
                    const struct cul_config_entry *entry,
                    const struct cul_nearest *nearest, struct cul_err *err) {
  char advice[128] = "the command's --help lists its options";
  if (nearest->name && !nearest->several)
    snprintf(advice, sizeof advice, "did you mean %s?", nearest->name);
  return fail(source, entry, advice, "no option is called", entry->key, err);
}

/* Find the command of a section; 0 with NULL: the section is about tools.
 * Errors: EUSAGE: there is no such command. */
static int find_command(const struct source *source,
                        const struct cul_config_entry *entry,
                        const struct cul_cli_command **out,
                        struct cul_err *err) {
  char *name =
      cul_xasprintf("%s%s%s", entry->section, entry->subsection ? " " : "",
                    entry->subsection ? entry->subsection : "");
  struct cul_nearest nearest = {.typed = entry->section};
  char advice[128] = "a section is a command, or [tool \"NAME\"]";
  bool known = strcmp(entry->section, "tool") == 0 && entry->subsection;
  *out = NULL;
  cul_nearest_try(&nearest, "tool");
  for (const struct cul_cli_command *const *at = cul_cli_commands;
       *at && !known; at++) {
    cul_nearest_try(&nearest, (*at)->name);
    if (strcmp((*at)->name, name) == 0)
      *out = *at;
    for (const struct cul_cli_command *const *sub = (*at)->subs; sub && *sub;
         sub++)
      if (strcmp((*sub)->name, name) == 0)
        *out = *sub;
    known = *out != NULL;
  }
  if (!known && nearest.name && strcmp(nearest.name, entry->section) != 0)
    snprintf(advice, sizeof advice, "did you mean [%s]?", nearest.name);
  if (!known)
    fail(source, entry, advice, "no command is called", name, err);
  free(name);
  return known ? 0 : err->code;
}

static bool is_off(const char *value) {
  return value && (strcmp(value, "false") == 0 || strcmp(value, "no") == 0 ||
                   strcmp(value, "off") == 0 || strcmp(value, "0") == 0);
}

static bool is_on(const char *value) {
  return !value || strcmp(value, "true") == 0 || strcmp(value, "yes") == 0 ||
         strcmp(value, "on") == 0 || strcmp(value, "1") == 0;
}

/* Add a default: later ones replace earlier ones, except in lists. */
static void add(struct cul_defaults *defaults, const struct source *source,
                const struct cul_config_entry *entry,
                const struct cul_opt *opt) {
  bool flag = opt->type == CUL_OPT_FLAG;
  size_t kept = 0;
  for (size_t i = 0; i < defaults->n; i++) {
    if (defaults->items[i].opt != opt || opt->type == CUL_OPT_LIST) {
      defaults->items[kept++] = defaults->items[i];
      continue;
    }
    free(defaults->items[i].word);
    free(defaults->items[i].file);
  }
  defaults->n = kept;
  if (flag && is_off(entry->value))
    return;
  defaults->items =
      cul_xreallocarray(defaults->items, kept + 1, sizeof *defaults->items);
  defaults->items[defaults->n++] = (struct cul_default){
      .word = flag ? cul_xasprintf("--%s", opt->name)
                   : cul_xasprintf("--%s=%s", opt->name, entry->value),
      .file = cul_xstrdup(source->path),
      .line = entry->line,
      .opt = opt};
}

static int check_value(const struct source *source,
                       const struct cul_config_entry *entry,
                       const struct cul_opt *opt, struct cul_err *err) {
  if (!source->own && !opt->shared)
    return fail(source, entry,
                "set it in your own file, $XDG_CONFIG_HOME/culprit/config "
                "(~/.config), or on the command line",
                "a project's file may not set what is run, written or allowed:",
                entry->key, err);
  if (opt->type == CUL_OPT_FLAG && !is_on(entry->value) &&
      !is_off(entry->value))
    return fail(source, entry, "true or false",
                "no value of a flag:", entry->value, err);
  if (opt->type != CUL_OPT_FLAG && !entry->value)
    return fail(source, entry, "key = value", "no value is given of",
                entry->key, err);
  return opt->type == CUL_OPT_FLAG || cul_opt_check(opt, entry->value, err) == 0
             ? 0
             : cul_fail_in(err, "%s:%zu", source->path, entry->line);
}

static int take(void *self, const struct cul_config_entry *entry,
                struct cul_err *err) {
  const struct source *source = self;
  const struct cul_cli_command *command;
  struct cul_nearest nearest = {.typed = entry->key};
  const struct cul_opt *opt;
  if (find_command(source, entry, &command, err) < 0)
    return err->code;
  opt = command ? find(command->opts, entry->key, &nearest)
                : find_in_all(cul_cli_commands, entry->key, &nearest);
  if (!opt)
    return fail_key(source, entry, &nearest, err);
  if (check_value(source, entry, opt, err) < 0)
    return err->code;
  if (command ? command != source->command
              : !source->tool || strcmp(source->tool, entry->subsection) != 0)
    return 0;
  nearest = (struct cul_nearest){.typed = entry->key};
  opt = find(source->command->opts, entry->key, &nearest);
  if (opt && check_value(source, entry, opt, err) < 0)
    return err->code;
  if (opt)
    add(source->defaults, source, entry, opt);
  return 0;
}

/* Why the file is not trusted; NULL: it is. */
static const char *distrust(const char *path, const struct stat *st) {
  struct stat dir;
  char *above = cul_xstrndup(path, (size_t)(cul_basename(path) - path));
  bool known = stat(above, &dir) == 0;
  free(above);
  if (!S_ISREG(st->st_mode))
    return "it is not a regular file";
  if (st->st_uid != geteuid())
    return "it belongs to another user";
  if (st->st_mode & S_IWOTH)
    return "others may write it";
  if (!known || (dir.st_mode & S_IWOTH))
    return "others may write its directory";
  return NULL;
}

static int read_file(struct source *source, const char *path, bool quiet,
                     struct cul_err *err) {
  struct cul_buf text = {0};
  struct stat st;
  const char *why;
  int rc;
  if (lstat(path, &st) < 0)
    return 0;
  why = distrust(path, &st);
  if (why) {
    if (!quiet)
      cul_say(stderr, "note: %s is not read: %s\n", path, why);
    return 0;
  }
  source->path = path;
  rc = cul_file_read_own(path, MOST_BYTES, &text, err);
  if (rc == 0)
    rc = cul_config_read(cul_buf_bytes(&text), path, take, source, err);
  cul_buf_release(&text);
  return rc;
}

static int read_users(struct source *source, bool quiet, struct cul_err *err) {
  const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  char *path = NULL;
  int rc;
  if (config && config[0] == '/')
    path = cul_xasprintf("%s/culprit/config", config);
  else if (home && home[0] == '/')
    path = cul_xasprintf("%s/.config/culprit/config", home);
  source->own = true;
  rc = path ? read_file(source, path, quiet, err) : 0;
  free(path);
  source->own = false;
  return rc;
}

/* Does the search upwards end here? */
static bool is_last(const char *dir) {
  const char *home = getenv("HOME");
  char *git = cul_xasprintf("%s/.git", dir);
  char *real = home ? realpath(home, NULL) : NULL;
  struct stat st;
  bool last = lstat(git, &st) == 0 || (real && strcmp(real, dir) == 0) ||
              strcmp(dir, "/") == 0;
  free(real);
  free(git);
  return last;
}

/* Read the files of projects, from the outermost directory to the input's. */
static int read_projects(struct source *source, const char *input, bool quiet,
                         struct cul_err *err) {
  size_t stem = (size_t)(cul_basename(input) - input);
  char *dir = cul_xstrndup(stem ? input : ".", stem ? stem : 1);
  char *at = realpath(dir, NULL);
  char *paths[MOST_LEVELS];
  size_t n = 0;
  int rc = 0;
  free(dir);
  while (at && n < MOST_LEVELS) {
    paths[n++] = cul_xasprintf("%s/.culprit", strcmp(at, "/") == 0 ? "" : at);
    if (is_last(at))
      break;
    *strrchr(at, '/') = '\0';
    if (!*at)
      memcpy(at, "/", 2);
  }
  free(at);
  for (; n > 0; n--) {
    rc = rc ? rc : read_file(source, paths[n - 1], quiet, err);
    free(paths[n - 1]);
  }
  return rc;
}

/* Insert the defaults that the command line does not set itself. */
static void insert(struct cul_defaults *defaults,
                   const struct cul_cli_command *command,
                   struct cul_command_line *line) {
  char **argv = cul_xcalloc((size_t)line->argc + defaults->n + 1, sizeof *argv);
  int n = 0;
  size_t kept = 0;
  argv[n++] = line->argv[0];
  for (size_t i = 0; i < defaults->n; i++) {
    struct cul_default *one = &defaults->items[i];
    if (one->opt->type != CUL_OPT_LIST &&
        cul_opt_is_given(command->opts, one->opt, line->argc, line->argv)) {
      free(one->word);
      free(one->file);
      continue;
    }
    argv[n++] = one->word;
    defaults->items[kept++] = *one;
  }
  defaults->n = kept;
  for (int i = 1; i < line->argc; i++)
    argv[n++] = line->argv[i];
  defaults->argv = line->argv = argv;
  line->argc = n;
}

int cul_defaults_read(struct cul_defaults *defaults,
                      const struct cul_cli_command *command,
                      struct cul_command_line *line, struct cul_err *err) {
  struct source source = {.defaults = defaults, .command = command};
  const char *input = NULL, *tool = NULL;
  int rc;
  *defaults = (struct cul_defaults){.items = NULL};
  cul_opt_peek(command->opts, line->argc, line->argv, &input, &tool);
  source.tool = tool ? cul_basename(tool) : NULL;
  rc = read_users(&source, line->quiet, err);
  if (rc == 0)
    rc = read_projects(&source, input ? input : ".", line->quiet, err);
  if (rc == 0 && defaults->n)
    insert(defaults, command, line);
  return rc;
}

void cul_defaults_release(struct cul_defaults *defaults) {
  for (size_t i = 0; i < defaults->n; i++) {
    free(defaults->items[i].word);
    free(defaults->items[i].file);
  }
  free(defaults->items);
  free(defaults->argv);
}
