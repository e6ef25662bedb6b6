/* Man pages and completions: see help.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/files/file.h"
#include "../base/visible.h"
#include "../bisect/matrix/axis.h"
#include "command.h"
#include "help.h"

/* All commands, each followed by those within it. */
struct cul_commands {
  const struct cul_cli_command **items; /* heap */
  size_t n;
};

static void add_command(struct cul_commands *all,
                        const struct cul_cli_command *command) {
  all->items = cul_xreallocarray(all->items, all->n + 1, sizeof *all->items);
  all->items[all->n++] = command;
}

static struct cul_commands collect(void) {
  struct cul_commands all = {0};
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++) {
    add_command(&all, *c);
    for (const struct cul_cli_command *const *s = (*c)->subs; s && *s; s++)
      add_command(&all, *s);
  }
  return all;
}

/* A command's name with another character for blanks, "bisect-commits"; caller
 * frees. */
static char *page_name(const char *name, char by) {
  char *out = cul_xstrdup(name);
  for (char *c = out; *c; c++)
    if (*c == ' ')
      *c = by;
  return out;
}

/* The option rows of a command, followed by those of all commands; heap. */
static struct cul_opt_row *page_rows(const struct cul_cli_command *command,
                                     size_t *n) {
  size_t own, common;
  struct cul_opt_row *rows = cul_opt_rows(command->opts, &own);
  struct cul_opt_row *more = cul_opt_rows(cul_common_opts, &common);
  rows = cul_xreallocarray(rows, own + common + 1, sizeof *rows);
  memcpy(rows + own, more, common * sizeof *rows);
  free(more);
  *n = own + common;
  return rows;
}

static void man_command(const struct cul_cli_command *command,
                        struct cul_buf *out);
static void man_whole(const struct cul_commands *all, struct cul_buf *out);
static void complete_bash(const struct cul_commands *all, struct cul_buf *out);
static void complete_zsh(const struct cul_commands *all, struct cul_buf *out);
static void complete_fish(const struct cul_commands *all, struct cul_buf *out);

static const struct {
  const char *name;
  void (*write)(const struct cul_commands *all, struct cul_buf *out);
} shells[] = {
    {"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};

/* Scripts of culprit's own that the user's Python runs. */
static const char *const scripts[] = {"run_triton", "run_pypto"};

static void list(const struct cul_commands *all, struct cul_buf *out) {
  cul_buf_adds(out, "man:culprit\n");
  for (size_t i = 0; i < all->n; i++) {
    char *name = page_name(all->items[i]->name, '-');
    cul_buf_addf(out, "man:%s\n", name);
    free(name);
  }
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shells); i++)
    cul_buf_addf(out, "completion:%s\n", shells[i].name);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(scripts); i++)
    cul_buf_addf(out, "script:%s\n", scripts[i]);
  for (size_t i = 0; i < cul_n_axis_files; i++)
    cul_buf_addf(out, "axes:%.*s\n", (int)strcspn(cul_axis_files[i].name, "."),
                 cul_axis_files[i].name);
}

static bool man(const struct cul_commands *all, const char *name,
                struct cul_buf *out) {
  if (strcmp(name, "culprit") == 0)
    man_whole(all, out);
  for (size_t i = 0; i < all->n; i++) {
    char *known = page_name(all->items[i]->name, '-');
    if (strcmp(known, name) == 0)
      man_command(all->items[i], out);
    free(known);
  }
  return out->len > 0;
}

static bool complete(const struct cul_commands *all, const char *shell,
                     struct cul_buf *out) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(shells); i++)
    if (strcmp(shells[i].name, shell) == 0)
      shells[i].write(all, out);
  return out->len > 0;
}

static bool script(const char *name, struct cul_buf *out) {
  char *dir = cul_program_dir(), *path = NULL;
  struct cul_err unused = {0};
  bool found = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(scripts) && !path; i++)
    if (strcmp(name, scripts[i]) == 0) {
      char *file = cul_xasprintf("%s.py", scripts[i]);
      path = cul_own_file(dir, file, R_OK);
      free(file);
    }
  if (path)
    found = cul_file_read(path, 1 << 20, out, &unused) == 0;
  free(path);
  free(dir);
  return found;
}

/* The file of --axis @NAME. */
static bool axes(const char *name, struct cul_buf *out) {
  for (size_t i = 0; i < cul_n_axis_files; i++) {
    const struct cul_embedded *file = &cul_axis_files[i];
    size_t n = strcspn(file->name, ".");
    if (strlen(name) == n && memcmp(file->name, name, n) == 0)
      cul_buf_add(out, (const char *)file->data, file->len);
  }
  return out->len > 0;
}

