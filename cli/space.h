/* What the spaces of `bisect` and `matrix` have in common: a job over one input
 * that ends in one report. */
#ifndef CUL_CLI_SPACE_H
#define CUL_CLI_SPACE_H

#include <jansson.h>

#include "command.h"
#include "options.h"

struct cul_space_options {
  struct cul_target_options target;
  struct cul_strings axes;
  const char *json, *bundle;
  bool quiet;
};

/* Two tables: what to run and preserve stands at offset 0 of the struct; this
 * one is for the rest.  cul_axis_opts: --axis. */
extern const struct cul_opt cul_space_opts[], cul_axis_opts[];

/* How a space is typed. */
struct cul_space_form {
  const struct cul_opt *opts;
  const char *example; /* advice where there is no FILE */
};
/* Parse the line: options by opts into a struct whose first member options is
 * (initialised here), one FILE, the command.  conf: of that target.  Errors:
 * EUSAGE. */
CUL_MUST_CHECK int cul_space_parse(const struct cul_space_form *form,
                                   const struct cul_command_line *line,
                                   struct cul_space_options *options,
                                   struct cul_target_conf *conf,
                                   struct cul_err *err);
/* The job has ended with rc and report (taken; may be NULL): print it in
 * words, write it as JSON, release the lists of options.  Returns rc, or what
 * went wrong here. */
CUL_MUST_CHECK int
cul_space_finish(struct cul_space_options *options, json_t *report,
                 void (*say)(const json_t *report, struct cul_buf *out), int rc,
                 struct cul_err *err);

#endif
