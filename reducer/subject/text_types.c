/* Types of MLIR values, read off pretty and generic text alike: see
 * text_names.h.  A wrong guess costs candidates that a parser rejects. */
#include <string.h>

#include "text_names.h"

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

/* The token behind i, brackets skipped. */
static uint32_t after(const struct cul_text *text, uint32_t i) {
  uint32_t match = text->tokens[i].match;
  return (match != CUL_TEXT_NONE && match > i ? match : i) + 1;
}

static struct cul_bytes range(const struct cul_text *text, uint32_t first,
                              uint32_t end) {
  const struct cul_token *last;
  /* (T) is T. */
  if (end > first + 2 && cul_text_is_char(text, first, '(') &&
      text->tokens[first].match == end - 1)
    first++, end--;
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

/* Operations whose text ends with the type of an operand. */
enum from_operand { ELEMENT, I1, INDEX };
static const struct {
  const char *suffix; /* of the operation's name */
  enum from_operand what;
} from_operand[] = {
    {"memref.load", ELEMENT},    {"affine.load", ELEMENT},
    {"tensor.extract", ELEMENT}, {"arith.cmpi", I1},
    {"arith.cmpf", I1},          {".dim", INDEX},
    {".apply", INDEX},           {"affine.min", INDEX},
    {"affine.max", INDEX},       {"constant true", I1},
    {"constant false", I1},
};

static bool ends_with(struct cul_bytes text, const char *suffix) {
  size_t n = strlen(suffix);
  return text.len >= n && memcmp(text.data + text.len - n, suffix, n) == 0;
}

/* f32 of tensor<4x8xf32, #e>: behind the last x inside the first <>. */
static struct cul_bytes element_of(const struct cul_text *text, uint32_t first,
                                   uint32_t end) {
  uint32_t open = first, from = CUL_TEXT_NONE, i;
  while (open < end && text->tokens[open].kind != CUL_TOKEN_OPEN)
    open++;
  if (open == end)
    return (struct cul_bytes){"", 0};
  for (i = open + 1; i < text->tokens[open].match; i = after(text, i)) {
    if (cul_text_token_is(text, i, "x"))
      from = i + 1;
    if (cul_text_is_char(text, i, ','))
      break;
  }
  return range(text, from == CUL_TEXT_NONE ? open + 1 : from, i);
}

/* The type of the result, where the type at [first, end) is an operand's. */
static bool type_from_operand(const struct cul_text *text, uint32_t def,
                              uint32_t first, uint32_t end,
                              struct cul_bytes *out) {
  struct cul_bytes name = range(text, def + 2, def + 3);
  struct cul_bytes pair = range(text, def + 2, def + 4);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(from_operand); i++) {
    if (!ends_with(name, from_operand[i].suffix) &&
        !ends_with(pair, from_operand[i].suffix))
      continue;
    *out = from_operand[i].what == I1      ? (struct cul_bytes){"i1", 2}
           : from_operand[i].what == INDEX ? (struct cul_bytes){"index", 5}
                                           : element_of(text, first, end);
    return true;
  }
  return false;
}

/* "%r = op ... : T", "... -> T", "... to T": behind the last of these, and
 * behind the last comma there; braces before that, and the lines inside, are
 * a part of the operation. */
static struct cul_bytes result_type(const struct cul_text *text, uint32_t def) {
  uint32_t from = CUL_TEXT_NONE, i, next;
  struct cul_bytes type;
  if (!goes_on(text, def + 3, def))
    return (struct cul_bytes){"", 0};
  for (i = def + 2; goes_on(text, i, i - 1); i = next) {
    bool attributes = from == CUL_TEXT_NONE && cul_text_is_char(text, i, '{');
    if (ends_type(text, i) && !attributes)
      break;
    next = after(text, i);
    if (starts_type(text, i) ||
        (from != CUL_TEXT_NONE && cul_text_is_char(text, i, ',')))
      from = i + 1;
  }
  if (type_from_operand(text, def, from == CUL_TEXT_NONE ? i : from, i, &type))
    return type;
  return from == CUL_TEXT_NONE ? (struct cul_bytes){"", 0}
                               : range(text, from, i);
}

/* "%x: T" up to a comma or the end of the list. */
static struct cul_bytes argument_type(const struct cul_text *text,
                                      uint32_t def) {
  uint32_t i = def + 2;
  while (i < text->n_tokens && !ends_type(text, i) &&
         !cul_text_is_char(text, i, ','))
    i = after(text, i);
  return range(text, def + 2, i);
}

struct cul_bytes cul_text_type_of(const struct cul_text *text, uint32_t def) {
  uint32_t line = text->tokens[def].line;
  if (!text->lang->dimensions || def + 1 >= text->n_tokens)
    return (struct cul_bytes){"", 0};
  if (cul_text_is_char(text, def + 1, ':'))
    return argument_type(text, def);
  if (cul_text_is_char(text, def + 1, '=') && def == text->lines[line].first)
    return result_type(text, def);
  return (struct cul_bytes){"", 0};
}

bool cul_text_function_of(const struct cul_text *text, uint32_t item,
                          uint32_t *function, uint32_t *open) {
  for (; item != CUL_TEXT_NONE; item = text->items[item].parent) {
    const struct cul_line *l = &text->lines[text->items[item].first];
    for (uint32_t i = l->first; i + 1 < l->first + l->n; i++)
      if (text->bytes[text->tokens[i].start] == '@' &&
          text->tokens[i].kind == CUL_TOKEN_WORD &&
          text->tokens[i + 1].kind == CUL_TOKEN_OPEN &&
          cul_text_is_char(text, i + 1, '(') && !is_value(text, l->first)) {
        *function = item;
        *open = i + 1;
        return true;
      }
  }
  return false;
}
