/* Man pages, in roff: see pages.h. */
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "pages.h"

/* Text for roff: backslashes and dashes as they are typed, no line that begins
 * as a request. */
static void add_roff(const char *text, struct cul_buf *out) {
  if (*text == '.' || *text == '\'')
    cul_buf_adds(out, "\\&");
  for (; *text; text++) {
    if (*text == '\\')
      cul_buf_adds(out, "\\e");
    else if (*text == '-')
      cul_buf_adds(out, "\\-");
    else if (*text == '\'')
      cul_buf_adds(out, "\\(aq");
    else if (*text == '^')
      cul_buf_adds(out, "\\(ha");
    else if (*text == '~')
      cul_buf_adds(out, "\\(ti");
    else if (*text == '`')
      cul_buf_adds(out, "\\(ga");
    else
      cul_buf_addc(out, *text);
    if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
      cul_buf_adds(out, "\\&");
  }
}

static void add_title(const char *name, const char *summary,
                      struct cul_buf *out) {
  char *page = cul_page_name(name, '-');
  cul_buf_addf(out,
               ".TH \"%s\" \"1\" \"\" \"culprit %s\" \"User Commands\"\n"
               ".nh\n.ad l\n.SH NAME\n",
               page, CULPRIT_VERSION);
  add_roff(page, out);
  cul_buf_adds(out, " \\- ");
  add_roff(summary, out);
  cul_buf_addc(out, '\n');
  free(page);
}

static void add_man_usage(const struct cul_cli_command *command,
                          struct cul_buf *out) {
  const char *at = command->usage;
  size_t n = strcspn(at, "\n");
  char *line = cul_xasprintf("culprit %s %.*s", command->name, (int)n, at);
  cul_buf_adds(out, ".SH SYNOPSIS\n.nf\n");
  add_roff(line, out);
  free(line);
  for (at += n; *at; at += n) {
    n = strcspn(++at, "\n");
    line = cul_xasprintf("\nculprit %.*s", (int)n, at);
    add_roff(line, out);
    free(line);
  }
  cul_buf_adds(out, "\n.fi\n");
}

static void add_man_option(const struct cul_opt *opt, struct cul_buf *out) {
  char *text = cul_opt_sentence(opt);
  cul_buf_adds(out, ".TP\n");
  if (opt->letter)
    cul_buf_addf(out, "\\fB\\-%c\\fR, ", opt->letter);
  cul_buf_adds(out, "\\fB\\-\\-");
  add_roff(opt->name, out);
  cul_buf_adds(out, "\\fR");
  if (opt->value) {
    cul_buf_adds(out, " \\fI");
    add_roff(opt->value, out);
    cul_buf_adds(out, "\\fR");
  }
  cul_buf_addc(out, '\n');
  add_roff(text, out);
  cul_buf_adds(out, ".\n");
  free(text);
}

static void add_man_options(const struct cul_cli_command *command,
                            struct cul_buf *out) {
  size_t n;
  struct cul_opt_row *rows = cul_page_rows(command, &n);
  bool *done = cul_xcalloc(n + 1, sizeof *done);
  cul_buf_adds(out, ".SH OPTIONS\n");
  for (size_t i = 0; i < n; i++) {
    if (done[i])
      continue;
    cul_buf_adds(out, ".SS \"");
    add_roff(rows[i].group, out);
    cul_buf_adds(out, "\"\n");
    for (size_t k = i; k < n; k++)
      if (!done[k] && strcmp(rows[k].group, rows[i].group) == 0) {
        add_man_option(rows[k].opt, out);
        done[k] = true;
      }
  }
  free(done);
  free(rows);
}

static void add_man_examples(const struct cul_cli_command *command,
                             struct cul_buf *out) {
  cul_buf_adds(out, ".SH EXAMPLES\n");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(command->examples); i++) {
    cul_buf_adds(out, ".TP\n\\fB");
    add_roff(command->examples[i].line, out);
    cul_buf_adds(out, "\\fR\n");
    add_roff(command->examples[i].says, out);
    cul_buf_adds(out, ".\n");
  }
}

static void add_reference(const char *name, struct cul_buf *out) {
  char *page = cul_page_name(name, '-');
  cul_buf_adds(out, ".BR ");
  if (strcmp(name, "culprit") != 0)
    cul_buf_adds(out, "culprit\\-");
  add_roff(page, out);
  cul_buf_adds(out, " (1)\n");
  free(page);
}

static void add_man_statuses(struct cul_buf *out) {
  const char *at = cul_help_statuses;
  cul_buf_adds(out, ".SH EXIT STATUS\n");
  while (*at) {
    size_t number = strcspn(at, " "), n = strcspn(at, "\n");
    char *says = cul_xasprintf("%.*s", (int)(n - number - 1), at + number + 1);
    cul_buf_addf(out, ".TP\n\\fB%.*s\\fR\n", (int)number, at);
    add_roff(says, out);
    cul_buf_adds(out, ".\n");
    free(says);
    at += n + (at[n] == '\n');
  }
}

void cul_man_command(const struct cul_cli_command *command,
                     struct cul_buf *out) {
  char *name = cul_xasprintf("culprit %s", command->name);
  add_title(name, command->summary, out);
  free(name);
  add_man_usage(command, out);
  add_man_options(command, out);
  add_man_examples(command, out);
  cul_buf_adds(out, ".SH SEE ALSO\n");
  add_reference("culprit", out);
  for (const struct cul_cli_command *const *s = command->subs; s && *s; s++)
    add_reference((*s)->name, out);
}

void cul_man_whole(const struct cul_commands *all, struct cul_buf *out) {
  size_t n;
  struct cul_opt_row *rows = cul_opt_rows(cul_common_opts, &n);
  add_title("culprit", "find what is to blame for a failure of an ML compiler",
            out);
  cul_buf_adds(out, ".SH SYNOPSIS\nculprit COMMAND ...\n.SH COMMANDS\n");
  for (size_t i = 0; i < all->n; i++) {
    cul_buf_adds(out, ".TP\n");
    add_reference(all->items[i]->name, out);
    add_roff(all->items[i]->summary, out);
    cul_buf_adds(out, ".\n");
  }
  cul_buf_adds(out, ".SH OPTIONS\n");
  for (size_t i = 0; i < n; i++)
    add_man_option(rows[i].opt, out);
  add_man_statuses(out);
  cul_buf_adds(out, ".SH FILES\n.TP\n"
                    "\\fI$XDG_CACHE_HOME/culprit/cache.db\\fR\n"
                    "what earlier runs showed.\n");
  free(rows);
}