int cul_page(const char *what, struct cul_err *err) {
  static const char of_man[] = "man:", of_completion[] = "completion:",
                    of_script[] = "script:", of_axes[] = "axes:";
  struct cul_commands all = collect();
  struct cul_buf out = {0};
  bool known = strcmp(what, "list") == 0;
  if (known)
    list(&all, &out);
  else if (strncmp(what, of_man, strlen(of_man)) == 0)
    known = man(&all, what + strlen(of_man), &out);
  else if (strncmp(what, of_completion, strlen(of_completion)) == 0)
    known = complete(&all, what + strlen(of_completion), &out);
  else if (strncmp(what, of_script, strlen(of_script)) == 0)
    known = script(what + strlen(of_script), &out);
  else if (strncmp(what, of_axes, strlen(of_axes)) == 0)
    known = axes(what + strlen(of_axes), &out);
  if (known)
    cul_say_text(stdout, cul_buf_str(&out));
  cul_buf_release(&out);
  free(all.items);
  return known ? 0
               : cul_fail(err, CUL_EUSAGE, "culprit --print list names them",
                          "--print: unknown name \"%s\"", what);
}

/* ---- man ---- */

/* Man pages, in roff. */

/* Append text for roff: backslashes and dashes are literal, and no line begins
 * with a request. */
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
  char *page = page_name(name, '-');
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
  struct cul_opt_row *rows = page_rows(command, &n);
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
  char *page = page_name(name, '-');
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

static void man_command(const struct cul_cli_command *command,
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

/* The page culprit(1), and the page of a command. */
static void man_whole(const struct cul_commands *all, struct cul_buf *out) {
  size_t n;
  struct cul_opt_row *rows = cul_opt_rows(cul_common_opts, &n);
  add_title("culprit", "find the cause of a failure of an ML compiler", out);
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
                    "Results of earlier runs.\n");
  free(rows);
}

/* ---- complete ---- */

/* Completions of bash, zsh and fish. */

enum shell { BASH, ZSH, FISH };

/* The kind of a value: words, a directory, a file, or unknown. */
static bool is_dir(const struct cul_opt *opt) {
  return opt->value && strcmp(opt->value, "DIR") == 0;
}

static bool is_file(const struct cul_opt *opt) {
  return opt->value &&
         (strncmp(opt->value, "FILE", 4) == 0 ||
          strcmp(opt->value, "OUT") == 0 || strcmp(opt->value, "GOT") == 0 ||
          strcmp(opt->value, "REPORT") == 0 || strcmp(opt->value, "PATH") == 0);
}

/* Append text for single quotes in bash, zsh and fish. */
static void add_quoted(const char *text, enum shell shell,
                       struct cul_buf *out) {
  cul_buf_addc(out, '\'');
  for (; *text; text++)
    if (shell == FISH && (*text == '\'' || *text == '\\'))
      cul_buf_addf(out, "\\%c", *text);
    else if (*text == '\'')
      cul_buf_adds(out, "'\\''");
    else
      cul_buf_addc(out, *text);
  cul_buf_addc(out, '\'');
}

/* Append the words that complete a command: its own commands, or its
 * operands. */
static void add_places(const struct cul_cli_command *command,
                       struct cul_buf *out) {
  for (const struct cul_cli_command *const *s = command->subs; s && *s; s++)
    cul_buf_addf(out, "%s%s", s == command->subs ? "" : " ",
                 strchr((*s)->name, ' ') + 1);
  if (command->operands)
    cul_buf_addf(out, "%s%s", command->subs ? " " : "", command->operands);
}

static void bash_command(const struct cul_cli_command *command,
                         struct cul_buf *out) {
  size_t n;
  struct cul_opt_row *rows = page_rows(command, &n);
  cul_buf_addf(out, "  '%s')\n    places='", command->name);
  add_places(command, out);
  cul_buf_adds(out, "'\n    options='");
  for (size_t i = 0; i < n; i++) {
    cul_buf_addf(out, "%s--%s", i ? " " : "", rows[i].opt->name);
    if (rows[i].opt->letter)
      cul_buf_addf(out, " -%c", rows[i].opt->letter);
  }
  cul_buf_adds(out, "'\n    case $before in\n");
  for (size_t i = 0; i < n; i++) {
    const struct cul_opt *opt = rows[i].opt;
    if (opt->type == CUL_OPT_FLAG)
      continue;
    cul_buf_addf(out, "    --%s", opt->name);
    if (opt->letter)
      cul_buf_addf(out, " | -%c", opt->letter);
    cul_buf_adds(out, ") kind=");
    cul_buf_adds(out, opt->words     ? "words values="
                      : is_dir(opt)  ? "dir"
                      : is_file(opt) ? "file"
                                     : "none");
    if (opt->words)
      add_quoted(opt->words, BASH, out);
    cul_buf_adds(out, " ;;\n");
  }
  cul_buf_adds(out, "    esac\n    ;;\n");
  free(rows);
}

