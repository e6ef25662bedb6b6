/* Two types, one beside the other: see difference_type.h. */
#include "difference_type.h"

#include <ctype.h>
#include <string.h>

#include "difference_lines.h"

/* tensor<4x?xf32, #e>: the head, the dimensions, and what stands for the
 * element and the rest. */
struct shape {
  struct cul_bytes head, rest;
  struct cul_bytes dims[16];
  size_t n;
};

static size_t dim_length(const char *at, const char *end) {
  const char *p = at;
  while (p < end && (isdigit((unsigned char)*p) || strchr("?*[]", *p)))
    p++;
  return p > at && p < end && *p == 'x' ? (size_t)(p - at) : 0;
}

static bool read_shape(struct cul_bytes type, struct shape *out) {
  const char *end = type.data + type.len, *at;
  const char *angle = memchr(type.data, '<', type.len);
  size_t n;
  *out = (struct shape){0};
  if (!angle)
    return false;
  at = angle + 1;
  out->head = (struct cul_bytes){type.data, (size_t)(at - type.data)};
  while (out->n < CUL_ARRAY_SIZE(out->dims) && (n = dim_length(at, end))) {
    out->dims[out->n++] = (struct cul_bytes){at, n};
    at += n + 1;
  }
  out->rest = (struct cul_bytes){at, (size_t)(end - at)};
  return out->n > 0;
}

/* The one dimension that differs; n: none or several do. */
static size_t odd_dimension(const struct shape *a, const struct shape *b) {
  size_t odd = a->n;
  for (size_t i = 0; i < a->n; i++)
    if (!cul_bytes_equal(a->dims[i], b->dims[i])) {
      if (odd < a->n)
        return a->n;
      odd = i;
    }
  return odd;
}

/* a without one of its dimensions is b: which one; a->n: none is so. */
static size_t lost_dimension(const struct shape *a, const struct shape *b) {
  size_t lost = 0, i;
  if (a->n != b->n + 1 || !cul_bytes_equal(a->rest, b->rest))
    return a->n;
  while (lost < b->n && cul_bytes_equal(a->dims[lost], b->dims[lost]))
    lost++;
  for (i = lost; i < b->n; i++)
    if (!cul_bytes_equal(a->dims[i + 1], b->dims[i]))
      return a->n;
  return lost;
}

/* "f32" of "f32>" and of "f32, #e>". */
static struct cul_bytes element(const struct shape *shape) {
  size_t n = 0;
  int depth = 0;
  while (n < shape->rest.len) {
    char c = shape->rest.data[n];
    depth += (c == '<') - (c == '>');
    if (depth < 0 || (depth == 0 && c == ','))
      break;
    n++;
  }
  return (struct cul_bytes){shape->rest.data, n};
}

static void add_pair(struct cul_bytes is, struct cul_bytes instead,
                     struct cul_buf *out) {
  cul_buf_addf(out, "%.*s instead of %.*s", (int)is.len, is.data,
               (int)instead.len, instead.data);
}

static void add_whole(struct cul_bytes fails, struct cul_bytes passes,
                      const char *owner, bool value, struct cul_buf *out) {
  cul_buf_addf(out, "%s %s ", owner, value ? "is a" : "has");
  cul_buf_addf(out, "`%.*s` instead of `%.*s`", (int)passes.len, passes.data,
               (int)fails.len, fails.data);
}

void cul_difference_of_types(struct cul_bytes fails, struct cul_bytes passes,
                             const char *owner, bool value,
                             struct cul_buf *out) {
  struct shape a, b;
  struct cul_bytes had, has;
  size_t odd;
  bool shapes = read_shape(fails, &a) && read_shape(passes, &b) &&
                cul_bytes_equal(a.head, b.head);
  size_t lost = shapes ? lost_dimension(&a, &b) : a.n;
  if (lost < a.n) {
    cul_buf_addf(out, "dimension %zu of %s, %.*s, is dropped", lost, owner,
                 (int)a.dims[lost].len, a.dims[lost].data);
    return;
  }
  if (!shapes || a.n != b.n) {
    add_whole(fails, passes, owner, value, out);
    return;
  }
  odd = odd_dimension(&a, &b);
  had = element(&a), has = element(&b);
  if (odd < a.n && cul_bytes_equal(a.rest, b.rest)) {
    cul_buf_addf(out, "dimension %zu of %s is ", odd, owner);
    add_pair(b.dims[odd], a.dims[odd], out);
  } else if (odd == a.n && !cul_bytes_equal(had, has) &&
             a.rest.len - had.len == b.rest.len - has.len) {
    cul_buf_addf(out, "the element type of %s is ", owner);
    add_pair(has, had, out);
  } else {
    add_whole(fails, passes, owner, value, out);
  }
}
