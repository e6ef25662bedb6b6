/* culprit worker: become the program that makes runs for another machine's
 * culprit (runners/remote/worker.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../command.h"

static const struct cul_opt opts[] = {{.name = NULL}};

/* Its own program: static, so that it is what --on sends. */
static int run(const struct cul_command_line *line, struct cul_err *err) {
  char *dir = cul_program_dir();
  char *program = cul_own_file(dir, "culprit-worker", X_OK);
  char name[] = "culprit-worker", *argv[] = {name, NULL};
  int rc;
  if (line->argc > 1)
    rc = cul_fail(err, CUL_EUSAGE, "culprit worker",
                  "culprit worker has no operands: \"%s\"", line->argv[1]);
  else if (isatty(STDIN_FILENO))
    rc =
        cul_fail(err, CUL_EUSAGE,
                 "culprit check FILE --on 'ssh HOST' -- CMD @@ starts it there",
                 "culprit worker communicates with another culprit over "
                 "standard input and output, not with a terminal");
  else if (!program)
    rc = cul_fail(err, CUL_EENV, "install culprit again",
                  "the program culprit-worker is missing");
  else
    rc = cul_fail(err, CUL_EENV, "install culprit again", "cannot start %s: %s",
                  program, execv(program, argv) < 0 ? strerror(errno) : "");
  free(program);
  free(dir);
  return rc;
}

const struct cul_cli_command cul_cli_worker = {
    .name = "worker",
    .group = "Results",
    .usage = "",
    .summary =
        "make runs for culprit on another machine, which starts this program "
        "with --on and communicates with it over standard input and output",
    .examples = {{"culprit check x --on 'ssh gpu07' ...",
                  "send the worker to gpu07 and run the command there"},
                 {"culprit reduce m.mlir --on '4*ssh gpu07' -- mlir-opt @@",
                  "start four workers there"},
                 {"culprit check m.mlir --on 'docker run -i --rm IMAGE' -- "
                  "mlir-opt @@",
                  "run the command in a container"}},
    .opts = opts,
    .run = run};
