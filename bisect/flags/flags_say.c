/* The result of a bisection of flags, for people: see flags.h. */
#include <string.h>

#include "../../probe/json_word.h"
#include "../report/fields.h"
#include "flags.h"

static void say_command(const json_t *argv, struct cul_buf *out) {
  cul_buf_adds(out, "command:   ");
  cul_json_words_quote(argv, out);
  cul_buf_addc(out, '\n');
}

static void say_runs(const json_t *boundary, const char *side,
                     struct cul_buf *out) {
  const json_t *runs = json_object_get(boundary, side);
  cul_buf_addf(out, "           @{n} = %lld fails %lld of %lld\n",
               cul_field_number(runs, "n"), cul_field_number(runs, "fails"),
               cul_field_number(runs, "runs"));
}

static void say_limit(const json_t *report, struct cul_buf *out) {
  const json_t *boundary = json_object_get(report, "boundary");
  const json_t *suspects = json_object_get(report, "suspects");
  const char *what = cul_field_text(report, "what");
  if (!json_is_object(boundary)) {
    cul_buf_addf(out, "limit:     one of %lld to %lld, which %s\n",
                 (long long)json_integer_value(json_array_get(suspects, 0)),
                 (long long)json_integer_value(
                     json_array_get(suspects, json_array_size(suspects) - 1)),
                 cul_field_untold(report));
    return;
  }
  cul_buf_addf(out, "limit:     it fails from @{n} = %lld on\n",
               cul_field_number(report, "culprit"));
  if (*what)
    cul_buf_addf(out, "which is:  %s\n", what);
  cul_buf_adds(out, "verified:\n");
  say_runs(boundary, "fails", out);
  say_runs(boundary, "passes", out);
  cul_field_posterior(report, report, out);
  say_command(json_object_get(report, "command_alone"), out);
}

/* The noun for the counted parts. */
static const char *things(const json_t *report) {
  bool one = cul_field_number(report, "of") == 1;
  if (strcmp(cul_field_text(report, "kind"), "flags") == 0)
    return one ? "flag" : "flags";
  return one ? "decision" : "decisions";
}

/* If the search was cut short: a set that was seen to be enough. */
static void say_enough(const json_t *report, struct cul_buf *out) {
  const json_t *enough = json_object_get(report, "enough");
  size_t n = json_array_size(json_object_get(enough, "flags"));
  if (!enough)
    return;
  if (n == 0) {
    cul_buf_adds(out, "needed:    some were not looked for\n");
    return;
  }
  cul_buf_addf(out, "needed:    some of %zu of %lld %s, which were enough\n", n,
               cul_field_number(report, "of"), things(report));
  say_command(json_object_get(enough, "command"), out);
}

/* "--a, --b and --c" */
static void say_flags(const json_t *flags, struct cul_buf *out) {
  size_t n = json_array_size(flags);
  for (size_t i = 0; i < n; i++)
    cul_buf_addf(out, "%s%s",
                 i == 0      ? ""
                 : i + 1 < n ? ", "
                             : " and ",
                 cul_field_string(json_array_get(flags, i)));
}

/* "needs only --a and --b (2 of 8 flags)" */
static void say_only(const json_t *report, const json_t *flags,
                     struct cul_buf *out) {
  bool sure = json_array_size(json_object_get(report, "unjudged")) == 0;
  cul_buf_addf(out, "needs %s ", sure ? "only" : "at most");
  say_flags(flags, out);
  cul_buf_addf(out, " (%zu of %lld %s)\n", json_array_size(flags),
               cul_field_number(report, "of"), things(report));
}

static void say_sets(const json_t *report, struct cul_buf *out) {
  const json_t *sets = json_object_get(report, "sets");
  size_t n = json_array_size(sets);
  say_enough(report, out);
  if (n == 0)
    return;
  if (n == 1)
    say_only(report, json_object_get(json_array_get(sets, 0), "flags"), out);
  else
    cul_buf_addf(out,
                 "needed:    any one of several sets of %lld %s; enough alone, "
                 "and not without any one of them\n",
                 cul_field_number(report, "of"), things(report));
  for (size_t i = 0; i < n; i++) {
    const json_t *set = json_array_get(sets, i);
    const json_t *flags = json_object_get(set, "flags");
    for (size_t k = 0; n > 1 && k < json_array_size(flags); k++)
      cul_buf_addf(out, "%s%s\n", k ? "           " : "flags:     ",
                   cul_field_string(json_array_get(flags, k)));
    say_command(json_object_get(set, "command"), out);
  }
  if (json_is_true(json_object_get(report, "more")))
    cul_buf_adds(out, "more:      without all of these it still fails "
                      "(--most N)\n");
  if (json_is_true(json_object_get(report, "crooked")))
    cul_buf_adds(out,
                 "note:      with more of them on it does not always fail; "
                 "there may be other sets\n");
  if (json_array_size(json_object_get(report, "unjudged"))) {
    cul_buf_adds(out, "note:      it is not known whether it needs ");
    say_flags(json_object_get(report, "unjudged"), out);
    cul_buf_addf(out,
                 ": without %s, the sandbox refused a write to %s; --writable "
                 "PATH allows that file or directory\n",
                 json_array_size(json_object_get(report, "unjudged")) == 1
                     ? "it"
                     : "any of them",
                 cul_field_text(report, "refused_first"));
  }
}

void cul_flags_say(const json_t *report, struct cul_buf *out) {
  cul_field_sought(report, cul_field_text(report, "sought"), out);
  if (json_is_true(json_object_get(report, "always")))
    cul_buf_adds(out, "needed:    nothing: it fails without any of them\n");
  else if (json_is_array(json_object_get(report, "sets")))
    say_sets(report, out);
  else
    say_limit(report, out);
  cul_field_runs(report, out);
}
