/* Recipes: see recipe.h. */
#include "recipe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum fill { DRAWN, ZEROS, ONES, INDEX };

struct cul_recipe_argument {
  uint64_t number;
  enum fill fill;
  bool some; /* keep only the elements of the spans, else all */
  struct span {
    uint64_t first, last;
  } *spans; /* heap; ascending, disjoint */
  size_t n;
};

static bool take_number(const char **at, uint64_t *out) {
  char *end;
  if (!isdigit((unsigned char)**at))
    return false;
  *out = strtoull(*at, &end, 10);
  *at = end;
  return true;
}

static bool take_fill(const char **at, enum fill *out) {
  static const char *const names[] = {"drawn", "zeros", "ones", "index"};
  for (int i = 0; i < 4; i++) {
    size_t n = strlen(names[i]);
    if (strncmp(*at, names[i], n) == 0) {
      *at += n;
      *out = (enum fill)i;
      return true;
    }
  }
  return false;
}

/* Parse "@0-3+9". */
static bool take_spans(const char **at, struct cul_recipe_argument *out) {
  do {
    struct span span;
    ++*at; /* the '@' or '+' */
    if (!take_number(at, &span.first))
      return false;
    span.last = span.first;
    if (**at == '-' && (++*at, !take_number(at, &span.last)))
      return false;
    if (span.last < span.first ||
        (out->n && span.first <= out->spans[out->n - 1].last))
      return false;
    out->spans = cul_xreallocarray(out->spans, out->n + 1, sizeof *out->spans);
    out->spans[out->n++] = span;
  } while (**at == '+');
  out->some = true;
  return true;
}

/* Parse ",0=ones@3". */
static bool take_argument(const char **at, struct cul_recipe *out) {
  struct cul_recipe_argument *one;
  out->items = cul_xreallocarray(out->items, out->n + 1, sizeof *out->items);
  one = &out->items[out->n++];
  *one = (struct cul_recipe_argument){0};
  return *(*at)++ == ',' && take_number(at, &one->number) && *(*at)++ == '=' &&
         take_fill(at, &one->fill) && (**at != '@' || take_spans(at, one));
}

bool cul_recipe_parse(const char *text, struct cul_recipe *out) {
  size_t len = strcspn(text, ",");
  char *kind = cul_xstrndup(text, len);
  const char *at = text + len;
  bool good;
  *out = (struct cul_recipe){0};
  good = cul_input_kind_parse(kind, &out->kind);
  free(kind);
  while (good && *at)
    good = take_argument(&at, out);
  if (!good)
    cul_recipe_release(out);
  return good;
}

void cul_recipe_release(struct cul_recipe *recipe) {
  for (size_t i = 0; i < recipe->n; i++)
    free(recipe->items[i].spans);
  free(recipe->items);
  *recipe = (struct cul_recipe){0};
}

/* A bound up to which every integer is a float of so many bits. */
static uint64_t most_index(const struct cul_dtype_info *info) {
  if (info->bits >= 32)
    return UINT64_C(1) << 23;
  return info->bits >= 16 ? 256 : info->bits >= 8 ? 8 : 1;
}

static cul_number value_of(const struct cul_recipe_argument *one,
                           const struct cul_tensor *tensor, uint64_t i,
                           unsigned part) {
  if (one->fill == DRAWN)
    return cul_tensor_get(tensor, i, part);
  if (one->fill == ZEROS || part)
    return 0;
  return one->fill == ONES
             ? 1
             : (cul_number)(1 + i % most_index(cul_dtype_info(tensor->dtype)));
}

static void apply(const struct cul_recipe_argument *one,
                  struct cul_tensor *tensor) {
  size_t span = 0;
  for (uint64_t i = 0; i < tensor->n; i++) {
    bool kept;
    while (span < one->n && one->spans[span].last < i)
      span++;
    kept = !one->some || (span < one->n && one->spans[span].first <= i);
    for (unsigned part = 0; part < cul_tensor_parts(tensor); part++)
      cul_tensor_set(tensor, i, part,
                     kept ? value_of(one, tensor, i, part) : 0);
  }
}

void cul_recipe_fill(const struct cul_recipe *recipe, uint64_t seed,
                     uint64_t argument, struct cul_tensor *tensor) {
  cul_inputs_fill(recipe->kind, seed, argument, tensor);
  for (size_t i = 0; i < recipe->n; i++)
    if (recipe->items[i].number == argument)
      apply(&recipe->items[i], tensor);
}
