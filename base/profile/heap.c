/* Reads text heap profiles of tcmalloc, gperftools and jemalloc.
 *
 * Those of tcmalloc and gperftools have a line of totals, a line
 * for each stack (live objects: live bytes [all objects: all bytes] @ return
 * addresses, innermost first), then the mappings of the process.  An address
 * becomes MODULE+0xOFFSET, which is the same in every run of a program, or the
 * name of its symbol if pprof wrote symbols before the profile (--raw, from a
 * server).  "heap_v2/PERIOD" marks a sampled profile; like pprof, the reader
 * estimates the values of a stack from the probability that an object of its
 * mean size is sampled.
 *
 * jemalloc writes sampled profiles, too.  They begin with "heap_v2/PERIOD".
 * Each stack is a line "@ ADDRESSES"; the lines below it count what each thread
 * allocated there, and "t*" is their sum. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum {
  MARK = 18, /* length of "<0000000000001000>", the address that pprof appends
                to a name */
  NEAR = 64, /* mappings of one module are at most this many lines apart */
};

struct mapping {
  uint64_t from, to, offset;
  struct cul_bytes path;
  uint32_t module; /* index in the profile's modules */
};

struct symbol {
  uint64_t at;
  struct cul_bytes name;
};

struct heap {
  struct cul_bytes text;
  struct mapping *mappings;
  struct symbol *symbols;
  size_t n_mappings, cap_mappings, n_symbols, cap_symbols;
  double period; /* sampling period in bytes; 0: every allocation was counted */
};

static const char jemalloc_mark[] = "heap_v2/";

static bool heap_sniff(struct cul_bytes head) {
  return cul_bytes_start(head, "heap profile:") ||
         cul_bytes_start(head, jemalloc_mark) ||
         (cul_bytes_start(head, "--- symbol") &&
          cul_profile_has(head, "\nheap profile:")) ||
         (cul_bytes_start(head, "--- symbol") &&
          cul_profile_has(head, "--- heap"));
}

static bool next_line(struct cul_bytes text, size_t *at,
                      struct cul_bytes *line) {
  const char *stop;
  if (*at >= text.len)
    return false;
  line->data = text.data + *at;
  stop = memchr(line->data, '\n', text.len - *at);
  line->len = stop ? (size_t)(stop - line->data) : text.len - *at;
  *at += line->len + 1;
  return true;
}

static bool skip(struct cul_bytes *line, const char *what) {
  while (line->len && *line->data == ' ') {
    line->data++;
    line->len--;
  }
  if (!cul_bytes_start(*line, what))
    return false;
  line->data += strlen(what);
  line->len -= strlen(what);
  return true;
}

/* Parse the number at the start of the line and remove it from the line. */
static bool number(struct cul_bytes *line, unsigned base, uint64_t *out) {
  static const char digits[] = "0123456789abcdef";
  size_t n = 0;
  *out = 0;
  skip(line, "");
  for (; n < line->len; n++) {
    char c = line->data[n] >= 'A' && line->data[n] <= 'F'
                 ? (char)(line->data[n] + 32)
                 : line->data[n];
    const char *digit = c ? memchr(digits, c, base) : NULL;
    if (!digit)
      break;
    if (*out > (UINT64_MAX - 15) / base)
      return false;
    *out = *out * base + (uint64_t)(digit - digits);
  }
  line->data += n;
  line->len -= n;
  return n > 0;
}

/* Parse "objects: bytes [objects: bytes]" and remove it from the line. */
static bool read_four(struct cul_bytes *line, uint64_t counts[4]) {
  return number(line, 10, &counts[0]) && skip(line, ":") &&
         number(line, 10, &counts[1]) && skip(line, "[") &&
         number(line, 10, &counts[2]) && skip(line, ":") &&
         number(line, 10, &counts[3]) && skip(line, "]");
}

/* The same with the "@" behind them. */
static bool read_counts(struct cul_bytes *line, uint64_t counts[4]) {
  return read_four(line, counts) && skip(line, "@");
}

/* ---- names of addresses ---- */

/* Read a line of /proc/PID/maps: FROM-TO PERMISSIONS OFFSET DEVICE INODE
 * PATH. */
static void read_mapping(struct heap *heap, struct cul_bytes line) {
  struct mapping m = {0};
  const char *path;
  if (!number(&line, 16, &m.from) || !skip(&line, "-") ||
      !number(&line, 16, &m.to) || line.len < 6 || line.data[0] != ' ')
    return;
  line.data += 5; /* " r-xp" */
  line.len -= 5;
  if (!number(&line, 16, &m.offset))
    return;
  path = line.len ? memchr(line.data, '/', line.len) : NULL;
  if (!path) /* [heap], [stack] or anonymous memory */
    return;
  m.path = (struct cul_bytes){path, line.len - (size_t)(path - line.data)};
  CUL_XADD(heap->mappings, heap->n_mappings, heap->cap_mappings) = m;
}

