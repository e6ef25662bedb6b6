/* Targets that are run by culprit's own program: see target.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/file.h"
#include "../runners/live.h"
#include "target.h"

/* The words that make culprit's own program run the pipeline on a file; a
 * candidate that a workshop holds is run by the same words there. */
int cul_target_find_engine(struct cul_target *target, struct cul_err *err) {
  const struct cul_target_conf *conf = target->conf;
  const char *const words[] = {"--run", "pipeline", "--passes", conf->passes,
                               conf->oracle.match ? "--print" : NULL};
  char *dir = cul_program_dir();
  char *program = cul_own_file(dir, "culprit-workshop-mlir", X_OK);
  char **argv;
  size_t n = 0;
  free(dir);
  if (conf->script || (conf->argv && conf->argv[0])) {
    free(program);
    return cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "--passes runs no command and no script");
  }
  if (!program)
    return cul_fail(err, CUL_EENV, "install culprit again: a part is missing",
                    "no program culprit-workshop-mlir");
  target->engine_program = program;
  target->engine_argv = argv = cul_xcalloc(8, sizeof *argv);
  argv[n++] = program;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words) && words[i]; i++)
    argv[n++] = (char *)words[i];
  argv[n] = (char *)"@@";
  target->command.argv = (const char *const *)argv;
  target->command.cwd = ".";
  target->command.delivery = CUL_BY_PLACEHOLDER;
  return 0;
}

int cul_target_check_engine(const struct cul_target *target,
                            struct cul_err *err) {
  const struct cul_record *record = &target->original.records[0];
  const char *text = cul_buf_str(&record->err);
  if (!target->engine_argv || record->end != CUL_EXITED ||
      record->status != CUL_ENGINE_USAGE)
    return 0;
  if (strncmp(text, "error: ", 7) == 0)
    text += 7;
  return cul_fail(err, CUL_EUSAGE,
                  "give what mlir-opt's --pass-pipeline takes, "
                  "builtin.module(...); mlir-opt --help lists passes",
                  "--passes: %.*s", (int)strcspn(text, "\n"), text);
}
