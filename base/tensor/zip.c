/* Zip archives through libzip: see zip.h. */
#include "zip.h"

#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "../status.h"
#include "tensor.h"

enum { MOST_OF_DEFLATE = 1032 }; /* bytes out of one byte in */

struct cul_zip {
  zip_t *zip;
  size_t n;
  zip_stat_t *stats;
};

static int refuse(struct cul_err *err, const char *name, const char *what) {
  return cul_fail(err, CUL_EUSAGE, "was it copied whole? write it again",
                  "the archive%s%.80s: %s", *name ? "'s member " : "", name,
                  what);
}

static int refuse_bomb(struct cul_err *err, uint64_t total, size_t len) {
  return cul_fail(err, CUL_EUSAGE,
                  "do not trust this file; if you do, unpack it yourself",
                  "the archive's %zu bytes claim to unpack to %llu: more than "
                  "they can, or than is read",
                  len, (unsigned long long)total);
}

bool cul_zip_sniff(struct cul_bytes bytes) {
  return bytes.len >= 4 && (memcmp(bytes.data, "PK\3\4", 4) == 0 ||
                            memcmp(bytes.data, "PK\5\6", 4) == 0);
}

static int check_member(const zip_stat_t *stat, struct cul_err *err) {
  const zip_uint64_t need = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                            ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat->valid & need) != need)
    return refuse(err, "", "a member without name or size");
  if (stat->encryption_method != ZIP_EM_NONE)
    return refuse(err, stat->name, "encrypted");
  if (stat->comp_method != ZIP_CM_STORE && stat->comp_method != ZIP_CM_DEFLATE)
    return refuse(err, stat->name, "neither stored nor deflated");
  return 0;
}

static int check_members(struct cul_zip *zip, size_t len, struct cul_err *err) {
  uint64_t total = 0;
  zip->stats = cul_xcalloc(zip->n, sizeof *zip->stats);
  for (size_t i = 0; i < zip->n; i++) {
    zip_stat_init(&zip->stats[i]);
    if (zip_stat_index(zip->zip, i, 0, &zip->stats[i]) < 0)
      return refuse(err, "", "its directory is damaged");
    if (check_member(&zip->stats[i], err) < 0)
      return err->code;
    if (__builtin_add_overflow(total, zip->stats[i].size, &total))
      total = UINT64_MAX;
  }
  if (total > CUL_TENSOR_MAX_BYTES || total > (uint64_t)len * MOST_OF_DEFLATE)
    return refuse_bomb(err, total, len);
  return 0;
}

int cul_zip_open(struct cul_bytes bytes, struct cul_zip **out,
                 struct cul_err *err) {
  struct cul_zip *zip = cul_xcalloc(1, sizeof *zip);
  zip_error_t why;
  zip_source_t *source;
  zip_int64_t n;
  int rc = 0;
  if (bytes.len == 0) { /* libzip takes it for an archive to be made */
    free(zip);
    return refuse(err, "", "it is empty");
  }
  zip_error_init(&why);
  source = zip_source_buffer_create(bytes.data, bytes.len, 0, &why);
  if (source)
    zip->zip = zip_open_from_source(source, ZIP_RDONLY, &why);
  if (source && !zip->zip)
    zip_source_free(source);
  n = zip->zip ? zip_get_num_entries(zip->zip, 0) : 0;
  if (!zip->zip)
    rc = refuse(err, "", zip_error_strerror(&why));
  else if (n > CUL_TENSOR_MAX_COUNT)
    rc = refuse(err, "", "more than 65536 members");
  zip->n = n > 0 ? (size_t)n : 0;
  if (rc == 0)
    rc = check_members(zip, bytes.len, err);
  zip_error_fini(&why);
  if (rc < 0)
    cul_zip_close(zip);
  else
    *out = zip;
  return rc;
}

size_t cul_zip_count(const struct cul_zip *zip) { return zip->n; }

const char *cul_zip_name(const struct cul_zip *zip, size_t i) {
  return zip->stats[i].name;
}

size_t cul_zip_find(const struct cul_zip *zip, const char *name) {
  size_t i = 0;
  while (i < zip->n && strcmp(zip->stats[i].name, name) != 0)
    i++;
  return i;
}

/* So much at once: the user may ask to end in between. */
static zip_uint64_t step_of(uint64_t left) {
  enum { STEP = 4 << 20 };
  return left < STEP ? left : STEP;
}

int cul_zip_read(struct cul_zip *zip, size_t i, struct cul_buf *out,
                 struct cul_err *err) {
  const zip_stat_t *stat = &zip->stats[i];
  zip_file_t *file = zip_fopen_index(zip->zip, i, 0);
  zip_int64_t got, had = 0;
  char extra;
  bool ok, before = cul_status_interrupted();
  if (!file)
    return refuse(err, stat->name, zip_strerror(zip->zip));
  cul_buf_reserve(out, stat->size);
  while ((uint64_t)had < stat->size && (before || !cul_status_interrupted()) &&
         (got = zip_fread(file, out->data + out->len,
                          step_of(stat->size - (uint64_t)had))) > 0) {
    had += got;
    out->len += (size_t)got;
  }
  /* The end is read too: only then the checksum is compared. */
  ok = (uint64_t)had == stat->size && zip_fread(file, &extra, 1) == 0;
  ok = zip_fclose(file) == 0 && ok;
  out->data[out->len] = 0;
  if (!ok && !before && cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted while unpacking");
  return ok ? 0 : refuse(err, stat->name, "cut off, or damaged");
}

void cul_zip_close(struct cul_zip *zip) {
  if (!zip)
    return;
  if (zip->zip)
    zip_discard(zip->zip);
  free(zip->stats);
  free(zip);
}
