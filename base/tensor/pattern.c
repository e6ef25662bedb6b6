/* The pattern of mismatches: their region, and a common property of their
 * values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../status.h"
#include "compare.h"

struct cul_pattern_input {
  const struct cul_tensor *got, *want;
  const struct cul_difference *difference;
  double rel; /* upper bound of relative differences by rounding */
};

/* ---- region ---- */

/* The number of mismatches for each index of one dimension. */
struct profile {
  uint64_t size; /* indices of the dimension */
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

/* Are at least nine tenths of the elements at the indices first, first + step,
 * ... mismatches? */
static bool filled(const struct profile *profile, uint64_t first,
                   uint64_t step) {
  uint64_t off = 0, all = 0;
  for (uint64_t i = first; i < profile->size; i += step) {
    off += profile->off[i];
    all += profile->per;
  }
  return off * 10 >= all * 9;
}

/* Describe the first or last few indices: the remainder of an unrolled or tiled
 * loop. */
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

/* Describe one residue of a period: one lane of a warp, every other row. */
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

/* A grid of tiles over the last two dimensions, or the only dimension. */
struct grid {
  uint64_t rows, columns;   /* in elements */
  uint64_t height, width;   /* of a tile, in elements */
  const unsigned char *off; /* one slice of the outer dimensions */
};

/* Count the mismatches and the elements of one tile. */
static void count_tile(const struct grid *g, uint64_t row, uint64_t column,
                       uint64_t *off, uint64_t *all) {
  *off = *all = 0;
  for (uint64_t r = row; r < row + g->height && r < g->rows; r++)
    for (uint64_t c = column; c < column + g->width && c < g->columns; c++) {
      *off += g->off[r * g->columns + c];
      ++*all;
    }
}

/* Does each tile have mismatches nearly everywhere or nowhere?  *some: a tile
 * has; *none: a tile has not. */
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

/* Try the largest tiles first; a tile as large as its dimension is a band. */
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

/* Describe the smallest box around the mismatches, if they fill it and it is
 * not the whole tensor. */
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

/* Append the region: "the last 4 of 20 along dimension 1 (a tail)", "whole
 * tiles of 16x16", ...  Appends nothing if mismatches are everywhere, or in no
 * particular region.  A region contains every mismatch, and nine tenths of its
 * elements are mismatches: some are right by chance. */
static void pattern_region(const struct cul_pattern_input *in,
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

/* ---- values ---- */

typedef bool rule(const struct cul_pattern_input *in, struct cul_buf *out);

static cul_number got_at(const struct cul_pattern_input *in, uint64_t i) {
  return cul_tensor_get(in->got, i, 0);
}

static cul_number want_at(const struct cul_pattern_input *in, uint64_t i) {
  return cul_tensor_get(in->want, i, 0);
}

/* Equal up to digits that a print may have cut off. */
static bool near(cul_number a, cul_number b, double rel) {
  return (isnan(a) && isnan(b)) || a == b ||
         fabsl(a - b) <= (cul_number)rel * fmaxl(fabsl(a), fabsl(b));
}

/* Is `holds` true for all mismatches? */
static bool all_off(const struct cul_pattern_input *in,
                    bool (*holds)(const struct cul_pattern_input *, uint64_t)) {
  for (uint64_t i = 0; i < in->want->n; i++) {
    cul_status_pass(i);
    if (in->difference->off[i] && !holds(in, i))
      return false;
  }
  return true;
}

static bool is_zero(const struct cul_pattern_input *in, uint64_t i) {
  return got_at(in, i) == 0 &&
         (cul_tensor_parts(in->got) == 1 || cul_tensor_get(in->got, i, 1) == 0);
}

static bool is_nan(const struct cul_pattern_input *in, uint64_t i) {
  return isnan(got_at(in, i));
}

static bool is_inf(const struct cul_pattern_input *in, uint64_t i) {
  return isinf(got_at(in, i));
}

static bool is_fill(const struct cul_pattern_input *in, uint64_t i) {
  return cul_number_is_fill(
      in->got->dtype, in->got->data + i * cul_dtype_info(in->got->dtype)->size,
      in->got->untyped);
}

static bool is_negated(const struct cul_pattern_input *in, uint64_t i) {
  return near(got_at(in, i), -want_at(in, i), in->rel);
}

static bool is_other_zero(const struct cul_pattern_input *in, uint64_t i) {
  return got_at(in, i) == 0 && want_at(in, i) == 0;
}

static bool is_saturated(const struct cul_pattern_input *in, uint64_t i) {
  cul_number most = cul_dtype_max(cul_dtype_info(in->got->dtype)->part);
  return fabsl(got_at(in, i)) == most || fabsl(got_at(in, i)) == most + 1;
}

static bool say_if(bool holds, const char *what, struct cul_buf *out) {
  if (holds)
    cul_buf_adds(out, what);
  return holds;
}

static bool say_constant(const struct cul_pattern_input *in,
                         struct cul_buf *out) {
  return say_if(all_off(in, is_other_zero), "zeros of the other sign", out) ||
         say_if(all_off(in, is_zero), "all zero", out) ||
         say_if(all_off(in, is_nan), "all NaN", out) ||
         say_if(all_off(in, is_inf), "all infinite", out) ||
         say_if(all_off(in, is_fill),
                "unwritten (the bytes of fresh memory are seen)", out) ||
         say_if(all_off(in, is_saturated), "saturated: the largest of the type",
                out) ||
         say_if(all_off(in, is_negated), "with the sign turned", out);
}

/* Numbers that data movement alone changes. */
static bool moved(const struct cul_pattern_input *in, cul_number a,
                  cul_number b) {
  return near(a, b, fmax(in->rel, 1e-6));
}

/* Do the wanted elements contain two different numbers? */
static bool varies(const struct cul_pattern_input *in) {
  for (uint64_t i = 1; i < in->want->n; i++) {
    cul_status_pass(i);
    if (want_at(in, i) != want_at(in, 0))
      return true;
  }
  return false;
}

/* The index of element i after dimensions a and b are exchanged. */
static uint64_t swapped(const struct cul_tensor *t, uint64_t i, size_t a,
                        size_t b) {
  uint64_t index[CUL_TENSOR_MAX_RANK] = {0}, dims[CUL_TENSOR_MAX_RANK];
  uint64_t at = 0, keep;
  memcpy(dims, t->dims, sizeof dims);
  dims[a] = t->dims[b];
  dims[b] = t->dims[a];
  for (size_t d = t->rank; d-- > 0;) {
    index[d] = i % dims[d];
    i /= dims[d];
  }
  keep = index[a];
  index[a] = index[b];
  index[b] = keep;
  for (size_t d = 0; d < t->rank; d++)
    at = at * t->dims[d] + index[d];
  return at;
}

/* Is got the transpose of want? Checks all elements, correct ones too. */
static bool is_transposed(const struct cul_pattern_input *in, size_t a,
                          size_t b) {
  for (uint64_t i = 0; i < in->want->n; i++) {
    cul_status_pass(i);
    if (!moved(in, got_at(in, i), want_at(in, swapped(in->want, i, a, b))))
      return false;
  }
  return true;
}

static bool say_transposed(const struct cul_pattern_input *in,
                           struct cul_buf *out) {
  for (size_t b = in->want->rank; b-- > 1;)
    for (size_t a = b; a-- > 0;)
      if (is_transposed(in, a, b)) {
        cul_buf_addf(out, "transposed (dimensions %zu and %zu)", a, b);
        return true;
      }
  return false;
}

/* Is got[.. i ..] equal to want[.. i - by ..] wherever both exist? */
static bool is_shifted(const struct cul_pattern_input *in, size_t dimension,
                       int64_t by) {
  const struct cul_tensor *want = in->want;
  uint64_t inner = 1, size = want->dims[dimension], seen = 0;
  if ((uint64_t)(by < 0 ? -by : by) >= size)
    return false;
  for (size_t d = dimension + 1; d < want->rank; d++)
    inner *= want->dims[d];
  for (uint64_t i = 0; i < want->n; i++) {
    cul_status_pass(i);
    int64_t from = (int64_t)(i / inner % size) - by;
    if (from < 0 || from >= (int64_t)size)
      continue;
    seen++;
    if (!moved(in, got_at(in, i),
               want_at(in, (uint64_t)((int64_t)i - by * (int64_t)inner))))
      return false;
  }
  return seen * 2 >= want->n;
}

static bool say_shift_by(const struct cul_pattern_input *in, int64_t by,
                         struct cul_buf *out) {
  for (size_t d = in->want->rank; d-- > 0;) {
    int64_t found = is_shifted(in, d, by)    ? by
                    : is_shifted(in, d, -by) ? -by
                                             : 0;
    if (!found)
      continue;
    cul_buf_addf(out, "shifted by %lld along dimension %zu", (long long)found,
                 d);
    return true;
  }
  return false;
}

static bool say_shifted(const struct cul_pattern_input *in,
                        struct cul_buf *out) {
  for (int64_t by = 1; by <= 16; by++)
    if (say_shift_by(in, by, out))
      return true;
  return false;
}

/* got = factor * want, with one factor other than 1, shown by at least two
 * different numbers. */
static bool say_scaled(const struct cul_pattern_input *in,
                       struct cul_buf *out) {
  cul_number factor = 0, first = 0;
  bool several = false;
  for (uint64_t i = 0; i < in->want->n; i++) {
    cul_status_pass(i);
    cul_number a = got_at(in, i), b = want_at(in, i);
    if (!in->difference->off[i])
      continue;
    if (!isfinite(a) || !isfinite(b) || b == 0)
      return false;
    if (factor == 0) {
      factor = a / b;
      first = b;
    }
    several |= fabsl(b) != fabsl(first);
    if (factor == 0 || !near(a, factor * b, in->rel))
      return false;
  }
  if (!several)
    return false;
  cul_buf_addf(out, "scaled by the constant %.6Lg", factor);
  return true;
}

/* The difference at the mismatch of smallest magnitude, where rounding is
 * least.  False: a mismatch is not finite, or all wanted numbers are equal. */
static bool find_offset(const struct cul_pattern_input *in, cul_number *out) {
  cul_number least = (cul_number)INFINITY, first = (cul_number)NAN;
  bool several = false;
  for (uint64_t i = 0; i < in->want->n; i++) {
    cul_number a = got_at(in, i), b = want_at(in, i);
    cul_status_pass(i);
    if (!in->difference->off[i])
      continue;
    if (!isfinite(a) || !isfinite(b))
      return false;
    if (isnan(first))
      first = b;
    several |= b != first;
    if (fmaxl(fabsl(a), fabsl(b)) >= least)
      continue;
    least = fmaxl(fabsl(a), fabsl(b));
    *out = a - b;
  }
  return several;
}

/* got = want + offset, with one offset that is far larger than rounding, shown
 * by at least two different numbers. */
static bool say_offset(const struct cul_pattern_input *in,
                       struct cul_buf *out) {
  const cul_number loud = 8;
  cul_number offset = 0;
  bool all = in->difference->n_fail == in->want->n;
  if (cul_tensor_parts(in->got) > 1 || !find_offset(in, &offset))
    return false;
  for (uint64_t i = 0; i < in->want->n; i++) {
    cul_number a = got_at(in, i), b = want_at(in, i);
    cul_number blur = (cul_number)in->rel * fmaxl(fabsl(a), fabsl(b));
    cul_status_pass(i);
    if (in->difference->off[i] &&
        (fabsl(a - b - offset) > blur || fabsl(offset) <= loud * blur))
      return false;
  }
  cul_buf_addf(out, "%s is %.6Lg %s", all ? "every element" : "each",
               fabsl(offset), offset > 0 ? "more" : "less");
  return true;
}

/* got = want, rounded to a narrower type. */
static bool say_rounded(const struct cul_pattern_input *in,
                        struct cul_buf *out) {
  static const enum cul_dtype types[] = {CUL_F32, CUL_F16, CUL_BF16,
                                         CUL_F8E4M3FN, CUL_F8E5M2};
  if (cul_dtype_info(in->want->dtype)->kind != CUL_IS_FLOAT || in->got->untyped)
    return false;
  for (size_t t = 0; t < CUL_ARRAY_SIZE(types); t++) {
    bool fits =
        cul_dtype_info(types[t])->bits < cul_dtype_info(in->want->dtype)->bits;
    for (uint64_t i = 0; i < in->want->n && fits; i++) {
      cul_status_pass(i);
      unsigned char bits[8];
      cul_dtype_store(types[t], want_at(in, i), bits);
      fits = !in->difference->off[i] ||
             cul_dtype_load(types[t], bits) == got_at(in, i);
    }
    if (!fits)
      continue;
    cul_buf_addf(out, "rounded to %s", cul_dtype_info(types[t])->name);
    return true;
  }
  return false;
}

/* Append the property: "all zero", "transposed", "shifted by 1 along dimension
 * 0" ... Appends nothing if no rule holds. */
static void find_values(const struct cul_pattern_input *in,
                        struct cul_buf *out) {
  static rule *const rules[] = {say_transposed, say_shifted};
  bool said = say_constant(in, out);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rules) && !said && varies(in); i++)
    said = rules[i](in, out);
  if (!said && !say_scaled(in, out) && !say_offset(in, out))
    say_rounded(in, out);
}

