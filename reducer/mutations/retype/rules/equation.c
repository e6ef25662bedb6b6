/* Rules that are equations between sizes and numbers: what they look like
 * stands at the head of opmodel/core.rules.
 *
 *   0[i]>=start_indices[i]?+r[i]
 *
 * is read anew for each i, from 0 until something has no entry i. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* [b, 0, 1, f] of a convolution: one letter or number of a side per
 * dimension. */
struct cul_retype_places {
  int64_t first, second; /* the dimensions b and f; i and o */
  int64_t side[CUL_RETYPE_MAX];
  size_t n;
};

/* ---- convolution ---- */

/* stablehlo.convolution: which dimension is which stands in an attribute of
 * the dialect, as text. What windows do is an equation. */

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

/* Of input, kernel and output of stablehlo.convolution.  False: its attribute
 * is not understood. */
static bool retype_convolution(struct cul_retype *g, MlirOperation op,
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
  if (g->nodes.value[groups] == 1) {
    cul_retype_tie(g, whole, part);
    return;
  }
  cul_retype_bind(g, op, "feature_group_count", &groups, 1);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, whole, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, part, 1);
  each = cul_retype_add_number(
      g, g->nodes.value[other] / g->nodes.value[groups], false);
  cul_retype_relate(g, CUL_RETYPE_PRODUCT, other, 1);
  cul_retype_term(g, groups, 1);
  cul_retype_term(g, each, 1);
}

static MlirValue side_of(MlirOperation op, int i) {
  return i < 2 ? mlirOperationGetOperand(op, i) : mlirOperationGetResult(op, 0);
}

/* Batches and features stay, what slides goes with what it slides over. */
static void tie_dims(struct cul_retype *g, MlirOperation op,
                     const struct cul_retype_places *p) {
  for (int v = 0; v < 3; v++) {
    MlirValue value = side_of(op, v);
    cul_retype_pin(g, cul_retype_size(g, value, p[v].first));
    cul_retype_pin(g, cul_retype_size(g, value, p[v].second));
    for (size_t i = 0; v > 0 && i < p[0].n; i++)
      cul_retype_join_nodes(g, cul_retype_size(g, side_of(op, 0), p[0].side[i]),
                            cul_retype_size(g, value, p[v].side[i]));
  }
}

static void rule_convolution(struct cul_retype *g, MlirOperation op) {
  MlirValue in = side_of(op, 0), kernel = side_of(op, 1), out = side_of(op, 2);
  struct cul_retype_places p[3];
  bool known = retype_convolution(g, op, p);
  if (g->ranks && known)
    tie_dims(g, op, p);
  else if (g->ranks)
    cul_retype_pin_all(g, op);
  if (!known || number_of(op, "batch_group_count") != 1)
    return;
  cul_retype_tie(g, cul_retype_size(g, in, p[0].first),
                 cul_retype_size(g, out, p[2].first));
  cul_retype_tie(g, cul_retype_size(g, kernel, p[1].second),
                 cul_retype_size(g, out, p[2].second));
  relate_groups(g, op, cul_retype_size(g, in, p[0].second),
                cul_retype_size(g, kernel, p[1].first),
                cul_retype_size(g, out, p[2].second));
}

/* ---- dimensions that go ---- */

/* What has an entry for each side, two of padding. */
static void thin_lists(struct cul_retype *g, MlirOperation op,
                       const bool *gone) {
  static const char *const names[] = {"window_strides", "lhs_dilation",
                                      "rhs_dilation", "window_reversal"};
  MlirAttribute padding = cul_ir_get(op, "padding");
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers(padding, numbers), kept = 0;
  for (size_t i = CUL_RETYPE_MAX; i-- > 0;)
    for (size_t k = 0; gone[i] && k < CUL_ARRAY_SIZE(names); k++)
      (void)cul_ir_drop_entry(g->ir, op, names[k], i);
  for (size_t i = 0; i < n; i++)
    if (!gone[i / 2])
      numbers[kept++] = numbers[i];
  if (kept < n)
    (void)cul_ir_set(g->ir, op, "padding",
                     cul_numbers_replaced(g->ir, padding, numbers, kept));
}

