/* Keys of failures: failures with the same key are one bug.
 *
 *   level 0  kind of the message and normalised text; for an assertion without
 *            the function and the type of a cast
 *   level 1  ... and the innermost pass: identifies the title
 *   level 2  ... and the names of the first three frames that the lists do not
 *            exclude, else the function of an assertion: identifies the bucket.
 *            For an error that may belong to earlier work: the work that
 *            reported it, else the test or the log
 *   level 3  ... and the whole stack and the text as printed; if the stack has
 *            no information, also the object that was worked on: used to split
 *            buckets by hand
 *
 * If an error explains how the run ended, that end is not part of the key: a
 * failure is the same bug whether or not the log contains its assertion.
 *
 * A failure whose stack is missing, has no names, or cannot be trusted, joins
 * the bucket of its text and pass if there is only one.  If there are several,
 * it joins the one with a failure of the same function under the same command,
 * else the one whose stack has the same addresses.  Similarity never joins
 * failures. */
#ifndef CUL_TRIAGE_KEY_H
#define CUL_TRIAGE_KEY_H

#include <jansson.h>

#include "../oracles/signature/signature.h"

/* Version of the keys; the digits before the dash of a printed key. */
#define CUL_KEY_VERSION 1

enum { CUL_KEY_FRAMES = 3 };

struct cul_keys {
  struct cul_digest level[4];
  /* of an assertion's function without its class, and of the type of a cast; 0
   * = not printed */
  uint64_t function, type;
  bool class_alone; /* the message is only the class of a sanitizer's report */
};

/* own: identifies this failure if its log has no information, or does not show
 * which work reported an error that is late; corrupted: ignore the frames. */
void cul_keys_of(const struct cul_signature *sig, const char *own,
                 bool corrupted, struct cul_keys *out);

#define CUL_KEY_TEXT 24
/* Write "1-0123456789abcdef" to out[CUL_KEY_TEXT]; returns out. */
char *cul_key_text(const struct cul_digest *key, char *out);

/* The number of named frames among the first three that count; out may be
 * NULL. */
size_t cul_key_frames(const struct cul_signature *sig,
                      const struct cul_frame *out[CUL_KEY_FRAMES]);
/* Is there a stack, but without names? */
bool cul_key_nameless(const struct cul_signature *sig);

/* A signature as JSON, and the reverse.  False: json does not have the form of
 * a signature. */
json_t *cul_signature_json(const struct cul_signature *sig);
bool cul_signature_parse(const json_t *json, struct cul_signature *out);
/* Text for display as a JSON string: bytes that are not UTF-8 are cut off at
 * its end, and become \xff elsewhere. */
json_t *cul_json_text(const char *text);

#endif
