/* Regular expressions of the user: see pattern.h. */
#include "pattern.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "regex.h"

/* Steps and memory of one search; seconds of processor time for all matches in
 * a text. */
enum { MOST_STEPS = 20 * 1000 * 1000, MOST_KIB = 64 << 10, MOST_SECONDS = 2 };

struct cul_pattern {
  pcre2_code *code;
  pcre2_match_context *limits;
};

static int bad_pattern(const char *option, const char *pattern, int number,
                       size_t offset, struct cul_err *err) {
  char message[160];
  pcre2_get_error_message(number, (PCRE2_UCHAR *)message, sizeof message);
  return cul_fail(err, CUL_EUSAGE,
                  "correct the expression there (Perl syntax); plain text is "
                  "written between \\Q and \\E",
                  "--%s '%s': %s at offset %zu, before '%.20s'", option,
                  pattern, message, offset, pattern + offset);
}

int cul_pattern_new(const char *option, const char *text,
                    struct cul_pattern **out, struct cul_err *err) {
  struct cul_pattern *pattern = cul_xcalloc(1, sizeof *pattern);
  size_t offset;
  int number;
  pattern->limits = pcre2_match_context_create(NULL);
  pattern->code = cul_regex_compile(text, &number, &offset);
  if (!pattern->limits)
    cul_no_memory(0);
  if (!pattern->code) {
    cul_pattern_free(pattern);
    return bad_pattern(option, text, number, offset, err);
  }
  pcre2_set_match_limit(pattern->limits, MOST_STEPS);
  pcre2_set_heap_limit(pattern->limits, MOST_KIB);
  *out = pattern;
  return 0;
}

void cul_pattern_free(struct cul_pattern *pattern) {
  if (!pattern)
    return;
  pcre2_code_free(pattern->code);
  pcre2_match_context_free(pattern->limits);
  free(pattern);
}

/* Match from `at` on. group 0: the match; 1: the first group, if it took part.
 * Returns the number of groups set, 0 without a match, or the error. */
static int match(const struct cul_pattern *pattern, struct cul_bytes text,
                 size_t at, size_t group[2][2]) {
  pcre2_match_data *data = pcre2_match_data_create(2, NULL);
  const PCRE2_SIZE *ends;
  int n;
  if (!data)
    cul_no_memory(0);
  n = pcre2_match(cul_regex_ready(pattern->code),
                  (PCRE2_SPTR)(text.len ? text.data : ""), text.len, at, 0,
                  data, pattern->limits);
  ends = pcre2_get_ovector_pointer(data);
  for (int i = 0; n >= 0 && i < 2; i++) {
    group[i][0] = ends[2 * (size_t)i];
    group[i][1] = ends[2 * (size_t)i + 1];
  }
  pcre2_match_data_free(data);
  if (n == PCRE2_ERROR_NOMATCH)
    return 0;
  if (n < 0)
    return CUL_PATTERN_TOO_MANY_STEPS;
  return n == 1 || group[1][0] == PCRE2_UNSET ? 1 : 2;
}

int cul_pattern_find(const struct cul_pattern *pattern, struct cul_bytes text,
                     struct cul_bytes *line) {
  size_t group[2][2];
  int n = match(pattern, text, 0, group);
  if (n > 0 && line) {
    size_t from = group[0][0], to = group[0][1];
    while (from > 0 && text.data[from - 1] != '\n')
      from--;
    while (to < text.len && text.data[to] != '\n')
      to++;
    *line = (struct cul_bytes){text.data + from, to - from};
  }
  return n > 0 ? 1 : n;
}

bool cul_pattern_number(const struct cul_pattern *pattern,
                        struct cul_bytes text, double *out) {
  size_t group[2][2], len;
  char number[64], *end;
  int n = match(pattern, text, 0, group);
  if (n <= 0)
    return false;
  len = group[n - 1][1] - group[n - 1][0];
  if (len >= sizeof number)
    return false;
  if (len)
    memcpy(number, text.data + group[n - 1][0], len);
  number[len] = '\0';
  *out = strtod(number, &end);
  return end != number && isfinite(*out);
}

static time_t processor_seconds(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec;
}

bool cul_pattern_replace(const struct cul_pattern *pattern,
                         struct cul_bytes text, const char *by,
                         struct cul_buf *out) {
  const char *bytes = text.data;
  size_t at = 0, group[2][2];
  /* By time: PCRE2 limits the steps of one match, not of all together. */
  time_t end = processor_seconds() + MOST_SECONDS;
  int n = 0;
  for (uint32_t i = 1;
       at < text.len && (n = match(pattern, text, at, group)) > 0; i++) {
    if (i % 16 == 0 && processor_seconds() > end) {
      n = CUL_PATTERN_TOO_MANY_STEPS;
      break;
    }
    size_t from = group[0][0], to = group[0][1];
    cul_buf_add(out, bytes + at, from - at);
    if (to > from)
      cul_buf_adds(out, by);
    at = to;
    if (to == from && at < text.len) /* an empty match: go on one byte later */
      cul_buf_addc(out, bytes[at++]);
  }
  if (at < text.len)
    cul_buf_add(out, bytes + at, text.len - at);
  return n >= 0;
}