/* One bracket: b and f, or o and i, where they were among what is left. */
static void add_places(struct cul_buf *out, const struct cul_retype_places *p,
                       const char *letters, const bool *gone) {
  size_t rank = p->n + 2;
  bool any = false;
  cul_buf_addc(out, '[');
  for (size_t d = 0; d < rank; d++) {
    int64_t number = 0;
    size_t side = 0;
    while (side < p->n && p->side[side] != (int64_t)d)
      side++;
    if (side < p->n && gone[side])
      continue;
    cul_buf_adds(out, any ? ", " : "");
    any = true;
    for (size_t k = 0; k < side && k < p->n; k++)
      number += !gone[k];
    if (side < p->n)
      cul_buf_addf(out, "%lld", (long long)number);
    else
      cul_buf_addc(out, letters[p->first == (int64_t)d ? 0 : 1]);
  }
  cul_buf_addc(out, ']');
}

static void thin_convolution(struct cul_retype *g, MlirOperation op) {
  const char *text =
      cul_ir_attr_text(g->ir, cul_ir_get(op, cul_retype_arg(g, 0)));
  const char *open = strchr(text, '['), *close = strrchr(text, ']');
  bool gone[CUL_RETYPE_MAX] = {false};
  struct cul_retype_places p[3];
  struct cul_buf out = {0};
  MlirAttribute attr;
  if (!retype_convolution(g, op, p) || !open || !close)
    return;
  for (size_t i = 0; i < p[0].n; i++)
    gone[i] =
        cul_retype_is_gone(g, mlirOperationGetOperand(op, 0), p[0].side[i]);
  cul_buf_add(&out, text, (size_t)(open - text));
  add_places(&out, &p[0], "bf", gone);
  cul_buf_addc(&out, 'x');
  add_places(&out, &p[1], "io", gone);
  cul_buf_adds(&out, "->");
  add_places(&out, &p[2], "bf", gone);
  cul_buf_adds(&out, close + 1);
  attr = cul_ir_attr_parse(g->ir, cul_buf_str(&out));
  cul_buf_release(&out);
  if (attr.ptr)
    (void)cul_ir_set(g->ir, op, cul_retype_arg(g, 0), attr);
  thin_lists(g, op, gone);
}

/* ---- lists as nodes ---- */

/* The binding that cul_retype_list made; lists of one operation come after its
 * first. */
static const struct cul_retype_binding *
find_list(struct cul_retype *g, MlirOperation op, const char *name) {
  uint64_t *first = cul_map_get(&g->lists, op.ptr);
  for (size_t i = first ? *first : g->bindings.n; i < g->bindings.n; i++)
    if (g->bindings.items[i].op.ptr == op.ptr &&
        strcmp(g->bindings.items[i].name, name) == 0)
      return &g->bindings.items[i];
  return NULL;
}

uint32_t cul_retype_list(struct cul_retype *g, MlirOperation op,
                         const char *name, bool may_be_0, size_t *n) {
  const struct cul_retype_binding *known = find_list(g, op, name);
  int64_t numbers[CUL_RETYPE_MAX];
  uint32_t nodes[CUL_RETYPE_MAX];
  if (known) {
    *n = known->n;
    return g->bindings.bound[known->first];
  }
  *n = cul_numbers_named(op, name, numbers);
  for (size_t i = 0; i < *n; i++)
    nodes[i] = cul_retype_add_number(g, numbers[i], may_be_0);
  if (*n == 0)
    return CUL_RETYPE_NONE;
  if (!cul_map_get(&g->lists, op.ptr))
    cul_map_put(&g->lists, op.ptr, g->bindings.n);
  cul_retype_bind(g, op, name, nodes, *n);
  return nodes[0];
}

/* ---- reading ---- */

enum { MOST_TERMS = 16 };

/* One side after the other: what stands on the left counts against what stands
 * on the right. */
struct equation {
  struct cul_retype_term terms[MOST_TERMS];
  size_t n, n_left;
  int64_t constant;
  bool rest;    /* the constant is what makes it hold */
  bool product; /* of all terms on the right */
  char sign;    /* '~', '=', '>'; 'f': ">=" */
};

struct reading {
  struct cul_retype *g;
  MlirOperation op;
  const char *at;
  int64_t i;
  bool indexed; /* something depends on i */
  bool ended;   /* something has no entry i */
  bool dynamic; /* of something the number is not known */
  bool unknown; /* a shape that is an operand is no constant */
  bool strict;  /* nothing verifies the operation */
  bool failed;  /* something has no entry i, or it is not known: strict */
  int side;     /* 1: left of the sign, -1: right */
  struct equation *out;
};

