/* The region of mismatches.  A region counts if it contains every mismatch and
 * nine tenths of its elements are mismatches: some are right by chance. */
#include <stdlib.h>
#include <string.h>

#include "../status.h"
#include "pattern.h"

/* Elements off by their index along one dimension. */
struct profile {
  uint64_t size; /* of the dimension */
  uint64_t per;  /* elements per index */
  uint64_t *off; /* heap; size */
};

static struct profile profile_of(const struct cul_pattern_input *in,
                                 size_t dimension) {
  const struct cul_tensor *want = in->want;
  uint64_t size = want->dims[dimension], inner = 1;
  struct profile profile = {size, want->n / size,
                            cul_xcalloc(size, sizeof(uint64_t))};
  for (size_t d = dimension + 1; d < want->rank; d++)
    inner *= want->dims[d];
  for (uint64_t i = 0; i < want->n; i++) {
    cul_status_pass(i);
    profile.off[i / inner % size] += in->difference->off[i];
  }
  return profile;
}

/* Are the indices from first, every step-th, nearly all off? */
static bool filled(const struct profile *profile, uint64_t first,
                   uint64_t step) {
  uint64_t off = 0, all = 0;
  for (uint64_t i = first; i < profile->size; i += step) {
    off += profile->off[i];
    all += profile->per;
  }
  return off * 10 >= all * 9;
}

/* Remainder of a loop that is unrolled or tiled: the last few. */
static bool say_tail(const struct profile *profile, size_t dimension,
                     struct cul_buf *out) {
  uint64_t first = 0, last = profile->size;
  bool head;
  while (first < profile->size && !profile->off[first])
    first++;
  while (last > first && !profile->off[last - 1])
    last--;
  head = first == 0;
  if (first == last || (head && last == profile->size) ||
      (!head && last != profile->size))
    return false;
  for (uint64_t i = first; i < last; i++)
    if (profile->off[i] * 10 < profile->per * 9)
      return false;
  cul_buf_addf(out, "the %s %llu of %llu along dimension %zu (a %s)",
               head ? "first" : "last", (unsigned long long)(last - first),
               (unsigned long long)profile->size, dimension,
               head ? "head" : "tail");
  return true;
}

/* One residue of a period: one lane of a warp, every other row. */
static bool say_lane(const struct profile *profile, size_t dimension,
                     struct cul_buf *out) {
  uint64_t first = 0;
  while (first < profile->size && !profile->off[first])
    first++;
  for (uint64_t period = 64; period > 1; period--) {
    bool fits = period * 2 <= profile->size && first < period;
    for (uint64_t i = 0; i < profile->size && fits; i++)
      fits = i % period == first || !profile->off[i];
    if (!fits || !filled(profile, first, period))
      continue;
    cul_buf_addf(out,
                 "one lane in %llu along dimension %zu (index %% %llu == %llu)",
                 (unsigned long long)period, dimension,
                 (unsigned long long)period, (unsigned long long)first);
    return true;
  }
  return false;
}

/* A grid of tiles over the last two dimensions, or the only one. */
struct grid {
  uint64_t rows, columns;   /* of elements */
  uint64_t height, width;   /* of a tile */
  const unsigned char *off; /* one slice of the outer dimensions */
};

/* Elements off in one tile, and how many there are. */
static void count_tile(const struct grid *g, uint64_t row, uint64_t column,
                       uint64_t *off, uint64_t *all) {
  *off = *all = 0;
  for (uint64_t r = row; r < row + g->height && r < g->rows; r++)
    for (uint64_t c = column; c < column + g->width && c < g->columns; c++) {
      *off += g->off[r * g->columns + c];
      ++*all;
    }
}

/* Every tile is off nearly everywhere or nowhere, and both occur. */
static bool tiles_fit(const struct grid *grid, bool *some, bool *none) {
  for (uint64_t r = 0; r < grid->rows; r += grid->height)
    for (uint64_t c = 0; c < grid->columns; c += grid->width) {
      uint64_t off, all;
      count_tile(grid, r, c, &off, &all);
      if (off && off * 10 < all * 9)
        return false;
      *some |= off > 0;
      *none |= off == 0;
    }
  return true;
}

