/* Keys of failures: see key.h. */
#include "key.h"

#include <stdio.h>
#include <string.h>

#include "../oracles/rules/rules.h"

/* The end of a crash for the key.  The signal counts only if there is no stack,
 * because many logs do not contain it.  All signals for memory faults count as
 * one, because kernels differ. */
static uint64_t end_of(const struct cul_signature *sig) {
  if (cul_signature_message_kind(sig) != CUL_KIND_SIGNAL || sig->n_frames)
    return 0;
  return sig->status == 7 ? 11 : (uint64_t)sig->status;
}

size_t cul_key_frames(const struct cul_signature *sig,
                      const struct cul_frame *out[CUL_KEY_FRAMES]) {
  const struct cul_frame *own[CUL_KEY_FRAMES];
  return cul_frames_relevant(sig, true, out ? out : own, CUL_KEY_FRAMES);
}

bool cul_key_nameless(const struct cul_signature *sig) {
  return sig->n_frames > 0 && cul_key_frames(sig, NULL) == 0;
}

/* The place of an assertion: the function's name without its class, and the
 * type of a cast; "": unknown. */
struct details {
  char function[sizeof((struct cul_signature *)0)->text];
  char type[sizeof((struct cul_signature *)0)->text];
};

/* Split the text of an assertion, "EXPRESSION (FILE, FUNCTION to TYPE)".
 * Libraries print the function with its class, without it, or not at all, and
 * the same is true of the type, so level 0 excludes both.  Returns the length
 * of the rest. */
static size_t split(const struct cul_signature *sig, struct details *out) {
  static const char to[] = " to ";
  size_t len = strlen(sig->text);
  const char *open = strrchr(sig->text, '('), *comma, *name, *end, *type;
  out->function[0] = out->type[0] = '\0';
  if (cul_signature_message_kind(sig) != CUL_KIND_ASSERTION || !open ||
      sig->text[len - 1] != ')')
    return len;
  comma = strstr(open, ", ");
  if (!comma)
    return len - 1;
  type = strstr(comma, to);
  end = type ? type : &sig->text[len - 1];
  name = comma + 2;
  for (const char *at = name; (at = strstr(at, "::")) && at < end; at += 2)
    name = at + 2;
  snprintf(out->function, sizeof out->function, "%.*s", (int)(end - name),
           name);
  if (type)
    snprintf(out->type, sizeof out->type, "%.*s",
             (int)(&sig->text[len - 1] - type - strlen(to)), type + strlen(to));
  return (size_t)(comma - sig->text);
}

static uint64_t digest_of(const char *text) {
  return *text ? cul_digest_of(text, strlen(text)).w[0] | 1 : 0;
}

static struct cul_digest level_0(const struct cul_signature *sig,
                                 const char *own) {
  struct cul_hasher *h = cul_hasher_new();
  struct details details;
  char text[sizeof sig->text];
  size_t len = split(sig, &details);
  cul_hasher_u64(h, CUL_KEY_VERSION);
  cul_hasher_u64(h, cul_signature_message_kind(sig));
  cul_hasher_u64(h, end_of(sig));
  snprintf(text, sizeof text, "%.*s", (int)len, sig->text);
  cul_hasher_field(h, text);
  cul_hasher_field(h, own);
  return cul_hasher_finish(h);
}

static struct cul_hasher *above(const struct cul_digest *key) {
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_u64(h, key->w[0]);
  cul_hasher_u64(h, key->w[1]);
  return h;
}

void cul_keys_of(const struct cul_signature *sig, const char *own,
                 bool corrupted, struct cul_keys *out) {
  const struct cul_frame *frames[CUL_KEY_FRAMES];
  size_t n = corrupted ? 0 : cul_key_frames(sig, frames);
  bool places = !corrupted && sig->n_frames && n == 0;
  bool says = sig->text[0] && sig->kind != CUL_KIND_TIMEOUT;
  bool silent = !says && n == 0 && !places;
  struct cul_hasher *h;
  struct details details;
  out->class_alone =
      sig->kind == CUL_KIND_SANITIZER && strstr(sig->text, "Sanitizer: ");
  out->level[0] = level_0(sig, silent ? own : NULL);
  h = above(&out->level[0]);
  cul_hasher_field(h, sig->pass);
  if (sig->late && n == 0) /* the work that met it is unknown */
    cul_hasher_field(h, own);
  out->level[1] = cul_hasher_finish(h);
  h = above(&out->level[1]);
  for (size_t i = 0; i < n; i++)
    cul_hasher_field(h, frames[i]->name);
  (void)split(sig, &details);
  out->function = digest_of(details.function);
  out->type = digest_of(details.type);
  if (n == 0 && details.function[0]) { /* otherwise the frames have it */
    cul_hasher_field(h, details.function);
    cul_hasher_field(h, details.type);
  }
  if (places && (!sig->text[0] || out->class_alone))
    /* only the addresses distinguish it */
    cul_hasher_u64(h, sig->key.w[0]);
  out->level[2] = cul_hasher_finish(h);
  h = above(&out->level[2]);
  cul_hasher_field(h, sig->raw);
  for (size_t i = 0; i < sig->n_frames && !corrupted; i++)
    cul_hasher_field(h, sig->frames[i].name);
  if (n == 0)
    cul_hasher_field(h, sig->input);
  out->level[3] = cul_hasher_finish(h);
}

char *cul_key_text(const struct cul_digest *key, char *out) {
  char hex[CUL_DIGEST_HEX];
  snprintf(out, CUL_KEY_TEXT, "%d-%.16s", CUL_KEY_VERSION,
           cul_digest_hex(key, hex));
  return out;
}
