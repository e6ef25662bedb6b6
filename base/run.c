/* Records and argument templates: see run.h. */
#include "run.h"

#include <ctype.h>
#include <string.h>

void cul_record_release(struct cul_record *record) {
  cul_buf_release(&record->out);
  cul_buf_release(&record->err);
  cul_buf_release(&record->files);
  cul_buf_release(&record->outputs);
}

struct cul_bytes cul_record_why(const struct cul_record *record) {
  struct cul_bytes text = cul_buf_bytes(&record->err);
  const char *end;
  if (text.len && text.data[text.len - 1] == '\n')
    text.len--;
  end = text.len ? memrchr(text.data, '\n', text.len) : NULL;
  return end ? (struct cul_bytes){end + 1,
                                  text.len - (size_t)(end + 1 - text.data)}
             : text;
}

/* Length of "@{name}" at text, or 0. */
static size_t braced_length(const char *text) {
  size_t n = 2;
  if (text[0] != '@' || text[1] != '{')
    return 0;
  while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
    n++;
  return text[n] == '}' && n > 2 ? n + 1 : 0;
}

static const char *lookup(const struct cul_subst *subst, size_t n_subst,
                          const char *key, size_t len) {
  for (size_t i = 0; i < n_subst; i++)
    if (strlen(subst[i].key) == len && memcmp(subst[i].key, key, len) == 0)
      return subst[i].value;
  return NULL;
}

/* The length of the ".ext" after "@@" if the path already ends in it; else
 * 0. */
static size_t extension_length(const char *after, const char *path) {
  size_t n = 1;
  if (after[0] != '.')
    return 0;
  while (isalnum((unsigned char)after[n]))
    n++;
  return n > 1 && strlen(path) > n &&
                 memcmp(path + strlen(path) - n, after, n) == 0
             ? n
             : 0;
}

int cul_expand(const char *arg, const struct cul_subst *subst, size_t n_subst,
               struct cul_buf *out, struct cul_err *err) {
  cul_buf_add(out, "", 0);
  while (*arg) {
    size_t len = strncmp(arg, "@@", 2) == 0 ? 2 : braced_length(arg);
    const char *value;
    if (strncmp(arg, "@@@@", 4) == 0) {
      cul_buf_adds(out, "@@");
      arg += 4;
      continue;
    }
    if (!len) {
      cul_buf_addc(out, *arg++);
      continue;
    }
    value = lookup(subst, n_subst, arg, len);
    if (!value)
      return cul_fail(err, CUL_EUSAGE,
                      "known here: @@ for the candidate; a literal @@ is "
                      "written @@@@",
                      "unknown placeholder %.*s in argument \"%s\"", (int)len,
                      arg, arg);
    cul_buf_adds(out, value);
    arg += len;
    if (len == 2)
      arg += extension_length(arg, value);
  }
  return 0;
}

bool cul_has_placeholder(const char *const *argv) {
  for (; *argv; argv++)
    for (const char *at = *argv; (at = strstr(at, "@@")); at += 2) {
      if (strncmp(at, "@@@@", 4) != 0)
        return true;
      at += 2;
    }
  return false;
}