enum { BUCKETS = 6 };

/* Does the mean |got - want| grow along the dimension? Its eighths are
 * compared: each at least 1.2 times the one before, four times in all. */
static bool grows(const struct cul_pattern_input *in, size_t dimension) {
  const struct cul_tensor *want = in->want;
  cul_number sum[BUCKETS] = {0}, count[BUCKETS] = {0};
  uint64_t inner = 1, size = want->dims[dimension];
  if (size < 2 * BUCKETS)
    return false;
  for (size_t d = dimension + 1; d < want->rank; d++)
    inner *= want->dims[d];
  for (uint64_t i = 0; i < want->n; i++) {
    cul_status_pass(i);
    cul_number error = fabsl(got_at(in, i) - want_at(in, i));
    uint64_t bucket = i / inner % size * BUCKETS / size;
    if (!isfinite(error))
      return false;
    sum[bucket] += error;
    count[bucket] += 1;
  }
  for (int b = 1; b < BUCKETS; b++)
    if (!(sum[b] / count[b] >= 1.1L * sum[b - 1] / count[b - 1]))
      return false;
  return sum[0] > 0 &&
         sum[BUCKETS - 1] / count[BUCKETS - 1] >= 4 * sum[0] / count[0];
}

/* Append "growing along dimension 0" if the error grows. */
static void find_growth(const struct cul_pattern_input *in,
                        struct cul_buf *out) {
  for (size_t d = in->want->rank; d-- > 0;)
    if (grows(in, d)) {
      cul_buf_addf(out, "growing along dimension %zu", d);
      return;
    }
}

