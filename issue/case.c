/* Parts shared by the issue text and the document: the case, the command, the
 * messages. */
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../oracles/oracle.h"
#include "../probe/json_word.h"
#include "parts.h"

enum { MOST_SCRIPT = 30, MOST_RUNS = 20, MOST_REPRO = 120 };

/* ---- how the job ended ---- */

void cul_issue_end(const json_t *report, struct cul_page *page) {
  static const struct {
    const char *result, *words;
  } ends[] = {{"interrupted", "was interrupted"},
              {"budget", "ended at a limit of time or runs"},
              {"broken", "ended because the tool could not be run any more"}};
  const char *result = cul_issue_text(report, "result");
  bool reduces = json_is_object(json_object_get(report, "final"));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(ends); i++) {
    if (strcmp(result, ends[i].result) != 0)
      continue;
    cul_page_begin(page, CUL_PAGE_PARAGRAPH);
    cul_page_words(page, "The %s %s: %s.", reduces ? "reduction" : "bisection",
                   ends[i].words,
                   reduces ? "the file may be larger than it has to be"
                           : "the answer may be preliminary");
    cul_page_end(page);
  }
}

/* ---- the case and its command ---- */

/* text without empty lines at its ends. */
static struct cul_bytes trimmed(struct cul_bytes text) {
  while (text.len && *text.data == '\n') {
    text.data++;
    text.len--;
  }
  while (text.len > 1 && text.data[text.len - 1] == '\n' &&
         text.data[text.len - 2] == '\n')
    text.len--;
  return text;
}

/* ---- origins of lines ---- */

/* The place of a line in the input, "12:3", with the name of another file if it
 * is there.  A leading "~" means that the reduction replaced the line at that
 * place.  Heap; NULL: unknown. */
static char *origin_of(const json_t *origin, const char *input) {
  enum { MOST = 24 };
  const char *made = cul_issue_text(origin, "for");
  const char *at = strstr(made, " at ");
  const char *place =
      *made ? at ? at + 4 : "" : cul_issue_text(origin, "location");
  size_t n = strlen(input);
  struct cul_buf out = {0}, text = {0};
  if (!*place && !*made)
    return NULL;
  if (n > 0 && strncmp(place, input, n) == 0 && place[n] == ':')
    place += n + 1;
  cul_buf_adds(&text, *made ? "~" : "");
  cul_buf_adds(&text, *place == '/' ? cul_basename(place) : place);
  cul_issue_shorten(cul_buf_str(&text), MOST, &out);
  cul_buf_release(&text);
  return cul_buf_take(&out);
}

/* The origin of each of the `lines` lines of a case that follow the first
 * `skipped`; heap. The first operation on a line counts. NULL: no origin is
 * known. */
static char **origins_of(const json_t *report, size_t lines, size_t skipped) {
  const json_t *origins = json_object_get(report, "origins"), *one;
  char *input = cul_json_word_take(json_object_get(report, "input"));
  char **out = NULL;
  size_t i;
  json_array_foreach(origins, i, one) {
    size_t line = (size_t)cul_issue_number(one, "line") - 1 - skipped;
    char *text = line < lines ? origin_of(one, input ? input : "") : NULL;
    if (!text || (out && out[line])) {
      free(text);
      continue;
    }
    out = out ? out : cul_xcalloc(lines, sizeof *out);
    out[line] = text;
  }
  free(input);
  return out;
}

static void tell_origins(const json_t *report, struct cul_page *page) {
  char *input = cul_json_word_take(json_object_get(report, "input"));
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "Each line begins with its position in ");
  cul_issue_code(page, input ? cul_basename(input) : "the input");
  cul_page_words(page, ", line and column (~: the reduction replaced the "
                       "operation of that position).");
  cul_page_end(page);
  free(input);
}