/* Append the words of all commands, then those within one. */
static void bash_tops(struct cul_buf *out) {
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++)
    cul_buf_addf(out, "%s ", (*c)->name);
  cul_buf_adds(out, "help");
}

static void bash_names(const struct cul_commands *all, struct cul_buf *out) {
  for (size_t i = 0; i < all->n; i++)
    cul_buf_addf(out, "%s'%s'", i ? " | " : "", all->items[i]->name);
}

static const char bash_head[] =
    "# bash completion for culprit\n"
    "_culprit() {\n"
    "  local word=${COMP_WORDS[COMP_CWORD]} before='' command='' i\n"
    "  local places='' options='' values='' kind='' split=''\n"
    "  COMPREPLY=()\n"
    "  ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "  # If COMP_WORDBREAKS has =, --name=value arrives as three words.\n"
    "  if [[ $word == '=' ]]; then\n"
    "    word=''\n"
    "  elif [[ $before == '=' && COMP_CWORD -gt 1 ]]; then\n"
    "    before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "  elif [[ $word == --*=* ]]; then\n"
    "    before=${word%%=*} split=$before= word=${word#*=}\n"
    "  fi\n"
    "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "    case ${COMP_WORDS[i]} in\n"
    "    --) # what follows is the command that is run\n"
    "      compopt -o default 2>/dev/null\n"
    "      return\n"
    "      ;;\n"
    "    -*) [[ $command ]] && break ;;\n"
    "    help) ;;\n"
    "    *)\n"
    "      case ${command:+$command }${COMP_WORDS[i]} in\n      ";

static const char bash_middle[] =
    ")\n"
    "        command=${command:+$command }${COMP_WORDS[i]} ;;\n"
    "      *) break ;;\n"
    "      esac\n"
    "      ;;\n"
    "    esac\n"
    "  done\n"
    "  case $command in\n";

static const char bash_tail[] =
    "'\n    options='--help -h --version -V --verbose -v --quiet -q'\n"
    "    ;;\n"
    "  esac\n"
    "  if [[ $kind == words ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -P \"$split\" -- "
    "\"$word\")\n"
    "  elif [[ $kind == dir ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -d -P \"$split\" -- \"$word\")\n"
    "  elif [[ $kind == file ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -f -P \"$split\" -- \"$word\")\n"
    "  elif [[ $kind == none ]]; then\n"
    "    return\n"
    "  elif [[ $word == -* ]]; then\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
    "  else\n"
    "    [[ $places ]] && mapfile -t COMPREPLY < <(compgen -W \"$places\" -- "
    "\"$word\")\n"
    "    [[ $command ]] && mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < "
    "<(compgen -f -- \"$word\")\n"
    "  fi\n"
    "}\n"
    "complete -o filenames -F _culprit culprit\n";

/* Scripts for the shells. */
static void complete_bash(const struct cul_commands *all, struct cul_buf *out) {
  cul_buf_adds(out, bash_head);
  bash_names(all, out);
  cul_buf_adds(out, bash_middle);
  for (size_t i = 0; i < all->n; i++)
    bash_command(all->items[i], out);
  cul_buf_adds(out, "  *)\n    places='");
  bash_tops(out);
  cul_buf_adds(out, bash_tail);
}

static void zsh_option(const struct cul_opt *opt, struct cul_buf *out) {
  struct cul_buf spec = {0};
  char *help = cul_opt_sentence(opt);
  if (opt->type == CUL_OPT_LIST)
    cul_buf_addc(&spec, '*');
  cul_buf_addf(&spec, "--%s%s[", opt->name,
               opt->type == CUL_OPT_FLAG ? "" : "=");
  for (const char *c = help; *c; c++)
    cul_buf_addf(&spec, strchr("[]:\\", *c) ? "\\%c" : "%c", *c);
  cul_buf_addc(&spec, ']');
  if (opt->type != CUL_OPT_FLAG) {
    cul_buf_adds(&spec, ": :");
    if (opt->words)
      cul_buf_addf(&spec, "(%s)", opt->words);
    else if (is_dir(opt))
      cul_buf_adds(&spec, "_files -/");
    else if (is_file(opt))
      cul_buf_adds(&spec, "_files");
  }
  cul_buf_adds(out, "      ");
  add_quoted(cul_buf_str(&spec), ZSH, out);
  cul_buf_adds(out, " \\\n");
  if (opt->letter) { /* "--name[" becomes "-n[" */
    size_t name = strcspn(cul_buf_str(&spec), "[");
    char *brief = cul_xasprintf("-%c%s%s", opt->letter,
                                opt->type == CUL_OPT_FLAG ? "" : "+",
                                cul_buf_str(&spec) + name);
    cul_buf_adds(out, "      ");
    add_quoted(brief, ZSH, out);
    cul_buf_adds(out, " \\\n");
    free(brief);
  }
  cul_buf_release(&spec);
  free(help);
}

