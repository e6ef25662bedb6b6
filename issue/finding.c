/* The finding of a bisection, worded for an issue. */
#include <stdio.h>
#include <string.h>

#include "parts.h"

enum { MOST_NAMES = 10 };

/* Append "`a`, `b` and `c`". */
static void list(struct cul_page *page, const json_t *names) {
  size_t n = json_array_size(names), shown = n < MOST_NAMES ? n : MOST_NAMES;
  for (size_t i = 0; i < shown; i++) {
    const json_t *one = json_array_get(names, i);
    char number[24] = "";
    if (json_is_integer(one))
      snprintf(number, sizeof number, "%lld",
               (long long)json_integer_value(one));
    cul_page_words(page, "%s",
                   i == 0                   ? ""
                   : i + 1 < n || shown < n ? ", "
                                            : " and ");
    cul_issue_code(page, json_is_string(one) ? json_string_value(one) : number);
  }
  if (shown < n)
    cul_page_words(page, " and %zu more", n - shown);
}

/* Begin the fact "first bad version: `X`", or "one of ..." several. */
static void changed(struct cul_page *page, const char *name,
                    const json_t *answer) {
  const json_t *culprit = json_object_get(answer, "culprit");
  const json_t *suspects = json_object_get(answer, "suspects");
  cul_issue_fact(page, name);
  if (json_is_string(culprit)) {
    cul_issue_code(page, json_string_value(culprit));
  } else {
    cul_page_words(page, "one of ");
    list(page, suspects);
  }
}

static bool has_answer(const json_t *answer) {
  return json_is_string(json_object_get(answer, "culprit")) ||
         json_array_size(json_object_get(answer, "suspects")) > 0;
}

static bool tell_commit(const json_t *report, struct cul_page *page) {
  const json_t *inner = json_object_get(report, "inner");
  const char *title = cul_issue_text(report, "title");
  bool fixed = json_is_true(json_object_get(report, "find_fix"));
  if (!has_answer(report))
    return false;
  changed(page, fixed ? "First good commit" : "First bad commit", report);
  if (*title) {
    cul_page_words(page, ", ");
    cul_issue_code(page, title);
  }
  cul_page_end(page);
  if (has_answer(inner)) {
    changed(page, "In its submodule", inner);
    cul_page_end(page);
  }
  return true;
}

static bool tell_versions(const json_t *report, struct cul_page *page) {
  const json_t *changes = json_object_get(report, "changes"), *one;
  bool any = false;
  size_t i;
  json_array_foreach(changes, i, one) {
    const json_t *boundary = json_object_get(one, "boundary");
    const char *passes =
        cul_issue_text(json_object_get(boundary, "passes"), "version");
    if (!has_answer(one))
      continue;
    changed(page,
            json_is_true(json_object_get(one, "breaks")) ? "First bad version"
                                                         : "First good version",
            one);
    if (*passes && json_is_true(json_object_get(one, "breaks"))) {
      cul_page_words(page, "; it passes with ");
      cul_issue_code(page, passes);
    }
    cul_page_end(page);
    any = true;
  }
  return any;
}

static bool tell_pass(const json_t *report, struct cul_page *page) {
  const json_t *pass = json_object_get(report, "pass");
  const char *name = cul_issue_text(pass, "written");
  long long number = cul_issue_number(pass, "number");
  if (!*name)
    name = cul_issue_text(pass, "name");
  if (*name) {
    cul_issue_fact(page, "Pass");
    cul_issue_code(page, name);
    if (number > 0)
      cul_page_words(page, ", %lld of %lld of the pipeline", number,
                     cul_issue_number(pass, "of"));
    cul_page_end(page);
    return true;
  }
  if (json_array_size(json_object_get(report, "suspects")) == 0)
    return false;
  changed(page, "Pass", report);
  cul_page_end(page);
  return true;
}

static bool tell_flags(const json_t *report, struct cul_page *page) {
  const json_t *sets = json_object_get(report, "sets"), *set;
  long long of = cul_issue_number(report, "of");
  const char *things = strcmp(cul_issue_text(report, "kind"), "flags") == 0
                           ? "flag"
                           : "decision";
  size_t i;
  if (json_is_true(json_object_get(report, "always"))) {
    cul_issue_fact(page, "Options");
    cul_page_words(page, "it fails without any of them");
    cul_page_end(page);
    return true;
  }
  json_array_foreach(sets, i, set) {
    const json_t *flags = json_object_get(set, "flags");
    cul_issue_fact(page, i ? "Or it needs only" : "It needs only");
    list(page, flags);
    cul_page_words(page, " (%zu of %lld %s%s)", json_array_size(flags), of,
                   things, cul_s((uint64_t)of));
    cul_page_end(page);
  }
  if (json_array_size(sets) == 0 &&
      json_is_integer(json_object_get(report, "culprit"))) {
    cul_issue_fact(page, "It fails from");
    cul_page_words(page, "@{n} = %lld on ",
                   cul_issue_number(report, "culprit"));
    if (*cul_issue_text(report, "what"))
      cul_issue_code(page, cul_issue_text(report, "what"));
    cul_page_end(page);
    return true;
  }
  return json_array_size(sets) > 0;
}

/* Show "numpy==2.0 (before: numpy==1.26)". */
static bool tell_freeze(const json_t *report, struct cul_page *page) {
  const json_t *sets = json_object_get(report, "sets"), *set, *one;
  size_t i, k;
  json_array_foreach(sets, i, set) {
    cul_issue_fact(page, i ? "Or to blame" : "To blame");
    json_array_foreach(set, k, one) {
      const char *good = cul_issue_text(one, "good");
      const char *bad = cul_issue_text(one, "bad");
      cul_page_words(page, "%s", k ? ", and " : "");
      cul_issue_code(page, *bad ? bad : cul_issue_text(one, "name"));
      cul_page_words(page, *bad ? " (before: " : " is missing (before: ");
      if (*good)
        cul_issue_code(page, good);
      else
        cul_page_words(page, "not there");
      cul_page_words(page, ")");
    }
    cul_page_words(page, ", of %lld packages that differ",
                   cul_issue_number(report, "of"));
    cul_page_end(page);
  }
  return json_array_size(sets) > 0;
}

static bool tell_matrix(const json_t *report, struct cul_page *page) {
  const char *sentence =
      cul_issue_text(json_object_get(report, "blame"), "sentence");
  if (!*sentence)
    return false;
  cul_page_begin(page, CUL_PAGE_ITEM);
  cul_page_quoted(page, sentence);
  cul_page_end(page);
  return true;
}

bool cul_issue_finding(const json_t *report, struct cul_page *page) {
  static const struct {
    const char *job;
    bool (*tell)(const json_t *report, struct cul_page *page);
  } kinds[] = {{"commits", tell_commit},    {"versions", tell_versions},
               {"packages", tell_versions}, {"debs", tell_versions},
               {"images", tell_versions},   {"freeze", tell_freeze},
               {"passes", tell_pass},       {"flags", tell_flags},
               {"matrix", tell_matrix}};
  const char *job = cul_issue_text(report, "job");
  if (json_is_integer(json_object_get(report, "commits")))
    job = "commits";
  for (size_t i = 0; i < CUL_ARRAY_SIZE(kinds); i++)
    if (strcmp(job, kinds[i].job) == 0)
      return kinds[i].tell(report, page);
  return false;
}
