/* Call frame information of another process: see rows.h. */
#include "rows.h"

#include <string.h>

#include "modules.h"

enum { MAX_BYTES = 4096, MAX_STATES = 8 };

struct cursor {
  const uint8_t *at, *end;
  bool bad;
};

struct cie {
  uint64_t code_align;
  int64_t data_align;
  uint8_t pointers; /* encoding of addresses */
  bool augmented, signal;
};

struct machine {
  struct cul_row row, initial, stack[MAX_STATES];
  const struct cie *cie;
  size_t n;
  uint64_t at, until; /* addresses */
};

static uint64_t take(struct cursor *in, size_t n) {
  uint64_t value = 0;
  if ((size_t)(in->end - in->at) < n) {
    in->bad = true;
    in->at = in->end;
    return 0;
  }
  memcpy(&value, in->at, n); /* little endian, as the machines that run here */
  in->at += n;
  return value;
}

static uint64_t take_uleb(struct cursor *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = (uint8_t)take(in, 1);
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  in->bad = true;
  return 0;
}

static int64_t take_sleb(struct cursor *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t byte = (uint8_t)take(in, 1);
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (byte & 0x80)
      continue;
    if (byte & 0x40 && shift + 7 < 64)
      value |= ~(uint64_t)0 << (shift + 7);
    return (int64_t)value;
  }
  in->bad = true;
  return 0;
}

static size_t width_of(uint8_t encoding) {
  switch (encoding & 7) {
  case 2:
    return 2;
  case 3:
    return 4;
  default:
    return 8;
  }
}

static void skip(struct cursor *in, uint64_t n) {
  if ((uint64_t)(in->end - in->at) < n)
    in->bad = true, in->at = in->end;
  else
    in->at += n;
}

/* An entry's bytes after its length; *n of them.  0 ends a table; ~0 begins a
 * 64-bit entry, which no .eh_frame of a linker has. */
static bool read_entry(pid_t pid, uint64_t address, uint8_t bytes[MAX_BYTES],
                       struct cursor *out) {
  uint32_t length;
  if (!cul_remote_read(pid, address, &length, sizeof length) || length < 4 ||
      length == ~0U)
    return false;
  if (length > MAX_BYTES)
    length = MAX_BYTES;
  if (!cul_remote_read(pid, address + 4, bytes, length))
    return false;
  *out = (struct cursor){bytes, bytes + length, false};
  return true;
}

static bool read_cie(struct cursor *in, struct cie *out, uint8_t *returns) {
  uint8_t version;
  const char *letters;
  take(in, 4);
  version = (uint8_t)take(in, 1);
  letters = (const char *)in->at;
  if (!memchr(in->at, 0, (size_t)(in->end - in->at)))
    return false;
  in->at += strlen(letters) + 1;
  out->code_align = take_uleb(in);
  out->data_align = take_sleb(in);
  *returns = (uint8_t)(version == 1 ? take(in, 1) : take_uleb(in));
  out->augmented = letters[0] == 'z';
  if (!out->augmented)
    return !letters[0] && !in->bad;
  take_uleb(in);
  for (letters++; *letters && !in->bad; letters++) {
    if (*letters == 'R')
      out->pointers = (uint8_t)take(in, 1);
    else if (*letters == 'L')
      take(in, 1);
    else if (*letters == 'P')
      skip(in, width_of((uint8_t)take(in, 1)));
    else if (*letters == 'S')
      out->signal = true;
    else if (*letters != 'B')
      return false;
  }
  return !in->bad;
}

static void set_rule(struct cul_row *row, uint64_t number, enum cul_rule rule,
                     int64_t offset) {
  if (number >= CUL_N_REGISTERS)
    return;
  row->rules[number] = (uint8_t)rule;
  row->offsets[number] = (int32_t)offset;
}

static void restore(struct machine *m, uint64_t number) {
  if (number >= CUL_N_REGISTERS)
    return;
  m->row.rules[number] = m->initial.rules[number];
  m->row.offsets[number] = m->initial.offsets[number];
}

static void set_cfa(struct machine *m, uint64_t number, int64_t offset) {
  m->row.cfa_register = number < CUL_N_REGISTERS ? (int)number : -1;
  m->row.cfa_offset = offset;
}

