/* Types of MLIR values, read off pretty and generic text alike: see
 * text_names.h.  A wrong guess costs candidates that a parser rejects. */
#include <string.h>

#include "text_ops.h"

static bool is_value(const struct cul_text *text, uint32_t token) {
  const struct cul_token *t = &text->tokens[token];
  return t->kind == CUL_TOKEN_WORD && text->bytes[t->start] == '%';
}

uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first, end;
  uint32_t first = text->lines[line].first;
  bool one = cul_text_results(text, line, &end) && end == first + 1;
  return one && is_value(text, first) ? first : CUL_TEXT_NONE;
}

static struct cul_bytes range(const struct cul_text *text, uint32_t first,
                              uint32_t end) {
  const struct cul_token *last;
  /* (T) is T. */
  if (end > first + 2 && cul_text_is_char(text, first, '(') &&
      text->tokens[first].match == end - 1)
    first++, end--;
  /* "o: T" is T: results with names. */
  if (end > first + 2 && text->tokens[first].kind == CUL_TOKEN_WORD &&
      cul_text_is_char(text, first + 1, ':'))
    first += 2;
  if (first >= end)
    return (struct cul_bytes){"", 0};
  last = &text->tokens[end - 1];
  return (struct cul_bytes){text->bytes + text->tokens[first].start,
                            last->start + last->len -
                                text->tokens[first].start};
}

/* Does the type end at this token? */
static bool ends_type(const struct cul_text *text, uint32_t i) {
  return text->tokens[i].kind == CUL_TOKEN_COMMENT ||
         text->tokens[i].kind == CUL_TOKEN_CLOSE ||
         cul_text_is_char(text, i, '{') || cul_text_token_is(text, i, "loc") ||
         cul_text_token_is(text, i, "attributes");
}

static bool starts_type(const struct cul_text *text, uint32_t i) {
  return cul_text_is_char(text, i, ':') || cul_text_token_is(text, i, "->") ||
         cul_text_token_is(text, i, "to") || cul_text_token_is(text, i, "into");
}

/* Is token i on the line that this statement is on by now: no line feed
 * before it, other than inside brackets? */
static bool goes_on(const struct cul_text *text, uint32_t i, uint32_t before) {
  return i < text->n_tokens &&
         text->tokens[i].line == text->tokens[before].line;
}

/* Types at the end of a statement: tokens [first, first_end) are the first,
 * [last, end) the last of them, [list, end) what stands behind the last colon
 * or arrow; first == end: there are none. */
struct types {
  uint32_t first, first_end, list, last, end;
};

/* "%r = op ... : T", "... : T, U", "... -> T", "... to T".  Braces before that,
 * and the lines inside, are a part of the operation.  Behind an arrow no colon
 * comes before what results are of: "-> (T, U) : i32" of a loop. */
static struct types find_types(const struct cul_text *text, uint32_t def) {
  struct types t = {CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE,
                    def + 2};
  bool arrow = false;
  for (uint32_t i = t.end, next; goes_on(text, i, i - 1); i = t.end = next) {
    bool none = t.first == CUL_TEXT_NONE;
    bool starts = starts_type(text, i), comma = cul_text_is_char(text, i, ',');
    if (arrow && cul_text_is_char(text, i, ':'))
      break;
    arrow |= cul_text_token_is(text, i, "->");
    if (ends_type(text, i) && !(none && cul_text_is_char(text, i, '{')))
      break;
    next = cul_text_after(text, i);
    if (!none && (starts || comma) && t.first_end == CUL_TEXT_NONE)
      t.first_end = i;
    if (none && starts)
      t.first = next;
    if (starts)
      t.list = next;
    if (starts || (comma && !none))
      t.last = next;
  }
  if (t.first == CUL_TEXT_NONE)
    t.first = t.list = t.last = t.end;
  if (t.first_end == CUL_TEXT_NONE)
    t.first_end = t.end;
  return t;
}

/* f32 of tensor<4x8xf32, #e>: behind the last x inside the first <>, up to a
 * comma.  False where nothing is enclosed. */
static bool find_element(const struct cul_text *text, uint32_t first,
                         uint32_t end, uint32_t *from, uint32_t *to) {
  uint32_t open = first, close, i;
  while (open < end && !cul_text_is_char(text, open, '<'))
    open++;
  if (open == end || text->tokens[open].match == CUL_TEXT_NONE)
    return false;
  close = text->tokens[open].match;
  *from = open + 1;
  for (i = open + 1; i < close && !cul_text_is_char(text, i, ',');
       i = cul_text_after(text, i))
    if (cul_text_token_is(text, i, "x"))
      *from = i + 1;
  *to = i;
  return *from < *to;
}

