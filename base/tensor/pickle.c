/* Reads pickles as data: see pickle.h. The opcodes are those of protocols 2 to
 * 4 that torch.save writes (documented in CPython's pickletools). */
#include "pickle.h"

#include <stdlib.h>
#include <string.h>

struct machine {
  const unsigned char *at, *end;
  struct cul_pickle *out;
  uint32_t *stack, *memo; /* memo: value + 1; 0 = empty */
  size_t depth, stack_cap, n_memo;
  uint64_t memoized; /* number of slots that MEMOIZE filled */
  struct cul_err *err;
};

static int damaged(struct machine *m, const char *what) {
  return cul_fail(m->err, CUL_EUSAGE,
                  "save the tensors alone with torch.save, or as safetensors",
                  "the pickle: %s", what);
}

static void push(struct machine *m, uint32_t value) {
  if (m->depth == m->stack_cap) {
    m->stack_cap = m->stack_cap ? 2 * m->stack_cap : 64;
    m->stack = cul_xreallocarray(m->stack, m->stack_cap, sizeof *m->stack);
  }
  m->stack[m->depth++] = value;
}

static struct cul_pickle_value *make(struct machine *m,
                                     enum cul_pickle_type type) {
  struct cul_pickle *out = m->out;
  if ((out->n & (out->n - 1)) == 0)
    out->values = cul_xreallocarray(out->values, out->n ? 2 * out->n : 1,
                                    sizeof *out->values);
  out->values[out->n] = (struct cul_pickle_value){.type = type};
  push(m, (uint32_t)out->n);
  return &out->values[out->n++];
}

/* Read an argument of n bytes, little endian. */
static int take(struct machine *m, size_t n, uint64_t *out) {
  *out = 0;
  if ((size_t)(m->end - m->at) < n)
    return damaged(m, "cut off");
  for (size_t i = 0; i < n; i++)
    *out |= (uint64_t)m->at[i] << 8 * i;
  m->at += n;
  return 0;
}

static int take_text(struct machine *m, uint64_t n, struct cul_bytes *out) {
  if ((uint64_t)(m->end - m->at) < n)
    return damaged(m, "cut off");
  *out = (struct cul_bytes){(const char *)m->at, (size_t)n};
  m->at += n;
  return 0;
}

static int push_int(struct machine *m, size_t n, bool is_signed) {
  uint64_t number;
  if (take(m, n, &number) < 0)
    return m->err->code;
  if (is_signed && n < 8 && number >> (8 * n - 1) & 1)
    number |= UINT64_MAX << 8 * n;
  make(m, CUL_PICKLE_INT)->number = (int64_t)number;
  return 0;
}

static int push_long(struct machine *m) {
  uint64_t n;
  if (take(m, 1, &n) < 0)
    return m->err->code;
  if (n > 8)
    return damaged(m, "an integer of more than 64 bits");
  if (n == 0) {
    make(m, CUL_PICKLE_INT);
    return 0;
  }
  return push_int(m, (size_t)n, true);
}

static int push_float(struct machine *m) {
  uint64_t bits = 0;
  double real;
  for (int i = 0; i < 8; i++) {
    uint64_t byte;
    if (take(m, 1, &byte) < 0)
      return m->err->code;
    bits = bits << 8 | byte; /* the only big endian argument */
  }
  memcpy(&real, &bits, sizeof real);
  make(m, CUL_PICKLE_FLOAT)->real = real;
  return 0;
}

static int push_text(struct machine *m, size_t width) {
  struct cul_bytes text;
  uint64_t n;
  if (take(m, width, &n) < 0 || take_text(m, n, &text) < 0)
    return m->err->code;
  make(m, CUL_PICKLE_TEXT)->text = text;
  return 0;
}

