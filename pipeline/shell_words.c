/* Words of a shell's command: see shell_words.h. */
#include "shell_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_substitution(const char *at) {
  return at[0] == '`' || (at[0] == '$' && at[1] == '(');
}

/* At the closing quote of the string that starts at at; 0: none, or the string
 * holds what is not read here. */
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

/* Behind the word that starts at at; 0 where it is not read here. */
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

static bool is_plain(const char *text) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                             "WXYZ0123456789_-+=./,:@%";
  return *text && strspn(text, safe) == strlen(text);
}

void cul_shell_quote(const char *text, struct cul_buf *out) {
  if (is_plain(text)) {
    cul_buf_adds(out, text);
    return;
  }
  cul_buf_addc(out, '\'');
  for (; *text; text++)
    if (*text == '\'')
      cul_buf_adds(out, "'\\''");
    else
      cul_buf_addc(out, *text);
  cul_buf_addc(out, '\'');
}

/* What stands for a placeholder in the shell; *len: of what it replaces. */
static const char *shell_word(const char *at, size_t *len) {
  static const struct {
    const char *key, *word;
  } table[] = {{"@@@@", "@@"},
               {"@@", "\"$repro\""},
               {"@{out}", "\"$out\""},
               {"@{inputs}", "\"$here/inputs\""}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(table); i++) {
    *len = strlen(table[i].key);
    if (strncmp(at, table[i].key, *len) == 0)
      return table[i].word;
  }
  *len = 1;
  return NULL;
}

/* One argument of the command, with the candidate as "$repro". */
static void add_argument(const char *arg, struct cul_buf *out) {
  struct cul_buf literal = {0};
  bool any = false;
  cul_buf_addc(out, ' ');
  while (*arg) {
    size_t len;
    const char *word = shell_word(arg, &len);
    if (!word) {
      cul_buf_addc(&literal, *arg++);
      continue;
    }
    if (literal.len)
      cul_shell_quote(cul_buf_str(&literal), out);
    cul_buf_clear(&literal);
    cul_buf_adds(out, word);
    any = true;
    arg += len;
    if (len == 2 && arg[0] == '.') /* "@@.ext": it has its extension */
      arg += strcspn(arg, " /'\";|&");
  }
  if (literal.len || !any)
    cul_shell_quote(cul_buf_str(&literal), out);
  cul_buf_release(&literal);
}

void cul_shell_arguments(const char *const *argv, struct cul_buf *out) {
  for (; argv && *argv; argv++)
    add_argument(*argv, out);
}

static bool is_shell_name(const char *name, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)name[i]) && name[i] != '_')
      return false;
  return len > 0 && !isdigit((unsigned char)name[0]);
}

void cul_shell_environment(const struct cul_environment_conf *conf,
                           const struct cul_environment *passed,
                           struct cul_buf *out) {
  for (size_t i = 0; i < conf->n_unset; i++)
    if (is_shell_name(conf->unset[i], strlen(conf->unset[i])))
      cul_buf_addf(out, "unset %s\n", conf->unset[i]);
  for (size_t i = 0; i < conf->n_set; i++) {
    size_t len = strcspn(conf->set[i], "=");
    char *name = cul_xstrndup(conf->set[i], len);
    if (is_shell_name(name, len)) {
      cul_buf_addf(out, "export %s=", name);
      cul_shell_quote(cul_environment_get(passed, name), out);
      cul_buf_addc(out, '\n');
    }
    free(name);
  }
}