static void add_range(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_buf *out) {
  struct cul_bytes bytes = range(text, first, end);
  cul_buf_add(out, bytes.data, bytes.len);
}

/* The type with another element: i1, and tensor<4xi1> for tensor<4xf32>. */
static void add_with_element(const struct cul_text *text, uint32_t first,
                             uint32_t end, struct cul_bytes element,
                             struct cul_buf *out) {
  struct cul_bytes type = range(text, first, end), old;
  uint32_t from, to;
  if (cul_text_starts(text, first, '!') ||
      !find_element(text, first, end, &from, &to)) {
    cul_buf_add(out, element.data, element.len);
    return;
  }
  old = range(text, from, to);
  cul_buf_add(out, type.data, (size_t)(old.data - type.data));
  cul_buf_add(out, element.data, element.len);
  cul_buf_add(out, old.data + old.len,
              (size_t)(type.data + type.len - old.data - old.len));
}

static void add_last(const struct cul_text *text, const struct types *t,
                     struct cul_buf *out) {
  add_range(text, t->last, t->end, out);
}

static void add_first(const struct cul_text *text, const struct types *t,
                      struct cul_buf *out) {
  add_range(text, t->first, t->first_end, out);
}

static void add_element(const struct cul_text *text, const struct types *t,
                        struct cul_buf *out) {
  uint32_t from, to;
  if (find_element(text, t->last, t->end, &from, &to))
    add_range(text, from, to, out);
}

static void add_i1(const struct cul_text *text, const struct types *t,
                   struct cul_buf *out) {
  if (t->last < t->end)
    add_with_element(text, t->last, t->end, (struct cul_bytes){"i1", 2}, out);
  else
    cul_buf_adds(out, "i1");
}

static void add_index(const struct cul_text *text, const struct types *t,
                      struct cul_buf *out) {
  (void)text, (void)t;
  cul_buf_adds(out, "index");
}

/* tensor<4xf32> of tensor<4x!p<f32>>, f32 of !p<f32>. */
static void add_pointee(const struct cul_text *text, const struct types *t,
                        struct cul_buf *out) {
  bool scalar = t->first < t->first_end && cul_text_starts(text, t->first, '!');
  uint32_t from = t->first, to = t->first_end;
  if (!scalar && !find_element(text, from, to, &from, &to))
    return;
  if (find_element(text, from, to, &from, &to))
    add_with_element(text, t->first, t->first_end, range(text, from, to), out);
}

/* Operations whose text does not end with the type of the result. */
static const struct {
  const char *suffix; /* of the operation's name, or of that and a word */
  void (*add)(const struct cul_text *, const struct types *, struct cul_buf *);
} special[] = {
    {"memref.load", add_element},    {"affine.load", add_element},
    {"tensor.extract", add_element}, {"arith.cmpi", add_i1},
    {"arith.cmpf", add_i1},          {"constant true", add_i1},
    {"constant false", add_i1},      {".dim", add_index},
    {".apply", add_index},           {"affine.min", add_index},
    {"affine.max", add_index},       {"tt.addptr", add_first},
    {"tt.load", add_pointee},
};

static void add_result_type(const struct cul_text *text, uint32_t def,
                            struct cul_buf *out) {
  struct types types = find_types(text, def);
  struct cul_bytes name, pair;
  if (!goes_on(text, def + 3, def))
    return;
  name = range(text, def + 2, def + 3);
  pair = range(text, def + 2, def + 4);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(special); i++)
    if (cul_bytes_end(name, special[i].suffix) ||
        cul_bytes_end(pair, special[i].suffix)) {
      special[i].add(text, &types, out);
      return;
    }
  add_last(text, &types, out);
}

/* "%x: T" up to a comma or the end of the list. */
static void add_argument_type(const struct cul_text *text, uint32_t def,
                              struct cul_buf *out) {
  uint32_t i = def + 2;
  while (i < text->n_tokens && !ends_type(text, i) &&
         !cul_text_is_char(text, i, ','))
    i = cul_text_after(text, i);
  add_range(text, def + 2, i, out);
}

