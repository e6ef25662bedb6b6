/* The result of a bisection of packages, for people: see packages.h. */
#include <string.h>

#include "../../pipeline/shell_text.h"
#include "../report/fields.h"
#include "packages.h"

/* Print the day of "2025-06-12T10:00:00Z". */
static void say_day(const json_t *version, struct cul_buf *out) {
  const char *time = cul_field_text(version, "uploaded");
  cul_buf_addf(out, "%s ", cul_field_text(version, "version"));
  if (*time)
    cul_buf_addf(out, "on %.*s", (int)strcspn(time, "T"), time);
  else
    cul_buf_adds(out, "nobody says when");
}

static void say_uploads(const json_t *first, const json_t *before,
                        struct cul_buf *out) {
  cul_buf_adds(out, "uploaded:  ");
  if (!*cul_field_text(first, "uploaded") &&
      !*cul_field_text(before, "uploaded")) {
    cul_buf_adds(out, "the index does not say when\n");
    return;
  }
  say_day(first, out);
  cul_buf_adds(out, ", ");
  say_day(before, out);
  cul_buf_addc(out, '\n');
}

/* Print the command to continue with. */
static void say_next(const json_t *change, const char *first,
                     const char *before, struct cul_buf *out) {
  const char *repository =
      cul_field_text(json_object_get(change, "first"), "repository");
  bool breaks = json_is_true(json_object_get(change, "breaks"));
  cul_buf_adds(out, "next:      ");
  if (*repository) {
    cul_buf_adds(out, "git clone ");
    cul_shell_quote(repository, out);
    cul_buf_adds(out, " source && ");
  }
  cul_buf_adds(out, "culprit bisect commits --repo source ");
  cul_buf_addf(out,
               breaks ? "--good %s --bad %s" : "--find-fix --bad %s --good %s",
               before, first);
  cul_buf_adds(out, " --build 'CMD' -- CMD\n");
}

static void say_commits(const json_t *change, struct cul_buf *out) {
  const json_t *first = json_object_get(change, "first");
  const json_t *before = json_object_get(change, "before");
  const char *commit = cul_field_text(first, "commit");
  const char *other = cul_field_text(before, "commit");
  if (!*commit || !*other) {
    cul_buf_adds(out, "commits:   the packages do not name theirs\n");
    return;
  }
  cul_buf_addf(out, "commits:   %s is %s\n           %s is %s\n",
               cul_field_text(first, "version"), commit,
               cul_field_text(before, "version"), other);
  if (strcmp(commit, other) != 0)
    say_next(change, commit, other, out);
}

void cul_packages_say(const json_t *report, struct cul_buf *out) {
  const json_t *changes = json_object_get(report, "changes"), *change;
  size_t i;
  cul_versions_say(report, out);
  json_array_foreach(changes, i, change) {
    const json_t *first = json_object_get(change, "first");
    if (!json_is_object(first))
      continue;
    if (json_array_size(changes) > 1)
      cul_buf_addf(out, "%s:\n", cul_field_text(change, "package"));
    say_uploads(first, json_object_get(change, "before"), out);
    say_commits(change, out);
  }
}
