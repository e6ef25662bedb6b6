/* Detects interleaved and truncated logs by the frame numbers of their stacks,
 * which count from 0 without a gap, one per line. */
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
static bool contains_frame(struct cul_bytes line) {
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

/* Does the line begin like frame number index, but not parse as one?  Then
 * other output was written into its address. */
static bool is_overwritten(struct cul_bytes line, int index) {
  const char *s = line.data, *end = line.data + line.len;
  int n = 0;
  while (s < end && (*s == ' ' || *s == '\t'))
    s++;
  if (s == end || *s++ != '#' || s == end || !isdigit((unsigned char)*s))
    return false;
  for (; s < end && isdigit((unsigned char)*s) && n <= index; s++)
    n = n * 10 + (*s - '0');
  return n == index && end - s > 3 && !memcmp(s, " 0x", 3);
}

/* Does the frame have a module or file? */
static bool has_place(const struct cul_raw_frame *frame) {
  return frame->has_module_offset || frame->module.len;
}

/* Does the line end inside parentheses, as in "f(int, llv"? */
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

/* The stacks read so far. */
struct stacks {
  size_t n;
  bool placed,
      was_placed;   /* have this frame, and the one before, a module or file? */
  int last, before; /* numbers of the last frames of this stack and of the stack
                       before; -1: none */
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
  bool open = false; /* the last line is an incomplete frame */
  *start = 0;
  for (size_t at = 0; at < text.len && !why;) {
    size_t before = at;
    struct cul_bytes line = next_line(text, &at);
    struct cul_raw_frame frame;
    /* gdb prints no address where a line of the source begins */
    bool whole = cul_frame_parse(line, &frame) && frame.index >= 0 &&
                 (frame.address || frame.has_module_offset || frame.source);
    open = open && !line.len;
    if (!whole && !(stacks.n && is_overwritten(line, stacks.last + 1)))
      continue;
    *start = before;
    why = !whole                 ? missing
          : contains_frame(line) ? interleaved
                                 : add_frame(&stacks, frame.index);
    stacks.was_placed = stacks.placed && frame.index > 0;
    stacks.placed = has_place(&frame);
    open = is_open(line) || (stacks.was_placed && !stacks.placed);
  }
  return why || !open || text.data[text.len - 1] == '\n' ? why : cut;
}

/* Does the stack have all frames that identify the bug: three, or all inside a
 * driver? */
static bool is_enough(const struct cul_signature *sig) {
  if (cul_key_frames(sig, NULL) == CUL_KEY_FRAMES)
    return true;
  for (size_t i = 0; i < sig->n_frames; i++)
    if (sig->frames[i].role == CUL_FRAME_OUTER)
      return true;
  return false;
}

const char *cul_read_damaged(const struct cul_rules *rules,
                             struct cul_bytes text, struct cul_log_failure *out,
                             bool *corrupted) {
  size_t at;
  const char *why = cul_damage(text, &at);
  struct cul_log_failure before;
  cul_signature_read_log(rules, text, out);
  *corrupted = why != NULL;
  if (why != missing && why != cut)
    return why;
  cul_signature_read_log(rules, (struct cul_bytes){text.data, at}, &before);
  if (!is_enough(&before.sig) || strcmp(before.sig.text, out->sig.text) != 0)
    return why;
  snprintf(before.sig.input, sizeof before.sig.input, "%s", out->sig.input);
  *out = before;
  *corrupted = false;
  return why;
}
