/* The title of an issue text: the component, the failure, the operation. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../oracles/oracle.h"
#include "../pipeline/shell_text.h"
#include "parts.h"

enum { MOST_MESSAGE = 120, MOST_COMMAND = 60 };

/* The words for a kind of failure. */
struct phrase {
  const char *kind;
  const char *does;  /* after the tool */
  const char *alone; /* without a tool */
  bool told;         /* the message follows */
};

static const struct phrase phrases[] = {
    {"signal", " crashes", "Crash", false},
    {"assertion", " fails an assertion: ", "Failed assertion: ", true},
    {"LLVM ERROR", ": LLVM ERROR: ", "LLVM ERROR: ", true},
    {"unreachable",
     " reaches unreachable code: ", "Unreachable code is reached: ", true},
    {"verifier error", ": verifier error: ", "Verifier error: ", true},
    {"diagnostic", ": error: ", "Error: ", true},
    {"sanitizer report", ": sanitizer report: ", "Sanitizer report: ", true},
    {"uncaught exception", ": ", "", true},
    {"fatal error", ": fatal error: ", "Fatal error: ", true},
    {"device error", ": device error: ", "Device error: ", true},
    {"timeout", " does not end", "A run does not end", false},
    {"exit status", " fails with exit status", "Exit status", false},
    {"out of memory", " runs out of memory", "Out of memory", false},
    {"mismatch", " computes wrong numbers: ", "Wrong numbers: ", true},
    {"nondeterminism", " prints different output from run to run",
     "The output differs from run to run", false},
    {"slower", " takes too long", "A run takes too long", false},
    {"more memory", " takes too much memory", "A run takes too much memory",
     false}};

static const struct phrase *phrase_of(const json_t *signature) {
  const char *kind = cul_issue_text(signature, "kind");
  for (size_t i = 0; i < CUL_ARRAY_SIZE(phrases); i++)
    if (strcmp(phrases[i].kind, kind) == 0)
      return &phrases[i];
  return NULL;
}

static const char *message_of(const json_t *signature) {
  const char *message = cul_issue_text(signature, "message");
  const char *numbers = cul_issue_numbers(signature), *got;
  if (*numbers)
    return (got = strstr(numbers, "got ")) ? got : numbers;
  return *message ? message : cul_issue_text(signature, "title");
}

bool cul_issue_title_tells(const json_t *signature) {
  const struct phrase *phrase = phrase_of(signature);
  return phrase && phrase->told && !*cul_issue_numbers(signature) &&
         strlen(message_of(signature)) <= MOST_MESSAGE;
}

/* ---- the operation ---- */

/* Operations that occur in every module do not identify the failure. */
static bool is_frame(const char *op) {
  static const char *const names[] = {"module", "func", "return"};
  const char *dot = strchr(op, '.');
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names); i++)
    if (dot && strcmp(dot + 1, names[i]) == 0)
      return true;
  return !dot;
}

/* Does the text name the operation? */
static bool is_named(const char *when, const char *op) {
  size_t n = strlen(op);
  for (const char *at = when; (at = strstr(at, op)); at += n)
    if ((at == when || !isalnum((unsigned char)at[-1])) &&
        !isalnum((unsigned char)at[n]) && at[n] != '_' && at[n] != '.')
      return true;
  return false;
}

/* The operation on which it fails: the only kind left in the case, or the only
 * one that the nearest passing text mentions. NULL: unknown. */
static const char *operation_of(const json_t *report) {
  const json_t *origins = json_object_get(report, "origins"), *one;
  const char *when = cul_issue_text(json_object_get(report, "passing"), "when");
  const char *only = NULL, *told = NULL;
  bool many = false, many_told = false;
  size_t i;
  json_array_foreach(origins, i, one) {
    const char *op = cul_issue_text(one, "operation");
    if (is_frame(op))
      continue;
    many = many || (only && strcmp(only, op) != 0);
    only = op;
    if (!is_named(when, op))
      continue;
    many_told = many_told || (told && strcmp(told, op) != 0);
    told = op;
  }
  if (!many || (told && !many_told))
    return many ? told : only;
  /* where an extraction saw the numbers become wrong */
  only = cul_issue_text(json_object_get(report, "divergence"), "operation");
  return *only && !many_told ? only : NULL;
}

/* ---- the component ---- */

static bool is_part_of_name(char c) {
  return isalnum((unsigned char)c) || strchr("_.$-", c);
}

/* Is it the dialect of an operation in the case?  Then "name." begins a word
 * there. */
static bool is_dialect(const struct cul_issue *issue, const char *name,
                       size_t n) {
  const char *at = issue->repro.data, *end = at + issue->repro.len;
  while (n && at && (at = memmem(at, (size_t)(end - at), name, n))) {
    if ((at == issue->repro.data || !is_part_of_name(at[-1])) && at + n < end &&
        at[n] == '.')
      return true;
    at++;
  }
  return false;
}

/* The dialect of the innermost relevant function that has one, as in
 * "mlir::vector::f"; *n: its length. NULL: none. */
static const char *dialect_of_frames(const struct cul_issue *issue, size_t *n) {
  const json_t *frames =
      json_object_get(cul_issue_signature(issue->report), "frames");
  const json_t *frame;
  size_t i;
  json_array_foreach(frames, i, frame) {
    const char *at = cul_issue_text(frame, "name");
    if (!json_is_true(json_object_get(frame, "relevant")))
      continue;
    for (; (at = strstr(at, "::")); at = at + 2) {
      const char *end = strstr(at + 2, "::");
      *n = end ? (size_t)(end - at - 2) : 0;
      if (*n && is_dialect(issue, at + 2, *n))
        return at + 2;
    }
  }
  return NULL;
}