/* A small number written as a token; false where it is none. */
static bool small_number(const struct cul_text *text, uint32_t token,
                         uint32_t skip, uint32_t *number) {
  struct cul_bytes bytes = cul_text_token(text, token);
  *number = 0;
  if (bytes.len <= skip || bytes.len > skip + 6)
    return false;
  for (size_t i = skip; i < bytes.len; i++) {
    if (bytes.data[i] < '0' || bytes.data[i] > '9')
      return false;
    *number = *number * 10 + (uint32_t)(bytes.data[i] - '0');
  }
  return true;
}

uint32_t cul_text_results_of(const struct cul_text *text, uint32_t def) {
  uint32_t n;
  return def + 2 < text->n_tokens && cul_text_is_char(text, def + 1, ':') &&
                 small_number(text, def + 2, 0, &n)
             ? n
             : 1;
}

bool cul_text_result_number(const struct cul_text *text, uint32_t use,
                            uint32_t *number) {
  const struct cul_token *t = &text->tokens[use];
  *number = 0;
  return use + 1 < text->n_tokens && t->start + t->len == t[1].start &&
         text->bytes[t[1].start] == '#' &&
         small_number(text, use + 1, 1, number);
}

/* The next name of the results that end before "=", or that. */
static uint32_t next_result(const struct cul_text *text, uint32_t def,
                            uint32_t equals) {
  while (++def < equals && !is_value(text, def))
    ;
  return def;
}

/* Make type k of the list "T, U" the last one; false: there is none. */
static bool listed(const struct cul_text *text, struct types *t, uint32_t k) {
  uint32_t first = t->list;
  for (uint32_t i = first; i <= t->end;
       i = i < t->end ? cul_text_after(text, i) : i + 1) {
    if (i < t->end && !cul_text_is_char(text, i, ','))
      continue;
    if (k-- == 0)
      return t->last = first, t->end = i, first < i;
    first = i + 1;
  }
  return false;
}

/* One type of the list at the end of the statement that defines results up to
 * "=": that of result `number` of def, where the list is one of them all; else
 * the last type. */
static void add_listed(const struct cul_text *text, uint32_t first,
                       uint32_t equals, uint32_t def, uint32_t number,
                       struct cul_buf *out) {
  struct types types = find_types(text, equals - 1), all = types;
  uint32_t n = 0, list = types.list;
  for (uint32_t i = first; i < equals; i = next_result(text, i, equals)) {
    n += cul_text_results_of(text, i);
    if (i < def)
      number += cul_text_results_of(text, i);
  }
  if (list < types.end && cul_text_is_char(text, list, '(') &&
      text->tokens[list].match == types.end - 1) {
    if (!cul_text_element(text, list, number, &types.last, &types.end))
      return;
  } else if (listed(text, &all, n - 1) && all.end == types.end) {
    listed(text, &types, number);
  }
  add_range(text, types.last, types.end, out);
}

/* "iter_args(%a = %b)": what %b is; "%i = 0 to 4", "(%i) in (8)": an index. */
static void add_bound_type(struct cul_text *text, uint32_t def,
                           struct cul_buf *out) {
  uint32_t with = def + 2, other = CUL_TEXT_NONE;
  if (cul_text_is_char(text, def + 1, '=') && with < text->n_tokens &&
      is_value(text, with))
    other = cul_text_names(text)->def[with];
  if (!cul_text_is_char(text, def + 1, '=') || !is_value(text, with))
    cul_buf_adds(out, "index");
  else if (other != CUL_TEXT_NONE && other < def)
    cul_text_type_of(text, other, out);
}

bool cul_text_type_of_result(struct cul_text *text, uint32_t def,
                             uint32_t number, struct cul_buf *out) {
  uint32_t line = text->tokens[def].line, first = text->lines[line].first;
  uint32_t equals;
  cul_buf_clear(out);
  if (!text->lang->dimensions || def + 1 >= text->n_tokens)
    return false;
  if (cul_text_results(text, line, &equals) && def < equals) {
    if (equals == first + 1)
      add_result_type(text, def, out);
    else
      add_listed(text, first, equals, def, number, out);
  } else if (cul_text_is_char(text, def + 1, ':')) {
    add_argument_type(text, def, out);
  } else {
    add_bound_type(text, def, out);
  }
  return out->len > 0;
}

bool cul_text_type_of(struct cul_text *text, uint32_t def,
                      struct cul_buf *out) {
  return cul_text_type_of_result(text, def, 0, out);
}
