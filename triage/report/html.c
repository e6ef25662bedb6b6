/* index.html: one self-contained page. */
#include <stdlib.h>
#include <string.h>

#include "../../base/page/diff.h"
#include "../../base/page/highlight.h"
#include "../../base/page/markup.h"
#include "../../probe/json_word.h"
#include "../group/heat.h"
#include "page.h"
#include "report.h"

enum {
  MOST_ROWS =
      200, /* members of one bucket to show; fewer if there are many buckets */
  FEWEST_ROWS = 3,
  ALL_ROWS = 4000,    /* members of all buckets */
  ALL_LOGS = 1200000, /* bytes of logs of all buckets */
  FEWEST_LOG = 500,   /* minimal bytes of one bucket */
  DIFF_LOG = 4096, /* with at least so many bytes per log, other logs are shown
                      as differences */
  BAR = 8,
  HIGH = 48
};

/* The limit for one bucket, given that for all. */
static size_t share(const struct cul_triage *t, size_t all, size_t least,
                    size_t most) {
  size_t n = all / (t->n_buckets + 1);
  return n < least ? least : n > most ? most : n;
}

static size_t rows_of(const struct cul_triage *t) {
  return share(t, ALL_ROWS, FEWEST_ROWS, MOST_ROWS);
}

static void add_bars(struct cul_buf *out, const uint32_t *values, size_t n,
                     const char *what) {
  uint32_t most = 1;
  for (size_t i = 0; i < n; i++)
    most = values[i] > most ? values[i] : most;
  cul_buf_addf(out,
               "<svg class=\"bars\" viewBox=\"0 0 %zu %d\" role=\"img\" "
               "aria-label=\"%s\">",
               n * BAR, HIGH, what);
  for (size_t i = 0; i < n; i++) {
    uint32_t high = values[i] ? 2 + values[i] * (HIGH - 2) / most : 0;
    cul_buf_addf(out,
                 "<rect x=\"%zu\" y=\"%u\" width=\"%d\" height=\"%u\">"
                 "<title>%u</title></rect>",
                 i * BAR, HIGH - high, BAR - 2, high, values[i]);
  }
  cul_buf_adds(out, "</svg>");
}

/* Append the number of bugs in each run, this one last. */
static void add_trend(const struct cul_triage *t, struct cul_buf *out) {
  size_t n = 0;
  uint32_t *values;
  for (size_t b = 0; b < t->n_buckets; b++)
    n = t->buckets[b].n_history > n ? t->buckets[b].n_history : n;
  values = cul_xcalloc(n + 1, sizeof *values);
  for (size_t b = 0; b < t->n_buckets; b++) {
    const struct cul_bucket *bucket = &t->buckets[b];
    for (size_t i = 0; i < bucket->n_history; i++)
      values[i] += bucket->history[i] > 0;
    values[n] += bucket->n_members > 0;
  }
  cul_buf_adds(out, "<figure class=\"trend\">");
  add_bars(out, values, n + 1, "bugs in each run");
  cul_buf_addf(out,
               "<figcaption>bugs in each of the last %zu runs</figcaption>"
               "</figure>\n",
               n + 1);
  free(values);
}

static void add_history(const struct cul_bucket *bucket, struct cul_buf *out) {
  uint32_t *values = cul_xcalloc(bucket->n_history + 1, sizeof *values);
  if (bucket->n_history)
    memcpy(values, bucket->history, bucket->n_history * sizeof *values);
  values[bucket->n_history] = (uint32_t)bucket->n_members;
  add_bars(out, values, bucket->n_history + 1, "failures in each run");
  free(values);
}

static void add_fact(struct cul_buf *out, const char *name, const char *text) {
  if (!text || !*text)
    return;
  cul_buf_addf(out, "<dt>%s</dt><dd>", name);
  cul_html_text(text, out);
  cul_buf_adds(out, "</dd>");
}

