/* Fields of reports, and pieces of pages: see fields.h. */
#include "fields.h"

#include <string.h>

#include "../oracles/oracle.h"

enum { MOST_COLUMNS = 200 };

const char *cul_issue_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

long long cul_issue_number(const json_t *object, const char *key) {
  return (long long)json_integer_value(json_object_get(object, key));
}

const json_t *cul_issue_signature(const json_t *report) {
  const json_t *named = json_object_get(report, "named");
  const char *kind = cul_issue_text(named, "kind");
  return *kind && strcmp(kind, cul_kind_name(CUL_KIND_NONE)) != 0
             ? named
             : json_object_get(report, "signature");
}

const char *cul_issue_numbers(const json_t *signature) {
  const char *title = cul_issue_text(signature, "title"), *at;
  if (strcmp(cul_issue_text(signature, "kind"),
             cul_kind_name(CUL_KIND_MISMATCH)) != 0)
    return "";
  at = strstr(title, ": "); /* behind "mismatch (CLASS)" */
  return at ? at + 2 : title;
}

void cul_issue_fact(struct cul_page *page, const char *name) {
  cul_page_begin(page, CUL_PAGE_ITEM);
  cul_page_words(page, "%s: ", name);
}

void cul_issue_shorten(const char *text, size_t most, struct cul_buf *out) {
  size_t n = strlen(text);
  if (n <= most) {
    cul_buf_adds(out, text);
    return;
  }
  for (n = most; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
    ;
  cul_buf_add(out, text, n);
  cul_buf_adds(out, "...");
}

void cul_issue_code(struct cul_page *page, const char *text) {
  struct cul_buf out = {0};
  cul_issue_shorten(text, MOST_COLUMNS, &out);
  cul_page_code(page, cul_buf_str(&out));
  cul_buf_release(&out);
}

size_t cul_issue_lines(struct cul_bytes text) {
  size_t n = text.len && text.data[text.len - 1] != '\n';
  for (size_t i = 0; i < text.len; i++)
    n += text.data[i] == '\n';
  return n;
}
