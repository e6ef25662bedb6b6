/* gzip by zlib, xz by liblzma, zstd by libzstd, zip by libzip: see unpack.h. */
#include "unpack.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

enum {
  MAX_UNPACKED = 256 << 20,
  MAX_DEPTH = 3,
  STEP = 1 << 16,
};

static const char *const too_big = "holds more than 256 MiB";
static const char *const damaged = "the packed data is damaged or cut off";

/* NULL, or what is wrong.  What could be unpacked is in out all the same. */
static const char *unpack_gzip(struct cul_bytes raw, struct cul_buf *out) {
  z_stream z = {.next_in = (unsigned char *)(uintptr_t)raw.data,
                .avail_in = (uInt)raw.len};
  const char *why = NULL;
  int rc = inflateInit2(&z, 15 + 16);
  if (raw.len > UINT32_MAX || rc != Z_OK)
    return too_big;
  do {
    cul_buf_reserve(out, STEP);
    z.next_out = (unsigned char *)out->data + out->len;
    z.avail_out = STEP;
    rc = inflate(&z, Z_NO_FLUSH);
    out->len += STEP - z.avail_out;
    if (rc == Z_STREAM_END && z.avail_in > 18) /* another one behind it */
      rc = inflateReset(&z) == Z_OK ? Z_OK : Z_DATA_ERROR;
    if (out->len > MAX_UNPACKED)
      why = too_big;
  } while (!why && rc == Z_OK);
  if (!why && rc != Z_STREAM_END)
    why = damaged;
  inflateEnd(&z);
  return why;
}

static const char *unpack_xz(struct cul_bytes raw, struct cul_buf *out) {
  lzma_stream z = LZMA_STREAM_INIT;
  const char *why = NULL;
  lzma_ret rc = lzma_stream_decoder(&z, 1 << 30, LZMA_CONCATENATED);
  if (rc != LZMA_OK)
    return damaged;
  z.next_in = (const uint8_t *)raw.data;
  z.avail_in = raw.len;
  do {
    cul_buf_reserve(out, STEP);
    z.next_out = (uint8_t *)out->data + out->len;
    z.avail_out = STEP;
    rc = lzma_code(&z, LZMA_FINISH);
    out->len += STEP - z.avail_out;
    if (out->len > MAX_UNPACKED)
      why = too_big;
  } while (!why && rc == LZMA_OK);
  if (!why && rc != LZMA_STREAM_END)
    why = damaged;
  lzma_end(&z);
  return why;
}

static const char *unpack_zstd(struct cul_bytes raw, struct cul_buf *out) {
  ZSTD_DStream *z = ZSTD_createDStream();
  ZSTD_inBuffer in = {raw.data, raw.len, 0};
  const char *why = NULL;
  size_t left = 1;
  if (!z)
    cul_bug("out of memory");
  while (!why && (in.pos < in.size || left)) {
    ZSTD_outBuffer to;
    size_t before = in.pos;
    cul_buf_reserve(out, STEP);
    to = (ZSTD_outBuffer){out->data + out->len, STEP, 0};
    left = ZSTD_decompressStream(z, &to, &in);
    out->len += to.pos;
    if (ZSTD_isError(left) || (left && to.pos == 0 && in.pos == before))
      why = damaged;
    else if (out->len > MAX_UNPACKED)
      why = too_big;
  }
  ZSTD_freeDStream(z);
  return why;
}

static void unpack_at(const char *name, struct cul_bytes raw, int depth,
                      const struct cul_unpacked *to);

static const char *read_member(zip_t *archive, zip_uint64_t i,
                               struct cul_buf *out) {
  zip_file_t *file = zip_fopen_index(archive, i, 0);
  zip_int64_t n = 1;
  if (!file)
    return damaged;
  while (n > 0 && out->len <= MAX_UNPACKED) {
    cul_buf_reserve(out, STEP);
    n = zip_fread(file, out->data + out->len, STEP);
    out->len += n > 0 ? (size_t)n : 0;
  }
  zip_fclose(file);
  return n < 0 ? damaged : out->len > MAX_UNPACKED ? too_big : NULL;
}