/* Push "module\nname\n", with the newline in between. */
static int push_global(struct machine *m) {
  const unsigned char *first = memchr(m->at, '\n', (size_t)(m->end - m->at));
  const unsigned char *last =
      first ? memchr(first + 1, '\n', (size_t)(m->end - first - 1)) : NULL;
  struct cul_pickle_value *value;
  if (!last)
    return damaged(m, "cut off");
  value = make(m, CUL_PICKLE_GLOBAL);
  value->text = (struct cul_bytes){(const char *)m->at, (size_t)(last - m->at)};
  m->at = last + 1;
  return 0;
}

static int need(struct machine *m, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (m->depth <= i ||
        m->out->values[m->stack[m->depth - 1 - i]].type == CUL_PICKLE_MARK)
      return damaged(m, "takes from an empty stack");
  return 0;
}

/* Replace the top n values by one. */
static int collect(struct machine *m, enum cul_pickle_type type, size_t n) {
  struct cul_pickle_value *value;
  uint32_t *items;
  if (need(m, n) < 0)
    return m->err->code;
  items = cul_xreallocarray(NULL, n, sizeof *items);
  m->depth -= n;
  if (n)
    memcpy(items, m->stack + m->depth, n * sizeof *items);
  value = make(m, type);
  value->items = items;
  value->n = n;
  return 0;
}

/* The number of values above the top mark. */
static int above_mark(struct machine *m, size_t *n) {
  for (*n = 0; *n < m->depth; ++*n)
    if (m->out->values[m->stack[m->depth - 1 - *n]].type == CUL_PICKLE_MARK)
      return 0;
  return damaged(m, "a mark is missing");
}

static int collect_to_mark(struct machine *m) {
  size_t n;
  uint32_t top;
  if (above_mark(m, &n) < 0 || collect(m, CUL_PICKLE_LIST, n) < 0)
    return m->err->code;
  top = m->stack[m->depth - 1];
  m->stack[m->depth - 2] = top;
  m->depth--;
  return 0;
}

/* Append the top n values to the list, dictionary or call below them. */
static int extend(struct machine *m, size_t n, bool marked) {
  struct cul_pickle_value *into;
  size_t below = n + marked;
  if (need(m, n) < 0)
    return m->err->code;
  if (m->depth <= below)
    return damaged(m, "takes from an empty stack");
  into = &m->out->values[m->stack[m->depth - 1 - below]];
  if (into->type != CUL_PICKLE_LIST && into->type != CUL_PICKLE_DICT &&
      into->type != CUL_PICKLE_CALL)
    return damaged(m,
                   "adds to an object that is neither a list nor a dictionary");
  into->items =
      cul_xreallocarray(into->items, into->n + n, sizeof *into->items);
  if (n)
    memcpy(into->items + into->n, m->stack + m->depth - n,
           n * sizeof *into->items);
  into->n += n;
  m->depth -= below;
  return 0;
}

static int extend_to_mark(struct machine *m) {
  size_t n;
  if (above_mark(m, &n) < 0)
    return m->err->code;
  return extend(m, n, true);
}

static int memoize(struct machine *m, uint64_t slot) {
  if (need(m, 1) < 0)
    return m->err->code;
  /* Slots are numbered from 0, at most one per value. */
  if (slot > m->out->n + 1)
    return damaged(m, "a memo slot that is out of order");
  if (slot >= m->n_memo) {
    m->memo = cul_xreallocarray(m->memo, 2 * slot + 16, sizeof *m->memo);
    memset(m->memo + m->n_memo, 0,
           (2 * slot + 16 - m->n_memo) * sizeof *m->memo);
    m->n_memo = 2 * slot + 16;
  }
  m->memo[slot] = m->stack[m->depth - 1] + 1;
  m->memoized++;
  return 0;
}

static int put(struct machine *m, size_t width) {
  uint64_t slot;
  return take(m, width, &slot) < 0 ? m->err->code : memoize(m, slot);
}

