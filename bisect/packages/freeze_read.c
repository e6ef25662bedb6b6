/* Reads lists of packages: see freeze.h. */
#include <ctype.h>
#include <stdlib.h>

#include "freeze.h"

static int fail_line(const char *file, size_t number, const char *line,
                     const char *advice, struct cul_err *err) {
  return cul_fail(err, CUL_EUSAGE, advice,
                  "%s line %zu: \"%.80s\" is no "
                  "package with its version",
                  file, number, line);
}

/* The statement of a line, without comments, hashes and continuation marks;
 * heap. */
static char *statement_of(const char *line, size_t len) {
  size_t n = 0;
  while (n < len && isspace((unsigned char)line[n]))
    n++;
  line += n;
  len -= n;
  for (n = 0; n < len; n++) {
    bool blank = n == 0 || isspace((unsigned char)line[n - 1]);
    if (line[n] == '\\' || (line[n] == '#' && blank) ||
        (blank && n + 6 <= len && memcmp(line + n, "--hash", 6) == 0))
      break;
  }
  while (n > 0 && isspace((unsigned char)line[n - 1]))
    n--;
  return cul_xstrndup(line, n);
}

/* The name of a package after PEP 503: lower case, with "-" between words;
 * heap.  *rest: the text after it. */
static char *name_of(const char *statement, const char **rest) {
  struct cul_buf name = {0};
  for (; *statement; statement++) {
    bool between = strchr("-_.", *statement) != NULL;
    if (!between && !isalnum((unsigned char)*statement))
      break;
    if (!between)
      cul_buf_addc(&name, (char)tolower((unsigned char)*statement));
    else if (name.len > 0 && name.data[name.len - 1] != '-')
      cul_buf_addc(&name, '-');
  }
  *rest = statement;
  return cul_buf_take(&name);
}

static bool names_version(const char *statement) {
  return strstr(statement, "==") || strstr(statement, " @ ");
}

static int add_line(const char *file, size_t number, char *statement,
                    struct cul_freeze_list *out, struct cul_err *err) {
  struct cul_freeze_entry entry = {.text = cul_xstrdup(statement)};
  entry.name = name_of(entry.text, &entry.rest);
  out->entries =
      cul_xreallocarray(out->entries, out->n + 1, sizeof *out->entries);
  out->entries[out->n++] = entry;
  if (strncmp(statement, "-e", 2) == 0 || strncmp(statement, "--e", 3) == 0)
    return fail_line(file, number, statement,
                     "an editable package has no version: write NAME @ URL, or "
                     "leave it out of both files and give --with",
                     err);
  if (statement[0] == '-')
    return fail_line(file, number, statement,
                     "leave it out, and give it to culprit: --index-url, "
                     "--find-links",
                     err);
  if (!*entry.name || !names_version(statement))
    return fail_line(file, number, statement,
                     "give what pip freeze prints: NAME==VERSION, one a line",
                     err);
  return 0;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cul_freeze_entry *)a)->name,
                ((const struct cul_freeze_entry *)b)->name);
}

int cul_freeze_read(const char *file, const char *text,
                    struct cul_freeze_list *out, struct cul_err *err) {
  size_t number = 0;
  int rc = 0;
  *out = (struct cul_freeze_list){0};
  while (*text && rc == 0) {
    size_t len = strcspn(text, "\n");
    char *statement = statement_of(text, len);
    number++;
    if (*statement)
      rc = add_line(file, number, statement, out, err);
    free(statement);
    text += len + (text[len] != '\0');
  }
  if (out->n)
    qsort(out->entries, out->n, sizeof *out->entries, by_name);
  for (size_t i = 0; i + 1 < out->n && rc == 0; i++)
    if (strcmp(out->entries[i].name, out->entries[i + 1].name) == 0)
      rc = cul_fail(err, CUL_EUSAGE, "leave one of them out",
                    "%s: %s appears twice", file, out->entries[i].name);
  return rc;
}

void cul_freeze_list_release(struct cul_freeze_list *list) {
  for (size_t i = 0; i < list->n; i++) {
    free(list->entries[i].name);
    free(list->entries[i].text);
  }
  free(list->entries);
  *list = (struct cul_freeze_list){0};
}
