/* Types of MLIR values, read from pretty and generic text: see types.h.  A
 * wrong guess costs candidates that a parser rejects. */
#include <string.h>

#include "ops.h"

uint32_t cul_text_only_result(const struct cul_text *text, uint32_t item) {
  uint32_t line = text->items[item].first, end;
  uint32_t first = text->lines[line].first;
  bool one = cul_text_results(text, line, &end) && end == first + 1;
  return one && cul_text_is_marked(text, first, '%') ? first : CUL_TEXT_NONE;
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
         cul_text_is_word(text, i, " { loc attributes ");
}

static bool starts_type(const struct cul_text *text, uint32_t i) {
  return cul_text_is_word(text, i, " : -> to into ");
}

/* Does the statement go on at token i: is this on the line of token `before`? A
 * line ends only outside brackets. */
static bool goes_on(const struct cul_text *text, uint32_t i, uint32_t before) {
  return i < text->n_tokens &&
         text->tokens[i].line == text->tokens[before].line;
}

/* Types at the end of a statement: tokens [first, first_end) are the first
 * type, [last, end) the last one, [list, end) all after the last colon or
 * arrow; first == end: there are none. */
struct types {
  uint32_t first, first_end, list, last, end;
};

/* Note a mark of types at token i: what `starts` them, or a comma between. */
static void note_mark(struct types *t, bool starts, uint32_t i, uint32_t next) {
  bool begun = t->first != CUL_TEXT_NONE;
  if (!begun && !starts)
    return;
  if (begun && t->first_end == CUL_TEXT_NONE)
    t->first_end = i;
  if (!begun)
    t->first = next;
  if (starts)
    t->list = next;
  t->last = next;
}

/* "%r = op ... : T", "... : T, U", "... -> T", "... to T".  Braces before that,
 * and the lines inside, are a part of the operation.  A colon after an arrow
 * ends the types of the results: "-> (T, U) : i32" of a loop. */
static struct types find_types(const struct cul_text *text, uint32_t def) {
  struct types t = {CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE, CUL_TEXT_NONE,
                    def + 2};
  bool arrow = false;
  for (uint32_t i = t.end, next; goes_on(text, i, i - 1); i = t.end = next) {
    bool none = t.first == CUL_TEXT_NONE;
    if (arrow && cul_text_is_char(text, i, ':'))
      break;
    arrow |= cul_text_token_is(text, i, "->");
    if (ends_type(text, i) && !(none && cul_text_is_char(text, i, '{')))
      break;
    next = cul_text_after(text, i);
    if (starts_type(text, i) || cul_text_is_char(text, i, ','))
      note_mark(&t, starts_type(text, i), i, next);
  }
  if (t.first == CUL_TEXT_NONE)
    t.first = t.list = t.last = t.end;
  if (t.first_end == CUL_TEXT_NONE)
    t.first_end = t.end;
  return t;
}

/* Find the element type, f32 of tensor<4x8xf32, #e>: after the last x inside
 * the first <>, up to a comma.  False: there is none. */
static bool find_element(const struct cul_text *text, uint32_t first,
                         uint32_t end, uint32_t *from, uint32_t *to) {
  uint32_t open = first;
  while (open < end && !cul_text_is_char(text, open, '<'))
    open++;
  if (open == end || text->tokens[open].match == CUL_TEXT_NONE)
    return false;
  *from = *to = open + 1;
  for (; *to < text->tokens[open].match && !cul_text_is_char(text, *to, ',');
       *to = cul_text_after(text, *to))
    if (cul_text_token_is(text, *to, "x"))
      *from = *to + 1;
  return *from < *to;
}

static void add_range(const struct cul_text *text, uint32_t first, uint32_t end,
                      struct cul_buf *out) {
  struct cul_bytes bytes = range(text, first, end);
  cul_buf_add(out, bytes.data, bytes.len);
}

/* Append the type with another element: i1, and tensor<4xi1> for
 * tensor<4xf32>. */
static void add_with_element(const struct cul_text *text, uint32_t first,
                             uint32_t end, struct cul_bytes element,
                             struct cul_buf *out) {
  struct cul_bytes type = range(text, first, end), old = {type.data, type.len};
  uint32_t from, to;
  if (find_element(text, first, end, &from, &to) &&
      !cul_text_starts(text, first, '!'))
    old = range(text, from, to);
  cul_buf_add(out, type.data, (size_t)(old.data - type.data));
  cul_buf_add(out, element.data, element.len);
  cul_buf_add(out, old.data + old.len,
              (size_t)(type.data + type.len - old.data - old.len));
}