static void read_mappings(struct heap *heap) {
  static const char mark[] = "\nMAPPED_LIBRARIES:\n";
  const char *found =
      memmem(heap->text.data, heap->text.len, mark, sizeof mark - 1);
  struct cul_bytes line;
  size_t at;
  if (!found)
    return;
  at = (size_t)(found - heap->text.data) + sizeof mark - 1;
  while (next_line(heap->text, &at, &line))
    read_mapping(heap, line);
}

static int by_begin(const void *a, const void *b) {
  const struct mapping *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static int by_address(const void *a, const void *b) {
  const struct symbol *x = a, *y = b;
  return (x->at > y->at) - (x->at < y->at);
}

/* Add the modules of the mappings.  These are sorted, so the first mapping of a
 * module has its load address. */
static void add_modules(struct heap *heap, struct cul_profile *out) {
  for (size_t i = 0; i < heap->n_mappings; i++) {
    struct mapping *m = &heap->mappings[i];
    size_t k = i < NEAR ? 0 : i - NEAR;
    while (k < i && !cul_bytes_equal(heap->mappings[k].path, m->path))
      k++;
    m->module = k < i ? heap->mappings[k].module : (uint32_t)out->n_modules;
    if (k == i)
      CUL_XADD(out->modules, out->n_modules, out->cap_modules) =
          (struct cul_profile_module){.path = cul_bytes_copy(m->path),
                                      .base = m->from - m->offset};
  }
}

/* The symbol for a return address: the one that contains the last byte of the
 * call, directly before the address. */
static const struct symbol *symbol_at(const struct heap *heap, uint64_t at) {
  struct symbol key = {.at = at};
  const struct symbol *found = NULL;
  for (int back = 0; back < 2 && !found && heap->n_symbols; back++, key.at--)
    found =
        bsearch(&key, heap->symbols, heap->n_symbols, sizeof key, by_address);
  return found;
}

static const struct mapping *mapping_at(const struct heap *heap, uint64_t at) {
  size_t low = 0, high = heap->n_mappings;
  while (low < high) { /* find the last symbol that begins at or before it */
    size_t middle = (low + high) / 2;
    if (heap->mappings[middle].from <= at)
      low = middle + 1;
    else
      high = middle;
  }
  return low && at < heap->mappings[low - 1].to ? &heap->mappings[low - 1]
                                                : NULL;
}

/* The child for a return address. */
static uint32_t child_at(const struct heap *heap, uint32_t parent, uint64_t at,
                         struct cul_profile *out) {
  const struct symbol *symbol = symbol_at(heap, at);
  const struct mapping *m = mapping_at(heap, at);
  struct cul_buf name = {0};
  struct cul_bytes file = {0};
  uint32_t node;
  if (symbol)
    return cul_profile_child(out, parent, symbol->name);
  if (m)
    file = cul_bytes_behind(m->path, '/');
  cul_buf_add(&name, file.data, file.len);
  cul_buf_addf(&name, m ? "+0x%" PRIx64 : "0x%" PRIx64,
               m ? at - m->from + m->offset : at);
  node = cul_profile_child(out, parent, cul_buf_bytes(&name));
  cul_buf_release(&name);
  if (m && node != parent) {
    out->nodes[node].address = at;
    out->nodes[node].module = m->module + 1;
  }
  return node;
}

/* ---- stacks ---- */

static uint32_t path_of(const struct heap *heap, struct cul_bytes line,
                        struct cul_profile *out) {
  uint64_t frames[CUL_PROFILE_MAX_DEPTH];
  uint32_t node = 0;
  size_t n = 0;
  while (n < CUL_ARRAY_SIZE(frames) && skip(&line, "0x") &&
         number(&line, 16, &frames[n]))
    n++;
  while (n-- > 0)
    node = child_at(heap, node, frames[n], out);
  return node;
}

/* The factor by which to multiply the values of a sampled stack. */
static double scale(const struct heap *heap, double objects, double bytes) {
  if (!heap->period || objects < 1 || bytes < 1)
    return 1;
  return 1 / -expm1(-(bytes / objects) / heap->period);
}

static void add_stack(const struct heap *heap, uint32_t node,
                      const uint64_t counts[4], struct cul_profile *out) {
  static const struct {
    const char *name;
    size_t of;
    enum cul_profile_class class;
  } metrics[] = {{"bytes", 1, CUL_PROFILE_BYTES},
                 {"count", 0, CUL_PROFILE_COUNT},
                 {"allocated bytes", 3, CUL_PROFILE_BYTES},
                 {"allocations", 2, CUL_PROFILE_COUNT}};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(metrics); i++) {
    size_t of = metrics[i].of, pair = of & 2;
    struct cul_bytes name = {metrics[i].name, strlen(metrics[i].name)};
    uint32_t metric = cul_profile_metric(out, name, metrics[i].class);
    double value = (double)counts[of] *
                   scale(heap, (double)counts[pair], (double)counts[pair + 1]);
    cul_profile_add(out, node, metric, 1, value, NAN);
  }
}

