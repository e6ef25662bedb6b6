/* Minimal sets: see sets.h. */
#include "sets.h"

#include <stdlib.h>
#include <string.h>

struct finder {
  const struct cul_set_space *space;
  struct cul_sets *out;
  struct cul_err *err;
};

static bool *new_marks(const struct finder *f) {
  return cul_xcalloc(f->space->n + 1, sizeof(bool));
}

static size_t count(const struct finder *f, const bool *marks) {
  size_t n = 0;
  for (size_t i = 0; i < f->space->n; i++)
    n += marks[i];
  return n;
}

static struct cul_set set_of(const struct finder *f, const bool *members) {
  struct cul_set set = {.n = 0};
  set.items = cul_xcalloc(count(f, members) + 1, sizeof *set.items);
  for (size_t i = 0; i < f->space->n; i++)
    if (members[i])
      set.items[set.n++] = (uint32_t)i;
  return set;
}

/* Note a set that is enough for the failure. */
static void note_enough(const struct finder *f, const bool *on) {
  struct cul_set *enough = &f->out->enough;
  size_t n = count(f, on);
  if (n == 0 || (enough->n > 0 && n >= enough->n))
    return;
  free(enough->items);
  *enough = set_of(f, on);
}

/* *out: it fails with base and more on.  more may be NULL. */
static int fails(const struct finder *f, const bool *base, const bool *more,
                 bool *out) {
  bool *on = new_marks(f);
  int rc;
  for (size_t i = 0; i < f->space->n; i++)
    on[i] = base[i] || (more && more[i]);
  *out = false;
  rc = f->space->fails(f->space->self, on, out, f->err);
  if (rc == 0 && *out)
    note_enough(f, on);
  free(on);
  return rc;
}

/* Split members by the first bit, from *bit on, in which they differ; by their
 * order if all bits are alike. */
static void split(const struct finder *f, const bool *members, unsigned *bit,
                  bool *half[2]) {
  size_t n = count(f, members), seen = 0, ones = 0;
  for (; *bit < 64 && (ones == 0 || ones == n); ++*bit) {
    ones = 0;
    for (size_t i = 0; i < f->space->n; i++)
      ones += members[i] && (f->space->hashes[i] >> *bit & 1);
    if (ones > 0 && ones < n)
      break;
  }
  for (size_t i = 0; i < f->space->n; i++) {
    bool second = *bit < 64 ? f->space->hashes[i] >> *bit & 1 : seen >= n / 2;
    seen += members[i];
    half[0][i] = members[i] && !second;
    half[1][i] = members[i] && second;
  }
}

/* It fails with base and members on, and not with base alone: reduce members to
 * the items needed. */
static int divide(const struct finder *f, bool *members, bool *base,
                  unsigned bit);

/* Neither half is enough: find the items needed of the first beside the second,
 * then of the second beside these. */
static int divide_both(const struct finder *f, bool *half[2], bool *base,
                       unsigned bit) {
  bool *with = new_marks(f);
  size_t n = f->space->n;
  int rc;
  for (size_t i = 0; i < n; i++)
    with[i] = base[i] || half[1][i];
  rc = divide(f, half[0], with, bit);
  for (size_t i = 0; i < n; i++)
    with[i] = base[i] || half[0][i];
  if (rc == 0)
    rc = divide(f, half[1], with, bit);
  free(with);
  return rc;
}

static int divide_halves(const struct finder *f, bool *half[2], bool *base,
                         unsigned bit) {
  size_t n = f->space->n;
  for (int k = 0; k < 2; k++) {
    bool enough;
    int rc = fails(f, base, half[k], &enough);
    if (rc < 0)
      return rc;
    if (!enough)
      continue;
    memset(half[1 - k], 0, n * sizeof(bool));
    return divide(f, half[k], base, bit);
  }
  return divide_both(f, half, base, bit);
}

static int divide(const struct finder *f, bool *members, bool *base,
                  unsigned bit) {
  bool *half[2];
  int rc;
  if (count(f, members) <= 1)
    return 0;
  half[0] = new_marks(f);
  half[1] = new_marks(f);
  split(f, members, &bit, half);
  rc = divide_halves(f, half, base, bit < 64 ? bit + 1 : bit);
  for (size_t i = 0; i < f->space->n; i++)
    members[i] = half[0][i] || half[1][i];
  free(half[0]);
  free(half[1]);
  return rc;
}

/* Leave out items one by one, as long as it still fails. */
static int drop_singles(const struct finder *f, bool *members) {
  int rc = 0;
  for (size_t i = 0; i < f->space->n && rc == 0; i++) {
    bool still = false;
    if (!members[i])
      continue;
    members[i] = false;
    rc = fails(f, members, NULL, &still);
    members[i] = !still;
  }
  return rc;
}

/* Find a minimal set within rest, which fails, and check it by runs of its
 * own.  If more items can make the failure disappear, halving may go wrong:
 * then items are left out one by one. */
