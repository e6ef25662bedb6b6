/* Detects interleaved and cut logs by their frame numbers: in one stack these
 * count from 0 without a gap, one per line. */
#include "damage.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../oracles/rules/rules.h"
#include "../key.h"

enum { MAX_LINE = 1 << 14 };

static const char *const interleaved =
    "two processes wrote at once: lines of two stacks are mixed";
static const char *const missing = "a part of its stack is missing";
static const char *const cut = "it is cut off within its stack";

/* Does another frame, "#N 0x..", begin within the line? */
static bool holds_another(struct cul_bytes line) {
  const char *s = line.data, *end = line.data + line.len;
  while (s < end && (*s == ' ' || *s == '\t'))
    s++;
  for (s = s < end ? s + 1 : s; s < end; s++) {
    const char *at;
    s = memchr(s, '#', (size_t)(end - s));
    if (!s)
      return false;
    for (at = s + 1; at < end && isdigit((unsigned char)*at); at++)
      ;
    if (at == s + 1 || at == end || *at != ' ')
      continue;
    while (at < end && *at == ' ')
      at++;
    if (end - at > 2 && !memcmp(at, "0x", 2))
      return true;
  }
  return false;
}

/* An open parenthesis at the end of the last frame: "f(int, llv". */
static bool is_open(struct cul_bytes line) {
  int depth = 0;
  for (size_t i = 0; i < line.len; i++)
    depth += (line.data[i] == '(') - (line.data[i] == ')');
  return depth > 0;
}

static struct cul_bytes next_line(struct cul_bytes text, size_t *at) {
  const char *start = text.data + *at;
  const char *nl = memchr(start, '\n', text.len - *at);
  size_t len = nl ? (size_t)(nl - start) : text.len - *at;
  *at += len + 1;
  return (struct cul_bytes){start, len < MAX_LINE ? len : MAX_LINE};
}

/* The stacks met so far. */
struct stacks {
  size_t n;
  int last, before; /* number of the last frame of this stack, of the one
                       before; -1 = none */
};

static const char *add_frame(struct stacks *s, int index) {
  bool gap = index > s->last + 1;
  if (s->n && gap && index == s->before + 1)
    return interleaved;
  if (gap && s->n <= 1)
    return missing;
  if (s->n == 0 || index < s->last) {
    s->before = s->last;
    s->n++;
  }
  s->last = index;
  return NULL;
}

const char *cul_damage(struct cul_bytes text, size_t *start) {
  struct stacks stacks = {.last = -1, .before = -1};
  const char *why = NULL;
  bool open = false; /* the line just read is a frame with no end */
  *start = 0;
  for (size_t at = 0; at < text.len && !why;) {
    size_t before = at;
    struct cul_bytes line = next_line(text, &at);
    struct cul_raw_frame frame;
    bool whole = cul_frame_parse(line, &frame) && frame.index >= 0 &&
                 (frame.address || frame.has_module_offset);
    open = open && !line.len;
    if (!whole)
      continue;
    *start = before;
    why = holds_another(line) ? interleaved : add_frame(&stacks, frame.index);
    open = is_open(line);
  }
  return why || !open || text.data[text.len - 1] == '\n' ? why : cut;
}

const char *cul_read_damaged(const struct cul_rules *rules,
                             struct cul_bytes text, struct cul_told *out,
                             bool *corrupted) {
  size_t at;
  const char *why = cul_damage(text, &at);
  struct cul_told before;
  cul_signature_read_log(rules, text, out);
  *corrupted = why != NULL;
  if (why != missing && why != cut)
    return why;
  cul_signature_read_log(rules, (struct cul_bytes){text.data, at}, &before);
  if (cul_key_frames(&before.sig, NULL) < CUL_KEY_FRAMES ||
      strcmp(before.sig.text, out->sig.text) != 0)
    return why;
  snprintf(before.sig.input, sizeof before.sig.input, "%s", out->sig.input);
  *out = before;
  *corrupted = false;
  return why;
}