static void add_link(struct cul_buf *out, const char *link) {
  bool web =
      link && (!strncmp(link, "https://", 8) || !strncmp(link, "http://", 7));
  if (!web) {
    add_fact(out, "issue", link);
    return;
  }
  cul_buf_adds(out, "<dt>issue</dt><dd><a href=\"");
  cul_html_text(link, out);
  cul_buf_adds(out, "\">");
  cul_html_text(link, out);
  cul_buf_adds(out, "</a></dd>");
}

static void add_frames(const struct cul_kind_of *kind, struct cul_buf *out) {
  const struct cul_frame *frames[CUL_KEY_FRAMES];
  size_t n = kind->corrupted ? 0 : cul_key_frames(&kind->sig, frames);
  if (!n)
    return;
  cul_buf_adds(out, "<dt>frames</dt><dd><ol>");
  for (size_t i = 0; i < n; i++) {
    cul_buf_adds(out, "<li>");
    cul_html_text(frames[i]->name, out);
    cul_buf_adds(out, "</li>");
  }
  cul_buf_adds(out, "</ol></dd>");
}

/* Append the messages after the failure. */
static void add_then(const struct cul_signature *sig, struct cul_buf *out) {
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].place != CUL_ERROR_BEFORE)
      add_fact(out, "then", sig->errors.lines[i].raw);
}

static void add_facts(const struct cul_triage *t,
                      const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_kind_of *kind = t->kinds[bucket->kind];
  char key[CUL_KEY_TEXT], seen[CUL_SEEN_TEXT];
  struct cul_buf word = {0};
  cul_buf_adds(out, "<dl>");
  add_fact(out, "kind", cul_kind_name(kind->sig.kind));
  add_fact(out, "message", kind->sig.raw);
  add_fact(out, "compared as", kind->sig.text);
  add_then(&kind->sig, out);
  add_fact(out, "pass", kind->sig.pass);
  add_frames(kind, out);
  add_fact(out, "key", cul_bucket_key(t, bucket, key));
  add_link(out, bucket->link);
  cul_bucket_owner(t, bucket, &word);
  add_fact(out, "owner", cul_buf_str(&word));
  cul_buf_clear(&word);
  cul_bucket_headline(t, bucket, &word);
  add_fact(out, "title of an issue", cul_buf_str(&word));
  cul_buf_release(&word);
  add_fact(out, "first seen", cul_seen_text(bucket->first_seen, seen));
  add_fact(out, "last seen", cul_seen_text(bucket->last_seen, seen));
  for (size_t i = 0; i < bucket->n_maybe; i++) {
    if (i == 0)
      cul_buf_adds(out, "<dt>perhaps the same as</dt><dd>");
    cul_buf_addf(out, "<a href=\"#B%lld\">B%lld</a> ",
                 (long long)bucket->maybe[i], (long long)bucket->maybe[i]);
    if (i + 1 == bucket->n_maybe)
      cul_buf_adds(out, "</dd>");
  }
  cul_buf_adds(out, "</dl>\n");
}

static void add_members(const struct cul_triage *t,
                        const struct cul_bucket *bucket, struct cul_buf *out) {
  if (!bucket->n_members)
    return;
  cul_buf_adds(out, "<div class=\"wide\"><table><tr><th>log</th><th>why it is "
                    "here</th><th>run again</th></tr>\n");
  for (size_t i = 0; i < bucket->n_members && i < rows_of(t); i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    char *label = cul_member_label(member);
    cul_buf_adds(out, "<tr><td>");
    cul_html_text(label, out);
    cul_buf_adds(out, "</td><td>");
    cul_html_text(member->why, out);
    cul_buf_addf(out, "</td><td>%s", cul_checked_name(member->checked));
    if (member->check_note) {
      cul_buf_adds(out, ": ");
      cul_html_text(member->check_note, out);
    }
    cul_buf_adds(out, "</td></tr>\n");
    free(label);
  }
  if (bucket->n_members > rows_of(t))
    cul_buf_addf(out, "<tr><td>and %zu more, in buckets.jsonl</td></tr>\n",
                 bucket->n_members - rows_of(t));
  cul_buf_adds(out, "</table></div>\n");
}

