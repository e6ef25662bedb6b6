/* Profiles of other tools: see profile.h. */
#include "profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "reader.h"

#define PROFILE(name) extern const struct cul_profile_format cul_profile_##name;
#include "list.h"
#undef PROFILE

static const struct cul_profile_format *const formats[] = {
#define PROFILE(name) &cul_profile_##name,
#include "list.h"
#undef PROFILE
};

enum { HEAD = 64 << 10, STEP = 1 << 16 };

/* ---- building ---- */

static uint64_t mix(uint64_t h, uint64_t more) {
  h = (h ^ more) * UINT64_C(0x9e3779b97f4a7c15);
  return h ^ (h >> 29);
}

static uint64_t hash_node(uint32_t parent, struct cul_bytes name) {
  uint64_t h = mix(parent, name.len);
  for (size_t i = 0; i < name.len; i++)
    h = mix(h, (unsigned char)name.data[i]);
  return h;
}

static struct cul_bytes name_of(const struct cul_profile_node *node) {
  return (struct cul_bytes){node->name, strlen(node->name)};
}

/* Insert an index into a hash table that has room. */
static void put(uint32_t *slots, size_t n, uint64_t hash, size_t index) {
  size_t i = hash & (n - 1);
  while (slots[i])
    i = (i + 1) & (n - 1);
  slots[i] = (uint32_t)index + 1;
}

static void grow_nodes(struct cul_profile *p) {
  if (2 * (p->n_nodes + 1) < p->n_node_slots)
    return;
  free(p->node_slots);
  p->n_node_slots = p->n_node_slots ? 2 * p->n_node_slots : 64;
  p->node_slots = cul_xcalloc(p->n_node_slots, sizeof *p->node_slots);
  for (size_t i = 1; i < p->n_nodes; i++)
    put(p->node_slots, p->n_node_slots,
        hash_node(p->nodes[i].parent, name_of(&p->nodes[i])), i);
}

static uint64_t hash_figure(uint32_t node, uint32_t metric) {
  return mix(mix(node, metric), 1);
}

static void grow_figures(struct cul_profile *p) {
  if (2 * (p->n_figures + 1) < p->n_figure_slots)
    return;
  free(p->figure_slots);
  p->n_figure_slots = p->n_figure_slots ? 2 * p->n_figure_slots : 64;
  p->figure_slots = cul_xcalloc(p->n_figure_slots, sizeof *p->figure_slots);
  for (size_t i = 0; i < p->n_figures; i++)
    put(p->figure_slots, p->n_figure_slots,
        hash_figure(p->figures[i].node, p->figures[i].metric), i);
}

static void start(struct cul_profile *p) {
  if (!p->n_nodes)
    CUL_XADD(p->nodes, p->n_nodes, p->cap_nodes) =
        (struct cul_profile_node){.name = cul_xstrdup("")};
}

uint32_t cul_profile_child(struct cul_profile *p, uint32_t parent,
                           struct cul_bytes name) {
  struct cul_profile_node made;
  uint64_t hash;
  size_t at;
  const char *zero = name.len ? memchr(name.data, 0, name.len) : NULL;
  if (zero) /* names end at a NUL byte */
    name.len = (size_t)(zero - name.data);
  start(p);
  if (p->nodes[parent].depth >= CUL_PROFILE_MAX_DEPTH)
    return parent;
  grow_nodes(p);
  hash = hash_node(parent, name);
  for (at = hash & (p->n_node_slots - 1); p->node_slots[at];
       at = (at + 1) & (p->n_node_slots - 1)) {
    const struct cul_profile_node *node = &p->nodes[p->node_slots[at] - 1];
    if (node->parent == parent && cul_bytes_equal(name_of(node), name))
      return p->node_slots[at] - 1;
  }
  if (p->n_nodes == CUL_PROFILE_MAX_NODES) {
    p->full = true;
    return parent;
  }
  p->node_slots[at] = (uint32_t)p->n_nodes + 1;
  made = (struct cul_profile_node){.name = cul_bytes_copy(name),
                                   .parent = parent,
                                   .depth = p->nodes[parent].depth + 1};
  CUL_XADD(p->nodes, p->n_nodes, p->cap_nodes) = made;
  return (uint32_t)p->n_nodes - 1;
}

static bool says_rate(const char *name) {
  static const char *const words[] = {"per_second", "throughput", "Throughput",
                                      "Occupancy",  "Hit Rate",   "hit_rate"};
  for (size_t i = 0; i < CUL_ARRAY_SIZE(words); i++)
    if (strstr(name, words[i]))
      return true;
  return false;
}

