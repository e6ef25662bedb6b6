/* JSON in profiles, parsed by jansson: see reader.h. */
#include <string.h>

#include "reader.h"

/* A limit on the text, because the parsed values take about ten times its
 * memory. */
#define MOST_WHOLE ((size_t)128 << 20)

bool cul_profile_begins(struct cul_bytes text, char c) {
  size_t i = 0;
  while (i < text.len && memchr(" \t\r\n", text.data[i], 4))
    i++;
  return i < text.len && text.data[i] == c;
}

bool cul_profile_has(struct cul_bytes text, const char *word) {
  return text.len && memmem(text.data, text.len, word, strlen(word));
}

static size_t line_at(struct cul_bytes text, size_t at) {
  size_t line = 1;
  for (size_t i = 0; i < at && i < text.len; i++)
    line += text.data[i] == '\n';
  return line;
}

/* Skip white space; is this the end of the text? */
static bool at_end(struct cul_bytes text, size_t *at) {
  while (*at < text.len && memchr(" \t\r\n", text.data[*at], 4))
    ++*at;
  return *at == text.len;
}

static json_t *parse(struct cul_bytes text, size_t *at, struct cul_err *err) {
  const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY |
                       JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;
  json_error_t why;
  json_t *value;
  if (at_end(text, at)) {
    cul_fail(err, CUL_EUSAGE, "write it again",
             "not JSON: the text ends too early, in line %zu",
             line_at(text, text.len));
    return NULL;
  }
  value = json_loadb(text.data + *at, text.len - *at, flags, &why);
  if (value)
    *at += (size_t)why.position;
  else
    cul_fail(err, CUL_EUSAGE, "write it again", "line %zu: not JSON: %.200s",
             line_at(text, *at) + (size_t)(why.line > 0 ? why.line - 1 : 0),
             why.text);
  return value;
}

json_t *cul_profile_json(struct cul_bytes text, size_t *at,
                         struct cul_err *err) {
  size_t here = 0;
  json_t *value;
  if (at)
    return parse(text, at, err);
  if (text.len > MOST_WHOLE) {
    cul_fail(err, CUL_EUSAGE, "profile a shorter run",
             "more than 128 MiB of this format");
    return NULL;
  }
  value = parse(text, &here, err);
  if (value && !at_end(text, &here)) {
    cul_fail(err, CUL_EUSAGE, "write it again",
             "line %zu: something follows the JSON", line_at(text, here));
    json_decref(value);
    value = NULL;
  }
  return value;
}