static void add_diff(const char *label, const char *text, struct cul_buf *out) {
  cul_buf_adds(out, "<details><summary>against ");
  cul_html_text(label, out);
  cul_buf_adds(out, "</summary><pre class=\"diff\">");
  while (*text) {
    size_t n = strcspn(text, "\n");
    char *line = cul_xstrndup(text, n);
    cul_buf_addf(out, "<span class=\"%s\">",
                 *line == '+'   ? "more"
                 : *line == '-' ? "less"
                                : "both");
    cul_html_text(line, out);
    cul_buf_adds(out, "</span>\n");
    free(line);
    text += n + (text[n] == '\n');
  }
  cul_buf_adds(out, "</pre></details>\n");
}

/* Append whole lines of a log, at most so many bytes. */
static void add_log(const char *text, size_t most, struct cul_buf *out) {
  size_t len = strlen(text);
  char *part;
  if (len <= most) {
    cul_html_text(text, out);
    return;
  }
  for (len = most; len > 0 && text[len] != '\n'; len--)
    ;
  part = cul_xstrndup(text, len ? len : most);
  cul_html_text(part, out);
  cul_buf_adds(out, "\n... more in buckets.jsonl");
  free(part);
}

/* Append the first log, and how the others differ from it. */
static void add_logs(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_member *first = NULL;
  size_t most = share(t, ALL_LOGS, FEWEST_LOG, SIZE_MAX);
  for (size_t i = 0; i < bucket->n_members; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    struct cul_buf diff = {0};
    char *label;
    if (!member->excerpt)
      continue;
    label = cul_member_label(member);
    if (!first) {
      cul_buf_adds(out, "<details><summary>log of ");
      cul_html_text(label, out);
      cul_buf_adds(out, "</summary><pre>");
      add_log(member->excerpt, most, out);
      cul_buf_adds(out, "</pre></details>\n");
      first = member;
    } else if (most >= DIFF_LOG) {
      cul_diff(first->excerpt, member->excerpt, &diff);
      add_diff(label, diff.len ? cul_buf_str(&diff) : " no difference\n", out);
    }
    cul_buf_release(&diff);
    free(label);
  }
}

static void add_culprit(const struct cul_bucket *bucket, struct cul_buf *out) {
  const json_t *found = json_object_get(bucket->reduced, "bisect");
  const char *culprit = json_string_value(json_object_get(found, "culprit"));
  const char *title = json_string_value(json_object_get(found, "title"));
  if (!culprit)
    return;
  cul_buf_addf(out, "<p>first bad commit: <code>");
  cul_html_text(culprit, out);
  cul_buf_adds(out, "</code> ");
  cul_html_text(title ? title : "", out);
  cul_buf_adds(out, "</p>\n");
}

static void add_reduced(const struct cul_bucket *bucket, struct cul_buf *out) {
  const char *text =
      json_string_value(json_object_get(bucket->reduced, "text"));
  struct cul_buf command = {0};
  if (!text)
    return;
  cul_buf_adds(out, "<h3>reduced</h3><pre class=\"ir\">");
  cul_highlight("mlir", text, out);
  cul_buf_adds(out, "</pre><pre>");
  cul_json_words_quote(json_object_get(bucket->reduced, "command"), &command);
  cul_html_text(cul_buf_str(&command), out);
  cul_buf_release(&command);
  cul_buf_adds(out, "</pre>\n");
}

