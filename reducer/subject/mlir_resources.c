/* The {-# ... #-} section of an MLIR file.
 *
 * The C API drops external resources and stops at resources of dialects that
 * it does not know; local-scope printing drops them all.  So the section never
 * reaches the parser: it is cut off and put back, less the entries that
 * nothing names any more.  Format: "File metadata dictionary" of the MLIR
 * language reference. */
#include <string.h>

#include "mlir_private.h"
#include "section.h"

void cul_ir_resources_cut(struct cul_bytes text, struct cul_buf *rest,
                          struct cul_buf *section) {
  size_t start = cul_section_find(text, 0, "{-#");
  size_t end = cul_section_find(text, start, "#-}");
  cul_buf_add(rest, text.data, start);
  if (start == text.len)
    return;
  end = end < text.len ? end + 3 : text.len;
  cul_buf_add(section, text.data + start, end - start);
  for (size_t i = start; i < end; i++)
    if (text.data[i] == '\n')
      cul_buf_addc(rest, '\n');
  cul_buf_add(rest, text.data + end, text.len - end);
}

/* ---- putting back ---- */

static bool names(struct cul_bytes module, struct cul_bytes key) {
  const char *at = module.data, *end = module.data + module.len;
  while ((at = memmem(at, (size_t)(end - at), key.data, key.len))) {
    bool starts = at > module.data && strchr("<\" ,(", at[-1]);
    bool ends = at + key.len < end && strchr(">\" ,)", at[key.len]);
    if (starts && ends)
      return true;
    at += key.len;
  }
  return false;
}

static void add_entry(struct cul_buf *out, const char *indent,
                      struct cul_bytes key, struct cul_bytes value) {
  cul_buf_adds(out, out->len ? ",\n" : "");
  cul_buf_adds(out, indent);
  cul_buf_add(out, key.data, key.len);
  cul_buf_adds(out, ": ");
  cul_buf_add(out, value.data, value.len);
}

/* The entries of one dialect that module names; empty when none. */
static void keep_named(struct cul_bytes dictionary, struct cul_bytes module,
                       struct cul_buf *out) {
  struct cul_section_reader r = {dictionary, 1};
  struct cul_bytes key;
  while (cul_section_key(&r, &key)) {
    struct cul_bytes value = cul_section_value(&r);
    if (names(module, key))
      add_entry(out, "      ", key, value);
  }
}

static void keep_dialects(struct cul_bytes dictionary, struct cul_bytes module,
                          struct cul_buf *out) {
  struct cul_section_reader r = {dictionary, 1};
  struct cul_bytes key;
  while (cul_section_key(&r, &key)) {
    struct cul_buf entries = {0}, body = {0};
    keep_named(cul_section_value(&r), module, &entries);
    if (entries.len) {
      cul_buf_addf(&body, "{\n%s\n    }", cul_buf_str(&entries));
      add_entry(out, "    ", key, cul_buf_bytes(&body));
    }
    cul_buf_release(&entries);
    cul_buf_release(&body);
  }
}

void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text) {
  struct cul_section_reader r = {section, 3};
  struct cul_buf all = {0};
  struct cul_bytes key;
  while (section.len && cul_section_key(&r, &key)) {
    struct cul_bytes value = cul_section_value(&r);
    struct cul_buf kept = {0}, body = {0};
    if (key.len != strlen("dialect_resources") ||
        memcmp(key.data, "dialect_resources", key.len) != 0) {
      add_entry(&all, "  ", key, value);
      continue;
    }
    keep_dialects(value, cul_buf_bytes(text), &kept);
    if (kept.len) {
      cul_buf_addf(&body, "{\n%s\n  }", cul_buf_str(&kept));
      add_entry(&all, "  ", key, cul_buf_bytes(&body));
    }
    cul_buf_release(&kept);
    cul_buf_release(&body);
  }
  if (all.len)
    cul_buf_addf(text, "\n{-#\n%s\n#-}\n", cul_buf_str(&all));
  cul_buf_release(&all);
}
