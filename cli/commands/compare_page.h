/* The result of `culprit compare` as an HTML document
 * (base/page/document.h). */
#ifndef CUL_CLI_COMMANDS_COMPARE_PAGE_H
#define CUL_CLI_COMMANDS_COMPARE_PAGE_H

#include <jansson.h>

#include "../../base/tensor/compare.h"
#include "../command.h"

struct cul_compared {
  const struct cul_command_line *line;
  const char *const *paths;          /* got, want */
  const json_t *report;              /* as for --json */
  const struct cul_outputs *outputs; /* in the order of the report's */
  const char *steps;                 /* lines about two traces; may be "" */
};

/* Append the document: every output; for the first that differ the distance,
 * the places (a map of each slice of the last two dimensions) and the values on
 * both sides; the files and the machine. */
void cul_compare_page(const struct cul_compared *compared, struct cul_buf *out);

#endif
