/* A report of commits in Markdown, ready for an issue. */
#include "page.h"

#include <string.h>

#include "../../base/page/markup.h"
#include "../../base/visible.h"
#include "../report/fields.h"

const char cul_commits_patch_build[] =
    "patch -p1 -N -r - --no-backup-if-mismatch -i /PATH/TO/FIX.patch; BUILD";

static const json_t *field(const json_t *object, const char *key) {
  return json_object_get(object, key);
}

static void add_lines(const char *text, struct cul_buf *out) {
  cul_markdown_lines("", (struct cul_bytes){text, strlen(text)}, out);
  cul_buf_addc(out, '\n');
}

/* Append a field's text as words, or as code. */
static void add_words(const json_t *object, const char *key,
                      struct cul_buf *out) {
  cul_markdown_words(cul_field_text(object, key), out);
}

static void add_code(const json_t *object, const char *key,
                     struct cul_buf *out) {
  cul_markdown_code(cul_field_text(object, key), out);
}

/* "> TITLE, AUTHOR, DATE" in two lines. */
static void add_quoted(const json_t *commit, struct cul_buf *out) {
  cul_buf_adds(out, "> ");
  add_words(commit, "title", out);
  cul_buf_adds(out, "  \n> ");
  add_words(commit, "author", out);
  cul_buf_adds(out, ", ");
  add_words(commit, "date", out);
  cul_buf_adds(out, "\n\n");
}

static void add_runs(const json_t *runs, const char *who, struct cul_buf *out) {
  cul_buf_addf(out, "| %s | `%.12s` | %lld of %lld |\n", who,
               cul_field_text(runs, "commit"), cul_field_number(runs, "fails"),
               cul_field_number(runs, "runs"));
}

static void add_fix_up(const json_t *fix, struct cul_buf *out) {
  if (!json_is_object(fix))
    return;
  cul_buf_adds(out, "**Fix ");
  add_code(fix, "commit", out);
  cul_buf_adds(out, " first** (");
  add_words(fix, "title", out);
  cul_buf_adds(out, "): ");
  add_words(fix, "why", out);
  cul_buf_addf(out,
               "\n\nTested, it leaves at most %lld "
               "of the %lld. A patch that fixes it goes in by `--build '%s'`.",
               cul_field_number(fix, "left"), cul_field_number(fix, "suspects"),
               cul_commits_patch_build);
  if (cul_field_number(fix, "untried") > 0 &&
      !json_is_true(field(fix, "exhaust")))
    cul_buf_addf(out, " %lld of them were never tried: `--exhaust` does.",
                 cul_field_number(fix, "untried"));
  cul_buf_adds(out, "\n\n");
}

static void add_inner(const json_t *report, struct cul_buf *out) {
  const json_t *inner = field(report, "inner"), *one;
  const json_t *moved = field(report, "moved");
  size_t i;
  if (json_is_object(moved)) {
    cul_buf_adds(out, "It moves ");
    add_words(moved, "says", out);
    cul_buf_adds(out, ".\n\n");
  }
  if (!json_is_object(inner))
    return;
  cul_buf_adds(out, "Inside ");
  add_code(inner, "path", out);
  cul_buf_adds(out, " (");
  add_words(inner, "repo", out);
  cul_buf_addf(out, ") the culprit is **%s**",
               json_is_string(field(inner, "culprit"))
                   ? cul_field_text(inner, "culprit")
                   : "one of several");
  if (json_is_real(field(inner, "posterior")) &&
      !cul_field_certain(report, field(inner, "boundary")))
    cul_buf_addf(out, ", posterior %.4f",
                 json_real_value(field(inner, "posterior")));
  cul_buf_adds(out, ".\n\n");
  if (json_is_string(field(inner, "culprit"))) {
    add_quoted(inner, out);
    return;
  }
  json_array_foreach(field(inner, "suspects"), i, one)
      cul_buf_addf(out, "- `%s`\n", cul_field_string(one));
  cul_buf_addc(out, '\n');
  add_fix_up(field(inner, "fix"), out);
}

static void add_culprit(const json_t *report, struct cul_buf *out) {
  const json_t *boundary = field(report, "boundary"), *parent;
  size_t i;
  cul_buf_addf(out, "# %s %s commit: %.12s\n\n",
               json_is_true(field(report, "doubtful")) ? "Perhaps the first"
                                                       : "First",
               json_is_true(field(report, "find_fix")) ? "good" : "bad",
               cul_field_text(report, "culprit"));
  add_quoted(report, out);
  add_code(report, "culprit", out);
  cul_buf_adds(out, "\n\n");
  add_lines(cul_field_text(report, "diffstat"), out);
  add_inner(report, out);
  cul_buf_adds(out, "| verified | commit | fails |\n|---|---|---|\n");
  add_runs(field(boundary, "culprit"), "it", out);
  json_array_foreach(field(boundary, "parents"), i, parent)
      add_runs(parent, "parent", out);
  cul_buf_addc(out, '\n');
}

static void add_suspects(const json_t *report, struct cul_buf *out) {
  const json_t *one;
  size_t i;
  cul_buf_addf(out, "# One of %zu commits\n\nThey cannot be told apart:\n\n",
               json_array_size(field(report, "suspects")));
  json_array_foreach(field(report, "suspects"), i, one)
      cul_buf_addf(out, "- `%s`\n", cul_field_string(one));
  cul_buf_addc(out, '\n');
  add_fix_up(field(report, "fix"), out);
}

