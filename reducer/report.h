/* report.json and its parts: what a job did and found (DESIGN 8). */
#ifndef CUL_REDUCER_REPORT_H
#define CUL_REDUCER_REPORT_H

#include "reduce.h"

/* The whole report of a reduce job; caller owns a reference. */
json_t *cul_report_of(const struct cul_reduce *job);

/* Parts that `check` and `env` show as well; caller owns a reference. */
json_t *cul_report_signature(const struct cul_signature *sig);
json_t *cul_report_tool(const struct cul_target *target);
json_t *cul_report_command(const struct cul_target *target);

/* What the tool answers to --version, one line; NULL where it does not say
 * (or is a --script).  Caller frees. */
char *cul_tool_version(const struct cul_target *target);

/* As text with a final newline; caller frees. */
char *cul_report_text(const json_t *report);

#endif
