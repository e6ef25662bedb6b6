/* Unpacks gzip, xz, zstd and zip: see unpack.h. */
#include "unpack.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include "../../base/buf.h"
#include "../../base/status.h"

/* A callback for every file in a tar archive; both arguments are borrowed. */
struct cul_tar {
  void *self;
  void (*member)(void *self, const char *name, struct cul_bytes data);
};

/* ---- tar ---- */

/* Members of tar archives in the formats ustar, pax and GNU: POSIX.1-2001, "pax
 * Interchange Format", and the manual of GNU tar. */

enum {
  BLOCK = 512,
  NAME = 0, /* offsets and lengths of a header's fields */
  N_NAME = 100,
  SIZE = 124,
  N_SIZE = 12,
  SUM = 148,
  N_SUM = 8,
  TYPE = 156,
  MAGIC = 257,
  PREFIX = 345,
  N_PREFIX = 155,
};

/* Parse octal digits after blanks, up to a blank or NUL; false: other
 * characters. */
static bool octal(const char *field, size_t len, size_t *out) {
  size_t i = 0;
  *out = 0;
  while (i < len && field[i] == ' ')
    i++;
  for (; i < len && field[i] && field[i] != ' '; i++) {
    if (field[i] < '0' || field[i] > '7')
      return false;
    *out = *out << 3 | (size_t)(field[i] - '0');
  }
  return true;
}

/* Is the block a header with a correct checksum? */
static bool is_header(const char *block) {
  size_t want, sum = 0;
  if (memcmp(block + MAGIC, "ustar", 5) != 0 ||
      !octal(block + SUM, N_SUM, &want))
    return false;
  for (size_t i = 0; i < BLOCK; i++)
    sum += i >= SUM && i < SUM + N_SUM ? ' ' : (unsigned char)block[i];
  return sum == want;
}

bool cul_is_tar(struct cul_bytes raw) {
  return raw.len >= BLOCK && is_header(raw.data);
}

/* The value of "path" in a pax header, which consists of records "LENGTH
 * KEY=VALUE\n".  Heap; NULL: none. */
static char *path_of_pax(struct cul_bytes records) {
  char *path = NULL;
  size_t at = 0;
  while (at < records.len) {
    const char *record = records.data + at;
    size_t len = 0, i = 0, left = records.len - at;
    for (; i < left && record[i] >= '0' && record[i] <= '9' && len < left; i++)
      len = len * 10 + (size_t)(record[i] - '0');
    if (i == 0 || len > left || len < i + 2)
      break;
    if (len > i + 6 && !memcmp(record + i, " path=", 6)) {
      free(path);
      path = cul_xstrndup(record + i + 6, len - i - 7);
    }
    at += len;
  }
  return path;
}

static char *name_of(const char *block) {
  const char *prefix = block + PREFIX;
  size_t n = strnlen(prefix, N_PREFIX);
  if (memcmp(block + MAGIC, "ustar\0", 6) !=
      0) /* the GNU format has no prefix */
    n = 0;
  return cul_xasprintf("%.*s%s%.*s", (int)n, prefix, n ? "/" : "", N_NAME,
                       block + NAME);
}

/* Process one entry.  *name: the name that a preceding header gave to this
 * entry, or NULL; set for the next entry if this one is such a header. */
static void take_entry(const char *block, struct cul_bytes data, char **name,
                       const struct cul_tar *to) {
  char type = block[TYPE];
  char *own;
  if (type == 'x' || type == 'L') {
    free(*name);
    *name = type == 'x' ? path_of_pax(data) : cul_xstrndup(data.data, data.len);
    return;
  }
  own = *name ? *name : name_of(block);
  *name = NULL;
  if (type == '0' || type == '\0' || type == '7')
    to->member(to->self, own, data);
  free(own);
}

/* Pass all files to the callback.  False: the archive is damaged or truncated;
 * the files before the damage were passed. */
static bool untar(struct cul_bytes raw, const struct cul_tar *to) {
  size_t at = 0, size;
  char *name = NULL;
  bool whole = true;
  while (whole && at + BLOCK <= raw.len && raw.data[at]) {
    const char *block = raw.data + at;
    at += BLOCK;
    whole = is_header(block) && octal(block + SIZE, N_SIZE, &size) &&
            size <= raw.len - at;
    if (!whole)
      break;
    take_entry(block, (struct cul_bytes){raw.data + at, size}, &name, to);
    size = (size + BLOCK - 1) / BLOCK * BLOCK;
    at += size <= raw.len - at ? size : raw.len - at;
  }
  free(name);
  return whole && at < raw.len; /* the end is a block of zeros */
}

