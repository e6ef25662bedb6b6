/* report.md: the bugs, ready for an issue tracker. */
#include <stdlib.h>
#include <string.h>

#include "../../base/page/markup.h"
#include "../../base/visible.h"
#include "../../probe/json_word.h"
#include "report.h"

enum { MOST_LOGS = 10 };

static void add_command(struct cul_buf *out, const json_t *command) {
  struct cul_buf text = {0};
  cul_json_words_quote(command, &text);
  cul_markdown_lines("sh", cul_buf_bytes(&text), out);
  cul_buf_release(&text);
}

static const struct cul_member *shown(const struct cul_triage *t,
                                      const struct cul_bucket *bucket) {
  for (size_t i = 0; i < bucket->n_members; i++)
    if (t->members[bucket->members[i]].excerpt)
      return &t->members[bucket->members[i]];
  return NULL;
}

static void add_reduced(const struct cul_bucket *bucket, struct cul_buf *out) {
  const char *text =
      json_string_value(json_object_get(bucket->reduced, "text"));
  if (!text)
    return;
  cul_buf_adds(out, "\nReduced:\n\n");
  cul_markdown_lines("mlir", (struct cul_bytes){text, strlen(text)}, out);
  cul_buf_addc(out, '\n');
  add_command(out, json_object_get(bucket->reduced, "command"));
}

static void add_culprit(const struct cul_bucket *bucket, struct cul_buf *out) {
  const json_t *found = json_object_get(bucket->reduced, "bisect");
  const char *culprit = json_string_value(json_object_get(found, "culprit"));
  const char *title = json_string_value(json_object_get(found, "title"));
  if (!culprit)
    return;
  cul_buf_adds(out, "\nFirst bad commit: ");
  cul_markdown_code(culprit, out);
  cul_buf_addc(out, ' ');
  cul_markdown_words(title ? title : "", out);
  cul_buf_addf(out, " (posterior %.3f)\n",
               json_number_value(json_object_get(found, "posterior")));
}

static void add_members(const struct cul_triage *t,
                        const struct cul_bucket *bucket, struct cul_buf *out) {
  cul_buf_adds(out, "\nSeen in:\n\n");
  for (size_t i = 0; i < bucket->n_members && i < MOST_LOGS; i++) {
    const struct cul_member *member = &t->members[bucket->members[i]];
    char *label = cul_member_label(member);
    cul_buf_adds(out, "- ");
    cul_markdown_code(label, out);
    cul_buf_adds(out, ": ");
    cul_markdown_words(member->why, out);
    cul_buf_addc(out, '\n');
    free(label);
  }
  if (bucket->n_members > MOST_LOGS)
    cul_buf_addf(out, "- and %zu more\n", bucket->n_members - MOST_LOGS);
}

static void list_then(const struct cul_signature *sig, struct cul_buf *out) {
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].place != CUL_ERROR_BEFORE)
      cul_buf_addf(out, "%s%s", out->len ? "; then " : "then ",
                   sig->errors.lines[i].raw);
}

/* Append the messages after the failure. */
static void add_then(const struct cul_signature *sig, struct cul_buf *out) {
  struct cul_buf then = {0};
  list_then(sig, &then);
  if (then.len) {
    cul_buf_addc(out, '\n');
    cul_markdown_words(cul_buf_str(&then), out);
    cul_buf_addc(out, '\n');
  }
  cul_buf_release(&then);
}

static void add_table(const struct cul_triage *t, bool infrastructure,
                      struct cul_buf *out) {
  static const char head[] =
      "| bug | state | failures | what |\n|---|---|---|---|\n";
  char label[24];
  bool any = !infrastructure;
  if (any)
    cul_buf_adds(out, head);
  for (size_t i = 0; i < t->n_buckets; i++) {
    const struct cul_bucket *bucket = &t->buckets[i];
    if (bucket->infrastructure != infrastructure)
      continue;
    if (!any)
      cul_buf_addf(out, "\n## Infrastructure\n\n%s", head);
    any = true;
    cul_buf_addf(out, "| %s | %s | %zu | ", cul_bucket_label(bucket, label),
                 bucket->ignored ? "ignored"
                                 : cul_bucket_state_name(bucket->state),
                 bucket->n_members);
    cul_markdown_words(cul_bucket_title(t, bucket), out);
    cul_buf_adds(out, " |\n");
  }
}