/* The relative error of several roundings, or of the digits that printing
 * omits. */
static double blur_of(const struct cul_tensor *got,
                      const struct cul_tensor *want) {
  double a = cul_dtype_roundoff(cul_dtype_info(got->dtype)->part);
  double b = cul_dtype_roundoff(cul_dtype_info(want->dtype)->part);
  return got->untyped || want->untyped ? 1e-4 : 8 * fmax(a, b) + 1e-12;
}

static void add_phrase(struct cul_buf *out, const char *joint,
                       const struct cul_buf *phrase) {
  if (phrase->len && out->len)
    cul_buf_adds(out, joint);
  cul_buf_adds(out, cul_buf_str(phrase));
}

void cul_tensor_pattern(const struct cul_tensor *got,
                        const struct cul_tensor *want,
                        const struct cul_difference *difference,
                        struct cul_buf *out) {
  const struct cul_pattern_input in = {got, want, difference,
                                       blur_of(got, want)};
  struct cul_buf region = {0}, values = {0}, growth = {0}, all = {0};
  if (!difference->off)
    return;
  pattern_region(&in, &region);
  if (difference->n_fail > 1 || want->n == 1)
    find_values(&in, &values);
  if (!values.len)
    find_growth(&in, &growth);
  add_phrase(&all, "", &region);
  add_phrase(&all, ": ", &values);
  add_phrase(&all, ", ", &growth);
  cul_buf_add(out, all.data, all.len);
  cul_buf_release(&region);
  cul_buf_release(&values);
  cul_buf_release(&growth);
  cul_buf_release(&all);
}
