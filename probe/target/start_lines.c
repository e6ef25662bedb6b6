/* See start_lines.h. */
#include "start_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../pipeline/shell_text.h"
#include "scripts.h"

/* Change to the directory where the command was started if the files that it
 * read are there, else stay; exit 2 if one of them is missing. */
static void add_files_beside(char *const *beside, const char *here,
                             struct cul_buf *out) {
  CUL_OWNED(cul_buf) names = {0};
  for (; *beside; beside++) {
    cul_buf_addc(&names, ' ');
    cul_shell_quote(*beside, &names);
  }
  cul_buf_adds(out, "# The command reads these files of the directory where it "
                    "was started.\nstart=");
  cul_shell_quote(here, out);
  cul_buf_addf(out,
               "\nfor file in%s; do\n  [ -e \"$start/$file\" ] || { start=.; "
               "break; }\ndone\ncd \"$start\" || exit 2\nfor file in%s; do\n"
               "  [ -e \"$file\" ] || {\n    echo \"cannot decide: $file is "
               "missing; the command reads it in the directory where it was "
               "started; run this script in a directory that contains "
               "it\" >&2\n"
               "    exit 2\n  }\ndone\n",
               cul_buf_str(&names), cul_buf_str(&names));
}

static void add_companions(char *const *files, const char *variable,
                           struct cul_buf *out) {
  if (*files) /* a link to a script looks beside the script */
    cul_buf_addf(out,
                 "beside=$(readlink -f -- \"$%s\")\nbeside=${beside%%/*}\n"
                 "for file in",
                 variable);
  for (char *const *file = files; *file; file++) {
    cul_buf_addc(out, ' ');
    cul_shell_quote(*file, out);
  }
  if (*files)
    cul_buf_addf(out,
                 "; do\n  [ -e \"$beside/$file\" ] || {\n    echo \"cannot "
                 "decide: $file is missing; the command read it in the "
                 "directory of $%s; put it into $beside\" >&2\n    exit 2\n"
                 "  }\ndone\n",
                 variable);
}

/* Say which files of the start directory the copy of a script lacks beside
 * itself: whether it looks for them there is not known. */
static void note_lacking(char *const *files, const char *variable,
                         const char *copy, struct cul_buf *out) {
  if (!*files)
    return;
  cul_buf_addf(out, "[ \"$%s\" != \"%s\" ] || for file in", variable, copy);
  for (; *files; files++) {
    cul_buf_addc(out, ' ');
    cul_shell_quote(*files, out);
  }
  cul_buf_addf(
      out,
      "; do\n  [ -e \"$here/$file\" ] || echo \"note: $%s runs in the "
      "place of the script of the command, and $file is not beside it; "
      "if the script looks beside itself, put it there\" >&2\ndone\n",
      variable);
}

/* Set script1, script2, ... for cul_shell_program: to the script itself if it
 * is where the command says, with the same content as the bundle's copy,
 * because it may look for files beside it; otherwise to that copy. */
static void add_scripts(const struct cul_target *target,
                        const char *const *const *commands,
                        char *const *scripts, struct cul_buf *out) {
  if (*scripts)
    cul_buf_adds(out, "# A script that is still in its place runs there: it "
                      "may use files beside it.\n");
  for (size_t i = 0; scripts[i]; i++) {
    char **files = cul_scripts_companions(target, commands, scripts[i], false);
    CUL_OWNED(cul_buf) copy = {0};
    char name[32];
    snprintf(name, sizeof name, "script%zu", i + 1);
    cul_buf_adds(&copy, "$here/script-");
    cul_shell_quote(cul_basename(scripts[i]), &copy);
    cul_buf_addf(out, "script%zu=", i + 1);
    cul_shell_quote(scripts[i], out);
    cul_buf_addf(out, "\ncmp -s -- \"$script%zu\" \"%s\" || script%zu=%s\n",
                 i + 1, cul_buf_str(&copy), i + 1, cul_buf_str(&copy));
    add_companions(files, name, out);
    cul_scripts_free(files);
    files = cul_scripts_companions(target, commands, scripts[i], true);
    note_lacking(files, name, cul_buf_str(&copy), out);
    cul_scripts_free(files);
  }
}

/* Set $interesting: to the script of --script itself if it looks beside itself
 * and is unchanged, otherwise to the bundle's copy. */
static void add_test(const struct cul_target *target, struct cul_buf *out) {
  const char *script = cul_scripts_test(target);
  char **files =
      script ? cul_scripts_companions(target, NULL, script, false) : NULL;
  CUL_HEAP char *real = files && *files ? realpath(script, NULL) : NULL;
  cul_buf_adds(out, "interesting=");
  if (real) {
    cul_shell_quote(real, out);
    cul_buf_adds(out, "\ncmp -s -- \"$interesting\" \"$here/interesting\" || "
                      "interesting=");
  }
  cul_buf_adds(out, "$here/interesting\n");
  if (real)
    add_companions(files, "interesting", out);
  if (files)
    cul_scripts_free(files);
}

/* Does the command name a file, or a program, relative to the directory in
 * which it was started?  copied: words that do not count. */
static bool names_nearby(const char *const *argv, char *const *copied) {
  for (size_t i = 0; argv && argv[i]; i++) {
    char *const *copy = copied;
    while (copy && *copy && strcmp(*copy, argv[i]) != 0)
      copy++;
    if (copy && *copy)
      continue;
    bool path = strchr(argv[i], '/') != NULL;
    if (strncmp(argv[i], "./", 2) == 0 || strstr(argv[i], " ./") ||
        strstr(argv[i], "../"))
      return true;
    if (argv[i][0] != '/' && (path || i > 0) && access(argv[i], F_OK) == 0)
      return true;
  }
  return false;
}

/* Do the commands name files of the directory where they were started? */
static bool is_nearby(const struct cul_target *target,
                      const char *const *const *commands, char *const *copied) {
  const struct cul_command *reference =
      target->probe.roles[CUL_ROLE_REFERENCE].cmd;
  bool found = false;
  for (size_t i = 0; commands && commands[i]; i++)
    found = found || names_nearby(commands[i], copied);
  if (commands)
    return found;
  return names_nearby(cul_target_command(target)->argv, copied) ||
         (reference && names_nearby(reference->argv, copied));
}

void cul_start_lines(const struct cul_target *target,
                     const char *const *const *commands, struct cul_buf *out) {
  if (!commands && target->script.contract) {
    add_test(target, out);
    return;
  }
  char **copied = cul_scripts_named(target, commands);
  char **beside = cul_scripts_beside(target, commands);
  bool nearby = is_nearby(target, commands, copied);
  CUL_HEAP char *here = nearby || *copied || *beside ? getcwd(NULL, 0) : NULL;
  if (here && *beside) {
    add_files_beside(beside, here, out);
  } else if (here) {
    cul_buf_adds(out, nearby
                          ? "# The command was started in this directory.\ncd "
                          : "# Its scripts are here, but may use files of the "
                            "directory in which they ran.\ncd ");
    cul_shell_quote(here, out);
    cul_buf_adds(out, nearby ? " || exit 2\n" : " 2>/dev/null\n");
  }
  if (here)
    add_scripts(target, commands, copied, out);
  cul_scripts_free(copied);
  cul_scripts_free(beside);
}
