/* Retype rules of stablehlo.convolution: which dimension is which, batches and
 * features.  What windows do is an equation. */
#include <stdlib.h>
#include <string.h>

#include "retype_rules.h"

/* A number that is an attribute; 1 where there is none. */
static int64_t number_of(MlirOperation op, const char *name) {
  int64_t number[CUL_RETYPE_MAX];
  return cul_numbers_named(op, name, number) == 1 ? number[0] : 1;
}

/* From the bracket at on; returns what is behind it, NULL: not understood. */
static const char *read_places(const char *at, struct cul_retype_places *out) {
  int64_t i = 0;
  *out = (struct cul_retype_places){.first = -1, .second = -1};
  for (at++; at[-1] != ']'; i++) {
    if (strchr("bi", *at)) {
      out->first = i;
    } else if (strchr("fo", *at)) {
      out->second = i;
    } else {
      long side = strtol(at, NULL, 10);
      if (side < 0 || side >= CUL_RETYPE_MAX)
        return NULL;
      out->side[side] = i;
      out->n++;
    }
    at += strcspn(at, ",]");
    if (!*at)
      return NULL;
    at += *at == ',' ? 1 + strspn(at + 1, " ") : 1;
  }
  return at;
}

bool cul_retype_convolution(struct cul_retype *g, MlirOperation op,
                            struct cul_retype_places places[3]) {
  const struct cul_op_word *word = cul_retype_word(op, "convolution");
  MlirAttribute attr = {NULL};
  const char *at;
  if (word)
    attr = cul_ir_get(op, word->args[0]);
  at = attr.ptr ? cul_ir_attr_text(g->ir, attr) : NULL;
  for (int i = 0; i < 3; i++) {
    at = at ? strchr(at, '[') : NULL;
    at = at ? read_places(at, &places[i]) : NULL;
    if (!at || places[i].n != places[0].n)
      return false;
  }
  return 2 * places[0].n <= CUL_RETYPE_MAX;
}

/* whole = groups * part, the number of groups an attribute; others than whole
 * are made in as many groups. */
static void relate_groups(struct cul_retype *g, MlirOperation op,
                          uint32_t whole, uint32_t part, uint32_t other) {
  uint32_t groups =
      cul_retype_add_number(g, number_of(op, "feature_group_count"), false);
  uint32_t each;
  if (whole == CUL_RETYPE_NONE || part == CUL_RETYPE_NONE ||
      other == CUL_RETYPE_NONE)
    return;
  if (g->value[groups] == 1) {
    cul_retype_tie(g, whole, part);
    return;
  }
  cul_retype_bind(g, op, "feature_group_count", &groups, 1);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, whole, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, part, 1);
  each = cul_retype_add_number(g, g->value[other] / g->value[groups], false);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, other, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, each, 1);
}

void cul_retype_rule_hlo_convolution(struct cul_retype *g, MlirOperation op) {
  MlirValue in = mlirOperationGetOperand(op, 0);
  MlirValue kernel = mlirOperationGetOperand(op, 1);
  MlirValue out = mlirOperationGetResult(op, 0);
  struct cul_retype_places p[3];
  if (!cul_retype_convolution(g, op, p) ||
      number_of(op, "batch_group_count") != 1)
    return;
  cul_retype_tie(g, cul_retype_size(g, in, p[0].first),
                 cul_retype_size(g, out, p[2].first));
  cul_retype_tie(g, cul_retype_size(g, kernel, p[1].second),
                 cul_retype_size(g, out, p[2].second));
  relate_groups(g, op, cul_retype_size(g, in, p[0].second),
                cul_retype_size(g, kernel, p[1].first),
                cul_retype_size(g, out, p[2].second));
}