static void show_lines(const struct cul_issue *issue, struct cul_page *page) {
  struct cul_bytes text = trimmed(issue->repro);
  bool beside =
      page->style == CUL_PAGE_HTML || page->style == CUL_PAGE_TERMINAL;
  size_t lines = cul_issue_lines(text);
  size_t skipped = (size_t)(text.data - issue->repro.data);
  char **origins = beside ? origins_of(issue->report, lines, skipped) : NULL;
  if (origins)
    tell_origins(issue->report, page);
  page->beside = origins;
  page->n_beside = origins ? lines : 0;
  cul_page_lines(page, cul_issue_language(issue->report, issue->name), text);
  for (size_t i = 0; origins && i < lines; i++)
    free(origins[i]);
  free(origins);
}

void cul_issue_show_case(const struct cul_issue *issue, struct cul_page *page) {
  bool fold = page->style != CUL_PAGE_HTML && /* its box scrolls */
              cul_issue_lines(issue->repro) > MOST_REPRO;
  if (!issue->name || issue->repro.len == 0)
    return;
  if (fold)
    cul_page_fold(page, "%s, %zu lines", issue->name,
                  cul_issue_lines(issue->repro));
  show_lines(issue, page);
  if (fold)
    cul_page_unfold(page);
}

/* The other command of a comparison; "": none. */
static const char *reference_of(const json_t *report) {
  const json_t *oracle = json_object_get(report, "oracle");
  const char *text =
      cul_issue_text(json_object_get(oracle, "mismatch"), "reference");
  return *text
             ? text
             : cul_issue_text(json_object_get(oracle, "measured"), "reference");
}

/* Append the command that judges the output of the pass, because the command
 * alone shows no failure. */
static void add_lower(const char *lower, const char *name,
                      struct cul_buf *out) {
  const char *ending = strrchr(name, '.');
  char *after = cul_xasprintf("after%s", ending ? ending : "");
  cul_buf_addf(out, "# its output is %s; this command judges it\n", after);
  cul_issue_role(lower, after, out);
  cul_buf_addc(out, '\n');
  free(after);
}

void cul_issue_show_command(const struct cul_issue *issue,
                            struct cul_page *page) {
  const json_t *report = issue->report;
  const char *reference = reference_of(report);
  const char *lower = cul_issue_text(report, "lower");
  struct cul_buf text = {0};
  if (json_is_object(
          json_object_get(json_object_get(report, "oracle"), "script")))
    cul_buf_adds(&text, "sh repro.sh");
  else
    cul_issue_command(report, issue->name, &text);
  if (text.len == 0)
    return;
  cul_buf_addc(&text, '\n');
  if (*reference && cul_issue_is_own(report)) {
    cul_buf_adds(&text, "# with the pipeline, and without it:\nsh repro.sh\n");
  } else if (*reference) {
    cul_buf_adds(&text, "# compared with\n");
    cul_issue_role(reference, issue->name, &text);
    cul_buf_addc(&text, '\n');
  } else if (*lower && issue->name) {
    add_lower(lower, issue->name, &text);
  }
  cul_page_lines(page, "sh", cul_buf_bytes(&text));
  cul_buf_release(&text);
}

/* Show the script, which decides what counts as the failure. */
void cul_issue_show_script(const struct cul_issue *issue,
                           struct cul_page *page) {
  bool fold = cul_issue_lines(issue->script) > MOST_SCRIPT;
  bool shell = cul_bytes_start(issue->script, "#!/bin/sh") ||
               cul_bytes_start(issue->script, "#!/bin/bash");
  if (issue->script.len == 0)
    return;
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  cul_page_words(page, "This script defines the failure (");
  cul_issue_code(page, cul_issue_text(json_object_get(issue->report, "oracle"),
                                      "preserves"));
  cul_page_words(page, "):");
  cul_page_end(page);
  if (fold)
    cul_page_fold(page, "The script, %zu lines",
                  cul_issue_lines(issue->script));
  cul_page_lines(page, shell ? "sh" : "", issue->script);
  if (fold)
    cul_page_unfold(page);
}

