/* What a job ran and what it saw, as JSON: the parts that every report has.
 */
#ifndef CUL_PROBE_TARGET_FINDINGS_H
#define CUL_PROBE_TARGET_FINDINGS_H

#include <jansson.h>

#include "target.h"

/* Each returns a new reference. */
json_t *cul_report_signature(const struct cul_signature *sig);
json_t *cul_report_tool(const struct cul_target *target);
json_t *cul_report_command(const struct cul_target *target);
/* What the runs could see of the environment: each variable, its value as
 * cul_environment_shown has it, and what was asked for beside the usual, and
 * the sandbox. */
json_t *cul_report_environment(const struct cul_environment_conf *conf,
                               const struct cul_environment *passed);
json_t *cul_report_runs(const struct cul_counts *counts);
/* Set seconds (of the wall, of the tool's and our own processors, idle) and
 * peak_rss_bytes of a report. */
void cul_report_add_costs(json_t *report, const struct cul_counts *counts,
                          double wall_s);
/* What is preserved, one line for people, with a warning where that is a guess;
 * appended. */
void cul_report_preserved(const struct cul_target *target, struct cul_buf *out);
/* argv: NULL terminated, or NULL for none; as words (json_word.h). */
json_t *cul_report_argv(const char *const *argv);
/* Tools print what they like: what is not UTF-8 becomes question marks. */
json_t *cul_report_string(const char *text);
/* In hex; null where it is zero. */
json_t *cul_report_digest(const struct cul_digest *digest);

/* What the tool answers to --version, one line; NULL where it does not say
 * (or is a --script).  Caller frees. */
char *cul_tool_version(const struct cul_target *target);

/* As text with a final newline; caller frees. */
char *cul_report_text(const json_t *report);

#endif
