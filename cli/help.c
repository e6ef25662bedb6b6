/* Help: see help.h. */
#include "help.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../base/options/nearest.h"
#include "../base/visible.h"

#define FIELD(name) offsetof(struct cul_common_options, name)

const struct cul_opt cul_common_opts[] = {
    {.name = "help",
     .letter = 'h',
     .group = "All commands",
     .offset = FIELD(help),
     .help = "print this and do nothing"},
    {.name = "version",
     .letter = 'V',
     .group = "All commands",
     .offset = FIELD(version),
     .help = "print the version, and the LLVM, CUDA and HIP that were found"},
    {.name = "verbose",
     .letter = 'v',
     .group = "All commands",
     .offset = FIELD(verbose),
     .help = "print the version first, then do the work"},
    {.name = "quiet",
     .letter = 'q',
     .group = "All commands",
     .offset = FIELD(quiet),
     .help = "print only errors"},
    {.name = "progress",
     .group = "All commands",
     .type = CUL_OPT_STRING,
     .offset = FIELD(progress),
     .value = "MODE",
     .words = "auto line plain json none",
     .help = "how to show progress: auto (default): a live line on a terminal, "
             "plain lines elsewhere; line; plain; json: objects on standard "
             "error, one per line; none"},
    {.name = NULL}};

const char cul_help_statuses[] =
    "0 done\n"
    "1 internal error\n"
    "2 usage\n"
    "3 the input does not show a failure\n"
    "4 too flaky to decide\n"
    "5 limit reached (best result written)\n"
    "6 environment: a tool, disk space or memory is missing\n"
    "7 compare: they differ\n"
    "8 triage --fail-on: there are such bugs\n"
    "9 bisect: several are left, which cannot be told apart\n"
    "130 interrupted (best result written)\n";

/* The last word of a command's name. */
static const char *last_word(const struct cul_cli_command *command) {
  const char *blank = strrchr(command->name, ' ');
  return blank ? blank + 1 : command->name;
}

static const struct cul_cli_command *
find(const struct cul_cli_command *const *list, const char *word) {
  for (; list && *list; list++)
    if (strcmp(last_word(*list), word) == 0)
      return *list;
  return NULL;
}

const struct cul_cli_command *cul_command_find(char *const *words, int n,
                                               int *used) {
  const struct cul_cli_command *command =
      n > 0 ? find(cul_cli_commands, words[0]) : NULL;
  const struct cul_cli_command *sub =
      command && n > 1 ? find(command->subs, words[1]) : NULL;
  *used = (command != NULL) + (sub != NULL);
  return sub ? sub : command;
}

static const struct cul_cli_command *
nearest_in(const struct cul_cli_command *const *list,
           struct cul_nearest *nearest) {
  const struct cul_cli_command *near = NULL;
  for (; list && *list; list++) {
    const char *before = nearest->name;
    cul_nearest_try(nearest, last_word(*list));
    if (nearest->name != before)
      near = *list;
  }
  return near;
}

char *cul_command_meant(const struct cul_cli_command *const *list,
                        const char *word) {
  struct cul_nearest nearest = {.typed = word};
  const struct cul_cli_command *near = nearest_in(list, &nearest);
  for (; *list; list++) {
    const struct cul_cli_command *inner = nearest_in((*list)->subs, &nearest);
    near = inner ? inner : near;
  }
  return near ? cul_xasprintf(": did you mean culprit %s?", near->name)
              : cul_xstrdup("");
}

int cul_command_unknown(const char *word, struct cul_err *err) {
  char *meant = cul_command_meant(cul_cli_commands, word);
  int rc = cul_fail(err, CUL_EUSAGE, "culprit help lists all commands",
                    "unknown command \"%s\"%s", word, meant);
  free(meant);
  return rc;
}

static void say_row(const struct cul_cli_command *command, FILE *out) {
  cul_say(out, "  %-42s  %s\n", command->examples[0].line, command->brief);
}

void cul_help_overview(FILE *out) {
  const char *group = "";
  cul_say_text(
      out,
      "usage: culprit COMMAND ...   find the cause of a compiler's failure\n");
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++) {
    if (strcmp(group, (*c)->group) != 0)
      cul_say(out, "%s:\n", (*c)->group);
    group = (*c)->group;
    if (!(*c)->family && (*c)->brief)
      say_row(*c, out);
    for (const struct cul_cli_command *const *s = (*c)->subs;
         (*c)->family && *s; s++)
      say_row(*s, out);
  }
  cul_say_text(out, "@@ is replaced by the file.  culprit help COMMAND: usage, "
                    "examples, options\n");
}

/* Append "usage: culprit NAME ..."; lines after the first one are complete. */
static void add_usage(const struct cul_cli_command *command, size_t columns,
                      struct cul_buf *out) {
  const char *at = command->usage;
  size_t n = strcspn(at, "\n");
  char *line = cul_xasprintf("%s %.*s", command->name, (int)n, at);
  cul_buf_adds(out, "usage: culprit ");
  cul_opt_wrap(out, line, 15, columns);
  free(line);
  for (at += n; *at; at += n) {
    n = strcspn(++at, "\n");
    line = cul_xstrndup(at, n);
    cul_buf_adds(out, "       culprit ");
    cul_opt_wrap(out, line, 15, columns);
    free(line);
  }
}

static void add_examples(const struct cul_cli_command *command, size_t columns,
                         struct cul_buf *out) {
  cul_buf_adds(out, "Examples:\n");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(command->examples); i++) {
    const struct cul_cli_example *example = &command->examples[i];
    cul_buf_addf(out, "  %s\n      ", example->line);
    cul_opt_wrap(out, example->says, 6, columns);
  }
}

static void add_statuses(size_t columns, struct cul_buf *out) {
  const char *at = cul_help_statuses;
  cul_buf_adds(out, "\nExit status:\n");
  while (*at) {
    size_t number = strcspn(at, " "), n = strcspn(at, "\n");
    char *says = cul_xstrndup(at + number + 1, n - number - 1);
    cul_buf_addf(out, "  %-4.*s ", (int)number, at);
    cul_opt_wrap(out, says, 7, columns);
    free(says);
    at += n + (at[n] == '\n');
  }
}

static void add_subs(const struct cul_cli_command *command, size_t columns,
                     struct cul_buf *out) {
  const size_t indent = 20;
  cul_buf_adds(out, "\nCommands:\n");
  for (const struct cul_cli_command *const *s = command->subs; *s; s++) {
    cul_buf_addf(out, "  %-17s ", (*s)->name);
    cul_opt_wrap(out, (*s)->summary, indent, columns);
  }
}

void cul_help_command(const struct cul_cli_command *command, FILE *out) {
  size_t columns = cul_columns(fileno(out));
  struct cul_buf text = {0};
  add_usage(command, columns, &text);
  cul_buf_addc(&text, '\n');
  cul_opt_wrap(&text, command->summary, 0, columns);
  cul_buf_addc(&text, '\n');
  add_examples(command, columns, &text);
  if (command->subs)
    add_subs(command, columns, &text);
  cul_buf_addc(&text, '\n');
  cul_opt_help(command->opts, columns, &text);
  if (command->opts->name)
    cul_buf_addc(&text, '\n');
  cul_opt_help(cul_common_opts, columns, &text);
  add_statuses(columns, &text);
  cul_say_text(out, cul_buf_str(&text));
  cul_buf_release(&text);
}