static void zsh_command(const struct cul_cli_command *command,
                        struct cul_buf *out) {
  size_t n;
  struct cul_opt_row *rows = page_rows(command, &n);
  cul_buf_addf(out, "  '%s')\n    _arguments -s \\\n", command->name);
  for (size_t i = 0; i < n; i++)
    zsh_option(rows[i].opt, out);
  cul_buf_adds(out, "      ");
  if (command->subs || command->operands) {
    cul_buf_adds(out, "'1: :(");
    add_places(command, out);
    cul_buf_adds(out, ")' ");
  }
  cul_buf_adds(out, "'*: :_files'\n    ;;\n");
  free(rows);
}

static void complete_zsh(const struct cul_commands *all, struct cul_buf *out) {
  cul_buf_adds(out, "#compdef culprit\n"
                    "# zsh completion for culprit\n"
                    "local command=$words[2]\n"
                    "if (( CURRENT == 2 )); then\n"
                    "  compadd -- ");
  bash_tops(out);
  cul_buf_adds(out, "\n  return\nfi\n"
                    "case \"$words[2] $words[3]\" in\n");
  for (size_t i = 0; i < all->n; i++)
    if (strchr(all->items[i]->name, ' '))
      cul_buf_addf(out, "'%s') (( CURRENT > 3 )) && command='%s' ;;\n",
                   all->items[i]->name, all->items[i]->name);
  cul_buf_adds(out, "esac\n"
                    "if [[ $command == *' '* ]]; then\n"
                    "  shift 2 words; (( CURRENT -= 2 ))\n"
                    "else\n"
                    "  shift words; (( CURRENT -= 1 ))\n"
                    "fi\n"
                    "case $command in\n");
  for (size_t i = 0; i < all->n; i++)
    zsh_command(all->items[i], out);
  cul_buf_adds(out, "  help) compadd -- ");
  bash_tops(out);
  cul_buf_adds(out, " ;;\nesac\n");
}

static void fish_words(const char *when, const char *words, const char *says,
                       struct cul_buf *out) {
  cul_buf_adds(out, "complete -c culprit -n ");
  add_quoted(when, FISH, out);
  cul_buf_adds(out, " -a ");
  add_quoted(words, FISH, out);
  if (says) {
    cul_buf_adds(out, " -d ");
    add_quoted(says, FISH, out);
  }
  cul_buf_addc(out, '\n');
}

static void fish_option(const char *when, const struct cul_opt *opt,
                        struct cul_buf *out) {
  char *help = cul_opt_sentence(opt);
  cul_buf_adds(out, "complete -c culprit -n ");
  add_quoted(when, FISH, out);
  cul_buf_addf(out, " -l %s", opt->name);
  if (opt->letter)
    cul_buf_addf(out, " -s %c", opt->letter);
  if (opt->type != CUL_OPT_FLAG)
    cul_buf_adds(out,
                 opt->words || !(is_file(opt) || is_dir(opt)) ? " -x" : " -r");
  if (opt->words) {
    cul_buf_adds(out, " -a ");
    add_quoted(opt->words, FISH, out);
  } else if (is_dir(opt)) {
    cul_buf_adds(out, " -a '(__fish_complete_directories)'");
  }
  cul_buf_adds(out, " -d ");
  add_quoted(help, FISH, out);
  cul_buf_addc(out, '\n');
  free(help);
}

/* The condition for fish that both words of "bisect commits" were given;
 * heap. */
static char *fish_when(const char *name) {
  const char *blank = strchr(name, ' ');
  return blank ? cul_xasprintf("__fish_seen_subcommand_from %.*s; and "
                               "__fish_seen_subcommand_from %s",
                               (int)(blank - name), name, blank + 1)
               : cul_xasprintf("__fish_seen_subcommand_from %s", name);
}

static void complete_fish(const struct cul_commands *all, struct cul_buf *out) {
  cul_buf_adds(out, "# fish completion for culprit\n");
  for (const struct cul_cli_command *const *c = cul_cli_commands; *c; c++)
    fish_words("__fish_use_subcommand", (*c)->name, (*c)->summary, out);
  for (size_t i = 0; i < all->n; i++) {
    const struct cul_cli_command *command = all->items[i];
    char *when = fish_when(command->name);
    struct cul_buf places = {0};
    size_t n;
    struct cul_opt_row *rows = page_rows(command, &n);
    add_places(command, &places);
    if (places.len)
      fish_words(when, cul_buf_str(&places), NULL, out);
    for (size_t k = 0; k < n; k++)
      fish_option(when, rows[k].opt, out);
    cul_buf_release(&places);
    free(rows);
    free(when);
  }
}
