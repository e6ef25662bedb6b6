/* One pass over the text, token by token: see highlight.h. */
#include "highlight.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/markup.h"

static bool is_word(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' ||
         c == '-';
}

static size_t word_length(const char *s) {
  size_t n = 1;
  while (is_word(s[n]))
    n++;
  return n;
}

static size_t string_length(const char *s) {
  size_t n = 1;
  while (s[n] && s[n] != '"' && s[n] != '\n')
    n += s[n] == '\\' && s[n + 1] ? 2 : 1;
  return n + (s[n] == '"');
}

/* i32, f16, index, tensor ... */
static bool is_type(const char *s, size_t n) {
  static const char *const words[] = {"tensor", "memref", "vector", "index",
                                      "none",   "tuple",  "complex"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (strlen(words[i]) == n && !memcmp(words[i], s, n))
      return true;
  if (n < 2 || !strchr("if", s[0]) || !isdigit((unsigned char)s[1]))
    return n > 2 && s[0] == 'b' && s[1] == 'f' && isdigit((unsigned char)s[2]);
  return true;
}

/* The class of the token at s, 0 for none; *n: its length. */
static char token(const char *s, size_t *n) {
  *n = 1;
  if (s[0] == '/' && s[1] == '/') {
    *n = strcspn(s, "\n");
    return 'c';
  }
  if (*s == '"') {
    *n = string_length(s);
    return memchr(s, '.', *n) && s[*n] == '(' ? 'o' : 'q';
  }
  if (strchr("%@^!#", *s) && is_word(s[1])) {
    *n = word_length(s);
    return *s == '%' ? 'v' : *s == '@' || *s == '^' ? 's' : 't';
  }
  if (isdigit((unsigned char)*s)) {
    while (isalnum((unsigned char)s[*n]) || s[*n] == '.')
      (*n)++;
    return 'n';
  }
  if (!isalpha((unsigned char)*s) && *s != '_')
    return 0;
  *n = word_length(s);
  return is_type(s, *n) ? 't' : memchr(s, '.', *n) ? 'o' : 0;
}

void cul_highlight(const char *text, struct cul_buf *out) {
  while (*text) {
    size_t n;
    char class = token(text, &n);
    char *piece;
    while (((unsigned char)text[n] & 0xc0) == 0x80) /* one code point */
      n++;
    piece = cul_xstrndup(text, n);
    if (class)
      cul_buf_addf(out, "<span class=\"%c\">", class);
    cul_html_text(piece, out);
    if (class)
      cul_buf_adds(out, "</span>");
    free(piece);
    text += n;
  }
}