/* ---- unpack ---- */

enum {
  MAX_UNPACKED = 256 << 20, /* bytes of one unpacked file */
  MAX_IN_ALL =
      1 << 30, /* bytes of all unpacked files of one input, at any depth */
  MAX_MEMBERS = 100000, /* files in all archives of one input */
  MAX_XZ_MEMORY = 256 << 20,
  MAX_DEPTH = 3,
  MAX_JOBS = 2000, /* members that are examined as the complete log of a job */
  STEP = 1 << 16,
};

/* One input file, and how much was unpacked from it. */
struct unpacking {
  const struct cul_unpacked *to;
  uint64_t bytes;
  unsigned members;
  bool full; /* a limit was exceeded and reported */
};

static const char *const too_big = "holds more than 256 MiB";
static const char *const interrupted = "interrupted";
static const char *const damaged = "the packed data is damaged or cut off";

/* Called after every step, each of which takes a millisecond at most. */
static const char *check(const struct cul_buf *out) {
  return out->len > MAX_UNPACKED    ? too_big
         : cul_status_interrupted() ? interrupted
                                    : NULL;
}

/* Append the unpacked data to out.  Returns NULL, or the problem; out has the
 * data before it. */
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
    if (rc == Z_STREAM_END && z.avail_in > 18) /* another gzip member follows */
      rc = inflateReset(&z) == Z_OK ? Z_OK : Z_DATA_ERROR;
    why = check(out);
  } while (!why && rc == Z_OK);
  if (!why && rc != Z_STREAM_END)
    why = damaged;
  inflateEnd(&z);
  return why;
}

static const char *unpack_xz(struct cul_bytes raw, struct cul_buf *out) {
  lzma_stream z = LZMA_STREAM_INIT;
  const char *why = NULL;
  lzma_ret rc = lzma_stream_decoder(&z, MAX_XZ_MEMORY, LZMA_CONCATENATED);
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
    why = check(out);
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
    cul_no_memory(0);
  while (!why && (in.pos < in.size || left)) {
    ZSTD_outBuffer to;
    size_t before = in.pos;
    cul_buf_reserve(out, STEP);
    to = (ZSTD_outBuffer){out->data + out->len, STEP, 0};
    left = ZSTD_decompressStream(z, &to, &in);
    out->len += to.pos;
    if (ZSTD_isError(left) || (left && to.pos == 0 && in.pos == before))
      why = damaged;
    else
      why = check(out);
  }
  ZSTD_freeDStream(z);
  return why;
}

/* Count one more file of so many bytes; false: the limits are exceeded. */
static bool take(struct unpacking *u, const char *name, size_t bytes) {
  const char *why = NULL;
  u->bytes += bytes;
  u->members++;
  if (u->bytes > MAX_IN_ALL)
    why = "holds more than 1 GiB in all: the rest of it is not read";
  else if (u->members > MAX_MEMBERS)
    why = "holds more than 100000 files: the rest of it is not read";
  if (why && !u->full)
    u->to->problem(u->to->self, name, why);
  u->full = u->full || why;
  return !u->full;
}

static bool ends(const struct unpacking *u) {
  return u->full || cul_status_interrupted();
}

static void unpack_at(const char *name, struct cul_bytes raw, int depth,
                      struct unpacking *u);

static const char *read_member(zip_t *archive, zip_uint64_t i,
                               struct cul_buf *out) {
  zip_file_t *file = zip_fopen_index(archive, i, 0);
  zip_int64_t n = 1;
  const char *why = NULL;
  if (!file)
    return damaged;
  while (n > 0 && !why) {
    cul_buf_reserve(out, STEP);
    n = zip_fread(file, out->data + out->len, STEP);
    out->len += n > 0 ? (size_t)n : 0;
    why = check(out);
  }
  zip_fclose(file);
  return n < 0 ? damaged : why;
}

static void unpack_member(const char *name, zip_t *archive, zip_uint64_t i,
                          int depth, struct unpacking *u) {
  const char *member = zip_get_name(archive, i, 0), *why;
  struct cul_buf text = {0};
  char *path;
  if (!member || (member[0] && member[strlen(member) - 1] == '/'))
    return;
  path = cul_xasprintf("%s!%s", name, member);
  why = read_member(archive, i, &text);
  if (!take(u, name, text.len))
    ; /* said of the archive */
  else if (why)
    u->to->problem(u->to->self, path, why);
  else
    unpack_at(path, cul_buf_bytes(&text), depth + 1, u);
  free(path);
  cul_buf_release(&text);
}

