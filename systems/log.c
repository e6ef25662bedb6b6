/* Cleans logs, splits them into lines, and provides helpers for readers: see
 * log.h. */
#include "log.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define READER(name) extern const struct cul_log_reader cul_log_reader_##name;
#define SYSTEM(name, program, opt, arguments)
#define PACKAGE(name, library)
#define TRACE(name)
#include "list.h"
#undef READER

static const struct cul_log_reader *const readers[] = {
#define READER(name) &cul_log_reader_##name,
#include "list.h"
#undef READER
#undef TRACE
#undef SYSTEM
#undef PACKAGE
};

/* ---- cleaning ---- */

/* The length of the escape sequence at the start of text; 0: none. (ECMA-48:
 * CSI ends in a byte from 0x40 on, OSC in BEL or ESC \) */
static size_t escape(struct cul_bytes text) {
  size_t n = 2;
  if (text.len < 2 || text.data[0] != '\x1b')
    return 0;
  if (text.data[1] == '[') {
    while (n < text.len && !(text.data[n] >= 0x40 && text.data[n] <= 0x7e))
      n++;
  } else if (text.data[1] == ']') {
    while (n < text.len && text.data[n] != '\a' && text.data[n] != '\x1b')
      n++;
    n += n + 1 < text.len && text.data[n] == '\x1b';
  } else {
    return 2;
  }
  return n < text.len ? n + 1 : text.len;
}

/* The length of a time stamp that CI services put before each line
 * ("2026-01-31T09:15:00.1234567Z "); 0: none. */
static size_t time_stamp(struct cul_bytes line) {
  static const char form[] = "dddd-dd-ddTdd:dd:dd";
  size_t n = 0;
  for (; form[n]; n++)
    if (n >= line.len || (form[n] == 'd' ? !isdigit((unsigned char)line.data[n])
                                         : line.data[n] != form[n]))
      return 0;
  while (n < line.len && (isdigit((unsigned char)line.data[n]) ||
                          line.data[n] == '.' || line.data[n] == ','))
    n++;
  n += n < line.len && line.data[n] == 'Z';
  return n < line.len && line.data[n] == ' ' ? n + 1 : 0;
}

/* Append the cleaned line. */
static void add_line(struct cul_bytes line, struct cul_buf *out) {
  size_t skip;
  while (line.len && line.data[line.len - 1] == '\r')
    line.len--;
  skip = time_stamp(line);
  for (size_t i = skip; i < line.len;) {
    size_t n = escape((struct cul_bytes){line.data + i, line.len - i});
    if (n == 0)
      cul_buf_addc(out, line.data[i] ? line.data[i] : ' ');
    i += n ? n : 1;
  }
  cul_buf_addc(out, '\n');
}

void cul_log_read(struct cul_bytes text, const char *dir, struct cul_log *out) {
  const char *at = text.data, *end = text.data + text.len;
  size_t n = 0;
  *out = (struct cul_log){.dir = dir};
  cul_buf_reserve(&out->text, text.len + 1);
  while (at < end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t len = (size_t)((stop ? stop : end) - at);
    add_line((struct cul_bytes){at, len}, &out->text);
    at += len + 1;
    n++;
  }
  out->lines = cul_xcalloc(n + 1, sizeof *out->lines);
  at = cul_buf_str(&out->text);
  for (; out->n < n; out->n++) {
    size_t len =
        (size_t)((const char *)memchr(
                     at, '\n', (size_t)(out->text.data + out->text.len - at)) -
                 at);
    out->lines[out->n] = (struct cul_bytes){at, len};
    at += len + 1;
  }
}

void cul_log_release(struct cul_log *log) {
  cul_buf_release(&log->text);
  free(log->lines);
}

/* ---- all readers ---- */

static void release(struct cul_log_repro *repro) {
  free(repro->name);
  free(repro->argv);
  free(repro->why);
  free(repro->fault);
  cul_buf_release(&repro->text);
}

void cul_log_repros_release(struct cul_log_repros *repros) {
  for (size_t i = 0; i < repros->n; i++)
    release(&repros->items[i]);
  free(repros->items);
}

void cul_log_add(struct cul_log_repros *repros, struct cul_log_repro *repro) {
  for (size_t i = 0; i < repros->n; i++)
    if (repros->items[i].text.len == repro->text.len &&
        memcmp(cul_buf_str(&repros->items[i].text), cul_buf_str(&repro->text),
               repro->text.len) == 0) {
      release(repro);
      return;
    }
  repros->items =
      cul_xreallocarray(repros->items, repros->n + 1, sizeof *repros->items);
  repros->items[repros->n++] = *repro;
}

