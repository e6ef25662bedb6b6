/* Strings and comments in the text of MLIR: see quoted.h. */
#include "quoted.h"

#include <string.h>

/* Uses memchr, because strings of weights have many megabytes. */
static size_t string_end(struct cul_bytes text, size_t at) {
  while (++at < text.len) {
    const char *here = text.data + at;
    const char *end = memchr(here, '"', text.len - at);
    const char *escape;
    if (!end)
      return text.len;
    escape = memchr(here, '\\', (size_t)(end - here));
    if (!escape)
      return (size_t)(end + 1 - text.data);
    at = (size_t)(escape + 1 - text.data);
  }
  return text.len;
}

size_t cul_quoted_end(struct cul_bytes text, size_t at) {
  const char *end;
  if (text.data[at] == '"')
    return string_end(text, at);
  if (text.data[at] != '/' || at + 1 >= text.len || text.data[at + 1] != '/')
    return at;
  end = memchr(text.data + at, '\n', text.len - at);
  return end ? (size_t)(end - text.data) : text.len;
}

const char *cul_string_end(const char *at) {
  if (*at != '"')
    return at;
  for (at++; *at && *at != '"'; at++)
    at += *at == '\\' && at[1];
  return *at ? at + 1 : at;
}
