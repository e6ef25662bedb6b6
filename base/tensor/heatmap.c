/* Draws where two tensors differ. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

enum { MOST_CELLS = 1024, MOST_SVG_CELLS = 128, CELL = 8 };

/* The proportion of mismatches in each cell. */
struct map {
  uint64_t rows, columns; /* cells */
  double *share;          /* heap */
};

static struct map make_map(const struct cul_tensor *want,
                           const struct cul_difference *difference,
                           uint64_t most) {
  uint64_t columns = want->rank ? want->dims[want->rank - 1] : 1;
  uint64_t rows = columns ? want->n / columns : 0;
  struct map map = {rows < most ? rows : most, columns < most ? columns : most,
                    NULL};
  uint64_t cells = map.rows * map.columns;
  uint64_t *all = cul_xcalloc(cells, sizeof *all);
  map.share = cul_xcalloc(cells, sizeof *map.share);
  for (uint64_t i = 0; i < want->n; i++) {
    uint64_t cell = i / columns * map.rows / rows * map.columns +
                    i % columns * map.columns / columns;
    all[cell]++;
    map.share[cell] += difference->off ? difference->off[i] : 0;
  }
  for (uint64_t i = 0; i < cells; i++)
    map.share[i] /= (double)(all[i] ? all[i] : 1);
  free(all);
  return map;
}

/* White: no mismatch; yellow to red: some; dark red: all elements. */
static void colour(double share, unsigned char *rgb) {
  static const unsigned char none[] = {244, 244, 244};
  memcpy(rgb, none, 3);
  if (!(share > 0))
    return;
  rgb[0] = (unsigned char)(255 - 90 * share * share);
  rgb[1] = (unsigned char)(190 * (1 - share));
  rgb[2] = 20;
}

static void add_u32(struct cul_buf *out, uint32_t value) {
  unsigned char bytes[4] = {(unsigned char)(value >> 24),
                            (unsigned char)(value >> 16),
                            (unsigned char)(value >> 8), (unsigned char)value};
  cul_buf_add(out, bytes, 4);
}

/* The checksums of PNG (ISO 3309) and of zlib (RFC 1950). */
static uint32_t crc_of(const unsigned char *data, size_t n) {
  uint32_t crc = UINT32_MAX;
  for (size_t i = 0; i < n; i++) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; bit++)
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

static uint32_t adler_of(const unsigned char *data, size_t n) {
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < n; i++) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

static void add_chunk(struct cul_buf *out, const char *type,
                      const struct cul_buf *data) {
  size_t start = out->len + 4;
  add_u32(out, (uint32_t)data->len);
  cul_buf_adds(out, type);
  cul_buf_add(out, data->data, data->len);
  add_u32(out,
          crc_of((const unsigned char *)out->data + start, out->len - start));
}

/* Append a zlib stream of stored blocks: heat maps are small. */
static void store(const struct cul_buf *raw, struct cul_buf *out) {
  const size_t most = 65535;
  cul_buf_add(out, "\x78\x01", 2);
  for (size_t at = 0; at < raw->len || at == 0; at += most) {
    size_t n = raw->len - at < most ? raw->len - at : most;
    unsigned char head[5] = {at + n == raw->len, (unsigned char)(n & 255),
                             (unsigned char)(n >> 8), (unsigned char)(~n & 255),
                             (unsigned char)(~n >> 8 & 255)};
    cul_buf_add(out, head, sizeof head);
    cul_buf_add(out, raw->data + at, n);
  }
  add_u32(out, adler_of((const unsigned char *)raw->data, raw->len));
}

void cul_heatmap_png(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out) {
  struct map map = make_map(want, difference, MOST_CELLS);
  uint64_t longest = map.rows > map.columns ? map.rows : map.columns;
  uint64_t zoom = longest && longest < 256 ? 256 / longest : 1;
  struct cul_buf raw = {0}, chunk = {0}, packed = {0};
  for (uint64_t r = 0; r < map.rows * zoom; r++) {
    cul_buf_addc(&raw, 0); /* filter type: none */
    for (uint64_t c = 0; c < map.columns * zoom; c++) {
      unsigned char rgb[3];
      colour(map.share[r / zoom * map.columns + c / zoom], rgb);
      cul_buf_add(&raw, rgb, 3);
    }
  }
  cul_buf_add(out, "\x89PNG\r\n\x1a\n", 8);
  add_u32(&chunk, (uint32_t)(map.columns * zoom));
  add_u32(&chunk, (uint32_t)(map.rows * zoom));
  cul_buf_add(&chunk, "\x08\x02\0\0\0", 5);
  add_chunk(out, "IHDR", &chunk);
  store(&raw, &packed);
  add_chunk(out, "IDAT", &packed);
  cul_buf_clear(&chunk);
  add_chunk(out, "IEND", &chunk);
  cul_buf_release(&raw);
  cul_buf_release(&chunk);
  cul_buf_release(&packed);
  free(map.share);
}

void cul_heatmap_svg(const struct cul_tensor *want,
                     const struct cul_difference *difference,
                     struct cul_buf *out) {
  struct map map = make_map(want, difference, MOST_SVG_CELLS);
  unsigned long long width = map.columns * CELL, height = map.rows * CELL;
  cul_buf_addf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%llu\" "
               "height=\"%llu\" viewBox=\"0 0 %llu %llu\">\n<rect "
               "width=\"%llu\" height=\"%llu\" "
               "fill=\"#f4f4f4\"/>\n",
               width, height, width, height, width, height);
  for (uint64_t r = 0; r < map.rows; r++)
    for (uint64_t c = 0; c < map.columns; c++) {
      double share = map.share[r * map.columns + c];
      unsigned char rgb[3];
      if (!(share > 0))
        continue;
      colour(share, rgb);
      cul_buf_addf(out,
                   "<rect x=\"%llu\" y=\"%llu\" width=\"%d\" height=\"%d\" "
                   "fill=\"#%02x%02x%02x\"><title>row %llu, column %llu: %g "
                   "%% are off</title></rect>\n",
                   (unsigned long long)c * CELL, (unsigned long long)r * CELL,
                   CELL, CELL, rgb[0], rgb[1], rgb[2], (unsigned long long)r,
                   (unsigned long long)c, 100 * share);
    }
  cul_buf_adds(out, "</svg>\n");
  free(map.share);
}