/* Make file names unique: the second file of a name becomes NAME-2.EXT. */
static void tell_names_apart(struct cul_log_repros *repros) {
  for (size_t i = 1; i < repros->n; i++) {
    char *name = repros->items[i].name;
    const char *dot = strrchr(name, '.');
    size_t same = 1;
    for (size_t k = 0; k < i; k++)
      same +=
          strcmp(repros->items[k].name, name) == 0 ||
          (strncmp(repros->items[k].name, name, (size_t)(dot - name)) == 0 &&
           repros->items[k].name[dot - name] == '-');
    if (same == 1)
      continue;
    repros->items[i].name =
        cul_xasprintf("%.*s-%zu%s", (int)(dot - name), name, same, dot);
    free(name);
  }
}

void cul_log_find(const struct cul_log *log, struct cul_log_repros *out) {
  *out = (struct cul_log_repros){0};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(readers); i++)
    if (!readers[i]->fallback || out->n == 0)
      readers[i]->read(log, out);
  tell_names_apart(out);
}

void cul_log_advice(struct cul_buf *out) {
  for (size_t i = 0; i < CUL_ARRAY_SIZE(readers); i++)
    cul_buf_addf(out, "  %s: %s\n", readers[i]->kind, readers[i]->advice);
}

/* ---- for the readers ---- */

struct cul_log_block cul_log_block(const struct cul_log *log, size_t i,
                                   size_t column) {
  return (struct cul_log_block){.log = log,
                                .prefix = {log->lines[i].data, column}};
}

bool cul_log_line(const struct cul_log_block *block, size_t i,
                  struct cul_bytes *out) {
  struct cul_bytes line, prefix = block->prefix;
  if (i >= block->log->n)
    return false;
  line = block->log->lines[i];
  while (prefix.len && prefix.len > line.len &&
         prefix.data[prefix.len - 1] == ' ')
    prefix.len--; /* an empty line whose trailing blank was trimmed */
  if (line.len < prefix.len || memcmp(line.data, prefix.data, prefix.len) != 0)
    return false;
  *out = (struct cul_bytes){line.data + prefix.len, line.len - prefix.len};
  return true;
}

void cul_log_lines(const struct cul_log_block *block, size_t from, size_t to,
                   struct cul_buf *out) {
  struct cul_bytes line;
  for (size_t i = from; i <= to && cul_log_line(block, i, &line); i++) {
    cul_buf_add(out, line.data, line.len);
    cul_buf_addc(out, '\n');
  }
}

size_t cul_bytes_find(struct cul_bytes text, const char *word) {
  const char *found =
      text.len ? memmem(text.data, text.len, word, strlen(word)) : NULL;
  return found ? (size_t)(found - text.data) : text.len;
}

char *cul_log_words(struct cul_bytes line) {
  while (line.len && isspace((unsigned char)line.data[0]))
    line.data++, line.len--;
  while (line.len && isspace((unsigned char)line.data[line.len - 1]))
    line.len--;
  return cul_xstrndup(line.data ? line.data : "", line.len);
}

/* The index of the end of the string that starts at text.data[i]. */
static size_t string_end(struct cul_bytes text, size_t i) {
  for (i++; i < text.len && text.data[i] != '"'; i++)
    i += text.data[i] == '\\';
  return i;
}

int cul_log_open_brackets(struct cul_bytes text) {
  int open = 0;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    if (c == '"') {
      i = string_end(text, i);
    } else if (c == '/' && i + 1 < text.len && text.data[i + 1] == '/') {
      while (i < text.len && text.data[i] != '\n')
        i++;
    } else if (strchr("([{", c)) {
      open++;
    } else if (c && strchr(")]}", c)) {
      open--;
    }
  }
  return open;
}

char **cul_log_split(struct cul_bytes line) {
  const char **words = NULL;
  struct cul_buf text = {0};
  size_t n = 0, *starts = NULL, i = 0;
  char **out;
  while (i < line.len) {
    bool quoted = false;
    while (i < line.len && isspace((unsigned char)line.data[i]))
      i++;
    if (i == line.len)
      break;
    starts = cul_xreallocarray(starts, n + 1, sizeof *starts);
    starts[n++] = text.len;
    for (; i < line.len && (quoted || !isspace((unsigned char)line.data[i]));
         i++) {
      if (line.data[i] == '"') {
        quoted = !quoted;
        continue;
      }
      i += quoted && line.data[i] == '\\' && i + 1 < line.len;
      cul_buf_addc(&text, line.data[i]);
    }
    cul_buf_addc(&text, '\0');
  }
  words = cul_xcalloc(n + 1, sizeof *words);
  for (i = 0; i < n; i++)
    words[i] = text.data + starts[i];
  out = cul_log_argv(words);
  free(words);
  free(starts);
  cul_buf_release(&text);
  return out;
}

char **cul_log_argv(const char *const *argv) {
  size_t n = 0, size = 0;
  char **out, *text;
  for (; argv[n]; n++)
    size += strlen(argv[n]) + 1;
  out = cul_xmalloc((n + 1) * sizeof *out + size);
  text = (char *)(out + n + 1);
  for (size_t i = 0; i < n; i++) {
    out[i] = text;
    text = stpcpy(text, argv[i]) + 1;
  }
  out[n] = NULL;
  return out;
}
