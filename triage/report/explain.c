/* triage explain LOG: see explain.h. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../key.h"
#include "../text/clean.h"
#include "../text/prefix.h"
#include "../text/steps.h"
#include "../text/unpack.h"
#include "../triage.h"

enum { MAX_LOG = 1 << 30 };

/* The text from which a failure was read, and the rule that found it. */
struct part {
  char *text;
  size_t len, at;
  const char *by; /* or NULL */
};

struct explaining {
  struct cul_triage t;
  struct part *parts; /* index: member */
  size_t n_parts;
  struct cul_buf *out;
};

static const char *role_words(enum cul_frame_role role) {
  switch (role) {
  case CUL_FRAME_RELEVANT:
    return "counts";
  case CUL_FRAME_TRAP:
    return "how it died (trap.frames)";
  case CUL_FRAME_HELPER:
    return "helper (helper.frames)";
  case CUL_FRAME_ASKED:
    return "printing that was asked for (sentinel.frames)";
  case CUL_FRAME_OUTER:
    return "driver, or outside of one (stop.frames)";
  }
  return "";
}

static void explain_frames(const struct cul_signature *sig, const char *damage,
                           struct cul_buf *out) {
  size_t counted = 0;
  if (!sig->n_frames)
    cul_buf_adds(out, "frames: none\n");
  else
    cul_buf_addf(out, "frames%s%s:\n",
                 damage ? ", which do not count: " : ", innermost first",
                 damage ? damage : "");
  for (size_t i = 0; i < sig->n_frames; i++) {
    const struct cul_frame *frame = &sig->frames[i];
    bool counts = frame->role == CUL_FRAME_RELEVANT && frame->name[0] &&
                  !damage && counted < CUL_KEY_FRAMES;
    counted += counts;
    cul_buf_addf(out, "  %s %s: %s%s\n", counts ? "*" : " ",
                 frame->name[0] ? frame->name : frame->module,
                 role_words(frame->role),
                 frame->name[0] ? "" : ", without a name");
  }
}

static void explain_message(const struct explaining *e, const struct part *part,
                            const struct cul_member *member) {
  const struct cul_signature *sig = &e->t.kinds[member->kind]->sig;
  size_t line = 1;
  for (size_t i = 0; i < part->at && i < part->len; i++)
    line += part->text[i] == '\n';
  if (sig->rule[0])
    cul_buf_addf(e->out, "rule: %s, line %zu\n", sig->rule, line);
  else
    cul_buf_addf(e->out, "rule: none%s\n",
                 sig->words ? "; its words serve as the message" : "");
  cul_buf_addf(e->out, "kind: %s\n", cul_kind_name(sig->kind));
  if (sig->cause)
    cul_buf_addf(e->out, "kind of the message: %s\n",
                 cul_kind_name(sig->cause));
  cul_buf_addf(e->out, "message: %s\n", sig->raw);
  cul_signature_explain_text(e->t.rules, sig, e->out);
  cul_buf_addf(e->out, "text: %s\npass: %s\n", sig->text,
               sig->pass[0] ? sig->pass : "(not named)");
  if (sig->input[0])
    cul_buf_addf(e->out, "worked on: %s\n", sig->input);
  if (member->late)
    cul_buf_adds(e->out, "late: the error may have happened long before it "
                         "was noticed\n");
}

static void explain_failure(const struct explaining *e, const struct part *part,
                            const struct cul_member *member) {
  static const char *const levels[] = {"kind and text", "... and pass",
                                       "... and first frames: the bucket",
                                       "... and everything"};
  const struct cul_kind_of *kind = e->t.kinds[member->kind];
  const struct cul_signature *sig = &kind->sig;
  char key[CUL_KEY_TEXT];
  explain_message(e, part, member);
  explain_frames(sig, kind->corrupted ? member->damage : NULL, e->out);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(levels); i++)
    cul_buf_addf(e->out, "key %zu: %s  %s\n", i,
                 cul_key_text(&kind->keys.level[i], key), levels[i]);
  for (size_t i = 0; i < sig->errors.n; i++)
    if (sig->errors.lines[i].place != CUL_ERROR_BEFORE)
      cul_buf_addf(e->out, "then: %s\n", sig->errors.lines[i].raw);
  cul_buf_addf(e->out, "title: %s\n", sig->title);
}