/* The instructions that set the CFA or rules of one register. */
static bool step_rule(struct machine *m, uint8_t op, struct cursor *in) {
  int64_t align = m->cie->data_align;
  uint64_t number = op == 0x0e || op == 0x13 || op == 0x0f ? 0 : take_uleb(in);
  switch (op) {
  case 0x05: /* offset_extended */
    set_rule(&m->row, number, CUL_RULE_SAVED, (int64_t)take_uleb(in) * align);
    return true;
  case 0x06:
    restore(m, number);
    return true;
  case 0x07:
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x08:
    set_rule(&m->row, number, CUL_RULE_SAME, 0);
    return true;
  case 0x09: /* register */
    take_uleb(in);
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x0c:
    set_cfa(m, number, (int64_t)take_uleb(in));
    return true;
  case 0x0d:
    set_cfa(m, number, m->row.cfa_offset);
    return true;
  case 0x0e:
    m->row.cfa_offset = (int64_t)take_uleb(in);
    return true;
  case 0x0f: /* def_cfa_expression */
    skip(in, take_uleb(in));
    m->row.cfa_register = -1;
    return true;
  case 0x10: /* expression, val_expression */
  case 0x16:
    skip(in, take_uleb(in));
    set_rule(&m->row, number, CUL_RULE_LOST, 0);
    return true;
  case 0x11:
    set_rule(&m->row, number, CUL_RULE_SAVED, take_sleb(in) * align);
    return true;
  case 0x12:
    set_cfa(m, number, take_sleb(in) * align);
    return true;
  case 0x13:
    m->row.cfa_offset = take_sleb(in) * align;
    return true;
  case 0x14:
    set_rule(&m->row, number, CUL_RULE_ADDRESS, (int64_t)take_uleb(in) * align);
    return true;
  case 0x15:
    set_rule(&m->row, number, CUL_RULE_ADDRESS, take_sleb(in) * align);
    return true;
  default:
    return false;
  }
}

static bool step_state(struct machine *m, uint8_t op, struct cursor *in) {
  switch (op) {
  case 0x00: /* nop */
  case 0x2d: /* AArch64: the return address is signed, or no longer */
    return true;
  case 0x02: /* advance_loc1, 2, 4 */
    m->at += take(in, 1) * m->cie->code_align;
    return true;
  case 0x03:
    m->at += take(in, 2) * m->cie->code_align;
    return true;
  case 0x04:
    m->at += take(in, 4) * m->cie->code_align;
    return true;
  case 0x0a: /* remember_state, restore_state */
    if (m->n == MAX_STATES)
      return false;
    m->stack[m->n++] = m->row;
    return true;
  case 0x0b:
    if (m->n == 0)
      return false;
    m->row = m->stack[--m->n];
    return true;
  case 0x2e: /* GNU_args_size */
    take_uleb(in);
    return true;
  default:
    return step_rule(m, op, in);
  }
}

static bool execute(struct machine *m, struct cursor *in) {
  while (in->at < in->end && !in->bad) {
    uint8_t byte = (uint8_t)take(in, 1), low = byte & 0x3f;
    uint64_t before = m->at;
    bool known = true;
    struct cul_row row = m->row;
    if (byte >> 6 == 1)
      m->at += low * m->cie->code_align;
    else if (byte >> 6 == 2)
      set_rule(&m->row, low, CUL_RULE_SAVED,
               (int64_t)take_uleb(in) * m->cie->data_align);
    else if (byte >> 6 == 3)
      restore(m, low);
    else
      known = step_state(m, byte, in);
    if (!known)
      return false;
    if (m->at != before && m->at > m->until) {
      m->row = row;
      return true;
    }
  }
  return !in->bad;
}

bool cul_row_read(pid_t pid, uint64_t fde, uint64_t start, uint64_t address,
                  struct cul_row *out) {
  uint8_t fde_bytes[MAX_BYTES], cie_bytes[MAX_BYTES];
  struct cursor in, common;
  struct cie cie = {0};
  struct machine m = {.cie = &cie, .at = start, .until = address};
  uint64_t back, length;
  if (!read_entry(pid, fde, fde_bytes, &in))
    return false;
  back = take(&in, 4);
  if (back == 0 || !read_entry(pid, fde + 4 - back, cie_bytes, &common) ||
      !read_cie(&common, &cie, &m.row.return_register))
    return false;
  skip(&in, width_of(cie.pointers));
  length = take(&in, width_of(cie.pointers));
  if (in.bad || address - start >= length)
    return false;
  if (cie.augmented)
    skip(&in, take_uleb(&in));
  m.row.signal = cie.signal;
  m.at = m.until; /* of the CIE all apply */
  if (!execute(&m, &common))
    return false;
  m.at = start;
  m.initial = m.row;
  if (!execute(&m, &in))
    return false;
  *out = m.row;
  out->outermost = !out->signal && out->return_register < CUL_N_REGISTERS &&
                   out->rules[out->return_register] == CUL_RULE_LOST;
  return true;
}
