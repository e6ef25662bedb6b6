/* Lists the shared libraries of a program (its DT_NEEDED closure) with the
 * program's own loader and the command's environment: `LOADER --list PROGRAM`
 * (ld.so(8)). */
#include "closure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../runner.h"
#include "../trace/program.h"

/* Programs that execute other files, which only a tracer sees. */
static const char *const interpreters[] = {
    "bash", "dash",    "env", "java",    "lua",   "make", "ninja",
    "node", "perl",    "php", "ruby",    "sh",    "sudo", "tclsh",
    "time", "timeout", "zsh", "busybox", "xargs", "qemu", "valgrind"};

static bool is_interpreter(const char *program) {
  const char *name = cul_basename(program);
  if (strncmp(name, "python", 6) == 0)
    return true;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(interpreters); i++)
    if (strcmp(name, interpreters[i]) == 0)
      return true;
  return false;
}

/* Add the path in a line "\tlibx.so.1 => /lib/libx.so.1 (0x...)" or
 * "\t/lib/ld.so (0x...)". */
static void take_line(const char *line, size_t len, struct cul_buf *out) {
  const char *slash = memchr(line, '/', len);
  const char *end =
      slash ? memchr(slash, ' ', len - (size_t)(slash - line)) : NULL;
  if (!end)
    return;
  cul_buf_add(out, slash, (size_t)(end - slash));
  cul_buf_addc(out, '\n');
}

static bool run_loader(const struct cul_command *cmd, const char *loader,
                       const char *program, struct cul_record *record) {
  const char *const argv[] = {loader, "--list", program, NULL};
  const struct cul_command list = {.argv = argv,
                                   .cwd = "/",
                                   .environment = cmd->environment,
                                   .env = cmd->env};
  const struct cul_request request = {.cmd = &list, .wall_ms = 10000};
  const struct cul_artefact nothing = {.dir = "", .file = "", .live_fd = -1};
  struct cul_err err = {0};
  char tmp[] = "/tmp/culprit-list-XXXXXX";
  bool ok = mkdtemp(tmp) != NULL;
  ok = ok && cul_run_wait(cul_runner_find("process"), &nothing, &request, tmp,
                          NULL, record, &err) == 0;
  rmdir(tmp);
  return ok && record->end == CUL_EXITED && record->status == 0;
}

static bool list_libraries(const struct cul_command *cmd, const char *loader,
                           const char *program, struct cul_buf *out) {
  struct cul_record record = {0};
  bool ok = run_loader(cmd, loader, program, &record);
  const char *at = cul_buf_str(&record.out);
  while (ok && *at) {
    size_t len = strcspn(at, "\n");
    take_line(at, len, out);
    at += len + (at[len] == '\n');
  }
  cul_record_release(&record);
  return ok;
}

/* Add the file that an argument names, "--load-pass-plugin=FILE" or "FILE", if
 * the name contains a directory. */
static void list_argument(const char *arg, struct cul_buf *out) {
  const char *value = strchr(arg, '=');
  struct stat st;
  value = value ? value + 1 : arg;
  if (value[0] == '/' && !strstr(value, "@@") && stat(value, &st) == 0 &&
      S_ISREG(st.st_mode))
    cul_buf_addf(out, "%s\n", value);
}

const char *cul_closure_list(const struct cul_command *cmd, const char *program,
                             struct cul_buf *out) {
  struct cul_program head;
  cul_program_read(program, &head);
  if (head.kind == CUL_PROGRAM_SCRIPT || is_interpreter(program))
    return "it cannot be traced here, so the files that a script runs or loads "
           "are unknown";
  if (head.kind != CUL_PROGRAM_NATIVE)
    return "it cannot be traced here, and it is not a program of this machine";
  cul_buf_addf(out, "%s\n", program);
  if (head.interpreter[0]) {
    cul_buf_addf(out, "%s\n", head.interpreter);
    if (!list_libraries(cmd, head.interpreter, program, out))
      return "it cannot be traced here, and its loader does not list its "
             "libraries";
  }
  for (const char *const *arg = cmd->argv + 1; *arg; arg++)
    list_argument(*arg, out);
  return NULL;
}