static void read_symbols(struct heap *heap, size_t *at) {
  struct cul_bytes line;
  while (next_line(heap->text, at, &line)) {
    struct symbol symbol;
    if (cul_bytes_is(line, "---"))
      break;
    if (!skip(&line, "0x") || !number(&line, 16, &symbol.at) || line.len < 2)
      continue;
    symbol.name = (struct cul_bytes){line.data + 1, line.len - 1};
    if (symbol.name.len > MARK && cul_bytes_end(symbol.name, ">") &&
        symbol.name.data[symbol.name.len - MARK] == '<')
      symbol.name.len -= MARK;
    CUL_XADD(heap->symbols, heap->n_symbols, heap->cap_symbols) = symbol;
  }
}

/* Read all up to and including the line of totals. */
static int read_head(struct heap *heap, size_t *at, struct cul_err *err) {
  struct cul_bytes line, kind;
  uint64_t counts[4], period;
  do {
    if (!next_line(heap->text, at, &line))
      return cul_fail(err, CUL_EUSAGE, "write it again",
                      "cut off: no line \"heap profile: ...\"");
  } while (!cul_bytes_start(line, "heap profile:"));
  skip(&line, "heap profile:");
  if (!read_counts(&line, counts))
    return cul_fail(err, CUL_EUSAGE, "write it again",
                    "\"heap profile:\" without its four totals");
  skip(&line, "");
  kind = line;
  if (skip(&kind, "heap_v2/") && number(&kind, 10, &period))
    heap->period = (double)period;
  return 0;
}

static int read_stacks(struct heap *heap, struct cul_profile *out,
                       struct cul_err *err) {
  struct cul_bytes line;
  size_t at = 0, n = 0;
  bool ended = false;
  int rc = read_head(heap, &at, err);
  while (rc == 0 && !ended && next_line(heap->text, &at, &line)) {
    uint64_t counts[4];
    struct cul_bytes rest = line;
    ended = cul_bytes_start(line, "MAPPED_LIBRARIES");
    n++;
    if (ended || line.len == 0)
      continue;
    if (!read_counts(&rest, counts))
      rc = cul_fail(err, CUL_EUSAGE, "write it again",
                    "stack %zu: no \"objects: bytes [objects: bytes] @\"", n);
    else
      add_stack(heap, path_of(heap, rest, out), counts, out);
  }
  if (rc == 0 && !ended)
    rc = cul_fail(err, CUL_EUSAGE, "write it again",
                  "cut off: no mappings after its %zu stacks", n);
  return rc;
}

/* Read the stacks of jemalloc.  The counts before the first stack are totals.
 */
static int read_jemalloc(struct heap *heap, struct cul_profile *out,
                         struct cul_err *err) {
  struct cul_bytes line;
  size_t at = 0, n = 0;
  uint32_t node = 0;
  uint64_t counts[4], period;
  bool ended = false;
  if (!next_line(heap->text, &at, &line) || !skip(&line, jemalloc_mark) ||
      !number(&line, 10, &period))
    return cul_fail(err, CUL_EUSAGE, "write it again",
                    "\"heap_v2/\" without the sampling period");
  heap->period = (double)period;
  while (!ended && next_line(heap->text, &at, &line)) {
    ended = cul_bytes_start(line, "MAPPED_LIBRARIES");
    if (skip(&line, "@")) {
      n++;
      node = path_of(heap, line, out);
    } else if (skip(&line, "t*:")) {
      if (!read_four(&line, counts))
        return cul_fail(err, CUL_EUSAGE, "write it again",
                        "stack %zu: no \"t*: objects: bytes [objects: "
                        "bytes]\"",
                        n);
      if (n)
        add_stack(heap, node, counts, out);
    }
  }
  return ended ? 0
               : cul_fail(err, CUL_EUSAGE, "write it again",
                          "cut off: no mappings after its %zu stacks", n);
}

static int heap_read(struct cul_bytes text, struct cul_profile *out,
                     struct cul_err *err) {
  struct heap heap = {.text = text};
  size_t at = 0;
  int rc;
  read_mappings(&heap);
  if (heap.n_mappings)
    qsort(heap.mappings, heap.n_mappings, sizeof *heap.mappings, by_begin);
  add_modules(&heap, out);
  if (cul_bytes_start(text, "--- symbol"))
    read_symbols(&heap, &at);
  if (heap.n_symbols)
    qsort(heap.symbols, heap.n_symbols, sizeof *heap.symbols, by_address);
  rc = cul_bytes_start(text, jemalloc_mark) ? read_jemalloc(&heap, out, err)
                                            : read_stacks(&heap, out, err);
  free(heap.mappings);
  free(heap.symbols);
  return rc;
}

const struct cul_profile_format cul_profile_heap = {.name = "heap",
                                                    .noun = "heap profile",
                                                    .part = "allocation stack",
                                                    .sniff = heap_sniff,
                                                    .read = heap_read};
