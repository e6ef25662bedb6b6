/* Rules that are equations between sizes and numbers; opmodel/core.rules
 * describes their syntax.  A rule with i, as in
 *
 *   0[i]>=start_indices[i]?+r[i]
 *
 * is read for each i, from 0 until some part has no entry i. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* ---- reading ---- */

enum { MOST_TERMS = 16 };

/* The terms of the left side, with their signs inverted, then of the right
 * side. */
struct equation {
  struct cul_retype_term terms[MOST_TERMS];
  size_t n, n_left;
  int64_t constant;
  bool rest;    /* a constant or factor makes it hold */
  bool product; /* the right side is a product */
  char sign;    /* '~', '=', '>'; 'f': ">=" */
};

struct reading {
  struct cul_retype *g;
  MlirOperation op;
  const char *at;
  int64_t i;
  bool indexed; /* some part depends on i */
  bool ended;   /* some part has no entry i */
  bool dynamic; /* some number is dynamic */
  bool unknown; /* an operand that is a shape is no constant */
  bool strict;  /* nothing verifies the operation */
  bool failed;  /* a part is missing or unknown: for strict */
  int side;     /* 1: left of the sign, -1: right */
  struct equation *out;
};

/* ---- indices in brackets ---- */

static bool take(struct reading *r, char c) {
  bool is = *r->at == c;
  r->at += is;
  return is;
}

static int64_t take_number(struct reading *r) {
  char *end;
  int64_t number = strtoll(r->at, &end, 10);
  r->at = end;
  return number;
}

/* Read "[@1]" or "[LIST:i]": the dimension in entry 0, or i, of a list; -1
 * without one. */
static int64_t take_dim(struct reading *r, int64_t rank) {
  size_t len = strcspn(r->at, ":]"), n;
  const char *name = cul_retype_kept(r->g, r->at, len);
  int64_t numbers[CUL_RETYPE_MAX];
  size_t i = r->at[len] == ':' ? (size_t)r->i : 0;
  bool known =
      cul_retype_dims(r->g, r->op, name, (size_t)rank, numbers, &n) && i < n;
  r->indexed |= r->at[len] == ':';
  r->at = strchr(r->at, ']') + 1;
  return known && numbers[i] < rank ? numbers[i] : -1;
}

/* Read "[2i+1]", "[i]", "[3]", or "[-1]" for the last; -1 if it is not below
 * n. */
static int64_t take_index(struct reading *r, int64_t n) {
  int64_t number = 1, index;
  bool counted = false;
  (void)take(r, '[');
  if (*r->at == '@' || r->at[strcspn(r->at, "/]")] == '/')
    return take_dim(r, n);
  if (*r->at != 'i') {
    number = take_number(r);
    counted = true;
  }
  index = number;
  if (take(r, 'i')) {
    r->indexed = true;
    index = number * r->i + (*r->at == '+' ? take_number(r) : 0);
  } else if (counted && number < 0) {
    index = n + number;
  }
  (void)take(r, ']');
  return index < n ? index : -1;
}

/* ---- values, lists, factors ---- */

/* Read the number of an operand or result; without digits, it is 0. */
static MlirValue take_value(struct reading *r, bool result) {
  size_t i = isdigit((unsigned char)*r->at) ? (size_t)take_number(r) : 0;
  i += result ? (size_t)mlirOperationGetNumOperands(r->op) : 0;
  return i < cul_ir_n_values(r->op) ? cul_ir_value(r->op, i)
                                    : (MlirValue){NULL};
}

/* Read a size: "0[i]" or, after the r of a result, "1[i]". */
static uint32_t take_size(struct reading *r, bool result) {
  MlirValue value = take_value(r, result);
  return cul_retype_size(r->g, value,
                         take_index(r, (int64_t)cul_retype_rank(r->g, value)));
}

static const char *take_name(struct reading *r) {
  size_t n = strcspn(r->at, "[");
  r->at += n;
  return cul_retype_kept(r->g, r->at - n, n);
}

/* Read an entry of an attribute that is a list, or, as "@1[i]", of operand 1, a
 * constant.  Returns its node, or CUL_RETYPE_NONE. */