static void unpack_members(const char *name, zip_t *archive, int depth,
                           const struct cul_unpacked *to) {
  zip_int64_t n = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < n; i++) {
    const char *member = zip_get_name(archive, (zip_uint64_t)i, 0);
    struct cul_buf text = {0};
    const char *why;
    char *path;
    if (!member || (member[0] && member[strlen(member) - 1] == '/'))
      continue;
    path = cul_xasprintf("%s!%s", name, member);
    why = read_member(archive, (zip_uint64_t)i, &text);
    if (why)
      to->problem(to->self, path, why);
    else
      unpack_at(path, cul_buf_bytes(&text), depth + 1, to);
    free(path);
    cul_buf_release(&text);
  }
}

static void unpack_zip(const char *name, struct cul_bytes raw, int depth,
                       const struct cul_unpacked *to) {
  zip_error_t error;
  zip_source_t *source = zip_source_buffer_create(raw.data, raw.len, 0, &error);
  zip_t *archive =
      source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
  if (!archive) {
    zip_source_free(source);
    to->problem(to->self, name, "the archive is damaged or cut off");
    return;
  }
  unpack_members(name, archive, depth, to);
  zip_discard(archive);
}

/* An archive whose members are being handed on. */
struct archive {
  const char *name;
  int depth;
  const struct cul_unpacked *to;
};

static void take_member(void *self, const char *name, struct cul_bytes data) {
  const struct archive *archive = self;
  char *path = cul_xasprintf("%s!%s", archive->name, name);
  unpack_at(path, data, archive->depth + 1, archive->to);
  free(path);
}

static void unpack_tar(const char *name, struct cul_bytes raw, int depth,
                       const struct cul_unpacked *to) {
  struct archive archive = {name, depth, to};
  const struct cul_tar members = {&archive, take_member};
  if (!cul_untar(raw, &members))
    to->problem(to->self, name, "the archive is damaged or cut off");
}

/* One file in another form, known by its first bytes. */
struct form {
  const char *magic;
  size_t n;
  const char *(*unpack)(struct cul_bytes raw, struct cul_buf *out);
};

static const struct form forms[] = {
    {"\x1f\x8b", 2, unpack_gzip},
    {"\xfd\x37zXZ\0", 6, unpack_xz},
    {"\x28\xb5\x2f\xfd", 4, unpack_zstd},
};

static void unpack_stream(const char *name, struct cul_bytes raw, int depth,
                          const struct form *form,
                          const struct cul_unpacked *to) {
  struct cul_buf text = {0};
  const char *why = form->unpack(raw, &text);
  if (why)
    to->problem(to->self, name, why);
  else
    unpack_at(name, cul_buf_bytes(&text), depth + 1, to);
  cul_buf_release(&text);
}

static bool begins(struct cul_bytes raw, const char *magic, size_t n) {
  return raw.len > n && !memcmp(raw.data, magic, n);
}

static void unpack_at(const char *name, struct cul_bytes raw, int depth,
                      const struct cul_unpacked *to) {
  bool zip = begins(raw, "PK\3\4", 4), tar = cul_is_tar(raw);
  const struct form *form = NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms) && !form; i++)
    if (begins(raw, forms[i].magic, forms[i].n))
      form = &forms[i];
  if (!zip && !tar && !form)
    to->file(to->self, name, raw);
  else if (depth >= MAX_DEPTH)
    to->problem(to->self, name, "is packed more than three times");
  else if (zip)
    unpack_zip(name, raw, depth, to);
  else if (tar)
    unpack_tar(name, raw, depth, to);
  else
    unpack_stream(name, raw, depth, form, to);
}

void cul_unpack_file(const char *name, struct cul_bytes raw,
                     const struct cul_unpacked *to) {
  unpack_at(name, raw, 0, to);
}