static int get(struct machine *m, size_t width) {
  uint64_t slot;
  if (take(m, width, &slot) < 0)
    return m->err->code;
  if (slot >= m->n_memo || !m->memo[slot])
    return damaged(m, "a memo slot that is empty");
  push(m, m->memo[slot] - 1);
  return 0;
}

/* BUILD: discard the state of an object. */
static int drop_state(struct machine *m) {
  if (need(m, 2) < 0)
    return m->err->code;
  m->depth--;
  return 0;
}

static int skip(struct machine *m, size_t n) {
  uint64_t ignored;
  return take(m, n, &ignored);
}

static int unknown(struct machine *m, unsigned op) {
  return cul_fail(m->err, CUL_EUSAGE,
                  "save the tensors alone with torch.save, or as safetensors",
                  "the pickle: saved tensors do not use opcode 0x%02x, and "
                  "culprit does not execute pickles",
                  op);
}

/* Opcodes of values without arguments, and of containers. */
static int step_value(struct machine *m, unsigned op) {
  switch (op) {
  case 'N':
    make(m, CUL_PICKLE_NONE);
    return 0;
  case 0x88:
  case 0x89:
    make(m, CUL_PICKLE_INT)->number = op == 0x88;
    return 0;
  case '(':
    make(m, CUL_PICKLE_MARK);
    return 0;
  case ']':
  case ')':
    make(m, CUL_PICKLE_LIST);
    return 0;
  case '}':
    make(m, CUL_PICKLE_DICT);
    return 0;
  case 't':
    return collect_to_mark(m);
  case 0x85:
  case 0x86:
  case 0x87:
    return collect(m, CUL_PICKLE_LIST, op - 0x84);
  case 'Q':
    return collect(m, CUL_PICKLE_PERSIST, 1);
  case 'R':
    return collect(m, CUL_PICKLE_CALL, 2);
  case 'a':
    return extend(m, 1, false);
  case 's':
    return extend(m, 2, false);
  case 'e':
  case 'u':
    return extend_to_mark(m);
  case 'b':
    return drop_state(m);
  default:
    return unknown(m, op);
  }
}

static int step(struct machine *m, unsigned op) {
  switch (op) {
  case 0x80: /* PROTO */
    return skip(m, 1);
  case 0x95: /* FRAME */
    return skip(m, 8);
  case 'K':
    return push_int(m, 1, false);
  case 'M':
    return push_int(m, 2, false);
  case 'J':
    return push_int(m, 4, true);
  case 0x8a:
    return push_long(m);
  case 'G':
    return push_float(m);
  case 'X':
    return push_text(m, 4);
  case 0x8c:
    return push_text(m, 1);
  case 'c':
    return push_global(m);
  case 'q':
    return put(m, 1);
  case 'r':
    return put(m, 4);
  case 0x94:
    return memoize(m, m->memoized);
  case 'h':
    return get(m, 1);
  case 'j':
    return get(m, 4);
  default:
    return step_value(m, op);
  }
}

int cul_pickle_read(struct cul_bytes bytes, struct cul_pickle *out,
                    struct cul_err *err) {
  struct machine m = {.at = (const unsigned char *)bytes.data,
                      .end = (const unsigned char *)bytes.data + bytes.len,
                      .out = out,
                      .err = err};
  int rc = 0;
  *out = (struct cul_pickle){0};
  for (;;) {
    if (m.at == m.end) {
      rc = damaged(&m, "cut off");
      break;
    }
    if (*m.at == '.') {
      rc = need(&m, 1);
      break;
    }
    rc = step(&m, *m.at++);
    if (rc < 0)
      break;
  }
  if (rc == 0)
    out->root = m.stack[m.depth - 1];
  free(m.stack);
  free(m.memo);
  if (rc < 0)
    cul_pickle_release(out);
  return rc;
}

void cul_pickle_release(struct cul_pickle *pickle) {
  for (size_t i = 0; i < pickle->n; i++)
    free(pickle->values[i].items);
  free(pickle->values);
  *pickle = (struct cul_pickle){0};
}
