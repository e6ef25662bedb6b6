/* Shared by the spaces of `bisect` and `matrix`: a job over one input that ends
 * with one report. */
#ifndef CUL_CLI_SPACE_H
#define CUL_CLI_SPACE_H

#include <jansson.h>

#include "../probe/outdir.h"
#include "command.h"
#include "options.h"

struct cul_space_options {
  struct cul_target_options target;
  struct cul_strings axes, versions;
  const char *json, *bundle;
  char *own_bundle;          /* its name, if no option gives it; heap */
  struct cul_outdir *outdir; /* in the bundle, open; or NULL */
  bool quiet;
};

/* cul_space_opts: the options other than those of target, which is at offset 0
 * of the struct.  cul_axis_opts: --axis and --versions, for
 * cul_installed_find. */
extern const struct cul_opt cul_space_opts[], cul_axis_opts[];

/* The command line of a space. */
struct cul_space_form {
  const struct cul_opt *opts;
  const char *example; /* advice if FILE is missing */
  /* Checks the options before the job waits for anything; or NULL.  Errors:
   * EUSAGE. */
  int (*check)(const void *options, struct cul_err *err);
  /* Writes the IR before and after a pass, and a bundle by default. */
  bool passes;
};
/* Parse the line: one FILE, the command, and options by form->opts into a
 * struct whose first member is *options (initialised here).  conf: set for that
 * target.  Errors: EUSAGE. */
CUL_MUST_CHECK int cul_space_parse(const struct cul_space_form *form,
                                   const struct cul_command_line *line,
                                   struct cul_space_options *options,
                                   struct cul_target_conf *conf,
                                   struct cul_err *err);
/* Finish a job that ended with rc and report (taken over; may be NULL): print
 * the report in words, write it as JSON, release the lists of options.  Returns
 * rc, or the error of this function. */
CUL_MUST_CHECK int
cul_space_finish(struct cul_space_options *options, json_t *report,
                 void (*say)(const json_t *report, struct cul_buf *out), int rc,
                 struct cul_err *err);

#endif
