/* Facts about a failure, in both forms of the text: versions, findings, rates,
 * the passing neighbour, where the first wrong numbers are. */
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../probe/json_word.h"
#include "parts.h"

/* ---- facts ---- */

static void tell_tool(const json_t *report, struct cul_page *page) {
  const json_t *tool = json_object_get(report, "tool");
  const char *version = cul_issue_text(tool, "version");
  const char *versioned = cul_issue_text(tool, "versioned");
  char *name;
  if (!*version)
    return;
  name = cul_issue_tool(report);
  if (!*name) {
    free(name);
    name = cul_xstrdup(cul_basename(versioned));
  }
  cul_issue_fact(page, "Tool");
  if (*name)
    cul_issue_code(page, name);
  if (*versioned && strcmp(versioned, cul_issue_text(tool, "wrapped")) == 0 &&
      strncmp(cul_basename(versioned), name, strlen(name)) != 0) {
    cul_page_words(page, ", which runs ");
    cul_issue_code(page, cul_basename(versioned));
  }
  cul_page_words(page, "%s", *name ? ", " : "");
  cul_issue_code(page, version);
  free(name);
  cul_page_end(page);
}

static void tell_system(const json_t *report, struct cul_page *page) {
  const json_t *system = json_object_get(report, "system");
  static const char *const keys[] = {"os", "machine", "nvidia_driver",
                                     "amd_driver"};
  bool any = false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(keys); i++) {
    const char *text = cul_issue_text(system, keys[i]);
    if (!*text)
      continue;
    if (any)
      cul_page_words(page, ", ");
    else
      cul_issue_fact(page, "System");
    cul_issue_code(page, text);
    any = true;
  }
  if (any)
    cul_page_end(page);
}

static void add_names(const json_t *names, const char *fact,
                      struct cul_page *page) {
  for (size_t i = 0; i < json_array_size(names); i++) {
    char *name = cul_json_word_take(json_array_get(names, i));
    if (i)
      cul_page_words(page, ", ");
    else
      cul_issue_fact(page, fact);
    cul_issue_code(page, name ? name : "?");
    free(name);
  }
  if (json_array_size(names))
    cul_page_end(page);
}

/* Show the files in the command's directory that it read. */
static void tell_start(const json_t *report, struct cul_page *page) {
  add_names(json_object_get(json_object_get(report, "start"), "files"),
            "Needs, in the directory where it runs", page);
}

/* Show the files beside the scripts, and the variables whose values the bundle
 * does not have. */
static void tell_lacking(const json_t *report, struct cul_page *page) {
  const json_t *needs =
      json_object_get(json_object_get(report, "environment"), "needs");
  const json_t *one;
  size_t i;
  json_array_foreach(json_object_get(report, "beside"), i, one) add_names(
      json_object_get(one, "files"), "Needs, beside its script", page);
  add_names(json_object_get(needs, "withheld"),
            "Needs variables, whose values are not shown", page);
}

static void tell_reduced_pass(const json_t *report, struct cul_page *page) {
  const json_t *pass = json_object_get(report, "pass");
  const char *name = cul_issue_text(pass, "name");
  if (!*name || json_object_get(pass, "written"))
    return; /* a bisection of passes reports the pass as its finding */
  cul_issue_fact(page, "Pass");
  cul_issue_code(page, name);
  cul_page_end(page);
}

/* Show the command that runs the crash reproducer, if there is one. */
static void tell_reproducer(const json_t *report, struct cul_page *page) {
  json_t *argv = json_object_get(report, "reproducer");
  json_t *as_command = json_object();
  struct cul_buf text = {0};
  json_object_set(as_command, "command", argv);
  if (json_array_size(argv) > 0) {
    cul_issue_command(as_command, "reproducer.mlir", &text);
    cul_issue_fact(page, "Crash reproducer, in the bundle");
    cul_page_code(page, cul_buf_str(&text));
    cul_page_end(page);
  }
  cul_buf_release(&text);
  json_decref(as_command);
}

/* Show in how many runs the failure occurred. */
static void tell_rate(const json_t *report, struct cul_page *page) {
  const json_t *flake = json_object_get(report, "flake");
  long long fails = cul_issue_number(flake, "fails");
  long long runs = cul_issue_number(flake, "runs");
  const char *by = cul_issue_text(flake, "ended_by");
  bool flaky = json_is_true(json_object_get(flake, "flaky")) ||
               json_is_true(json_object_get(report, "flaky"));
  bool fresh = json_is_object(json_object_get(report, "final"));
  if (runs <= 0 && !*by)
    return;
  cul_issue_fact(page, "Seen");
  if (runs > 0)
    cul_page_words(page, "in %lld of %lld %srun%s%s", fails, runs,
                   fresh ? "fresh " : "", cul_s((uint64_t)runs),
                   flaky ? ": it is flaky" : "");
  else
    cul_page_words(page, "in the search; no fresh run confirmed it");
  if (*by) {
    cul_page_words(page, ", then ");
    cul_issue_code(page, by);
    cul_page_words(page, " was reached");
  }
  cul_page_end(page);
}