/* Append a line with the text that a function computes, unless it is empty. */
static void
add_line(struct cul_buf *out, const char *name, const struct cul_triage *t,
         const struct cul_bucket *bucket,
         void (*make)(const struct cul_triage *, const struct cul_bucket *,
                      struct cul_buf *)) {
  struct cul_buf word = {0};
  make(t, bucket, &word);
  if (word.len) {
    cul_buf_addf(out, "\n%s: ", name);
    cul_markdown_words(cul_buf_str(&word), out);
    cul_buf_addc(out, '\n');
  }
  cul_buf_release(&word);
}

static void add_bucket(const struct cul_triage *t,
                       const struct cul_bucket *bucket, struct cul_buf *out) {
  const struct cul_signature *sig = &t->kinds[bucket->kind]->sig;
  const struct cul_member *member = shown(t, bucket);
  char label[24], key[CUL_KEY_TEXT];
  cul_buf_addf(out, "\n## %s: ", cul_bucket_label(bucket, label));
  cul_markdown_words(cul_bucket_title(t, bucket), out);
  cul_buf_addf(out, "\n\n%s, %zu failure%s",
               cul_bucket_state_name(bucket->state), bucket->n_members,
               cul_s(bucket->n_members));
  if (sig->pass[0]) {
    cul_buf_adds(out, ", pass ");
    cul_markdown_code(sig->pass, out);
  }
  cul_buf_addf(out, ", key `%s`\n", cul_bucket_key(t, bucket, key));
  add_line(out, "Title of an issue", t, bucket, cul_bucket_headline);
  add_line(out, "Owner", t, bucket, cul_bucket_owner);
  add_then(sig, out);
  if (bucket->link) {
    cul_buf_adds(out, "\nIssue: ");
    cul_markdown_words(bucket->link, out);
    cul_buf_addc(out, '\n');
  }
  for (size_t i = 0; i < bucket->n_maybe; i++)
    cul_buf_addf(out, "%sB%lld%s", i ? ", " : "\nPerhaps the same as ",
                 (long long)bucket->maybe[i],
                 i + 1 == bucket->n_maybe ? "\n" : "");
  add_reduced(bucket, out);
  add_culprit(bucket, out);
  add_members(t, bucket, out);
  if (!member)
    return;
  cul_buf_adds(out, "\n<details><summary>log</summary>\n\n");
  cul_markdown_lines(
      "", (struct cul_bytes){member->excerpt, strlen(member->excerpt)}, out);
  cul_buf_adds(out, "\n</details>\n");
}

static void write_markdown(const struct cul_triage *t, struct cul_buf *out) {
  cul_buf_addf(out,
               "# %zu failure%s in %zu log%s: %zu new bug%s, %zu known, %zu "
               "flaky, %zu gone\n\n",
               t->n_members, cul_s(t->n_members), t->n_logs, cul_s(t->n_logs),
               cul_triage_count(t, CUL_BUCKET_NEW),
               cul_s(cul_triage_count(t, CUL_BUCKET_NEW)),
               cul_triage_count(t, CUL_BUCKET_KNOWN),
               cul_triage_count(t, CUL_BUCKET_FLAKY),
               cul_triage_count(t, CUL_BUCKET_GONE));
  if (t->n_unrun)
    cul_buf_addf(out, "%zu more test%s not run to the end.\n\n", t->n_unrun,
                 t->n_unrun == 1 ? " was" : "s were");
  add_table(t, false, out);
  add_table(t, true, out);
  for (size_t i = 0; i < t->n_buckets; i++)
    if (!t->buckets[i].ignored && t->buckets[i].n_members)
      add_bucket(t, &t->buckets[i], out);
  cul_visible_make(out);
}

const struct cul_triage_report cul_triage_report_markdown = {
    .name = "markdown",
    .file = "report.md",
    .mark = "| bug | state | failures | what |",
    .write = write_markdown};