/* Append a heat map of the first mismatch. */
static void add_heat(const struct cul_triage *t,
                     const struct cul_bucket *bucket, struct cul_buf *out) {
  for (size_t i = 0; i < bucket->n_members; i++) {
    const char *numbers = t->members[bucket->members[i]].numbers;
    struct cul_bytes part = {numbers, numbers ? strlen(numbers) : 0};
    struct cul_buf svg = {0}, words = {0};
    if (numbers && cul_heat_draw(part, &svg, &words)) {
      cul_buf_adds(out, "<h3>where the numbers differ</h3>"
                        "<figure class=\"heat\">");
      cul_buf_add(out, svg.data, svg.len);
      cul_buf_adds(out, "<figcaption>");
      cul_html_text(cul_buf_str(&words), out);
      cul_buf_adds(out, "</figcaption></figure>\n");
      i = bucket->n_members - 1;
    }
    cul_buf_release(&svg);
    cul_buf_release(&words);
  }
}

static void add_bucket(const struct cul_triage *t,
                       const struct cul_bucket *bucket, struct cul_buf *out) {
  char label[24];
  const char *state =
      bucket->ignored ? "ignored" : cul_bucket_state_name(bucket->state);
  cul_bucket_label(bucket, label);
  cul_buf_addf(out,
               "<details class=\"bug\" id=\"%s\" data-state=\"%s\" "
               "data-kind=\"%s\"><summary><b>%s</b> <i class=\"%s\">%s</i> "
               "<span class=\"count\">%zu</span>",
               label, state, cul_kind_name(t->kinds[bucket->kind]->sig.kind),
               label, state, state, bucket->n_members);
  add_history(bucket, out);
  cul_buf_adds(out, "<span class=\"title\">");
  cul_html_text(cul_bucket_title(t, bucket), out);
  cul_buf_adds(out, "</span></summary>\n");
  add_facts(t, bucket, out);
  add_reduced(bucket, out);
  add_culprit(bucket, out);
  add_heat(t, bucket, out);
  add_members(t, bucket, out);
  add_logs(t, bucket, out);
  cul_buf_adds(out, "</details>\n");
}

static void add_problems(const struct cul_triage *t, struct cul_buf *out) {
  if (!t->n_problems)
    return;
  cul_buf_adds(out, "<details><summary>files that could not be read</summary>"
                    "<ul>");
  for (size_t i = 0; i < t->n_problems && i < MOST_ROWS; i++) {
    cul_buf_adds(out, "<li>");
    cul_html_text(t->problems[i].name, out);
    cul_buf_adds(out, ": ");
    cul_html_text(t->problems[i].why, out);
    cul_buf_adds(out, "</li>");
  }
  cul_buf_adds(out, "</ul></details>\n");
}

static void write_html(const struct cul_triage *t, struct cul_buf *out) {
  char unrun[64] = "";
  if (t->n_unrun)
    snprintf(unrun, sizeof unrun, ", <b>%zu</b> test%s not run to the end",
             t->n_unrun, cul_s(t->n_unrun));
  cul_buf_adds(out, cul_page_head);
  cul_buf_addf(out,
               "<h1>%zu failure%s in %zu log%s</h1>\n<p class=\"counts\">"
               "<b>%zu</b> new, <b>%zu</b> known, <b>%zu</b> flaky, "
               "<b>%zu</b> gone%s</p>\n",
               t->n_members, cul_s(t->n_members), t->n_logs, cul_s(t->n_logs),
               cul_triage_count(t, CUL_BUCKET_NEW),
               cul_triage_count(t, CUL_BUCKET_KNOWN),
               cul_triage_count(t, CUL_BUCKET_FLAKY),
               cul_triage_count(t, CUL_BUCKET_GONE), unrun);
  add_trend(t, out);
  cul_buf_adds(out, cul_page_filters);
  for (size_t b = 0; b < t->n_buckets; b++) {
    if (cul_begins_infrastructure(t, b))
      cul_buf_adds(out, "<h2>Infrastructure</h2>\n");
    add_bucket(t, &t->buckets[b], out);
  }
  add_problems(t, out);
  cul_buf_adds(out, cul_page_foot);
}

const struct cul_triage_report cul_triage_report_html = {
    .name = "html",
    .file = "index.html",
    .mark = "<title>culprit triage</title>",
    .write = write_html};
