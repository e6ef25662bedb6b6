/* Options that more than one command takes: what to run, what to preserve. */
#ifndef CUL_CLI_OPTIONS_H
#define CUL_CLI_OPTIONS_H

#include "../probe/target.h"
#include "../reducer/forms.h"

struct cul_target_options {
  const char *reference, *control, *inputs;
  struct cul_tolerance_conf tolerance;
  bool mismatch, any_class;
  const char *match, *script, *contract, *signal, *plugin, *passes;
  const char *device, *ref_passes, *values;
  const char *form, *opt_tool, *cache, *repeat;
  int64_t exit_code, also, workers;
  bool any_crash, all_of, no_cache;
  double timeout;
};

/* The rows; stand in a command's table as a CUL_OPT_TABLE.  cul_form_opts: of
 * commands that print the input anew; offsets into the same struct. */
extern const struct cul_opt cul_target_opts[], cul_form_opts[];

/* Defaults; call before parsing. */
void cul_target_options_init(struct cul_target_options *options);

/* The configuration they mean.  argv: the command behind "--" (NULL
 * terminated).  Errors: EUSAGE. */
CUL_MUST_CHECK int
cul_target_options_apply(const struct cul_target_options *options,
                         const char *input, char *const *argv,
                         struct cul_target_conf *target,
                         struct cul_form_conf *form, struct cul_err *err);

/* Write report to path as JSON; "-" is standard output.  NULL: nothing. */
CUL_MUST_CHECK int cul_write_json(const char *path, const void *report,
                                  struct cul_err *err);

#endif
