/* Words as JSON: see json_word.h. */
#include "json_word.h"

#include <string.h>

#include "../pipeline/shell_text.h"

static const char key[] = "bytes";

json_t *cul_json_word(const char *word) {
  struct cul_buf hex = {0};
  json_t *out = word ? json_string(word) : json_null();
  if (out)
    return out;
  for (; *word; word++)
    cul_buf_addf(&hex, "%02x", (unsigned char)*word);
  out = json_pack("{s:s}", key, cul_buf_str(&hex));
  cul_buf_release(&hex);
  return out;
}

static int digit(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

/* Append the bytes that hex encodes.  False: hex does not encode a word; some
 * bytes may have been appended. */
static bool add_bytes(const char *hex, struct cul_buf *out) {
  for (; *hex; hex += 2) {
    int high = digit(hex[0]), low = high < 0 ? -1 : digit(hex[1]);
    if (low < 0 || high + low == 0)
      return false;
    cul_buf_addc(out, (char)(high << 4 | low));
  }
  return true;
}

bool cul_json_word_add(const json_t *json, struct cul_buf *out) {
  const char *hex = json_string_value(json_object_get(json, key));
  size_t len = out->len;
  if (json_is_string(json)) {
    cul_buf_adds(out, json_string_value(json));
    return true;
  }
  if (hex && json_object_size(json) == 1 && add_bytes(hex, out))
    return true;
  out->len = len;
  return false;
}

char *cul_json_word_take(const json_t *json) {
  struct cul_buf text = {0};
  return cul_json_word_add(json, &text) ? cul_buf_take(&text) : NULL;
}

void cul_json_words_quote(const json_t *words, struct cul_buf *out) {
  struct cul_buf word = {0};
  for (size_t i = 0; i < json_array_size(words); i++) {
    cul_buf_clear(&word);
    if (!cul_json_word_add(json_array_get(words, i), &word))
      continue;
    cul_buf_adds(out, i ? " " : "");
    cul_shell_quote(cul_buf_str(&word), out);
  }
  cul_buf_release(&word);
}

const char **cul_json_words_argv(const json_t *words) {
  size_t n = json_array_size(words), at = 0;
  struct cul_buf text = {0};
  const char **argv;
  char *block;
  for (size_t i = 0; i < n; i++) {
    (void)!cul_json_word_add(json_array_get(words, i), &text);
    cul_buf_addc(&text, '\0');
  }
  if (n == 0)
    return NULL;
  argv = cul_xcalloc(1, (n + 1) * sizeof *argv + text.len);
  block = (char *)(argv + n + 1);
  memcpy(block, text.data, text.len);
  for (size_t i = 0; i < n; i++) {
    argv[i] = block + at;
    at += strlen(argv[i]) + 1;
  }
  cul_buf_release(&text);
  return argv;
}

/* The bytes of a "bytes" object as a string; NULL for any other value. */
static json_t *restored(const json_t *json) {
  struct cul_buf text = {0};
  json_t *out = NULL;
  if (json_is_object(json) && cul_json_word_add(json, &text))
    out = json_stringn_nocheck(cul_buf_str(&text), text.len);
  cul_buf_release(&text);
  return out;
}

void cul_json_word_restore(json_t *object, const char *name) {
  json_t *word = restored(json_object_get(object, name));
  if (word)
    json_object_set_new_nocheck(object, name, word);
}

void cul_json_words_restore(json_t *json) {
  json_t *value, *word;
  const char *name;
  void *next;
  size_t i;
  json_array_foreach(json, i, value) {
    word = restored(value);
    if (word)
      json_array_set_new(json, i, word);
    else
      cul_json_words_restore(value);
  }
  json_object_foreach_safe(json, next, name, value) {
    word = restored(value);
    if (word)
      json_object_set_new_nocheck(json, name, word);
    else
      cul_json_words_restore(value);
  }
}
