/* Command lines of the tool itself: see pasted.h. */
#include "pasted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/files/file.h"
#include "../pipeline/shell_text.h"
#include "../runners/trace/program.h"

/* A line in parts: culprit's own words, the tool's assignments, the tool. */
struct parts {
  int own;     /* argv[0..own) */
  int command; /* argv[command..argc): assignments, then the tool */
  int tool;
  int file; /* the first word of the tool that names the input */
};

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum cul_program_kind kind_of(const char *path) {
  struct cul_program program;
  cul_program_read(path, &program);
  return program.kind;
}

static bool is_binary(const char *path) {
  enum cul_program_kind kind = kind_of(path);
  return kind == CUL_PROGRAM_NATIVE || kind == CUL_PROGRAM_FOREIGN;
}

/* NAME=VALUE, as before a command of a shell? */
static bool is_assignment(const char *word) {
  size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789_");
  return n > 0 && word[n] == '=' && !(word[0] >= '0' && word[0] <= '9');
}

/* Is it a program, and no input?  On some file systems each file is executable.
 * scripts: a script is a program, too. */
static bool is_tool(const char *word, bool scripts) {
  bool is_path = strchr(word, '/') != NULL;
  char *found = is_path || !is_file(word) ? cul_find_program(word) : NULL;
  bool is = found && is_file(found) &&
            (!is_path || is_binary(found) ||
             (scripts && kind_of(found) == CUL_PROGRAM_SCRIPT));
  free(found);
  return is;
}

static bool is_given(const struct cul_opt *table, const char *name, int argc,
                     char **argv) {
  size_t n;
  struct cul_opt_row *rows = cul_opt_rows(table, &n);
  bool given = false;
  for (size_t i = 0; i < n; i++)
    given = given || (strcmp(rows[i].opt->name, name) == 0 &&
                      cul_opt_is_given(table, rows[i].opt, argc, argv));
  free(rows);
  return given;
}

/* Does a word have the candidate's place?  Then the line is one of culprit's,
 * and lacks FILE or "--". */
static bool has_place(int argc, char **argv) {
  bool has = false;
  for (int at = 1; at < argc; at++)
    has = has || strstr(argv[at], "@@");
  return has;
}

/* Divide the line; false: it is one of culprit's. */
static bool divide(const struct cul_opt *table, int argc, char **argv,
                   struct parts *parts) {
  const char *operand, *after;
  bool judged = is_given(table, "script", argc, argv) ||
                is_given(table, "passes", argc, argv);
  int at = 1;
  cul_opt_peek(table, argc, argv, &operand, &after);
  if ((operand && after) || has_place(argc, argv))
    return false;
  while (at < argc && argv[at] != (operand ? operand : after))
    at++;
  parts->own = operand ? at : at - 1;
  parts->command = at;
  while (at < argc && is_assignment(argv[at]))
    at++;
  parts->tool = at;
  return at + 1 < argc && (operand || !judged) &&
         (is_tool(argv[at], !judged) ||
          (!operand && strncmp(argv[at], "@{", 2) == 0));
}

/* May argv[at] name the input?  What follows -o does not. */
static bool may_be_input(char **argv, int at) {
  return strcmp(argv[at - 1], "-o") != 0 && is_file(argv[at]) &&
         !is_binary(argv[at]);
}

/* Make the line with parts->file as FILE; `name` begins what is said. */
static void make_line(struct cul_pasted *pasted, const struct parts *parts,
                      const char *name, int argc, char **argv) {
  char *file = argv[parts->file];
  size_t n = 0;
  pasted->argv = cul_xcalloc((size_t)argc + 4, sizeof *pasted->argv);
  for (int at = 0; at < parts->own; at++)
    pasted->argv[n++] = argv[at];
  pasted->argv[n++] = file;
  pasted->argv[n++] = pasted->separator;
  if (parts->command < parts->tool)
    pasted->argv[n++] = pasted->env;
  for (int at = parts->command; at < argc; at++)
    pasted->argv[n++] = at > parts->tool && strcmp(argv[at], file) == 0
                            ? pasted->place
                            : argv[at];
  cul_buf_addf(&pasted->said, "culprit %s ", name);
  cul_shell_words_of((const char *const *)pasted->argv + 1, &pasted->said);
}

/* Find the input; returns the number of files that may be it. */
static int find_file(struct parts *parts, int argc, char **argv,
                     struct cul_buf *names) {
  int n = 0;
  for (int at = parts->tool + 1; at < argc; at++)
    if (may_be_input(argv, at) &&
        (n == 0 || strcmp(argv[at], argv[parts->file]) != 0)) {
      cul_buf_addf(names, "%s%s", n ? ", " : "", argv[at]);
      parts->file = at;
      n++;
    }
  return n;
}

int cul_pasted_read(struct cul_pasted *pasted, const struct cul_opt *table,
                    const char *name, int *argc, char ***argv,
                    struct cul_err *err) {
  struct parts parts;
  struct cul_buf names = {0};
  int n, rc = 0;
  *pasted = (struct cul_pasted){.separator = "--", .place = "@@", .env = "env"};
  if (!divide(table, *argc, *argv, &parts))
    return 0;
  n = find_file(&parts, *argc, *argv, &names);
  if (n > 0)
    make_line(pasted, &parts, name, *argc, *argv);
  if (n > 1)
    rc = cul_fail(err, CUL_EUSAGE, cul_buf_str(&pasted->said),
                  "%d words of the command name a file: %s; which one is the "
                  "input? For the last one:",
                  n, cul_buf_str(&names));
  else if (n == 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "name the input before \"--\": culprit reduce FILE -- CMD @@",
                  "no word of the command names a file that could be the "
                  "input");
  cul_buf_release(&names);
  if (rc < 0)
    return rc;
  for (*argc = 0; pasted->argv[*argc];)
    ++*argc;
  *argv = pasted->argv;
  return 0;
}

void cul_pasted_release(struct cul_pasted *pasted) {
  free(pasted->argv);
  cul_buf_release(&pasted->said);
}