/* ---- what stands between brackets ---- */

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

/* "[@1]": the dimension that an operand is. */
static int64_t take_dim(struct reading *r, int64_t rank) {
  const char name[] = {'@', r->at[1], '\0'};
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n;
  bool known = cul_retype_dims(r->op, name, (size_t)rank, numbers, &n) &&
               n == 1 && numbers[0] < rank;
  r->at += 2;
  (void)take(r, ']');
  return known ? numbers[0] : -1;
}

/* "[#0i]": where the first shape of a convolution has side i. */
static int64_t take_side(struct reading *r) {
  struct cul_retype_places places[3], *p = &places[r->at[1] - '0'];
  bool known = retype_convolution(r->g, r->op, places) && (size_t)r->i < p->n;
  r->at += 4;
  r->indexed = true;
  return known ? p->side[r->i] : -1;
}

/* "[2i+1]", "[i]", "[3]", "[-1]": the last.  n: of how many. */
static int64_t take_index(struct reading *r, int64_t n) {
  int64_t number = 1, index;
  bool counted = false;
  (void)take(r, '[');
  if (*r->at == '@')
    return take_dim(r, n);
  if (*r->at == '#')
    return take_side(r);
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

/* ---- what has numbers ---- */

/* A value by its number: 0, 1 ..., or of a result: r, r1 ... */
static MlirValue value_at(MlirOperation op, bool result, int64_t i) {
  if (i >= (result ? mlirOperationGetNumResults(op)
                   : mlirOperationGetNumOperands(op)))
    return (MlirValue){NULL};
  return result ? mlirOperationGetResult(op, i)
                : mlirOperationGetOperand(op, i);
}

static uint32_t take_size(struct reading *r, bool result) {
  int64_t i = isdigit((unsigned char)*r->at) ? take_number(r) : 0;
  MlirValue value = value_at(r->op, result, i);
  return cul_retype_size(r->g, value,
                         take_index(r, (int64_t)cul_retype_rank(r->g, value)));
}

static const char *take_name(struct reading *r) {
  const char *from = r->at;
  size_t n = strcspn(from, "[");
  r->at += n;
  return mlirIdentifierStr(
             mlirIdentifierGet(r->g->ir->context, mlirStringRefCreate(from, n)))
      .data;
}

/* Entry of a list that is an attribute: a node. */
static uint32_t take_entry(struct reading *r, MlirOperation op,
                           const char *name) {
  struct cul_retype *g = r->g;
  const char *end = strchr(r->at, ']');
  bool may_be_0 = end && end[1] == '?';
  size_t n;
  uint32_t first = cul_retype_list(g, op, name, may_be_0, &n);
  int64_t i = take_index(r, first == CUL_RETYPE_NONE ? INT32_MAX : (int64_t)n);
  bool known = first != CUL_RETYPE_NONE;
  (void)take(r, '?');
  if (known ? i < 0 : !may_be_0)
    r->ended = true;
  if (!known || i < 0)
    return CUL_RETYPE_NONE;
  r->dynamic |= g->nodes.value[first + i] == CUL_RETYPE_DYNAMIC;
  return first + (uint32_t)i;
}

/* "@1[i]": of the constant that is operand 1. */
static uint32_t take_operand_entry(struct reading *r) {
  MlirValue value = value_at(r->op, false, take_number(r));
  MlirOperation maker = {NULL};
  if (value.ptr)
    maker = cul_ir_defining_op(value);
  if (maker.ptr && cul_ir_get(maker, "values").ptr)
    return take_entry(r, maker, "values");
  r->ended = r->unknown = true;
  r->at = strchr(r->at, ']') + 1;
  (void)take(r, '?');
  return CUL_RETYPE_NONE;
}

/* "@2[0]", "@2|1[0]": of operand 2; of operand 1 where that lists nothing. */
static int64_t take_operand_factor(struct reading *r) {
  int64_t numbers[CUL_RETYPE_MAX], i;
  size_t n = 0;
  bool known = true;
  do {
    r->at++;
    i = take_number(r);
    if (n == 0)
      known = cul_retype_operand(r->op, (intptr_t)i, numbers, &n);
  } while (*r->at == '|');
  i = take_index(r, (int64_t)n);
  if (known && i >= 0 && numbers[i] != CUL_RETYPE_DYNAMIC)
    return numbers[i];
  r->failed = true;
  return 1;
}

/* A number that does not change; 1 where the list is not there. */
static int64_t take_factor(struct reading *r) {
  const char *name = take_name(r);
  int64_t numbers[CUL_RETYPE_MAX];
  size_t n = cul_numbers_named(r->op, name, numbers);
  int64_t i = take_index(r, n ? (int64_t)n : INT32_MAX);
  r->ended |= n > 0 && i < 0;
  if (n == 0 || i < 0)
    return 1;
  r->dynamic |= numbers[i] == CUL_RETYPE_DYNAMIC;
  return numbers[i];
}

/* ---- terms ---- */

enum found { NUMBER, SIZE, RESULT, SHAPE, LIST };

static enum found what_is(const char *at) {
  size_t digits = strspn(at, "0123456789");
  if (*at == '@')
    return SHAPE;
  if (digits)
    return at[digits] == '[' ? SIZE : NUMBER;
  if (*at == 'r' && at[1 + strspn(at + 1, "0123456789")] == '[')
    return RESULT;
  return LIST;
}

/* Is what begins here a factor of something? */
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
    if ((is == LIST || is == SHAPE) && is_factor(r->at)) {
      coef *= is == SHAPE ? take_operand_factor(r) : take_factor(r);
      (void)take(r, '*');
      continue;
    }
    r->at += is == SHAPE || is == RESULT;
    node = is == SHAPE  ? take_operand_entry(r)
           : is == LIST ? take_entry(r, r->op, take_name(r))
                        : take_size(r, is == RESULT);
    r->ended |= node == CUL_RETYPE_NONE && (is == SIZE || is == RESULT);
    add(r, node, coef);
    if (!take(r, '*'))
      return;
    r->out->product = true;
  }
}

