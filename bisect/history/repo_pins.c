/* Files that name a commit of another repository: see cul_pin_replace. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "repo_private.h"

static bool read_id(const char *text, size_t len, struct cul_commit_id *out) {
  char hex[CUL_COMMIT_HEX];
  git_oid oid;
  if (len != CUL_COMMIT_HEX - 1)
    return false;
  memcpy(hex, text, len);
  hex[len] = '\0';
  if (git_oid_fromstr(&oid, hex) < 0)
    return false;
  memcpy(out->raw, oid.id, sizeof out->raw);
  return true;
}

static int compile(const char *pattern, regex_t *out, struct cul_err *err) {
  char why[128];
  int code = regcomp(out, pattern, REG_EXTENDED | REG_NEWLINE);
  if (code == 0)
    return 0;
  regerror(code, out, why, sizeof why);
  return cul_fail(err, CUL_EUSAGE, "give an extended regular expression",
                  "--pin: \"%s\" is not a pattern: %s", pattern, why);
}

int cul_pin_replace(const char *pattern, const char *text, size_t len,
                    const struct cul_commit_id *id, struct cul_buf *out,
                    struct cul_commit_id *found, struct cul_err *err) {
  regex_t regex;
  regmatch_t at[2] = {{-1, -1}, {-1, -1}};
  struct cul_commit_id stood;
  char hex[CUL_COMMIT_HEX], *copy;
  int rc = compile(pattern, &regex, err);
  if (rc < 0)
    return rc;
  copy = cul_xstrndup(text, len);
  if (regexec(&regex, copy, 2, at, 0) != 0 || at[1].rm_so < 0 ||
      !read_id(text + at[1].rm_so, (size_t)(at[1].rm_eo - at[1].rm_so),
               &stood)) {
    rc = cul_fail(err, CUL_EUSAGE,
                  "its first group is the commit, all 40 digits: "
                  "llvm.txt:commit=([0-9a-f]{40})",
                  "--pin: \"%s\" finds no commit in the file", pattern);
  } else {
    if (found)
      *found = stood;
    if (out) {
      cul_buf_add(out, text, (size_t)at[1].rm_so);
      cul_buf_addf(out, "%s", cul_commit_hex(id, hex));
      cul_buf_add(out, text + at[1].rm_eo, len - (size_t)at[1].rm_eo);
    }
  }
  free(copy);
  regfree(&regex);
  return rc;
}
