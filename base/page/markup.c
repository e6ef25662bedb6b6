/* Foreign text in Markdown, HTML and XML: see markup.h. */
#include "markup.h"

#include <ctype.h>

#include "../visible.h"

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Append one character, escaped so that it is not markup. A backslash is
 * escaped where it would escape, an underscore where it is not inside a
 * word. */
static void add_word(const char *text, size_t at, struct cul_buf *out) {
  unsigned char c = (unsigned char)text[at];
  unsigned char next = (unsigned char)text[at + 1];
  bool inside = at > 0 && is_word(text[at - 1]) && is_word(text[at + 1]);
  switch (c) {
  case '<': /* starts a tag, a comment or a link */
    cul_buf_adds(out,
                 isalpha(next) || (next && strchr("/!?", next)) ? "&lt;" : "<");
    return;
  case '&': /* starts an entity */
    cul_buf_adds(out, isalnum(next) || next == '#' ? "&amp;" : "&");
    return;
  case '\\':
    cul_buf_adds(out, ispunct(next) ? "\\\\" : "\\");
    return;
  case '\n':
    cul_buf_addc(out, ' ');
    return;
  case '_':
    cul_buf_adds(out, inside ? "_" : "\\_");
    return;
  default:
    if (strchr("`*[]|$~", c))
      cul_buf_addc(out, '\\');
    cul_buf_addc(out, (char)c);
  }
}

/* Does c at the start of a line begin a list, a heading or a quotation? */
static bool begins_block(char c) { return c && strchr("#>+-=", c); }

void cul_markdown_words(const char *text, struct cul_buf *out) {
  struct cul_buf seen = {0};
  const char *shown;
  bool first = out->len == 0 || out->data[out->len - 1] == '\n';
  cul_visible_add((struct cul_bytes){text, strlen(text)}, &seen);
  shown = cul_buf_str(&seen);
  if (first && begins_block(*shown))
    cul_buf_addc(out, '\\');
  for (size_t i = 0; shown[i]; i++)
    add_word(shown, i, out);
  cul_buf_release(&seen);
}

/* The longest run of c in text. */
static size_t longest_run(struct cul_bytes text, char c) {
  size_t most = 0, run = 0;
  for (size_t i = 0; i < text.len; i++) {
    run = text.data[i] == c ? run + 1 : 0;
    most = run > most ? run : most;
  }
  return most;
}

static void add_run(size_t n, struct cul_buf *out) {
  for (size_t i = 0; i < n; i++)
    cul_buf_addc(out, '`');
}

void cul_markdown_code(const char *text, struct cul_buf *out) {
  struct cul_buf seen = {0};
  const char *shown;
  size_t n, len;
  bool padded;
  cul_visible_line(text, &seen);
  shown = cul_buf_str(&seen);
  len = seen.len;
  n = longest_run(cul_buf_bytes(&seen), '`') + 1;
  padded = len == 0 || shown[0] == '`' || shown[len - 1] == '`' ||
           (shown[0] == ' ' && shown[len - 1] == ' ');
  add_run(n, out);
  cul_buf_adds(out, padded ? " " : "");
  cul_buf_adds(out, shown);
  cul_buf_adds(out, padded ? " " : "");
  add_run(n, out);
  cul_buf_release(&seen);
}

void cul_markdown_lines(const char *tag, struct cul_bytes text,
                        struct cul_buf *out) {
  size_t n = longest_run(text, '`') + 1;
  n = n < 3 ? 3 : n;
  add_run(n, out);
  cul_buf_addf(out, "%s\n", tag);
  cul_visible_add(text, out);
  if (text.len && text.data[text.len - 1] != '\n')
    cul_buf_addc(out, '\n');
  add_run(n, out);
  cul_buf_addc(out, '\n');
}

void cul_html_text(const char *text, struct cul_buf *out) {
  struct cul_buf seen = {0};
  cul_visible_add((struct cul_bytes){text, strlen(text)}, &seen);
  for (const char *at = cul_buf_str(&seen); *at; at++)
    switch (*at) {
    case '<':
      cul_buf_adds(out, "&lt;");
      break;
    case '>':
      cul_buf_adds(out, "&gt;");
      break;
    case '&':
      cul_buf_adds(out, "&amp;");
      break;
    case '"':
      cul_buf_adds(out, "&quot;");
      break;
    case '\'':
      cul_buf_adds(out, "&#39;");
      break;
    default:
      cul_buf_addc(out, *at);
    }
  cul_buf_release(&seen);
}