void cul_issue_show_runs(const struct cul_issue *issue, struct cul_page *page) {
  const json_t *scripts = json_object_get(issue->report, "scripts");
  for (size_t i = 0; i < issue->n_runs; i++) {
    char *word = cul_json_word_take(json_array_get(scripts, i));
    struct cul_bytes text = issue->runs[i];
    if (word && text.len && cul_issue_lines(text) <= MOST_RUNS) {
      cul_page_begin(page, CUL_PAGE_PARAGRAPH);
      cul_issue_code(page, cul_basename(word));
      cul_page_words(page, ":");
      cul_page_end(page);
      cul_page_lines(page, cul_bytes_start(text, "#!/bin/") ? "sh" : "", text);
    }
    free(word);
  }
}

/* ---- messages ---- */

static void add_line(const char *text, struct cul_buf *out) {
  if (*text) {
    cul_buf_adds(out, text);
    cul_buf_addc(out, '\n');
  }
}

/* The lines that the tool printed, which can be found in its source, if they do
 * not contain the message literally; else "". */
static const char *printed_of(const json_t *signature) {
  const char *printed = cul_issue_text(signature, "printed");
  const char *message = cul_issue_text(signature, "message");
  return strstr(printed, message) ? "" : printed;
}

/* Messages in the order in which the tool prints them. */
void cul_issue_messages(const json_t *signature, struct cul_page *page) {
  const json_t *errors = json_object_get(signature, "errors"), *one;
  const char *kind = cul_issue_text(signature, "kind");
  const char *printed = printed_of(signature);
  struct cul_buf text = {0};
  size_t i;
  json_array_foreach(errors, i, one) {
    if (strcmp(cul_issue_text(one, "place"), "before") == 0)
      add_line(cul_issue_text(one, "message"), &text);
  }
  if (*printed)
    add_line(printed, &text);
  else if (strcmp(kind, cul_kind_name(CUL_KIND_TIMEOUT)) != 0)
    add_line(*cul_issue_numbers(signature)
                 ? cul_issue_numbers(signature)
                 : cul_issue_text(signature, "message"),
             &text);
  json_array_foreach(errors, i, one) {
    if (strcmp(cul_issue_text(one, "place"), "before") != 0)
      add_line(cul_issue_text(one, "message"), &text);
  }
  if (text.len && (*printed || json_array_size(errors) > 0 ||
                   !cul_issue_title_tells(signature))) {
    cul_page_begin(page, CUL_PAGE_PARAGRAPH);
    cul_page_words(page, *cul_issue_numbers(signature)
                             ? "The numbers of the result and of the reference:"
                             : "It says:");
    cul_page_end(page);
    cul_page_lines(page, "", cul_buf_bytes(&text));
  }
  cul_buf_release(&text);
}

/* ---- the reduction ---- */

static void add_size(const json_t *report, const char *of,
                     struct cul_page *page) {
  const json_t *size = json_object_get(report, of);
  const json_t *reread = json_object_get(report, "reread");
  bool first = strcmp(of, "initial") == 0 && json_is_object(reread);
  const char *form =
      first ? cul_issue_text(reread, "from") : cul_issue_text(report, "form");
  long long ops = cul_issue_number(size, "ops");
  long long bytes = cul_issue_number(size, "bytes");
  bool tokens = strcmp(form, "text") == 0;
  cul_page_words(page, "%lld %s%s (%lld byte%s)", ops,
                 tokens ? "token" : "operation", cul_s((uint64_t)ops), bytes,
                 cul_s((uint64_t)bytes));
}

void cul_issue_reduction(const json_t *report, struct cul_page *page) {
  const json_t *runs = json_object_get(report, "runs");
  long long n = json_is_integer(runs) ? (long long)json_integer_value(runs)
                                      : cul_issue_number(runs, "executed");
  bool reduces = json_is_object(json_object_get(report, "final"));
  const char *version = cul_issue_text(report, "culprit_version");
  cul_page_begin(page, CUL_PAGE_PARAGRAPH);
  if (reduces) {
    cul_page_words(page, "Reduced from ");
    add_size(report, "initial", page);
    cul_page_words(page, " to ");
    add_size(report, "final", page);
    cul_page_words(page, " by culprit");
  } else {
    cul_page_words(page, "Found by culprit");
  }
  cul_page_words(page, "%s%s in %lld run%s of the tool.", *version ? " " : "",
                 version, n, cul_s((uint64_t)n));
  cul_page_end(page);
}