uint32_t cul_profile_metric(struct cul_profile *p, struct cul_bytes name,
                            enum cul_profile_class class) {
  char *text = cul_bytes_copy(name);
  start(p);
  for (size_t k = 0; k < p->n_metrics; k++) {
    size_t i = (p->last_metric + k) %
               p->n_metrics; /* files mostly list metrics in the same order */
    if (strcmp(p->metrics[i].name, text) == 0) {
      free(text);
      p->last_metric = i + 1;
      return (uint32_t)i;
    }
  }
  if (p->n_metrics == CUL_PROFILE_MAX_METRICS) {
    p->full = true;
    free(text);
    return 0;
  }
  CUL_XADD(p->metrics, p->n_metrics, p->cap_metrics) =
      (struct cul_profile_metric){
          .name = text, .class = class, .more_is_better = says_rate(text)};
  return (uint32_t)p->n_metrics - 1;
}

static struct cul_profile_figure *figure_of(struct cul_profile *p,
                                            uint32_t node, uint32_t metric) {
  size_t at;
  grow_figures(p);
  for (at = hash_figure(node, metric) & (p->n_figure_slots - 1);
       p->figure_slots[at]; at = (at + 1) & (p->n_figure_slots - 1)) {
    struct cul_profile_figure *figure = &p->figures[p->figure_slots[at] - 1];
    if (figure->node == node && figure->metric == metric)
      return figure;
  }
  p->figure_slots[at] = (uint32_t)p->n_figures + 1;
  CUL_XADD(p->figures, p->n_figures, p->cap_figures) =
      (struct cul_profile_figure){.node = node, .metric = metric};
  return &p->figures[p->n_figures - 1];
}

/* Method: combining the means and variances of two groups of samples (T.  F.
 * Chan and others, 1979). */
void cul_profile_add(struct cul_profile *p, uint32_t node, uint32_t metric,
                     double n, double mean, double squares) {
  struct cul_profile_figure *figure;
  double apart, both;
  if (!isfinite(mean) || !isfinite(n) || n < 0 || !isfinite(mean * n) ||
      fabs(mean * n) > 1e100) {
    p->skipped++;
    return;
  }
  if (n == 0)
    return;
  figure = figure_of(p, node, metric);
  apart = mean - figure->mean;
  both = figure->n + n;
  figure->squares += squares + apart * apart * figure->n * (n / both);
  figure->mean += apart * (n / both);
  figure->n = both;
}

/* ---- units ---- */

struct unit {
  const char *name;
  double size;
  enum cul_profile_class class;
};

static const struct unit units[] = {{"ns", 1, CUL_PROFILE_TIME},
                                    {"nsecond", 1, CUL_PROFILE_TIME},
                                    {"us", 1e3, CUL_PROFILE_TIME},
                                    {"usecond", 1e3, CUL_PROFILE_TIME},
                                    {"\xc2\xb5s", 1e3, CUL_PROFILE_TIME},
                                    {"ms", 1e6, CUL_PROFILE_TIME},
                                    {"msecond", 1e6, CUL_PROFILE_TIME},
                                    {"s", 1e9, CUL_PROFILE_TIME},
                                    {"sec", 1e9, CUL_PROFILE_TIME},
                                    {"second", 1e9, CUL_PROFILE_TIME},
                                    {"B", 1, CUL_PROFILE_BYTES},
                                    {"byte", 1, CUL_PROFILE_BYTES},
                                    {"bytes", 1, CUL_PROFILE_BYTES},
                                    {"KiB", 1024, CUL_PROFILE_BYTES},
                                    {"MiB", 1048576, CUL_PROFILE_BYTES},
                                    {"GiB", 1073741824, CUL_PROFILE_BYTES},
                                    {"KB", 1e3, CUL_PROFILE_BYTES},
                                    {"Kbyte", 1e3, CUL_PROFILE_BYTES},
                                    {"MB", 1e6, CUL_PROFILE_BYTES},
                                    {"Mbyte", 1e6, CUL_PROFILE_BYTES},
                                    {"GB", 1e9, CUL_PROFILE_BYTES},
                                    {"Gbyte", 1e9, CUL_PROFILE_BYTES},
                                    {"Tbyte", 1e12, CUL_PROFILE_BYTES}};

