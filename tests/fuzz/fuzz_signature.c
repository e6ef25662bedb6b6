/* Any bytes are a log: the reader must survive them, its fields must stay
 * strings, and a signature must be the same as itself.
 * First byte: how the tool ended; then stderr, a 0 byte, stdout. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracles/oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds, const char *what) {
  if (!holds)
    cul_bug("%s", what);
}

static void fill(struct cul_record *record, const uint8_t *data, size_t size) {
  static const struct {
    enum cul_end end;
    int status;
  } ends[] = {{CUL_EXITED, 1},    {CUL_EXITED, 0},   {CUL_EXITED, 139},
              {CUL_SIGNALED, 11}, {CUL_SIGNALED, 6}, {CUL_LIMIT, 9},
              {CUL_DEADLINE, 0}};
  size_t which = size ? data[0] % CUL_ARRAY_SIZE(ends) : 0;
  const uint8_t *text = data + (size > 0), *split;
  size_t len = size - (size > 0);
  split = len ? memchr(text, 0, len) : NULL;
  record->end = ends[which].end;
  record->status = ends[which].status;
  cul_buf_add(&record->err, text, split ? (size_t)(split - text) : len);
  if (split)
    cul_buf_add(&record->out, split + 1, len - (size_t)(split - text) - 1);
}

static void check_fields(const struct cul_signature *sig) {
  check(memchr(sig->title, 0, sizeof sig->title), "title is no string");
  check(memchr(sig->text, 0, sizeof sig->text), "text is no string");
  check(memchr(sig->raw, 0, sizeof sig->raw), "raw is no string");
  check(memchr(sig->pass, 0, sizeof sig->pass), "pass is no string");
  check(sig->n_frames <= CUL_SIG_MAX_FRAMES, "too many frames");
  check(sig->n_anchors <= CUL_SIG_MAX_ANCHORS, "too many anchors");
  for (size_t i = 0; i < sig->n_frames; i++) {
    check(memchr(sig->frames[i].name, 0, sizeof sig->frames[i].name),
          "name is no string");
    check(memchr(sig->frames[i].module, 0, sizeof sig->frames[i].module),
          "module is no string");
  }
}

static struct cul_rules *rules; /* made once: libFuzzer never ends a target */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_record record = {0};
  struct cul_signature sig, again;
  struct cul_buf words = {0};
  struct cul_err err;
  char why[160];
  if (!rules && cul_rules_load(NULL, &rules, &err) < 0)
    cul_bug("%s", err.what);
  fill(&record, data, size);
  cul_signature_read(rules, &record, &sig);
  cul_signature_read(rules, &record, &again);
  check_fields(&sig);
  check(memcmp(&sig, &again, sizeof sig) == 0, "reading depends on chance");
  check(cul_signature_same(&sig, &again, why, sizeof why), "not itself");
  check(cul_signature_same_across(&sig, &again, why, sizeof why),
        "not itself across binaries");
  cul_signature_describe(&sig, &words);
  check(words.len > 0, "no words");
  cul_buf_release(&words);
  cul_record_release(&record);
  return 0;
}
