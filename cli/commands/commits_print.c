/* Bisected commits: see commits_print.h. */
#include "commits_print.h"

#include "../../base/visible.h"
#include "../../bisect/commits/commits.h"
#include "../../bisect/commits/page.h"
#include "../../bisect/report/fields.h"

static const char *text_at(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

static void print_runs(const json_t *runs, const char *who, FILE *out) {
  cul_say(out, "           %s %.12s fails %lld of %lld\n", who,
          text_at(runs, "commit"),
          (long long)json_integer_value(json_object_get(runs, "fails")),
          (long long)json_integer_value(json_object_get(runs, "runs")));
}

static void print_boundary(const json_t *boundary, FILE *out) {
  const json_t *parent;
  size_t i;
  cul_say(out, "verified:\n");
  print_runs(json_object_get(boundary, "culprit"), "it    ", out);
  json_array_foreach(json_object_get(boundary, "parents"), i, parent)
      print_runs(parent, "parent", out);
}

/* Print what to do to distinguish the suspects. */
static void print_fix_up(const json_t *fix, FILE *out) {
  long long untried = json_integer_value(json_object_get(fix, "untried"));
  if (!json_is_object(fix))
    return;
  cul_say(out,
          "fix:      first %s\n           %s\n           %s\n           "
          "tested, it leaves at most %lld of the %lld; to apply a patch that "
          "fixes it:\n           --build '%s'\n",
          text_at(fix, "commit"), text_at(fix, "title"), text_at(fix, "why"),
          (long long)json_integer_value(json_object_get(fix, "left")),
          (long long)json_integer_value(json_object_get(fix, "suspects")),
          cul_commits_patch_build);
  if (untried > 0 && !json_is_true(json_object_get(fix, "exhaust")))
    cul_say(out, "           %lld of them were never tried: --exhaust does\n",
            untried);
}

static void print_inner(const json_t *inner, FILE *out) {
  const json_t *id;
  size_t i;
  if (!json_is_object(inner))
    return;
  if (json_is_string(json_object_get(inner, "culprit"))) {
    cul_say(out, "inside %s: %s\n           %s\n           %s, %s\n",
            text_at(inner, "path"), text_at(inner, "culprit"),
            text_at(inner, "title"), text_at(inner, "author"),
            text_at(inner, "date"));
    return;
  }
  cul_say(out, "inside %s: one of\n", text_at(inner, "path"));
  json_array_foreach(json_object_get(inner, "suspects"), i, id)
      cul_say(out, "           %s\n", json_string_value(id));
  print_fix_up(json_object_get(inner, "fix"), out);
}

static void print_culprit(const json_t *report, FILE *out) {
  cul_say(
      out, "%s%s: %s\n           %s\n           %s, %s\n",
      json_is_true(json_object_get(report, "doubtful")) ? "perhaps the " : "",
      json_is_true(json_object_get(report, "find_fix")) ? "first good commit"
                                                        : "first bad commit",
      text_at(report, "culprit"), text_at(report, "title"),
      text_at(report, "author"), text_at(report, "date"));
  cul_say_text(out, text_at(report, "diffstat"));
  if (json_is_object(json_object_get(report, "moved")))
    cul_say(out, "moves:     %s\n",
            text_at(json_object_get(report, "moved"), "says"));
  print_inner(json_object_get(report, "inner"), out);
  print_boundary(json_object_get(report, "boundary"), out);
}

static void print_suspects(const json_t *report, FILE *out) {
  const json_t *suspects = json_object_get(report, "suspects"), *id;
  size_t i;
  size_t n = json_array_size(suspects), most = 20;
  cul_say(out, "it is one of %zu commits, which cannot be told apart:\n", n);
  json_array_foreach(suspects, i, id) if (i < most)
      cul_say(out, "           %s\n", json_string_value(id));
  if (n > most)
    cul_say(out, "           and %zu more (see --json)\n", n - most);
  print_fix_up(json_object_get(report, "fix"), out);
}

static void print_others(const json_t *others, FILE *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(others, i, one)
      cul_say(out, "%s%.12s %s\n",
              i ? "           " : "otherwise: ", text_at(one, "commit"),
              text_at(one, "why"));
}

static void print_missing(const json_t *missing, FILE *out) {
  const json_t *one;
  size_t i;
  json_array_foreach(missing, i, one)
      cul_say(out, "missing:   submodule %s was left empty (URL %s)\n",
              text_at(one, "path"),
              json_is_string(json_object_get(one, "url")) ? text_at(one, "url")
                                                          : "unknown");
}

void cul_commits_print(const json_t *report, FILE *out) {
  const json_t *builds = json_object_get(report, "builds"), *line;
  struct cul_buf text = {0};
  size_t i;
  if (json_is_string(json_object_get(report, "culprit")))
    print_culprit(report, out);
  else
    print_suspects(report, out);
  cul_field_posterior(report, report, &text);
  cul_say_text(out, cul_buf_str(&text));
  cul_buf_release(&text);
  cul_say(out, "range:     %s\n           %s\n",
          text_at(json_object_get(report, "plot"), "bars"),
          text_at(json_object_get(report, "plot"), "seen"));
  cul_say(out, "builds:    %lld done, %lld failed, %lld cached; %lld run%s\n",
          (long long)json_integer_value(json_object_get(builds, "done")),
          (long long)json_integer_value(json_object_get(builds, "failed")),
          (long long)json_integer_value(json_object_get(builds, "cached")),
          (long long)json_integer_value(json_object_get(report, "runs")),
          cul_s((uint64_t)json_integer_value(json_object_get(report, "runs"))));
  print_missing(json_object_get(report, "missing"), out);
  json_array_foreach(json_object_get(report, "warnings"), i, line)
      cul_say(out, "warning:   %s\n", json_string_value(line));
  if (json_array_size(json_object_get(report, "unchanged")))
    cul_say(out,
            "unchanged: %zu of the commits built %s no binary: never "
            "named\n",
            json_array_size(json_object_get(report, "unchanged")),
            json_array_size(json_object_get(report, "unchanged")) == 1
                ? "changes"
                : "change");
  if (json_is_true(json_object_get(report, "flaky")))
    cul_say(out, "flaky:     equal runs ended differently\n");
  if (json_array_size(json_object_get(report, "others")))
    print_others(json_object_get(report, "others"), out);
}