double cul_profile_unit(struct cul_bytes unit, enum cul_profile_class *class) {
  const char *slash = unit.len ? memchr(unit.data, '/', unit.len) : NULL;
  *class = CUL_PROFILE_OTHER;
  if (slash)
    unit.len = (size_t)(slash - unit.data);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(units); i++)
    if (cul_bytes_is(unit, units[i].name)) {
      if (!slash)
        *class = units[i].class;
      return units[i].size;
    }
  return 1;
}

double cul_profile_unit_in(struct cul_bytes *name,
                           enum cul_profile_class *class) {
  struct cul_bytes unit = cul_bytes_behind(*name, '(');
  *class = CUL_PROFILE_OTHER;
  if (!cul_bytes_end(*name, ")") || unit.len == name->len)
    return 1;
  name->len -= unit.len + 1;
  unit.len--;
  while (name->len && name->data[name->len - 1] == ' ')
    name->len--;
  return cul_profile_unit(unit, class);
}

/* ---- queries ---- */

double cul_profile_value(const struct cul_profile *p,
                         const struct cul_profile_figure *figure) {
  return p->metrics[figure->metric].mean ? figure->mean
                                         : figure->mean * figure->n;
}

int cul_profile_choose(const struct cul_profile *p, const char *name,
                       size_t *out, struct cul_err *err) {
  static const char *const classes[] = {"time", "bytes", "count"};
  struct cul_buf all = {0};
  *out = p->usual;
  for (size_t i = 0; name && i < p->n_metrics; i++)
    if (strcmp(p->metrics[ *out = i].name, name) == 0)
      return 0;
  for (size_t c = 0; name && c < CUL_ARRAY_SIZE(classes); c++)
    for (size_t i = 0; strcmp(classes[c], name) == 0 && i < p->n_metrics; i++)
      if (p->metrics[ *out = i].class == (enum cul_profile_class)c)
        return 0;
  if (!name && p->n_metrics)
    return 0;
  for (size_t i = 0; i < p->n_metrics && i < 12; i++)
    cul_buf_addf(&all, "%s%s", i ? ", " : "", p->metrics[i].name);
  if (name && p->n_metrics)
    cul_fail(err, CUL_EUSAGE, "name another metric",
             "no metric \"%s\" in this %s; it has %.300s%s", name,
             p->format->noun, cul_buf_str(&all),
             p->n_metrics > 12 ? " ..." : "");
  else
    cul_fail(err, CUL_EUSAGE, "profile a run that does something",
             "this %s has no values", p->format->noun);
  cul_buf_release(&all);
  return err->code;
}

/* Does the node's path end with these frames? */
static bool ends_with(const struct cul_profile *p, uint32_t node,
                      struct cul_bytes path) {
  for (; node; node = p->nodes[node].parent) {
    if (!cul_bytes_end(path, p->nodes[node].name))
      return false;
    path.len -= strlen(p->nodes[node].name);
    if (!path.len)
      return true;
    if (path.data[--path.len] != ';')
      return false;
  }
  return false;
}

size_t cul_profile_under(const struct cul_profile *p, const char *path,
                         bool *inside) {
  struct cul_bytes frames = {path, strlen(path)};
  size_t n = 0;
  for (size_t i = 0; i < p->n_nodes; i++) {
    inside[i] = i ? inside[p->nodes[i].parent] : !*path;
    if (inside[i] || !i || !ends_with(p, (uint32_t)i, frames))
      continue;
    inside[i] = true;
    n++;
  }
  return n;
}

/* ---- reading ---- */

void cul_profile_release(struct cul_profile *p) {
  for (size_t i = 0; i < p->n_nodes; i++)
    free(p->nodes[i].name), free(p->nodes[i].failure);
  for (size_t i = 0; i < p->n_metrics; i++)
    free(p->metrics[i].name);
  for (size_t i = 0; i < p->n_modules; i++)
    free(p->modules[i].path);
  free(p->modules);
  free(p->nodes);
  free(p->metrics);
  free(p->figures);
  free(p->node_slots);
  free(p->figure_slots);
  *p = (struct cul_profile){0};
}

static bool is_packed(struct cul_bytes bytes) {
  return cul_bytes_start(bytes, "\x1f\x8b\x08");
}

/* Decompress up to `most` bytes; false: the data is damaged or truncated. */
static bool unpack(struct cul_bytes bytes, size_t most, struct cul_buf *out) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)bytes.data,
                .avail_in = (uInt)bytes.len};
  int rc = inflateInit2(&z, 15 + 16);
  while (rc == Z_OK && out->len < most) {
    cul_buf_reserve(out, STEP);
    z.next_out = (unsigned char *)out->data + out->len;
    z.avail_out = STEP;
    rc = inflate(&z, Z_NO_FLUSH);
    out->len += STEP - z.avail_out;
    out->data[out->len] = '\0';
    if (rc == Z_STREAM_END && z.avail_in > 18) /* another gzip member follows */
      rc = inflateReset(&z);
  }
  inflateEnd(&z);
  return rc == Z_STREAM_END || out->len >= most;
}

