/* What a job ran and observed, as JSON: the parts common to all reports. */
#ifndef CUL_PROBE_TARGET_FINDINGS_H
#define CUL_PROBE_TARGET_FINDINGS_H

#include <jansson.h>

#include "target.h"

/* Each returns a new reference. */
json_t *cul_report_signature(const struct cul_signature *sig);
json_t *cul_report_tool(const struct cul_target *target);
json_t *cul_report_command(const struct cul_target *target);
/* The environment of the runs: each variable with its value as
 * cul_environment_shown gives it, the requested changes to the usual
 * environment, and the sandbox. */
json_t *cul_report_environment(const struct cul_environment_conf *conf,
                               const struct cul_environment *passed);
json_t *cul_report_runs(const struct cul_counts *counts);
/* Set the seconds (wall time, processor time of the tool and of culprit, idle
 * time) and peak_rss_bytes of a report. */
void cul_report_add_costs(json_t *report, const struct cul_counts *counts,
                          double wall_s);
/* Append one line for people that describes the preserved failure, with a
 * warning if it is a guess. */
void cul_report_preserved(const struct cul_target *target, struct cul_buf *out);
/* argv: NULL terminated, or NULL for none; as words (json_word.h). */
json_t *cul_report_argv(const char *const *argv);
/* Text as a JSON string; bytes that are not UTF-8 become question marks. */
json_t *cul_report_string(const char *text);
/* In hex; null for a zero digest. */
json_t *cul_report_digest(const struct cul_digest *digest);

/* As text with a final newline; caller frees. */
char *cul_report_text(const json_t *report);

#endif
