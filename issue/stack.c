/* The stack of an issue text: frames with names first, no addresses. */
#include <string.h>

#include "../base/files/file.h"
#include "parts.h"

enum { MOST_SHOWN = 10, MOST_COLUMNS = 200 };

static bool is_relevant(const json_t *frame) {
  return json_is_true(json_object_get(frame, "relevant"));
}

static bool is_named(const json_t *frame) {
  return *cul_issue_text(frame, "name");
}

/* Append named frames from number `from` on, at most `most`. Returns their
 * number. */
static size_t add_named(const json_t *frames, size_t from, size_t most,
                        struct cul_buf *out) {
  size_t n = 0;
  for (size_t i = from; i < json_array_size(frames) && n < most; i++) {
    const json_t *frame = json_array_get(frames, i);
    if (!is_named(frame))
      continue;
    cul_buf_addf(out, "#%-2zu ", i);
    cul_issue_shorten(cul_issue_text(frame, "name"), MOST_COLUMNS, out);
    cul_buf_addc(out, '\n');
    n++;
  }
  return n;
}

/* Append "libMLIR.so.22.1: 12 frames without a name", once per module. */
static void add_unnamed(const json_t *frames, size_t first,
                        struct cul_buf *out) {
  const char *module = cul_issue_text(json_array_get(frames, first), "module");
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(frames); i++) {
    const json_t *frame = json_array_get(frames, i);
    bool same = !is_named(frame) &&
                strcmp(cul_issue_text(frame, "module"), module) == 0;
    if (same && i < first)
      return; /* reported with the module's first frame */
    n += same;
  }
  cul_buf_addf(out, "%s: %zu frame%s without a name\n",
               *module ? cul_basename(module) : "in no file", n, cul_s(n));
}

static void add_all(const json_t *frames, struct cul_buf *out) {
  add_named(frames, 0, SIZE_MAX, out);
  for (size_t i = 0; i < json_array_size(frames); i++)
    if (!is_named(json_array_get(frames, i)))
      add_unnamed(frames, i, out);
}

/* The first relevant frame with a name; frames before it only show how the
 * process died. */
static size_t first_relevant(const json_t *frames) {
  size_t i = 0, n = json_array_size(frames);
  while (i < n && !(is_relevant(json_array_get(frames, i)) &&
                    is_named(json_array_get(frames, i))))
    i++;
  return i;
}

static size_t count_named(const json_t *frames) {
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(frames); i++)
    n += is_named(json_array_get(frames, i));
  return n;
}

void cul_issue_stack(const json_t *signature, struct cul_page *page) {
  const json_t *frames = json_object_get(signature, "frames");
  struct cul_buf shown = {0};
  if (add_named(frames, first_relevant(frames), MOST_SHOWN, &shown)) {
    cul_page_begin(page, CUL_PAGE_PARAGRAPH);
    cul_page_words(page, "Stack, innermost first:");
    cul_page_end(page);
    cul_page_lines(page, "", cul_buf_bytes(&shown));
  }
  cul_buf_release(&shown);
}

void cul_issue_whole_stack(const json_t *signature, struct cul_page *page) {
  const json_t *frames = json_object_get(signature, "frames");
  struct cul_buf all = {0};
  size_t n = json_array_size(frames);
  bool shown = first_relevant(frames) == 0 && n <= MOST_SHOWN &&
               count_named(frames) == n;
  if (n > 0 && !shown) {
    add_all(frames, &all);
    cul_page_fold(page, "The whole stack, %zu frame%s", n, cul_s(n));
    cul_page_lines(page, "", cul_buf_bytes(&all));
    cul_page_unfold(page);
  }
  cul_buf_release(&all);
}