static const struct cul_profile_format *format_of(struct cul_bytes bytes) {
  struct cul_buf unpacked = {0};
  const struct cul_profile_format *found = NULL;
  if (is_packed(bytes)) {
    unpack(bytes, HEAD, &unpacked);
    bytes = cul_buf_bytes(&unpacked);
  }
  bytes = cul_bytes_behind_mark(bytes);
  if (bytes.len > HEAD)
    bytes.len = HEAD;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(formats) && !found; i++)
    if (formats[i]->sniff(bytes))
      found = formats[i];
  cul_buf_release(&unpacked);
  return found;
}

static void choose_usual(struct cul_profile *p) {
  if (p->usual != SIZE_MAX)
    return;
  p->usual = 0;
  for (size_t c = 0; c <= CUL_PROFILE_OTHER; c++)
    for (size_t i = 0; i < p->n_metrics; i++)
      if (p->metrics[i].class == (enum cul_profile_class)c) {
        p->usual = i;
        return;
      }
}

/* Append the text with NaN and Infinity replaced by null: Python and
 * google-benchmark write them, but JSON does not allow them.  False: there are
 * none. */
static bool replace_nonfinite(struct cul_bytes text, struct cul_buf *out) {
  static const char *const words[] = {"-Infinity", "Infinity", "NaN", "-NaN"};
  bool quoted = false;
  if (!cul_profile_has(text, "NaN") && !cul_profile_has(text, "Infinity"))
    return false;
  for (size_t i = 0; i < text.len; i++) {
    struct cul_bytes rest = {text.data + i, text.len - i};
    size_t skip = 0;
    for (size_t w = 0; !quoted && w < CUL_ARRAY_SIZE(words) && !skip; w++)
      skip = cul_bytes_start(rest, words[w]) ? strlen(words[w]) : 0;
    if (skip) {
      cul_buf_adds(out, "null");
      i += skip - 1;
      continue;
    }
    if (text.data[i] == '"')
      quoted = !quoted;
    cul_buf_addc(out, text.data[i]);
    if (quoted && text.data[i] == '\\' && i + 1 < text.len)
      cul_buf_addc(out, text.data[++i]);
  }
  return true;
}

static int read_text(struct cul_bytes text, const char *name,
                     struct cul_profile *out, struct cul_err *err) {
  struct cul_buf mended = {0};
  int rc;
  start(out);
  out->usual = SIZE_MAX;
  if (out->format->json && replace_nonfinite(text, &mended))
    text = cul_buf_bytes(&mended);
  rc = out->format->read(text, out, err);
  if (rc == 0 && out->full)
    rc = cul_fail(err, CUL_EUSAGE, "profile a shorter run",
                  "more than %zu call paths, or %d metrics",
                  CUL_PROFILE_MAX_NODES, CUL_PROFILE_MAX_METRICS);
  choose_usual(out);
  cul_buf_release(&mended);
  return rc < 0 ? cul_fail_in(err, "%s (%s)", name, out->format->noun) : 0;
}

int cul_profile_read(struct cul_bytes bytes, const char *name,
                     struct cul_profile *out, bool *found,
                     struct cul_err *err) {
  struct cul_buf unpacked = {0};
  int rc = 0;
  *out = (struct cul_profile){.format = format_of(bytes)};
  *found = out->format != NULL;
  if (!*found)
    return 0;
  if (is_packed(bytes) && bytes.len <= CUL_PROFILE_MAX_BYTES) {
    if (!unpack(bytes, CUL_PROFILE_MAX_BYTES + 1, &unpacked))
      rc = cul_fail(err, CUL_EUSAGE, "write it again",
                    "%s: the packed data is damaged or cut off", name);
    bytes = cul_buf_bytes(&unpacked);
  }
  if (rc == 0 && bytes.len > CUL_PROFILE_MAX_BYTES)
    rc = cul_fail(err, CUL_EUSAGE, "profile a shorter run",
                  "%s: a profile of more than 512 MiB", name);
  if (rc == 0)
    rc = read_text(cul_bytes_behind_mark(bytes), name, out, err);
  cul_buf_release(&unpacked);
  if (rc < 0)
    cul_profile_release(out);
  return rc;
}
