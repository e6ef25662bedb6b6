/* Reads crash reproducers: see reproducer.h. */
#include "reproducer.h"

#include <string.h>

#include "section.h"

static bool is(struct cul_bytes key, const char *name) {
  size_t n = strlen(name);
  if (key.len == n + 2 && key.data[0] == '"')
    key = (struct cul_bytes){key.data + 1, n};
  return cul_bytes_is(key, name);
}

/* Find the value of name in the dictionary that reader traverses. */
static bool find_value(struct cul_section_reader reader, const char *name,
                       struct cul_bytes *value) {
  struct cul_bytes key;
  while (cul_section_key(&reader, &key)) {
    *value = cul_section_value(&reader);
    if (is(key, name))
      return true;
  }
  return false;
}

bool cul_reproducer_find(struct cul_bytes text, struct cul_reproducer *out) {
  static const char *const path[] = {"external_resources", "mlir_reproducer",
                                     "pipeline"};
  size_t start = cul_section_find(text, 0, "{-#");
  size_t end = cul_section_find(text, start, "#-}");
  struct cul_bytes at = {text.data + start + 2, end - start - 2};
  *out = (struct cul_reproducer){0};
  if (start == text.len || end == text.len)
    return false;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(path); i++)
    if (at.len < 2 ||
        !find_value((struct cul_section_reader){at, 1}, path[i], &at))
      return false;
  if (at.len < 2 || at.data[0] != '"' || at.data[at.len - 1] != '"')
    return false;
  out->section = (struct cul_bytes){text.data + start, end + 3 - start};
  out->pipeline = (struct cul_bytes){at.data + 1, at.len - 2};
  return true;
}

void cul_reproducer_replace(struct cul_bytes text,
                            const struct cul_reproducer *repro,
                            struct cul_bytes pipeline, struct cul_buf *out) {
  const char *rest = repro->pipeline.data + repro->pipeline.len;
  cul_buf_add(out, text.data, (size_t)(repro->pipeline.data - text.data));
  cul_buf_add(out, pipeline.data, pipeline.len);
  cul_buf_add(out, rest, (size_t)(text.data + text.len - rest));
}