/* Append "[mlir]" for mlir-opt, "[iree]" for iree-compile. */
static void add_project(const char *tool, struct cul_page *page) {
  static const char *const programs[] = {"-opt", "-compile", "-translate"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(programs); i++)
    if (cul_text_ends(tool, programs[i])) {
      char *name = cul_xstrndup(tool, strcspn(tool, "-"));
      cul_page_tag(page, name);
      free(name);
      return;
    }
}

static bool add_component(const struct cul_issue *issue, const char *tool,
                          struct cul_page *page) {
  size_t n = 0, before = page->text.len;
  const char *dialect = dialect_of_frames(issue, &n);
  char *name;
  add_project(tool, page);
  if (!dialect && (dialect = operation_of(issue->report)))
    n = strcspn(dialect, ".");
  if (dialect && n) {
    name = cul_xstrndup(dialect, n);
    cul_page_tag(page, name);
    free(name);
  }
  return page->text.len > before;
}

/* ---- the title ---- */

/* Append the tool with its options if they are short, else the pass or the tool
 * alone. False: the tool is unknown. */
static bool add_subject(const json_t *report, const char *tool,
                        struct cul_page *page) {
  const json_t *signature = cul_issue_signature(report);
  const char *pass = cul_issue_text(json_object_get(report, "pass"), "name");
  char *only = cul_issue_only_pass(report);
  struct cul_buf text = {0};
  bool known = *tool;
  if (!*pass)
    pass = cul_issue_text(signature, "pass");
  cul_buf_adds(&text, tool);
  if (*tool)
    cul_issue_options(report, &text);
  if (text.len > MOST_COMMAND) {
    cul_buf_clear(&text);
    cul_buf_adds(&text, *pass ? pass : only ? only : tool);
  }
  if (known)
    cul_page_code(page, cul_buf_str(&text));
  cul_buf_release(&text);
  free(only);
  return known;
}

static const char *first_frame(const json_t *signature) {
  const json_t *frames = json_object_get(signature, "frames"), *frame;
  size_t i;
  json_array_foreach(frames, i, frame) {
    if (json_is_true(json_object_get(frame, "relevant")) &&
        *cul_issue_text(frame, "name"))
      return cul_issue_text(frame, "name");
  }
  return NULL;
}

static void add_code(const char *text, struct cul_page *page) {
  struct cul_buf short_text = {0};
  cul_issue_shorten(text, MOST_MESSAGE, &short_text);
  cul_page_code(page, cul_buf_str(&short_text));
  cul_buf_release(&short_text);
}

/* Append how the run ended: the signal and the frame, or the status. */
static void add_end(const json_t *signature, struct cul_page *page) {
  const char *kind = cul_issue_text(signature, "kind");
  const char *frame = first_frame(signature);
  int status = (int)cul_issue_number(signature, "status");
  if (strcmp(kind, cul_kind_name(CUL_KIND_EXIT)) == 0)
    cul_page_words(page, " %d", status);
  if (strcmp(kind, cul_kind_name(CUL_KIND_SIGNAL)) != 0)
    return;
  if (status > 0)
    cul_page_words(page, " (%s)", cul_signal_name(status));
  if (frame) {
    cul_page_words(page, " in ");
    add_code(frame, page);
  }
}

/* Append the operation, unless the message names it. */
static void add_operation(const json_t *report, const char *message,
                          struct cul_page *page) {
  const char *op = operation_of(report);
  if (op && !is_named(message, op)) {
    cul_page_words(page, " on ");
    add_code(op, page);
  }
}

/* Append the request, a script or an option, because nothing else is known. */
static void add_asked(const json_t *report, struct cul_page *page) {
  const json_t *oracle = json_object_get(report, "oracle");
  const char *title = cul_issue_text(cul_issue_signature(report), "title");
  if (!*title)
    title = cul_issue_text(report, "sought");
  if (json_is_object(json_object_get(oracle, "script")))
    cul_page_words(page, "A failure that a script finds");
  else if (*title)
    add_code(title, page);
  else
    cul_page_words(page, "A failure");
}

/* Append the commit found by a bisection. */
static void add_since(const json_t *report, struct cul_page *page) {
  const char *culprit = cul_issue_text(report, "culprit");
  char commit[13];
  if (!json_is_integer(json_object_get(report, "commits")) || !*culprit)
    return;
  snprintf(commit, sizeof commit, "%s", culprit);
  cul_page_words(page, json_is_true(json_object_get(report, "find_fix"))
                           ? ", fixed by "
                           : " since ");
  cul_page_code(page, commit);
}

void cul_issue_title(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *report = issue->report;
  const json_t *signature = cul_issue_signature(report);
  const struct phrase *phrase = phrase_of(signature);
  const char *message = message_of(signature);
  char *tool = cul_issue_tool(report);
  cul_page_begin(page, CUL_PAGE_TITLE);
  if (add_component(issue, tool, page))
    cul_page_words(page, " ");
  if (!phrase) {
    add_asked(report, page);
    add_operation(report, "", page);
  } else {
    cul_page_words(page, "%s",
                   add_subject(report, tool, page) ? phrase->does
                                                   : phrase->alone);
    if (phrase->told)
      add_code(message, page);
    else
      add_end(signature, page);
    add_operation(report, phrase->told ? message : "", page);
  }
  add_since(report, page);
  cul_page_end(page);
  free(tool);
}