static void hear(void *self, const struct cul_heard *heard) {
  struct explaining *e = self;
  if ((e->n_parts & (e->n_parts - 1)) == 0)
    e->parts = cul_xreallocarray(e->parts, e->n_parts ? 2 * e->n_parts : 1,
                                 sizeof *e->parts);
  e->parts[e->n_parts++] =
      (struct part){.text = cul_xstrndup(heard->text.data, heard->text.len),
                    .len = heard->text.len,
                    .at = heard->at,
                    .by = heard->by};
}

/* Explain the failures of one text. */
static void explain_members(struct explaining *e, size_t first) {
  size_t n = e->t.n_members - first;
  for (size_t i = first; i < e->t.n_members; i++) {
    const struct cul_member *member = &e->t.members[i];
    const struct part *part = &e->parts[i];
    if (part->by)
      cul_buf_addf(e->out, "\ntest: %s (by %s), %zu byte%s\n", member->test,
                   part->by, part->len, cul_s(part->len));
    else if (member->test[0])
      cul_buf_addf(e->out, "\ntest: %s, %zu byte%s\n", member->test, part->len,
                   cul_s(part->len));
    else if (n > 1)
      cul_buf_addf(e->out, "\nfailure %zu of %zu, %zu byte%s\n", i - first + 1,
                   n, part->len, cul_s(part->len));
    explain_failure(e, part, member);
  }
  if (!n)
    cul_buf_addf(e->out, "no failure: %s\n",
                 e->t.n_passed ? "the log reports success"
                               : "the log is empty");
}

/* The number of the line at `at`, from 1. */
static size_t line_at(struct cul_bytes text, const char *at) {
  size_t n = 1;
  for (const char *s = text.data; s < at; s++)
    n += *s == '\n';
  return n;
}

/* Say which steps of each job of a CI service are read for its failure. */
static void explain_steps(const struct explaining *e, struct cul_bytes text) {
  struct cul_ci_job *jobs;
  size_t n = cul_ci_jobs_find(e->t.rules, text, &jobs), n_jobs = 0, nth = 0;
  for (size_t i = 0; i < n; i++)
    n_jobs += !jobs[i].again;
  for (size_t i = 0; i < n; i++) {
    const struct cul_bytes *failed = &jobs[i].failed;
    nth += !jobs[i].again;
    if (jobs[i].passed && jobs[i].again)
      continue;
    if (jobs[i].passed)
      cul_buf_addf(e->out, "job %zu of %zu: passed\n", nth, n_jobs);
    else if (failed->len)
      cul_buf_addf(e->out,
                   "job %zu of %zu: lines %zu to %zu are of the step "
                   "that failed\n",
                   nth, n_jobs, line_at(text, failed->data),
                   line_at(text, failed->data + failed->len - 1));
  }
  free(jobs);
}

static void explain_text(struct explaining *e, const char *name,
                         struct cul_bytes raw) {
  struct cul_buf text = {0};
  size_t first = e->t.n_members;
  cul_clean(raw, &text);
  cul_buf_addf(e->out,
               "log: %s, %zu byte%s; %zu as UTF-8 without colours and control "
               "characters\n",
               name, raw.len, cul_s(raw.len), text.len);
  explain_steps(e, cul_buf_bytes(&text));
  if (cul_unwrap(e->t.rules, &text))
    cul_buf_addf(e->out, "prefixes of lines cut off: %zu %s left\n", text.len,
                 text.len == 1 ? "byte is" : "bytes are");
  cul_triage_add(&e->t, name, raw, NULL);
  cul_triage_guess(&e->t);
  explain_members(e, first);
  cul_buf_release(&text);
}

static void take_file(void *self, const char *name, struct cul_bytes raw) {
  explain_text(self, name, raw);
}

static void take_problem(void *self, const char *name, const char *why) {
  struct explaining *e = self;
  cul_buf_addf(e->out, "log: %s %s\n", name, why);
}

static void release(struct explaining *e) {
  for (size_t i = 0; i < e->n_parts; i++)
    free(e->parts[i].text);
  free(e->parts);
  cul_triage_release(&e->t);
}

int cul_triage_explain(const char *path, struct cul_buf *out,
                       struct cul_err *err) {
  static const struct cul_triage_conf conf = {0};
  struct explaining e = {.out = out};
  const struct cul_unpacked to = {&e, take_file, take_problem};
  struct cul_buf raw = {0};
  int rc = cul_triage_open(&e.t, &conf, err);
  e.t.hear = hear;
  e.t.listener = &e;
  if (rc == 0)
    rc = cul_file_read(path, MAX_LOG, &raw, err);
  if (rc == 0)
    cul_unpack_file(path, cul_buf_bytes(&raw), &to);
  release(&e);
  cul_buf_release(&raw);
  return rc;
}