/* Operations whose text does not end with the type of the result. */
enum how { LAST, FIRST, ELEMENT, POINTEE, I1, INDEX };
static const struct {
  const char *suffix; /* of the operation's name, or of that and a word */
  enum how how;
} special[] = {
    {"memref.load", ELEMENT},    {"affine.load", ELEMENT},
    {"tensor.extract", ELEMENT}, {"arith.cmpi", I1},
    {"arith.cmpf", I1},          {"constant true", I1},
    {"constant false", I1},      {".dim", INDEX},
    {".apply", INDEX},           {"affine.min", INDEX},
    {"affine.max", INDEX},       {"tt.addptr", FIRST},
    {"tt.load", POINTEE},
};

static void add_special(const struct cul_text *text, const struct types *t,
                        enum how how, struct cul_buf *out) {
  uint32_t from = t->first, to = t->first_end;
  switch (how) {
  case LAST:
    add_range(text, t->last, t->end, out);
    break;
  case FIRST:
    add_range(text, from, to, out);
    break;
  case ELEMENT:
    if (find_element(text, t->last, t->end, &from, &to))
      add_range(text, from, to, out);
    break;
  case POINTEE: /* tensor<4xf32> of tensor<4x!p<f32>>, f32 of !p<f32> */
    if ((from < to && cul_text_starts(text, from, '!')) ||
        find_element(text, from, to, &from, &to))
      if (find_element(text, from, to, &from, &to))
        add_with_element(text, t->first, t->first_end, range(text, from, to),
                         out);
    break;
  case I1:
    add_with_element(text, t->last, t->end, (struct cul_bytes){"i1", 2}, out);
    break;
  case INDEX:
    cul_buf_adds(out, "index");
  }
}

static void add_result_type(const struct cul_text *text, uint32_t def,
                            struct cul_buf *out) {
  struct types types = find_types(text, def);
  struct cul_bytes name, pair;
  enum how how = LAST;
  if (!goes_on(text, def + 3, def))
    return;
  name = range(text, def + 2, def + 3);
  pair = range(text, def + 2, def + 4);
  for (size_t i = 0; how == LAST && i < CUL_ARRAY_SIZE(special); i++)
    if (cul_bytes_end(name, special[i].suffix) ||
        cul_bytes_end(pair, special[i].suffix))
      how = special[i].how;
  add_special(text, &types, how, out);
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

/* Read a small number that follows `skip` bytes of a token; false: there is
 * none. */
static bool small_number(const struct cul_text *text, uint32_t token,
                         uint32_t skip, uint32_t *number) {
  struct cul_bytes bytes = cul_text_token(text, token);
  uint64_t whole = 0;
  bool small =
      bytes.len <= skip + 6 &&
      cul_bytes_whole((struct cul_bytes){bytes.data + skip, bytes.len - skip},
                      &whole);
  *number = (uint32_t)whole;
  return small;
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
         cul_text_starts(text, use + 1, '#') &&
         small_number(text, use + 1, 1, number);
}

/* Append a type of the list at the end of the statement whose results are
 * before `equals`: that of result `number` of def if the list has one type for
 * each result, else the last type. */
static void add_listed(const struct cul_text *text, uint32_t first,
                       uint32_t equals, uint32_t def, uint32_t number,
                       struct cul_buf *out) {
  struct types t = find_types(text, equals - 1);
  uint32_t n = 0, from, to;
  for (uint32_t i = first; i < equals; i++) {
    uint32_t of = i == first || cul_text_is_marked(text, i, '%')
                      ? cul_text_results_of(text, i)
                      : 0;
    n += of;
    number += i < def ? of : 0;
  }
  if (t.list < t.end && cul_text_is_char(text, t.list, '(') &&
      text->tokens[t.list].match == t.end - 1) {
    if (!cul_text_element(text, t.list, number, &t.last, &t.end))
      return;
  } else if (cul_text_element_of(text, t.list, t.end, n - 1, &from, &to) &&
             to == t.end) {
    cul_text_element_of(text, t.list, t.end, number, &t.last, &t.end);
  }
  add_range(text, t.last, t.end, out);
}

/* "iter_args(%a = %b)": the type of %b; "%i = 0 to 4", "(%i) in (8)": index. */
static void add_bound_type(struct cul_text *text, uint32_t def,
                           struct cul_buf *out) {
  uint32_t with = def + 2, other = CUL_TEXT_NONE;
  if (cul_text_is_char(text, def + 1, '=') && with < text->n_tokens &&
      cul_text_is_marked(text, with, '%'))
    other = cul_text_names(text)->def[with];
  if (!cul_text_is_char(text, def + 1, '=') ||
      !cul_text_is_marked(text, with, '%'))
    cul_buf_adds(out, "index");
  else if (other != CUL_TEXT_NONE && other < def)
    cul_text_type_of_result(text, other, 0, out);
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