static int find_one(const struct finder *f, const bool *rest, bool *set) {
  bool *base = new_marks(f);
  bool alone = false;
  size_t n;
  int rc;
  memcpy(set, rest, f->space->n * sizeof *set);
  rc = divide(f, set, base, 0);
  if (rc == 0)
    rc = fails(f, set, NULL, &alone);
  if (rc == 0 && !alone) {
    f->out->crooked = true;
    memcpy(set, rest, f->space->n * sizeof *set);
  }
  do {
    n = count(f, set);
    if (rc == 0)
      rc = drop_singles(f, set);
  } while (rc == 0 && count(f, set) < n);
  free(base);
  return rc;
}

static void keep(const struct finder *f, const bool *members,
                 struct cul_sets *out) {
  out->sets = cul_xreallocarray(out->sets, out->n + 1, sizeof *out->sets);
  out->sets[out->n++] = set_of(f, members);
}

static int find_all(const struct finder *f, bool *rest, struct cul_sets *out) {
  bool *set = new_marks(f);
  bool still = true;
  int rc = 0;
  while (rc == 0 && still && (!f->space->most || out->n < f->space->most)) {
    rc = find_one(f, rest, set);
    if (rc < 0)
      break;
    keep(f, set, out);
    free(out->enough.items);
    out->enough = (struct cul_set){.n = 0};
    for (size_t i = 0; i < f->space->n; i++)
      rest[i] = rest[i] && !set[i];
    rc = fails(f, rest, NULL, &still);
  }
  out->end = still ? CUL_SETS_MORE : CUL_SETS_FOUND;
  free(set);
  return rc;
}

int cul_sets_find(const struct cul_set_space *space, struct cul_sets *out,
                  struct cul_err *err) {
  struct finder f = {space, out, err};
  bool *marks, is;
  int rc;
  *out = (struct cul_sets){.end = CUL_SETS_ALWAYS};
  marks = new_marks(&f);
  rc = fails(&f, marks, NULL, &is);
  if (rc == 0 && !is) {
    memset(marks, true, space->n * sizeof *marks);
    rc = fails(&f, marks, NULL, &is);
    out->end = CUL_SETS_NEVER;
    if (rc == 0 && is)
      rc = find_all(&f, marks, out);
  }
  free(marks);
  if (rc < 0)
    out->end = CUL_SETS_CUT;
  return rc;
}

void cul_sets_release(struct cul_sets *sets) {
  for (size_t i = 0; i < sets->n; i++)
    free(sets->sets[i].items);
  free(sets->sets);
  free(sets->enough.items);
  *sets = (struct cul_sets){0};
}

/* ---- sets as options of a tool ---- */

/* A suffix: the value of the `bits` low bits of hashes. */
struct suffix {
  uint64_t value;
  unsigned bits;
};

static bool has_suffix(uint64_t hash, struct suffix suffix) {
  uint64_t mask = suffix.bits < 64 ? ((uint64_t)1 << suffix.bits) - 1 : ~0ULL;
  return (hash & mask) == suffix.value;
}

static void add_suffix(struct suffix suffix, struct cul_buf *out) {
  cul_buf_addc(out, '+');
  for (unsigned bit = suffix.bits; bit-- > 0;)
    cul_buf_addc(out, suffix.value >> bit & 1 ? '1' : '0');
}

static void add_pattern(const uint64_t *hashes, const bool *on, size_t n,
                        struct suffix suffix, struct cul_buf *out) {
  size_t in = 0, all = 0;
  for (size_t i = 0; i < n; i++) {
    bool member = has_suffix(hashes[i], suffix);
    all += member;
    in += member && on[i];
  }
  if (in == 0)
    return;
  if (suffix.bits == 64 || (in == all && suffix.bits > 0)) {
    add_suffix(suffix, out);
    return;
  }
  for (uint64_t one = 0; one < 2; one++)
    add_pattern(
        hashes, on, n,
        (struct suffix){suffix.value | one << suffix.bits, suffix.bits + 1},
        out);
}

void cul_sets_pattern(const uint64_t *hashes, const bool *on, size_t n,
                      struct cul_buf *out) {
  size_t in = 0;
  for (size_t i = 0; i < n; i++)
    in += on[i];
  if (in == n)
    cul_buf_addc(out, 'y');
  else if (in == 0)
    cul_buf_addc(out, 'n');
  else
    add_pattern(hashes, on, n, (struct suffix){0, 0}, out);
}

void cul_sets_intervals(const bool *on, size_t n, struct cul_buf *out) {
  const char *between = "";
  for (size_t i = 0; i < n; i++) {
    size_t first = i;
    if (!on[i])
      continue;
    while (i + 1 < n && on[i + 1])
      i++;
    cul_buf_addf(out, first == i ? "%s%zu" : "%s%zu-%zu", between, first, i);
    between = ":";
  }
}
