/* Writes shell text: see shell_text.h. */
#include "shell_text.h"

#include <ctype.h>
#include <stdlib.h>

#include "../base/visible.h"

static bool is_plain(const char *text) {
  static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                             "WXYZ0123456789_-+=./,:@%";
  return *text && strspn(text, safe) == strlen(text);
}

/* Quote a part that contains no apostrophe. */
static void add_quoted(struct cul_bytes part, struct cul_buf *out) {
  if (part.len == 0)
    return;
  cul_buf_addc(out, '\'');
  cul_buf_add(out, part.data, part.len);
  cul_buf_addc(out, '\'');
}

/* Append unprintable bytes as octal numbers. None of them is a newline, which a
 * command substitution would drop at the end. */
static void add_numbers(struct cul_bytes part, struct cul_buf *out) {
  cul_buf_adds(out, "\"$(printf '");
  for (size_t i = 0; i < part.len; i++)
    cul_buf_addf(out, "\\%03o", (unsigned char)part.data[i]);
  cul_buf_adds(out, "')\"");
}

/* The number of bytes before the next apostrophe or unprintable byte. */
static size_t shown(struct cul_bytes text) {
  const char *at = memchr(text.data, '\'', text.len);
  struct cul_bytes part = {text.data, at ? (size_t)(at - text.data) : text.len};
  return cul_visible_prefix(part);
}

/* The number of bytes before the next printable one. */
static size_t hidden(struct cul_bytes text) {
  size_t n = 0;
  while (n < text.len && cul_visible_prefix((struct cul_bytes){
                             text.data + n, text.len - n}) == 0)
    n++;
  return n;
}

void cul_shell_quote(const char *text, struct cul_buf *out) {
  struct cul_bytes rest = {text, strlen(text)};
  if (rest.len == 0)
    cul_buf_adds(out, "''");
  if (is_plain(text)) {
    cul_buf_adds(out, text);
    return;
  }
  while (rest.len) {
    size_t n = shown(rest);
    add_quoted((struct cul_bytes){rest.data, n}, out);
    rest = (struct cul_bytes){rest.data + n, rest.len - n};
    if (rest.len && *rest.data == '\'') {
      n = 1;
      cul_buf_adds(out, "\\'");
    } else {
      n = rest.len ? hidden(rest) : 0;
      if (n)
        add_numbers((struct cul_bytes){rest.data, n}, out);
    }
    rest = (struct cul_bytes){rest.data + n, rest.len - n};
  }
}

void cul_shell_words_of(const char *const *argv, struct cul_buf *out) {
  for (size_t i = 0; argv[i]; i++) {
    cul_buf_adds(out, i ? " " : "");
    cul_shell_quote(argv[i], out);
  }
}

void cul_shell_comment(const char *text, struct cul_buf *out) {
  cul_visible_line(text, out);
}

/* The shell word for the placeholder at `at`; *len: the length of the
 * placeholder. NULL: no placeholder. */
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

/* The script that is named at `at` as a whole word of arg: its number, from 1;
 * or 0. */
static size_t script_at(const char *const *scripts, const char *arg,
                        const char *at) {
  static const char between[] = " \t\n;|&()<>'\"`=";
  for (size_t i = 0; scripts && scripts[i]; i++) {
    size_t n = strlen(scripts[i]);
    if ((at == arg || strchr(between, at[-1])) &&
        strncmp(at, scripts[i], n) == 0 && (!at[n] || strchr(between, at[n])))
      return i + 1;
  }
  return 0;
}

/* Append one argument of the command, with the candidate as "$repro". */
static void add_argument(const char *arg, const char *const *scripts,
                         struct cul_buf *out) {
  struct cul_buf literal = {0};
  const char *all = arg;
  size_t script;
  bool any = false;
  cul_buf_addc(out, ' ');
  while (*arg) {
    size_t len;
    const char *word = shell_word(arg, &len);
    if (!word && (script = script_at(scripts, all, arg))) {
      if (literal.len)
        cul_shell_quote(cul_buf_str(&literal), out);
      cul_buf_clear(&literal);
      cul_buf_addf(out, "\"$script%zu\"", script);
      any = true;
      arg += strlen(scripts[script - 1]);
      continue;
    }
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
    if (len == 2 &&
        arg[0] == '.') /* "@@.ext": the path has the extension already */
      arg += strcspn(arg, " /'\";|&");
  }
  if (literal.len || !any)
    cul_shell_quote(cul_buf_str(&literal), out);
  cul_buf_release(&literal);
}

void cul_shell_arguments(const char *const *argv, struct cul_buf *out) {
  for (; argv && *argv; argv++)
    add_argument(*argv, NULL, out);
}

void cul_shell_program(const char *const *argv, const char *const *scripts,
                       struct cul_buf *out) {
  if (argv[0] && (*argv[0] == '-' || strchr(argv[0], '=')))
    cul_buf_adds(out, " sh -c '\"$@\"' sh");
  for (; argv && *argv; argv++)
    add_argument(*argv, scripts, out);
}

static bool is_shell_name(const char *name, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (!isalnum((unsigned char)name[i]) && name[i] != '_')
      return false;
  return len > 0 && !isdigit((unsigned char)name[0]);
}

void cul_shell_demand(const char *name, struct cul_buf *out) {
  cul_buf_addf(out,
               "[ \"${%s+set}\" ] || {\n  echo 'cannot decide: set %s, which "
               "the failure needs; its value may be a secret, so it is not "
               "here' >&2\n  exit 2\n}\n",
               name, name);
}

void cul_shell_environment(const struct cul_environment_conf *conf,
                           const struct cul_environment *passed,
                           struct cul_buf *out) {
  for (size_t i = 0; i < conf->n_unset; i++)
    if (is_shell_name(conf->unset[i], strlen(conf->unset[i])))
      cul_buf_addf(out, "unset %s\n", conf->unset[i]);
  for (size_t i = 0; i < conf->n_set; i++) {
    size_t len = strcspn(conf->set[i], "=");
    CUL_HEAP char *name = cul_xstrndup(conf->set[i], len);
    const char *value = cul_environment_get(passed, name);
    CUL_HEAP char *entry = cul_xasprintf("%s=%s", name, value);
    if (is_shell_name(name, len) && cul_environment_is_secret(entry)) {
      cul_shell_demand(name, out);
    } else if (is_shell_name(name, len)) {
      cul_buf_addf(out, "export %s=", name);
      cul_shell_quote(value, out);
      cul_buf_addc(out, '\n');
    }
  }
}

bool cul_is_plain_name(const char *text) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                              "WXYZ0123456789_+-.";
  size_t n = strlen(text);
  return n > 0 && n <= 32 && *text != '-' && strspn(text, plain) == n;
}