static void add_list(const json_t *list, const char *title,
                     struct cul_buf *out) {
  const json_t *one;
  size_t i;
  if (json_array_size(list) == 0)
    return;
  cul_buf_addf(out, "## %s\n\n", title);
  json_array_foreach(list, i, one) {
    cul_buf_adds(out, "- ");
    if (json_is_string(one)) {
      cul_markdown_words(json_string_value(one), out);
    } else {
      cul_buf_addf(out, "`%.12s`: ", cul_field_text(one, "commit"));
      add_words(one, "why", out);
    }
    cul_buf_addc(out, '\n');
  }
  cul_buf_addc(out, '\n');
}

static void add_missing(const json_t *missing, struct cul_buf *out) {
  const json_t *one;
  size_t i;
  if (json_array_size(missing) == 0)
    return;
  cul_buf_adds(out, "## Submodules that were left empty\n\n");
  json_array_foreach(missing, i, one) {
    cul_buf_adds(out, "- ");
    add_code(one, "path", out);
    cul_buf_adds(out, " (");
    cul_markdown_words(json_is_string(field(one, "url"))
                           ? cul_field_text(one, "url")
                           : "URL unknown",
                       out);
    cul_buf_addf(out, "): its commit %.12s was not on that machine\n",
                 cul_field_text(one, "commit"));
  }
  cul_buf_addc(out, '\n');
}

static void add_trials(const json_t *trials, struct cul_buf *out) {
  const json_t *one;
  size_t i;
  if (json_array_size(trials) == 0)
    return;
  cul_buf_adds(out, "## Trials\n\n| what | result | runs | seconds "
                    "|\n|---|---|---|---|\n");
  json_array_foreach(trials, i, one) {
    cul_buf_adds(out, "| ");
    add_words(one, "what", out);
    cul_buf_addf(out, " | %s%s", cul_field_text(one, "answer"),
                 *cul_field_text(one, "why") ? ": " : "");
    add_words(one, "why", out);
    cul_buf_addf(out, " | %lld | %.2f |\n", cul_field_number(one, "runs"),
                 json_real_value(field(one, "seconds")));
  }
  cul_buf_addc(out, '\n');
}

static void add_plot(const json_t *report, struct cul_buf *out) {
  const json_t *plot = field(report, "plot");
  struct cul_buf text = {0};
  cul_buf_addf(out, "## %s, oldest first\n\n",
               cul_field_certain(report, field(report, "boundary"))
                   ? "The range"
                   : "Posterior over the range");
  cul_buf_addf(&text, "%s\n%s\n", cul_field_text(plot, "bars"),
               cul_field_text(plot, "seen"));
  add_lines(cul_buf_str(&text), out);
  cul_buf_adds(out, "`F` fails, `.` passes, `~` both, `x` cannot be "
                    "tested\n\n");
  cul_buf_release(&text);
}

static void add_events(const json_t *report, struct cul_buf *out) {
  const json_t *one;
  size_t i;
  cul_buf_adds(out, "## Builds and runs\n\n| what | commit | result | seconds "
                    "|\n|---|---|---|---|\n");
  json_array_foreach(field(report, "events"), i, one) {
    bool build = strcmp(cul_field_text(one, "kind"), "build") == 0;
    const char *result = build
                             ? json_is_true(field(one, "ok")) ? "ok" : "failed"
                             : cul_field_text(one, "answer");
    cul_buf_addf(out, "| %s | `%.12s` | %s%s | %.2f |\n",
                 cul_field_text(one, "kind"), cul_field_text(one, "commit"),
                 result, json_is_true(field(one, "recalled")) ? " (known)" : "",
                 json_real_value(field(one, "seconds")));
  }
  cul_buf_addc(out, '\n');
}

void cul_commits_page(const json_t *report, struct cul_buf *out) {
  const json_t *builds = field(report, "builds");
  if (json_is_string(field(report, "culprit")))
    add_culprit(report, out);
  else
    add_suspects(report, out);
  cul_buf_adds(out, "- sought: ");
  add_words(report, "sought", out);
  if (json_is_real(field(report, "posterior")) &&
      !cul_field_certain(report, field(report, "boundary")))
    cul_buf_addf(out, "\n- posterior: %.4f",
                 json_real_value(field(report, "posterior")));
  cul_buf_addf(
      out,
      "\n- range: %lld commit%s\n- builds: "
      "%lld done, %lld failed, %lld cached; %lld run%s\n\n",
      cul_field_number(report, "commits"),
      cul_s((uint64_t)cul_field_number(report, "commits")),
      cul_field_number(builds, "done"), cul_field_number(builds, "failed"),
      cul_field_number(builds, "cached"), cul_field_number(report, "runs"),
      cul_s((uint64_t)cul_field_number(report, "runs")));
  add_list(field(report, "warnings"), "Warnings", out);
  add_list(field(report, "others"), "Commits that failed differently", out);
  add_list(field(report, "unchanged"), "Commits that change no binary", out);
  add_missing(field(report, "missing"), out);
  add_trials(field(report, "trials"), out);
  add_plot(report, out);
  add_events(report, out);
  cul_visible_make(out);
}
