/* Packing of numbers and byte strings for keys and record bodies. */
#include <string.h>

#include "store.h"

void cul_pack_u64(struct cul_buf *out, uint64_t value) {
  while (value >= 0x80) {
    cul_buf_addc(out, (char)(value | 0x80));
    value >>= 7;
  }
  cul_buf_addc(out, (char)value);
}

void cul_pack_bytes(struct cul_buf *out, const void *data, size_t len) {
  cul_pack_u64(out, len);
  cul_buf_add(out, data, len);
}

void cul_pack_text(struct cul_buf *out, const char *text) {
  cul_pack_u64(out, text != NULL);
  if (text)
    cul_pack_bytes(out, text, strlen(text));
}

uint64_t cul_unpack_u64(struct cul_unpack *in) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
    unsigned char byte = *in->at++;
    value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  in->bad = true;
  in->at = in->end;
  return 0;
}

struct cul_bytes cul_unpack_bytes(struct cul_unpack *in) {
  struct cul_bytes bytes = {NULL, 0};
  uint64_t len = cul_unpack_u64(in);
  if (in->bad || len > (uint64_t)(in->end - in->at)) {
    in->bad = true;
    in->at = in->end;
    return bytes;
  }
  bytes.data = (const char *)in->at;
  bytes.len = (size_t)len;
  in->at += len;
  return bytes;
}
