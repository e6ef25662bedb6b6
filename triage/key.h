/* Keys of failures: what makes two of them one bug.
 *
 *   level 0  kind and normalised text
 *   level 1  ... and the innermost pass: the title
 *   level 2  ... and the names of the first three frames that the lists leave:
 *            the bucket
 *   level 3  ... and the whole stack and the text as printed, where the stack
 *            says nothing also what was worked on: what a split by hand goes by
 *
 * A failure whose stack has no names, or cannot be trusted, joins the one
 * bucket of its text and pass, if there is one only; where there are more, the
 * one with a failure of the same function under the same command, else the one
 * whose stack has the same addresses.  Similarity never joins. */
#ifndef CUL_TRIAGE_KEY_H
#define CUL_TRIAGE_KEY_H

#include <jansson.h>

#include "../oracles/signature/signature.h"

/* Of the way keys are made; the digits before the dash of a printed key. */
#define CUL_KEY_VERSION 1

enum { CUL_KEY_FRAMES = 3 };

struct cul_keys {
  struct cul_digest level[4];
};

/* own: what tells this failure from others where its log says nothing at all;
 * corrupted: the frames do not count. */
void cul_keys_of(const struct cul_signature *sig, const char *own,
                 bool corrupted, struct cul_keys *out);

#define CUL_KEY_TEXT 24
/* "1-0123456789abcdef" into out[CUL_KEY_TEXT]; returns out. */
char *cul_key_text(const struct cul_digest *key, char *out);

/* How many of the first three frames that count have names; out may be NULL. */
size_t cul_key_frames(const struct cul_signature *sig,
                      const struct cul_frame *out[CUL_KEY_FRAMES]);
/* The stack is there, but without names. */
bool cul_key_nameless(const struct cul_signature *sig);

/* A signature as JSON and back.  False where json is none. */
json_t *cul_signature_json(const struct cul_signature *sig);
bool cul_signature_parse(const json_t *json, struct cul_signature *out);
/* text, to be shown, as a JSON string: what is not UTF-8 at its end is cut off,
 * and is \xff elsewhere. */
json_t *cul_json_text(const char *text);

#endif
