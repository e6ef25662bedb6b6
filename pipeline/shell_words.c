/* Splits the command of a shell into words: see shell_words.h. */
#include "shell_words.h"

#include <stdlib.h>
#include <string.h>

static bool is_substitution(const char *at) {
  return at[0] == '`' || (at[0] == '$' && at[1] == '(');
}

/* The closing quote of the string that starts at `at`; 0: missing, or the
 * string contains a substitution. */
static size_t skip_string(const char *text, size_t at) {
  char quote = text[at++];
  for (; text[at] && text[at] != quote; at++) {
    if (quote == '"' && is_substitution(text + at))
      return 0;
    if (quote == '"' && text[at] == '\\' && text[at + 1])
      at++;
  }
  return text[at] ? at : 0;
}

/* The position after the word that starts at `at`; 0: it contains a
 * substitution or an open quote. */
static size_t skip_word(const char *text, size_t at) {
  while (text[at] && !strchr(" \t|&;()<>\n", text[at])) {
    if (is_substitution(text + at))
      return 0;
    if (text[at] == '\\' && text[at + 1])
      at++;
    else if (strchr("'\"", text[at]) && !(at = skip_string(text, at)))
      return 0;
    at++;
  }
  return at;
}

static void add(struct cul_shell_words *out, size_t from, size_t to,
                bool redirection) {
  if (out->n == out->cap) {
    out->cap = out->cap ? out->cap * 2 : 16;
    out->items = cul_xreallocarray(out->items, out->cap, sizeof *out->items);
  }
  out->items[out->n++] =
      (struct cul_shell_word){from, to, out->n_commands, redirection};
}

static bool fail(struct cul_shell_words *out) {
  cul_shell_words_release(out);
  return false;
}

bool cul_shell_words(const char *text, struct cul_shell_words *out) {
  bool open = false, redirection = false;
  size_t at = 0;
  *out = (struct cul_shell_words){0};
  while (text[at]) {
    char c = text[at];
    size_t end;
    if (c == ' ' || c == '\t') {
      at++;
    } else if (c == '<' || c == '>') {
      if (c == '<' && text[at + 1] == '<')
        return fail(out);
      redirection = true;
      at += 1 + strspn(text + at + 1, "<>&|");
    } else if (strchr("|&;()\n", c)) {
      out->n_commands += open;
      open = redirection = false;
      at++;
    } else if (c == '#' || !(end = skip_word(text, at))) {
      return fail(out);
    } else {
      add(out, at, end, redirection);
      open = true;
      redirection = false;
      at = end;
    }
  }
  out->n_commands += open;
  return true;
}

void cul_shell_words_release(struct cul_shell_words *words) {
  free(words->items);
  *words = (struct cul_shell_words){0};
}

char *cul_shell_unquote(const char *text, size_t len) {
  struct cul_buf out = {0};
  char quote = 0;
  for (size_t i = 0; i < len; i++) {
    if (quote ? text[i] == quote : (text[i] == '\'' || text[i] == '"'))
      quote = quote ? 0 : text[i];
    else if (text[i] == '\\' && quote != '\'' && i + 1 < len)
      cul_buf_addc(&out, text[++i]);
    else
      cul_buf_addc(&out, text[i]);
  }
  return cul_buf_take(&out);
}
