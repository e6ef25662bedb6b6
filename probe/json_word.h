/* Command-line words and file names as JSON.  They may contain any byte except
 * NUL.
 *
 * JSON strings are Unicode, and words are bytes: a word in UTF-8 becomes a
 * string, any other an object {"bytes": "6fff"} with two hex digits per byte.
 * Use cul_report_string for text that is only shown (titles, messages). */
#ifndef CUL_PROBE_JSON_WORD_H
#define CUL_PROBE_JSON_WORD_H

#include <jansson.h>

#include "../base/buf.h"

/* A new reference; null for NULL. */
json_t *cul_json_word(const char *word);
/* Append the bytes of a word to out.  False, with out unchanged: json does not
 * have the form of a word. */
bool cul_json_word_add(const json_t *json, struct cul_buf *out);
/* The bytes of a word, heap; NULL if json does not have the form of a word. */
char *cul_json_word_take(const json_t *json);
/* Append an array of words, each quoted for a shell, separated by blanks; other
 * elements are left out. */
void cul_json_words_quote(const json_t *words, struct cul_buf *out);
/* An array of words as argv, NULL terminated, in one heap block that the caller
 * frees; other elements become "".  NULL if words is empty, or not an array. */
const char **cul_json_words_argv(const json_t *words);
/* Replace every "bytes" object below json by a string of its bytes, for
 * json_string_value, after a report is read.  json can then no longer be
 * written as text. */
void cul_json_words_restore(json_t *json);
/* The same for one member of an object. */
void cul_json_word_restore(json_t *object, const char *name);

#endif