static uint32_t take_entry(struct reading *r) {
  const char *end = strchr(r->at, ']'), *name = "values";
  bool may_be_0 = end && end[1] == '?', operand = take(r, '@');
  MlirOperation op = r->op;
  uint32_t first = CUL_RETYPE_NONE;
  size_t n = INT32_MAX;
  int64_t i;
  if (operand)
    op = cul_ir_defining_op(take_value(r, false));
  else
    name = take_name(r);
  if (op.ptr)
    first = cul_retype_list(r->g, op, name, may_be_0, &n);
  i = take_index(r, first == CUL_RETYPE_NONE ? INT32_MAX : (int64_t)n);
  (void)take(r, '?');
  r->unknown |= operand && first == CUL_RETYPE_NONE;
  r->ended |= first == CUL_RETYPE_NONE ? operand || !may_be_0 : i < 0;
  if (first == CUL_RETYPE_NONE || i < 0)
    return CUL_RETYPE_NONE;
  if (r->g->node[first + i].value != CUL_RETYPE_DYNAMIC)
    return first + (uint32_t)i;
  r->dynamic |= !may_be_0;
  return CUL_RETYPE_NONE;
}

/* Read a number that does not change; 1 if the list is absent.  An operand,
 * "@2[0]", or "@2|1[0]" (operand 1 if operand 2 lists nothing), must be
 * constant. */
static int64_t take_factor(struct reading *r) {
  bool operand = *r->at == '@', known = true;
  int64_t numbers[CUL_RETYPE_MAX], i;
  size_t n = 0;
  if (!operand)
    n = cul_numbers_named(r->op, take_name(r), numbers);
  while (take(r, '@') || take(r, '|')) {
    i = take_number(r);
    if (n == 0)
      known = cul_retype_operand(r->op, (intptr_t)i, numbers, &n);
  }
  i = take_index(r, n > 0 || operand ? (int64_t)n : INT32_MAX);
  r->ended |= !operand && n > 0 && i < 0;
  if (n == 0 || i < 0 || !known ||
      (operand && numbers[i] == CUL_RETYPE_DYNAMIC)) {
    r->failed |= operand;
    return 1;
  }
  r->dynamic |= numbers[i] == CUL_RETYPE_DYNAMIC;
  return numbers[i];
}

/* ---- terms ---- */

enum found { NUMBER, SIZE, RESULT, LIST };

static enum found what_is(const char *at) {
  size_t digits = strspn(at, "0123456789");
  if (digits)
    return at[digits] == '[' ? SIZE : NUMBER;
  if (*at == 'r' && at[1 + strspn(at + 1, "0123456789")] == '[')
    return RESULT;
  return LIST;
}

/* Does a factor begin here? */
static bool is_factor(const char *at) {
  const char *end = strchr(at, ']');
  return end && end[1] == '*';
}

static void add(struct reading *r, uint32_t node, int64_t coef) {
  struct equation *e = r->out;
  if (node == CUL_RETYPE_NONE || coef == 0 || e->n == MOST_TERMS)
    return;
  e->terms[e->n++] = (struct cul_retype_term){node, coef * -r->side};
}

static void take_term(struct reading *r, int64_t coef) {
  uint32_t node;
  for (;;) {
    enum found is = what_is(r->at);
    if (is == NUMBER) {
      coef *= take_number(r);
      if (take(r, '*'))
        continue;
      r->out->constant += coef * -r->side;
      return;
    }
    if (is == LIST && is_factor(r->at)) {
      coef *= take_factor(r);
      (void)take(r, '*');
      continue;
    }
    r->at += is == RESULT;
    node = is == LIST ? take_entry(r) : take_size(r, is == RESULT);
    r->ended |= node == CUL_RETYPE_NONE && is != LIST;
    add(r, node, coef);
    if (!take(r, '*'))
      return;
    r->out->product = true;
  }
}

static void take_sum(struct reading *r) {
  int64_t coef = 1;
  do {
    bool rest = strncmp(r->at, "rest", 4) == 0;
    r->out->rest |= rest;
    r->at += rest ? 4 : 0;
    r->out->product |= rest && *r->at == '*';
    if (!rest || take(r, '*'))
      take_term(r, coef);
    coef = *r->at == '-' ? -1 : 1;
  } while (take(r, '+') || take(r, '-'));
}

static void take_equation(struct reading *r) {
  r->side = 1;
  take_sum(r);
  r->out->n_left = r->out->n;
  r->out->sign = *r->at;
  r->at += *r->at != '\0';
  if (take(r, '='))
    r->out->sign = 'f';
  r->side = -1;
  take_sum(r);
}

