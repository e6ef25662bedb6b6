/* Further parts of a failure: the source line of the tool and, if no rule
 * matches, the last line with words. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../rules/rules.h"

enum {
  MAX_MESSAGE = 1024, /* an assertion with its function's type */
  MAX_WORDS = 400,
};

static bool is_source(const char *end, size_t len) {
  static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx", ".h",
                                        ".hh",  ".hpp", ".inc", ".def", ".td",
                                        ".ipp", ".cu",  ".hip", ".rs"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(endings); i++) {
    size_t n = strlen(endings[i]);
    if (len > n && !memcmp(end - n, endings[i], n))
      return true;
  }
  return false;
}

/* The number after "FILE:" or "FILE, line "; 0 if there is none. */
static uint32_t line_behind(const char *s, const char *end) {
  static const char *const words[] = {":", ", line "};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++) {
    size_t n = strlen(words[i]);
    uint32_t line = 0;
    if ((size_t)(end - s) <= n || memcmp(s, words[i], n) != 0)
      continue;
    for (s += n; s < end && isdigit((unsigned char)*s) && line < 1 << 24; s++)
      line = line * 10 + (uint32_t)(*s - '0');
    return line;
  }
  return 0;
}

static bool is_file_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '+' ||
         c == '.';
}

void cul_place_read(const struct cul_bytes texts[2],
                    const struct cul_match *match, struct cul_signature *sig) {
  struct cul_bytes text = texts[match->source];
  const char *s = text.data + match->start, *end = text.data + text.len;
  if (sig->kind != CUL_KIND_ASSERTION && sig->kind != CUL_KIND_UNREACHABLE &&
      !match->rule->native)
    return;
  if (end - s > MAX_MESSAGE)
    end = s + MAX_MESSAGE;
  while (s < end) {
    const char *start = s;
    while (s < end && is_file_char(*s))
      s++;
    if (s > start && is_source(s, (size_t)(s - start))) {
      sig->line = line_behind(s, end);
      if (sig->line) {
        snprintf(sig->file, sizeof sig->file, "%.*s", (int)(s - start), start);
        return;
      }
    }
    s += s < end;
  }
}

/* Is it a frame of Python: has its module the form of a source file's name, or
 * of what the interpreter reads? */
static bool is_python(const struct cul_frame *frame) {
  size_t n = strlen(frame->module);
  return (n > 3 && !strcmp(frame->module + n - 3, ".py")) ||
         !strcmp(frame->module, "<stdin>") ||
         !strcmp(frame->module, "<string>");
}

/* Does the name say nothing: "<module>", "__call__", or one of the list? */
static bool is_generic(const struct cul_rules *rules, const char *name) {
  size_t n = strlen(name);
  return name[0] == '<' ||
         (n > 4 && !memcmp(name, "__", 2) && !memcmp(name + n - 2, "__", 2)) ||
         cul_list_has(&rules->lists[CUL_LIST_GENERIC], name, false);
}

const char *cul_frame_place(const struct cul_rules *rules,
                            const struct cul_signature *sig,
                            const struct cul_frame *frame, bool *generic) {
  *generic = is_python(frame) && is_generic(rules, frame->name);
  if (!*generic)
    return frame->name;
  for (size_t i = sig->n_frames; i-- > 0;)
    if (sig->frames[i].role == CUL_FRAME_RELEVANT &&
        !strncmp(sig->frames[i].name, "test_", 5))
      return sig->frames[i].name;
  if (frame->module[0] == '<')
    return "";
  return !strncmp(frame->module, "__", 2) ? frame->name : frame->module;
}

/* Is it a line of LLVM's stack dump: one of its heads, or one of its entries,
 * "0.<tab>Program arguments: ..."?  Entries name the command and the file, not
 * the reason of the failure. */
static bool is_of_dump(const char *s, const char *end) {
  static const char *const heads[] = {"Stack dump", "PLEASE submit a bug"};
  size_t len = (size_t)(end - s), digits = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(heads); i++)
    if (len >= strlen(heads[i]) && !memcmp(s, heads[i], strlen(heads[i])))
      return true;
  while (digits < len && isdigit((unsigned char)s[digits]))
    digits++;
  return digits && digits + 1 < len && s[digits] == '.' &&
         s[digits + 1] == '\t';
}

bool cul_has_words(struct cul_bytes line) {
  const char *end = line.data + line.len;
  for (const char *s = line.len && is_of_dump(line.data, end) ? end : line.data;
       s < end; s++)
    if (isalpha((unsigned char)*s))
      return true;
  return false;
}

struct cul_bytes cul_last_words(struct cul_bytes text) {
  const char *end = text.data + text.len;
  while (text.len && end > text.data) {
    const char *start = memrchr(text.data, '\n', (size_t)(end - text.data));
    struct cul_bytes line;
    start = start ? start + 1 : text.data;
    line = (struct cul_bytes){start, (size_t)(end - start)};
    if (cul_has_words(line)) {
      line.len = line.len < MAX_WORDS ? line.len : MAX_WORDS;
      return line;
    }
    end = start > text.data ? start - 1 : start;
  }
  return (struct cul_bytes){text.data, 0};
}