static void take_sum(struct reading *r) {
  int64_t coef = 1;
  do {
    if (strncmp(r->at, "rest", 4) == 0) {
      r->out->rest = true;
      r->at += 4;
    } else {
      take_term(r, coef);
    }
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

/* The term on the right that stands alone there: what is added is nothing, now
 * and, where both sides are equal, always. */
static const struct cul_retype_term *alone(const struct cul_retype *g,
                                           const struct equation *e) {
  const struct cul_retype_term *found = NULL;
  for (size_t i = e->n_left; i < e->n; i++) {
    const struct cul_retype_term *term = &e->terms[i];
    if (e->sign == 'f' && g->nodes.value[term->node] == 0)
      continue;
    if (found || term->coef != 1)
      return NULL;
    found = term;
  }
  return e->constant == 0 && !e->rest ? found : NULL;
}

/* Tied: it is nothing but one size on either side. */
static bool tie(struct cul_retype *g, const struct equation *e) {
  const struct cul_retype_term *left = &e->terms[0], *right = alone(g, e);
  if (e->sign == '>' || e->n_left != 1 || left->coef != -1 || !right ||
      (e->sign != '~' &&
       g->nodes.value[left->node] != g->nodes.value[right->node]))
    return e->sign == '~';
  cul_retype_tie(g, left->node, right->node);
  return true;
}

/* What makes the equation hold.  False: some size is not known. */
static bool find_rest(struct cul_retype *g, struct equation *e) {
  e->constant = 0;
  for (size_t i = 0; i < e->n; i++) {
    if (g->nodes.value[e->terms[i].node] < 0)
      return false;
    e->constant -= e->terms[i].coef * g->nodes.value[e->terms[i].node];
  }
  return true;
}

static void relate(struct cul_retype *g, struct equation *e) {
  if (e->product) {
    cul_retype_relate(g, CUL_RETYPE_PRODUCT, e->terms[0].node, 1);
    for (size_t i = 1; i < e->n; i++)
      cul_retype_term(g, e->terms[i].node, 1);
    return;
  }
  if (e->rest && !find_rest(g, e))
    return;
  cul_retype_relate(g, e->sign == '=' ? CUL_RETYPE_EQUAL : CUL_RETYPE_AT_LEAST,
                    CUL_RETYPE_NONE, e->constant);
  for (size_t i = 0; i < e->n; i++)
    cul_retype_term(g, e->terms[i].node, e->terms[i].coef);
}

/* What is not understood stays, where nobody verifies it. */
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
    {"=", 0, rule_equation, NULL},
    {"convolution", CUL_WORD_RANKS, rule_convolution, thin_convolution},
    {0},
};