/* Is member "12_NAME.txt", for the folder NAME?  Then it is the complete log of
 * a job, and the folder has the logs of its steps. */
static bool is_whole(const char *member, const char *folder, size_t n) {
  size_t digits = strspn(member, "0123456789");
  return digits && member[digits] == '_' &&
         !strncmp(member + digits + 1, folder, n) &&
         !strcmp(member + digits + 1 + n, ".txt");
}

/* Is the member the log of a step that is contained in another member? */
static bool is_repeated(zip_t *archive, zip_int64_t n, zip_uint64_t i) {
  const char *member = zip_get_name(archive, i, 0);
  const char *slash = member ? strchr(member, '/') : NULL;
  for (zip_int64_t k = 0; slash && k < n && k < MAX_JOBS; k++) {
    const char *other = zip_get_name(archive, (zip_uint64_t)k, 0);
    if (other && is_whole(other, member, (size_t)(slash - member)))
      return true;
  }
  return false;
}

static void unpack_zip(const char *name, struct cul_bytes raw, int depth,
                       struct unpacking *u) {
  zip_error_t error;
  zip_source_t *source = zip_source_buffer_create(raw.data, raw.len, 0, &error);
  zip_t *archive =
      source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
  zip_int64_t n;
  if (!archive) {
    zip_source_free(source);
    u->to->problem(u->to->self, name, "the archive is damaged or cut off");
    return;
  }
  n = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < n && !ends(u); i++)
    if (!is_repeated(archive, n, (zip_uint64_t)i))
      unpack_member(name, archive, (zip_uint64_t)i, depth, u);
  zip_discard(archive);
}

/* The archive whose members are being unpacked. */
struct archive {
  const char *name;
  int depth;
  struct unpacking *u;
};

static void take_member(void *self, const char *name, struct cul_bytes data) {
  const struct archive *archive = self;
  char *path;
  if (ends(archive->u) || !take(archive->u, archive->name, data.len))
    return;
  path = cul_xasprintf("%s!%s", archive->name, name);
  unpack_at(path, data, archive->depth + 1, archive->u);
  free(path);
}

static void unpack_tar(const char *name, struct cul_bytes raw, int depth,
                       struct unpacking *u) {
  struct archive archive = {name, depth, u};
  const struct cul_tar members = {&archive, take_member};
  if (!untar(raw, &members))
    u->to->problem(u->to->self, name, "the archive is damaged or cut off");
}

/* A compression format, recognized by its first bytes. */
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

/* Report the damage, and read the data before it. */
static void unpack_cut(const char *name, struct cul_bytes text, int depth,
                       struct unpacking *u) {
  u->to->problem(u->to->self, name,
                 "the packed data is damaged or cut off; the data before the "
                 "damage is read");
  unpack_at(name, text, depth + 1, u);
}

static void unpack_stream(const char *name, struct cul_bytes raw, int depth,
                          const struct form *form, struct unpacking *u) {
  struct cul_buf text = {0};
  const char *why = form->unpack(raw, &text);
  if (!take(u, name, text.len))
    ; /* said of the archive */
  else if (why == damaged && text.len && !cul_is_tar(cul_buf_bytes(&text)))
    unpack_cut(name, cul_buf_bytes(&text), depth, u);
  else if (why)
    u->to->problem(u->to->self, name, why);
  else
    unpack_at(name, cul_buf_bytes(&text), depth + 1, u);
  cul_buf_release(&text);
}

static bool begins(struct cul_bytes raw, const char *magic, size_t n) {
  return raw.len > n && !memcmp(raw.data, magic, n);
}

static void unpack_at(const char *name, struct cul_bytes raw, int depth,
                      struct unpacking *u) {
  bool zip = begins(raw, "PK\3\4", 4), tar = cul_is_tar(raw);
  const struct form *form = NULL;
  if (cul_status_interrupted())
    return;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(forms) && !form; i++)
    if (begins(raw, forms[i].magic, forms[i].n))
      form = &forms[i];
  if (!zip && !tar && !form)
    u->to->file(u->to->self, name, raw);
  else if (depth >= MAX_DEPTH)
    u->to->problem(u->to->self, name, "is packed more than three times");
  else if (zip)
    unpack_zip(name, raw, depth, u);
  else if (tar)
    unpack_tar(name, raw, depth, u);
  else
    unpack_stream(name, raw, depth, form, u);
}

void cul_unpack_file(const char *name, struct cul_bytes raw,
                     const struct cul_unpacked *to) {
  struct unpacking u = {.to = to};
  unpack_at(name, raw, 0, &u);
}