static bool tile_size_fits(const struct cul_pattern_input *in, uint64_t height,
                           uint64_t width) {
  const struct cul_tensor *want = in->want;
  uint64_t columns = want->dims[want->rank - 1];
  uint64_t rows = want->rank > 1 ? want->dims[want->rank - 2] : 1;
  bool some = false, none = false;
  if (height > rows || width > columns)
    return false;
  for (uint64_t at = 0; at < want->n; at += rows * columns) {
    struct grid grid = {rows, columns, height, width, in->difference->off + at};
    if (!tiles_fit(&grid, &some, &none))
      return false;
  }
  return some && none;
}

/* The largest tiles first; a tile as large as its dimension is a band. */
static bool say_tiles(const struct cul_pattern_input *in, struct cul_buf *out) {
  static const uint64_t sizes[] = {128, 64, 32, 16, 8, 4};
  bool flat = in->want->rank == 1;
  for (size_t sum = 0; sum < 2 * CUL_ARRAY_SIZE(sizes); sum++)
    for (size_t h = 0; h < CUL_ARRAY_SIZE(sizes); h++) {
      size_t w = sum - h;
      if (h > sum || w >= CUL_ARRAY_SIZE(sizes) || (flat && h > 0))
        continue;
      if (!tile_size_fits(in, flat ? 1 : sizes[h], sizes[w]))
        continue;
      if (flat)
        cul_buf_addf(out, "whole tiles of %llu", (unsigned long long)sizes[w]);
      else
        cul_buf_addf(out, "whole tiles of %llux%llu",
                     (unsigned long long)sizes[h],
                     (unsigned long long)sizes[w]);
      return true;
    }
  return false;
}

/* The smallest box that holds them, where it is solid and not everything. */
static bool say_box(const struct cul_pattern_input *in, struct cul_buf *out) {
  uint64_t low[CUL_TENSOR_MAX_RANK], high[CUL_TENSOR_MAX_RANK] = {0}, all = 1;
  uint64_t index[CUL_TENSOR_MAX_RANK];
  const struct cul_tensor *want = in->want;
  memset(low, 255, sizeof low);
  for (uint64_t i = 0; i < want->n; i++) {
    cul_status_pass(i);
    if (!in->difference->off[i])
      continue;
    cul_tensor_index(want, i, index);
    for (size_t d = 0; d < want->rank; d++) {
      low[d] = index[d] < low[d] ? index[d] : low[d];
      high[d] = index[d] > high[d] ? index[d] : high[d];
    }
  }
  for (size_t d = 0; d < want->rank; d++)
    all *= high[d] - low[d] + 1;
  if (all == want->n || in->difference->n_fail * 10 < all * 9)
    return false;
  cul_buf_adds(out, "the block [");
  for (size_t d = 0; d < want->rank; d++)
    cul_buf_addf(out, "%s%llu..%llu", d ? ", " : "", (unsigned long long)low[d],
                 (unsigned long long)high[d]);
  cul_buf_adds(out, "]");
  return true;
}

void cul_pattern_region(const struct cul_pattern_input *in,
                        struct cul_buf *out) {
  uint64_t n = in->want->n, off = in->difference->n_fail;
  bool said = off * 10 >= n * 9 || in->want->rank == 0;
  if (!said && off == 1) {
    cul_buf_adds(out, "one element");
    return;
  }
  for (size_t d = in->want->rank; d-- > 0 && !said;) {
    struct profile profile = profile_of(in, d);
    said = say_tail(&profile, d, out);
    free(profile.off);
  }
  for (size_t d = in->want->rank; d-- > 0 && !said;) {
    struct profile profile = profile_of(in, d);
    said = say_lane(&profile, d, out);
    free(profile.off);
  }
  said = said || say_tiles(in, out);
  if (!said)
    say_box(in, out);
}
