/* Reads the log of a build: see build_log.h. */
#include "build_log.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "../../base/buf.h"

/* Messages of tools when the machine fails, not the source. */
static const char *const troubles[] = {
    "No space left on device",
    "Disk quota exceeded",
    "Cannot allocate memory",
    "virtual memory exhausted",
    "Killed signal terminated program",
    "LLVM ERROR: out of memory",
    "fork: retry: Resource temporarily unavailable"};

/* Words in lines with an error of compilers, linkers, cmake, cargo, python,
 * shells. */
static const char *const errors[] = {"error:",
                                     "error[",
                                     "cmake error",
                                     "undefined reference to",
                                     "undefined symbol",
                                     "fatal:",
                                     "*** no rule to make target",
                                     "command not found",
                                     ": not found",
                                     "no such file or directory",
                                     "permission denied"};

bool cul_is_trouble(const char *text) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(troubles); i++)
    if (strstr(text, troubles[i]))
      return true;
  return false;
}

static bool holds(const char *line, size_t len, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= len; i++)
    if (strncasecmp(line + i, word, n) == 0)
      return true;
  return false;
}

static bool names_error(const char *line, size_t len) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(errors); i++)
    if (holds(line, len, errors[i]))
      return true;
  return false;
}

void cul_first_error(const char *text, char *out, size_t size) {
  const char *best = "";
  size_t best_len = 0, len;
  bool found = false;
  for (; *text && !found; text += len + (text[len] == '\n')) {
    const char *line = text;
    size_t n;
    n = len = strcspn(text, "\n");
    while (n > 0 && isspace((unsigned char)*line))
      line++, n--;
    while (n > 0 && isspace((unsigned char)line[n - 1]))
      n--;
    if (n == 0)
      continue;
    found = names_error(line, n);
    best = line;
    best_len = n;
  }
  snprintf(out, size, "%.*s", (int)best_len, best);
}