void cul_issue_neighbour(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *passing = json_object_get(issue->report, "passing");
  const char *when = cul_issue_text(passing, "when");
  const char *edit = cul_issue_text(passing, "edit");
  if (!*when && !*edit)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  if (*when) {
    cul_page_words(page, "It passes when ");
    cul_page_quoted(page, when);
    cul_page_words(page, ".");
  } else {
    cul_page_words(page, "The nearest text that passes is one edit away (");
    cul_issue_code(page, edit);
    cul_page_words(page, ").");
  }
  cul_page_end(page);
}

/* A place in a file, without the directories of the machine. */
void cul_issue_place(const char *text, struct cul_page *page) {
  const char *at = strstr(text, " at /");
  struct cul_buf out = {0};
  if (at)
    cul_buf_add(&out, text, (size_t)(at - text) + 4);
  text = at ? at + 4 : text;
  cul_buf_adds(&out, *text == '/' ? cul_basename(text) : text);
  cul_issue_code(page, cul_buf_str(&out));
  cul_buf_release(&out);
}

static void tell_divergence(const json_t *report, struct cul_page *page) {
  const json_t *divergence = json_object_get(report, "divergence");
  if (!json_is_true(json_object_get(divergence, "taken")))
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "The first wrong numbers of the input are in ");
  cul_issue_code(page, cul_issue_text(divergence, "operation"));
  cul_page_words(page, " at ");
  cul_issue_place(cul_issue_text(divergence, "location"), page);
  cul_page_words(page, ". The reduced case was extracted there.");
  cul_page_end(page);
}

static void tell_heap(const json_t *report, struct cul_page *page) {
  const json_t *heap = json_object_get(report, "heap");
  size_t n = json_array_size(json_object_get(heap, "layouts"));
  long long needs = cul_issue_number(heap, "needs");
  if (n == 0)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page,
                 "The tool reads memory out of bounds, so the failure depends "
                 "on what happens to be stored there. Candidates were also "
                 "judged under %zu fixed heap layout%s. ",
                 n, cul_s(n));
  if (needs)
    cul_page_words(page,
                   "The result fails only in such a heap (layout %lld), which "
                   "repro.sh sets up.",
                   needs);
  else
    cul_page_words(page, "The result fails in a plain run.");
  cul_page_end(page);
}

void cul_issue_known(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *report = issue->report;
  tell_tool(report, page);
  tell_system(report, page);
  tell_start(report, page);
  tell_lacking(report, page);
  (void)cul_issue_finding(report, page);
  for (size_t i = 0; i < issue->n_bisections; i++)
    (void)cul_issue_finding(issue->bisections[i], page);
  tell_reduced_pass(report, page);
  tell_rate(report, page);
  tell_reproducer(report, page);
}

void cul_issue_remarks(const struct cul_issue *issue, struct cul_page *page) {
  tell_divergence(issue->report, page);
  tell_heap(issue->report, page);
}

/* ---- inputs ---- */

void cul_issue_inputs(const json_t *report, struct cul_page *page) {
  const json_t *inputs = json_object_get(report, "inputs"), *one;
  const json_t *arguments = json_object_get(inputs, "arguments");
  const json_t *moves = json_object_get(inputs, "moves");
  size_t i;
  if (json_array_size(arguments) == 0)
    return;
  cul_page_fold(page, "Its inputs");
  json_array_foreach(arguments, i, one) {
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_issue_code(page, cul_issue_text(one, "words"));
    cul_page_end(page);
  }
  json_array_foreach(moves, i, one) {
    const char *suspect = cul_issue_text(one, "suspect");
    const char *reference = cul_issue_text(one, "reference");
    cul_page_begin(page, CUL_PAGE_ITEM);
    cul_page_words(page, "without ");
    cul_issue_code(page, cul_issue_text(one, "element"));
    cul_page_words(page, " change ");
    cul_issue_code(page, *suspect ? suspect : "none");
    cul_page_words(page, " in the command, and ");
    cul_issue_code(page, *reference ? reference : "none");
    cul_page_words(page, " in the reference");
    cul_page_end(page);
  }
  cul_page_unfold(page);
}
