/* triage explain LOG: see explain.h. */
#include "explain.h"

#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../key.h"
#include "../text/clean.h"
#include "../text/damage.h"
#include "../text/prefix.h"
#include "../text/unpack.h"
#include "../triage.h"

enum { MAX_LOG = 1 << 30 };

struct explaining {
  struct cul_rules *rules;
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

static void explain_message(const struct explaining *e, struct cul_bytes text,
                            const struct cul_told *told) {
  const struct cul_signature *sig = &told->sig;
  size_t line = 1;
  for (size_t i = 0; i < told->at && i < text.len; i++)
    line += text.data[i] == '\n';
  if (sig->rule[0])
    cul_buf_addf(e->out, "rule: %s, line %zu\n", sig->rule, line);
  else
    cul_buf_addf(e->out, "rule: none%s\n",
                 sig->words ? "; its words stand for a message" : "");
  cul_buf_addf(e->out, "kind: %s\n", cul_kind_name(sig->kind));
  if (sig->cause)
    cul_buf_addf(e->out, "kind of the message: %s\n",
                 cul_kind_name(sig->cause));
  cul_buf_addf(e->out, "message: %s\n", sig->raw);
  cul_signature_explain_text(e->rules, sig, e->out);
  cul_buf_addf(e->out, "text: %s\npass: %s\n", sig->text,
               sig->pass[0] ? sig->pass : "(not named)");
  if (sig->input[0])
    cul_buf_addf(e->out, "worked on: %s\n", sig->input);
  if (told->late)
    cul_buf_adds(e->out, "late: the error may have happened long before it "
                         "was noticed\n");
}

static void explain_failure(const struct explaining *e, const char *name,
                            const char *test, struct cul_bytes text) {
  static const char *const levels[] = {"kind and text", "... and pass",
                                       "... and first frames: the bucket",
                                       "... and everything"};
  struct cul_told told;
  struct cul_keys keys;
  char key[CUL_KEY_TEXT];
  const char *damage;
  bool corrupted;
  char *own = cul_member_own(name, test);
  damage = cul_read_damaged(e->rules, text, &told, &corrupted);
  explain_message(e, text, &told);
  explain_frames(&told.sig, corrupted ? damage : NULL, e->out);
  cul_keys_of(&told.sig, own, corrupted, &keys);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(levels); i++)
    cul_buf_addf(e->out, "key %zu: %s  %s\n", i,
                 cul_key_text(&keys.level[i], key), levels[i]);
  for (size_t i = 0; i < told.sig.errors.n; i++)
    if (told.sig.errors.lines[i].place != CUL_ERROR_BEFORE)
      cul_buf_addf(e->out, "then: %s\n", told.sig.errors.lines[i].raw);
  cul_buf_addf(e->out, "title: %s\n", told.sig.title);
  free(own);
}

static void explain_text(const struct explaining *e, const char *name,
                         struct cul_bytes raw) {
  struct cul_buf text = {0};
  struct cul_section *sections = NULL;
  size_t n;
  cul_clean(raw, &text);
  cul_buf_addf(e->out,
               "log: %s, %zu byte%s; %zu as UTF-8 without colours and control "
               "characters\n",
               name, raw.len, cul_s(raw.len), text.len);
  if (cul_unwrap(e->rules, &text))
    cul_buf_addf(e->out, "prefixes of lines cut off: %zu %s left\n", text.len,
                 text.len == 1 ? "byte is" : "bytes are");
  n = cul_sections_find(e->rules, cul_buf_bytes(&text), &sections);
  if (!n)
    explain_failure(e, name, "", cul_buf_bytes(&text));
  for (size_t i = 0; i < n; i++) {
    struct cul_bytes part = {text.data + sections[i].start,
                             sections[i].end - sections[i].start};
    cul_buf_addf(e->out, "\ntest: %s (by %s), %zu byte%s\n", sections[i].name,
                 sections[i].by, part.len, cul_s(part.len));
    explain_failure(e, name, sections[i].name, part);
  }
  free(sections);
  cul_buf_release(&text);
}

static void take_file(void *self, const char *name, struct cul_bytes raw) {
  explain_text(self, name, raw);
}

static void take_problem(void *self, const char *name, const char *why) {
  struct explaining *e = self;
  cul_buf_addf(e->out, "log: %s %s\n", name, why);
}

int cul_triage_explain(const char *path, struct cul_buf *out,
                       struct cul_err *err) {
  struct explaining e = {.out = out};
  const struct cul_unpacked to = {&e, take_file, take_problem};
  struct cul_buf raw = {0};
  int rc = cul_file_read(path, MAX_LOG, &raw, err);
  if (rc == 0)
    rc = cul_rules_new(&e.rules, err);
  if (rc == 0)
    cul_unpack_file(path, cul_buf_bytes(&raw), &to);
  cul_rules_free(e.rules);
  cul_buf_release(&raw);
  return rc;
}
