/* The {-# ... #-} section of an MLIR file.
 *
 * The C API drops external resources and fails on resources of dialects that it
 * does not know; printing in local scope drops all of them.  So the section
 * never reaches the parser: it is cut out, and later added again without the
 * entries that are no longer named.  Format: "File metadata dictionary" of the
 * MLIR language reference. */
#include <stdlib.h>
#include <string.h>

#include "../../../pipeline/section.h"
#include "resources.h"

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

/* ---- adding ---- */

/* One entry of the section: a resource of a dialect, or something else. */
struct entry {
  struct cul_bytes dialect; /* empty: something else */
  struct cul_bytes key, value;
  bool named;
};

struct entries {
  struct cul_buf items; /* struct entry */
  /* by hash of the key: 1 + number of the entry; 0: free */
  uint32_t *index;
  size_t n, cap; /* cap: size of index, a power of two */
};

static struct entry *entry_at(const struct entries *all, size_t i) {
  return (struct entry *)all->items.data + i;
}

static void add(struct entries *all, struct cul_bytes dialect,
                struct cul_bytes key, struct cul_bytes value) {
  struct entry entry = {dialect, key, value, dialect.len == 0};
  cul_buf_add(&all->items, &entry, sizeof entry);
  all->n++;
}

static void read_dialects(struct cul_bytes dictionary, struct entries *out) {
  struct cul_section_reader dialects = {dictionary, 1};
  struct cul_bytes dialect, key;
  while (cul_section_key(&dialects, &dialect)) {
    struct cul_section_reader r = {cul_section_value(&dialects), 1};
    while (cul_section_key(&r, &key))
      add(out, dialect, key, cul_section_value(&r));
  }
}

static void read_section(struct cul_bytes section, struct entries *out) {
  struct cul_section_reader r = {section, 3};
  struct cul_bytes key;
  while (section.len && cul_section_key(&r, &key)) {
    struct cul_bytes value = cul_section_value(&r);
    if (cul_bytes_is(key, "dialect_resources"))
      read_dialects(value, out);
    else
      add(out, (struct cul_bytes){"", 0}, key, value);
  }
}

/* ---- named entries ---- */

static const char word_starts[] = "<\" ,(", word_ends[] = ">\" ,)\n";

static size_t hash_of(struct cul_bytes key) {
  uint64_t h = 0;
  for (size_t i = 0; i < key.len; i++)
    h = (h ^ (unsigned char)key.data[i]) * UINT64_C(0x100000001B3);
  return (size_t)(h ^ h >> 29);
}

/* The key without quotes, as the module has it. */
static struct cul_bytes bare(struct cul_bytes key) {
  if (key.len >= 2 && key.data[0] == '"')
    return (struct cul_bytes){key.data + 1, key.len - 2};
  return key;
}

static void build_index(struct entries *all) {
  all->cap = 16;
  while (all->cap < 2 * all->n)
    all->cap *= 2;
  all->index = cul_xcalloc(all->cap, sizeof *all->index);
  for (size_t i = 0; i < all->n; i++) {
    size_t at = hash_of(bare(entry_at(all, i)->key)) & (all->cap - 1);
    while (all->index[at])
      at = (at + 1) & (all->cap - 1);
    all->index[at] = (uint32_t)i + 1;
  }
}

static void mark_word(struct entries *all, struct cul_bytes word) {
  size_t at = hash_of(word) & (all->cap - 1);
  for (; all->index[at]; at = (at + 1) & (all->cap - 1)) {
    struct entry *entry = entry_at(all, all->index[at] - 1);
    if (cul_bytes_equal(bare(entry->key), word))
      entry->named = true;
  }
}

/* Search the module for each key that contains a delimiter, such as a space:
 * mark_at cannot find it. */
static void mark_odd(struct entries *all, struct cul_bytes module) {
  for (size_t i = 0; i < all->n; i++) {
    struct entry *entry = entry_at(all, i);
    struct cul_bytes key = bare(entry->key);
    for (size_t k = 0; k < key.len && !entry->named; k++)
      if (strchr(word_ends, key.data[k]) || strchr(word_starts, key.data[k]))
        entry->named = memmem(module.data, module.len, key.data, key.len);
  }
}

/* If a word of the module at `at` is a key, mark its entry. */
static void mark_at(struct entries *all, struct cul_bytes module, size_t at) {
  size_t end = at;
  if (at == 0 || !strchr(word_starts, module.data[at - 1]))
    return;
  while (end < module.len && !strchr(word_ends, module.data[end]))
    end++;
  mark_word(all, (struct cul_bytes){module.data + at, end - at});
}

/* Mark the entries that the module names.  Keys begin with few different
 * characters (w0 to w99), which memchr finds fastest. */
static void mark_named(struct entries *all, struct cul_bytes module) {
  bool firsts[256] = {false};
  for (size_t i = 0; i < all->n; i++) {
    struct cul_bytes key = bare(entry_at(all, i)->key);
    firsts[key.len ? (unsigned char)key.data[0] : 0] = true;
  }
  for (int c = 1; c < 256; c++) {
    const char *at = module.data, *end = module.data + module.len;
    for (; firsts[c] && at && (at = memchr(at, c, (size_t)(end - at))); at++)
      mark_at(all, module, (size_t)(at - module.data));
  }
  mark_odd(all, module);
}

/* ---- writing ---- */

static void add_bytes(struct cul_buf *out, struct cul_bytes bytes) {
  cul_buf_add(out, bytes.data, bytes.len);
}

static void write_entry(struct cul_buf *out, const char *before,
                        const struct entry *entry) {
  cul_buf_adds(out, before);
  add_bytes(out, entry->key);
  cul_buf_adds(out, ": ");
  add_bytes(out, entry->value);
}

/* Write the entries of the dialect of entry i, from i on.  Returns the index
 * after the last of them. */
static size_t write_dialect(struct cul_buf *out, const struct entries *all,
                            size_t i, bool first) {
  struct cul_bytes dialect = entry_at(all, i)->dialect;
  bool any = false;
  cul_buf_adds(out, first ? "  dialect_resources: {\n    " : ",\n    ");
  add_bytes(out, dialect);
  cul_buf_adds(out, ": {\n");
  for (; i < all->n && entry_at(all, i)->dialect.data == dialect.data; i++) {
    if (!entry_at(all, i)->named)
      continue;
    write_entry(out, any ? ",\n      " : "      ", entry_at(all, i));
    any = true;
  }
  cul_buf_adds(out, "\n    }");
  return i;
}

static void write_section(struct cul_buf *out, const struct entries *all) {
  const char *before = "\n{-#\n";
  bool open = false, any = false;
  for (size_t i = 0; i < all->n;) {
    const struct entry *entry = entry_at(all, i);
    bool beside = entry->dialect.len == 0;
    if (!entry->named) {
      i++;
      continue;
    }
    if (open && beside)
      cul_buf_adds(out, "\n  }");
    if (beside || !open)
      cul_buf_adds(out, before), before = ",\n";
    if (beside)
      write_entry(out, "  ", entry), i++;
    else
      i = write_dialect(out, all, i, !open);
    open = !beside;
    any = true;
  }
  if (open)
    cul_buf_adds(out, "\n  }");
  cul_buf_adds(out, any ? "\n#-}\n" : "");
}

void cul_ir_resources_add(struct cul_bytes section, struct cul_buf *text) {
  struct entries all = {0};
  if (!section.len)
    return;
  read_section(section, &all);
  build_index(&all);
  mark_named(&all, cul_buf_bytes(text));
  write_section(text, &all);
  cul_buf_release(&all.items);
  free(all.index);
}
