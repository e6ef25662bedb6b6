/* Words of commands and names of files as JSON: any bytes but NUL.
 *
 * JSON holds Unicode alone, and these are bytes: what is UTF-8 is a string,
 * anything else an object {"bytes": "6fff"}, two hex digits for each byte.
 * What is only shown (titles, messages) is no word: cul_report_string. */
#ifndef CUL_PROBE_JSON_WORD_H
#define CUL_PROBE_JSON_WORD_H

#include <jansson.h>

#include "../base/buf.h"

/* A new reference; null for NULL. */
json_t *cul_json_word(const char *word);
/* Append the bytes of a word to out; false where json is none, and nothing is
 * appended. */
bool cul_json_word_add(const json_t *json, struct cul_buf *out);
/* The bytes of a word, heap; NULL where json is none. */
char *cul_json_word_take(const json_t *json);
/* Append an array of words, each quoted for a shell, with blanks between; what
 * is no word is left out. */
void cul_json_words_quote(const json_t *words, struct cul_buf *out);
/* An array of words as argv, NULL terminated, in one heap block that the caller
 * frees; what is no word is "".  NULL where words is no array, or empty. */
const char **cul_json_words_argv(const json_t *words);
/* Every such object below json becomes a string of its bytes, as
 * json_string_value gives it: for who reads a report.  json cannot be written
 * as text any more. */
void cul_json_words_restore(json_t *json);
/* The same of one member of an object. */
void cul_json_word_restore(json_t *object, const char *name);

#endif