/* ---- following ---- */

/* The only term on the right, with coefficient 1 and no constant; else null. In
 * ">=", terms that are 0 do not count. */
static const struct cul_retype_term *alone(const struct cul_retype *g,
                                           const struct equation *e) {
  const struct cul_retype_term *found = NULL;
  for (size_t i = e->n_left; i < e->n; i++) {
    const struct cul_retype_term *term = &e->terms[i];
    if (e->sign == 'f' && g->node[term->node].value == 0)
      continue;
    if (found || term->coef != 1)
      return NULL;
    found = term;
  }
  return e->constant == 0 && !e->rest ? found : NULL;
}

/* Tie both sides if they are equal single sizes.  False if a relation is
 * needed. */
static bool tie(struct cul_retype *g, const struct equation *e) {
  const struct cul_retype_term *left = &e->terms[0], *right = alone(g, e);
  if (e->sign == '>' || e->n_left != 1 || left->coef != -1 || !right ||
      (e->sign != '~' &&
       g->node[left->node].value != g->node[right->node].value))
    return e->sign == '~';
  cul_retype_tie(g, left->node, right->node);
  return true;
}

/* Compute the constant that makes the equation hold; false if a size is
 * unknown. */
static bool find_rest(struct cul_retype *g, struct equation *e) {
  e->constant = 0;
  for (size_t i = 0; i < e->n; i++) {
    if (g->node[e->terms[i].node].value < 0)
      return false;
    e->constant -= e->terms[i].coef * g->node[e->terms[i].node].value;
  }
  return true;
}

/* Relate a product; `rest` is one factor more.  A factor of 1 takes part only
 * if dimensions may be removed. */
static void relate_product(struct cul_retype *g, const struct equation *e) {
  uint32_t lhs = e->terms[0].node;
  uint32_t factors[MOST_TERMS];
  int64_t rest = g->node[lhs].value;
  size_t n = 0;
  for (size_t i = 1; i < e->n; i++) {
    int64_t value = g->node[e->terms[i].node].value;
    rest = value > 0 ? rest / value : 0;
    if (value != 1 || g->ranks)
      factors[n++] = e->terms[i].node;
  }
  if (n == 1 && !e->rest)
    cul_retype_tie(g, lhs, factors[0]);
  if (n == 0 || (e->rest ? rest < 1 : n == 1))
    return;
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, lhs, 1);
  for (size_t i = 0; i < n; i++)
    cul_retype_term(g, factors[i], 1);
  if (e->rest)
    cul_retype_term(g, cul_retype_add_number(g, rest, false), 1);
}

static void relate(struct cul_retype *g, struct equation *e) {
  if (e->product) {
    relate_product(g, e);
    return;
  }
  if (e->rest && !find_rest(g, e))
    return;
  cul_retype_relate(g, e->sign == '=' ? CUL_RETYPE_EQUAL : CUL_RETYPE_AT_LEAST,
                    CUL_RETYPE_NONE, e->constant);
  for (size_t i = 0; i < e->n; i++)
    cul_retype_term(g, e->terms[i].node, e->terms[i].coef);
}

/* Pin all terms of an equation that is not fully known, as no verifier would
 * reject a wrong type; true if so. */
static bool pin(struct reading *r) {
  struct equation *e = r->out;
  bool known = !r->failed && !r->g->lacks && (!e->rest || find_rest(r->g, e));
  e->rest = false;
  for (size_t i = 0; i < e->n && !known; i++)
    cul_retype_pin(r->g, e->terms[i].node);
  return !known;
}

static void rule_equation(struct cul_retype *g, MlirOperation op) {
  struct reading r = {.g = g, .op = op, .strict = cul_retype_is_unverified(op)};
  do {
    struct equation e = {.n = 0};
    r.at = g->word->text;
    r.out = &e;
    r.dynamic = r.failed = false;
    take_equation(&r);
    if (r.strict && !r.ended && pin(&r))
      continue;
    if (!r.ended && !r.dynamic && e.n_left > 0 && !tie(g, &e))
      relate(g, &e);
  } while (r.indexed && !r.ended && ++r.i < CUL_RETYPE_MAX);
  if (r.unknown && r.i == 0)
    cul_retype_rule_by_size(g, op);
}

const struct cul_retype_meaning cul_retype_equation_words[] = {
    {"=", 0, rule_equation, NULL, 0},
    {0},
};
