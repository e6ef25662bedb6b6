/* Reads the output of pip and pages of an index: see pip_private.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "pep440.h"
#include "pip_private.h"

/* ---- versions ---- */

static void add(char ***items, size_t *n, char *text) {
  *items = cul_xreallocarray(*items, *n + 1, sizeof **items);
  (*items)[(*n)++] = text;
}

/* Append the words of a list "a, b, c" that are versions. */
static void read_versions(const char *line, struct cul_pip_versions *out) {
  while (*line) {
    size_t n = strcspn(line, ", \r\n");
    struct cul_pep440 parsed;
    char *one = cul_xstrndup(line, n);
    if (n > 0 && cul_pep440_parse(one, &parsed))
      add(&out->items, &out->n, one);
    else
      free(one);
    line += n + (line[n] != '\0');
  }
}

static void read_page(const char *at, struct cul_pip_versions *out) {
  char *page = cul_xstrndup(at, strcspn(at, " \r\n"));
  for (size_t i = 0; i < out->n_pages; i++)
    if (strcmp(out->pages[i], page) == 0) {
      free(page);
      return;
    }
  add(&out->pages, &out->n_pages, page);
}

static int by_order(const void *a, const void *b) {
  struct cul_pep440 one, other;
  bool known = cul_pep440_parse(*(char *const *)a, &one) &&
               cul_pep440_parse(*(char *const *)b, &other);
  return known ? cul_pep440_compare(&one, &other) : 0;
}

void cul_pip_read_listing(const char *said, struct cul_pip_versions *out) {
  static const char versions[] = "Available versions: ";
  static const char page[] = "Fetching project page and analyzing links: ";
  while (*said) {
    size_t n = strcspn(said, "\n");
    char *line = cul_xstrndup(said, n);
    const char *at = line + strspn(line, " ");
    if (strncmp(at, versions, sizeof versions - 1) == 0)
      read_versions(at + sizeof versions - 1, out);
    else if (strncmp(at, page, sizeof page - 1) == 0)
      read_page(at + sizeof page - 1, out);
    free(line);
    said += n + (said[n] != '\0');
  }
  if (out->n)
    qsort(out->items, out->n, sizeof *out->items, by_order);
}

static void free_all(char **items, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(items[i]);
  free(items);
}

void cul_pip_versions_release(struct cul_pip_versions *versions) {
  free_all(versions->items, versions->n);
  free_all(versions->pages, versions->n_pages);
  *versions = (struct cul_pip_versions){0};
}

/* ---- times ---- */

/* Is the file, "name-1.2-py3-none-any.whl" or "name-1.2.tar.gz", of this
 * version? */
static bool is_of(const char *file, const struct cul_pep440 *version) {
  static const char *const endings[] = {".tar.gz", ".zip", ".tar.bz2", NULL};
  const char *from = NULL;
  struct cul_pep440 parsed;
  char *text;
  size_t n = 0;
  bool same;
  if (cul_text_ends(file, ".whl")) {
    from = strchr(file, '-');
    n = from ? strcspn(from + 1, "-") : 0;
  } else {
    from = strrchr(file, '-');
    for (const char *const *e = endings; from && *e && n == 0; e++)
      if (cul_text_ends(file, *e))
        n = strlen(from + 1) - strlen(*e);
  }
  if (!from)
    return false;
  text = cul_xstrndup(from + 1, n);
  same = cul_pep440_parse(text, &parsed) &&
         cul_pep440_compare(&parsed, version) == 0;
  free(text);
  return same;
}

char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version) {
  json_t *root = json_loads(page, 0, NULL), *file;
  const json_t *files = json_object_get(root, "files");
  const char *first = NULL;
  char *out;
  size_t i;
  json_array_foreach(files, i, file) {
    const char *name = json_string_value(json_object_get(file, "filename"));
    const char *time = json_string_value(json_object_get(file, "upload-time"));
    if (name && time && is_of(name, version) &&
        (!first || strcmp(time, first) < 0))
      first = time;
  }
  out = first ? cul_xstrdup(first) : NULL;
  json_decref(root);
  return out;
}
