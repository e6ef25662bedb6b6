/* The imports at the head of a Python script: see imports.h.
 *
 * Only the tokens that an import can have are known here: a line that begins
 * with "import" or "from" is an import, or Python refuses the whole script. */
#include "imports.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../base/files/file.h"

/* Bytes that are looked at, and given to an interpreter in its environment. */
enum { MOST = 32 << 10 };

static const char blanks[] = " \t\r\f";

static bool is_in(const char *set, char c) { return c && strchr(set, c); }

static const char *skip_blanks(const char *at, const char *end) {
  while (at < end && is_in(blanks, *at))
    at++;
  return at;
}

/* Behind the line that only a comment may still follow; NULL: another word
 * does, or the line has no end here. */
static const char *skip_rest(const char *at, const char *end, bool whole) {
  at = skip_blanks(at, end);
  if (at < end && *at == '#')
    while (at < end && *at != '\n')
      at++;
  if (at < end && *at == '\n')
    return at + 1;
  return at == end && whole ? at : NULL;
}

/* Behind the string that begins here; NULL: none does, or it has no end. */
static const char *skip_string(const char *at, const char *end) {
  size_t width = 1;
  char quote;
  if (at < end && is_in("rRuU", *at))
    at++;
  if (at >= end || !is_in("\"'", *at))
    return NULL;
  quote = *at;
  if (end - at >= 3 && at[1] == quote && at[2] == quote)
    width = 3;
  for (at += width; (size_t)(end - at) >= width; at++) {
    if (*at == '\\' && at + 1 < end)
      at++;
    else if (*at == '\n' && width == 1)
      return NULL;
    else if (*at == quote && (width == 1 || (at[1] == quote && at[2] == quote)))
      return at + width;
  }
  return NULL;
}

static bool has_word(const char *at, const char *end, const char *word) {
  size_t n = strlen(word);
  return (size_t)(end - at) > n && memcmp(at, word, n) == 0 &&
         (is_in(blanks, at[n]) || at[n] == '\\');
}

/* Behind the import that begins here, and its line; NULL: none does, or it has
 * no end, or something else stands in its line. */
static const char *skip_import(const char *at, const char *end, bool whole) {
  int depth = 0;
  if (!has_word(at, end, "import") && !has_word(at, end, "from"))
    return NULL;
  for (; at < end; at++) {
    if (*at == '#')
      while (at + 1 < end && at[1] != '\n')
        at++;
    else if (*at == '\n' && depth == 0)
      return at + 1;
    else if (*at == '\\')
      at += end - at > 2 && at[1] == '\r' ? 2 : 1;
    else if (*at == '(')
      depth++;
    else if (*at == ')')
      depth--;
    else if (!isalnum((unsigned char)*at) && !is_in("_.,*\n", *at) &&
             !is_in(blanks, *at))
      return NULL;
    if (at < end && is_in("\\\r", *at) && at + 1 < end && at[1] != '\n')
      return NULL;
  }
  return whole && at == end && depth == 0 ? at : NULL;
}

static const char *skip_text(const char *at, const char *end,
                             const char *text) {
  size_t n = strlen(text);
  return at && (size_t)(end - at) >= n && memcmp(at, text, n) == 0 ? at + n
                                                                   : NULL;
}

/* Behind the strings that begin here, on one line, and blanks around them;
 * NULL: none does. */
static const char *skip_strings(const char *at, const char *end) {
  const char *last = NULL;
  while (at && (at = skip_string(skip_blanks(at, end), end)))
    last = at = skip_blanks(at, end);
  return last;
}

/* Behind the line of os.environ["NAME"] = "VALUE", or of
 * os.environ.setdefault("NAME", "VALUE"); NULL: another statement begins here.
 * It sets the same value however often it runs. */
static const char *skip_setting(const char *at, const char *end, bool whole) {
  const char *name = skip_text(at, end, "os.environ");
  const char *index = skip_text(name, end, "[");
  const char *call = skip_text(name, end, ".setdefault(");
  if (index) {
    at = skip_text(skip_strings(index, end), end, "]");
    at = at ? skip_text(skip_blanks(at, end), end, "=") : NULL;
    at = at ? skip_strings(at, end) : NULL;
  } else if (call) {
    at = skip_text(skip_strings(call, end), end, ",");
    at = at ? skip_text(skip_strings(at, end), end, ")") : NULL;
  } else {
    at = NULL;
  }
  return at ? skip_rest(at, end, whole) : NULL;
}

static bool is_future(const char *at, const char *end) {
  static const char name[] = "__future__";
  const char *word = skip_blanks(at + strlen("from"), end);
  return *at == 'f' && (size_t)(end - word) > sizeof name - 1 &&
         memcmp(word, name, sizeof name - 1) == 0;
}

/* The imports at the head of the script, with the settings of variables before
 * them, and the number of imports.  whole: false if it
 * continues after the bytes. */
static size_t find_imports(struct cul_bytes script, bool whole,
                           struct cul_buf *out) {
  const char *at = cul_bytes_behind_mark(script).data;
  const char *end = script.data + script.len, *next;
  size_t n = 0, used = 0; /* used: up to the last import */
  bool imports;
  for (; at < end; at = next) {
    const char *string = skip_string(at, end);
    next = skip_rest(string ? string : at, end, whole);
    if (next)
      continue;
    next = skip_import(at, end, whole);
    imports = next != NULL;
    if (!next)
      next = skip_setting(at, end, whole);
    if (!next)
      break;
    cul_buf_add(out, at, (size_t)(next - at));
    if (next[-1] != '\n')
      cul_buf_adds(out, "\n");
    if (!imports)
      continue;
    n += !is_future(at, end);
    used = out->len;
  }
  out->len = used;
  cul_buf_adds(out, "");
  return n;
}

/* python, python3, python3.11 ... */
static bool is_python(const char *name) {
  static const char python[] = "python";
  size_t n = sizeof python - 1;
  return strncmp(name, python, n) == 0 &&
         name[n + strspn(name + n, "0123456789.")] == '\0';
}

/* Does a word that names Python stand before the path, with options between?
 * -x changes what the first line of a script is. */
static bool runs_script(char *const *argv, const char *path) {
  bool python = false;
  for (; *argv && strcmp(*argv, path) != 0; argv++) {
    if (python && **argv == '-' && !strchr(*argv, 'x')) {
      /* the value may be a word of its own */
      if (argv[1] && (strcmp(*argv, "-X") == 0 || strcmp(*argv, "-W") == 0))
        argv++;
    } else {
      python = is_python(cul_basename(*argv));
    }
  }
  return *argv && python;
}

size_t cul_imports_of(char *const *argv, const char *path,
                      struct cul_buf *out) {
  char text[MOST];
  ssize_t n;
  int fd;
  if (!runs_script(argv, path))
    return 0;
  fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  if (fd < 0)
    return 0;
  n = TEMP_FAILURE_RETRY(pread(fd, text, sizeof text, 0));
  close(fd);
  if (n <= 0)
    return 0;
  return find_imports((struct cul_bytes){text, (size_t)n},
                      (size_t)n < sizeof text, out);
}
