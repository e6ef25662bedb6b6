/* Arrays in zip archives: NumPy's .npz, one .npy file per array; and torch's
 * .pt, a pickle together with the bytes of its tensors. */
#include "../buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "../status.h"
#include "literal.h"
#include "pickle.h"
#include "tensor.h"

/* ---- zip ---- */

enum { MOST_OF_DEFLATE = 1032 }; /* output bytes per input byte */

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
                  "is possible, or than the limit",
                  len, (unsigned long long)total);
}

static bool archive_sniff(struct cul_bytes bytes) {
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

static void archive_close(struct cul_zip *zip);

/* bytes are borrowed until archive_close. Errors: EUSAGE. */
static int archive_open(struct cul_bytes bytes, struct cul_zip **out,
                        struct cul_err *err) {
  struct cul_zip *zip = cul_xcalloc(1, sizeof *zip);
  zip_error_t why;
  zip_source_t *source;
  zip_int64_t n;
  int rc = 0;
  if (bytes.len == 0) { /* libzip would create an archive */
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
    archive_close(zip);
  else
    *out = zip;
  return rc;
}

static size_t zip_count(const struct cul_zip *zip) { return zip->n; }

static const char *archive_name(const struct cul_zip *zip, size_t i) {
  return zip->stats[i].name;
}

/* The index of the member with that name, or the number of members. */
static size_t zip_find(const struct cul_zip *zip, const char *name) {
  size_t i = 0;
  while (i < zip->n && strcmp(zip->stats[i].name, name) != 0)
    i++;
  return i;
}

/* The size of one step: the user may ask to end between steps. */
static zip_uint64_t step_of(uint64_t left) {
  enum { STEP = 4 << 20 };
  return left < STEP ? left : STEP;
}

/* Append the member's bytes, uncompressed and verified. Errors: EUSAGE; EINTR:
 * the user asked to end. */
static int zip_read(struct cul_zip *zip, size_t i, struct cul_buf *out,
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
  /* Read past the end: only then libzip compares the checksum. */
  ok = (uint64_t)had == stat->size && zip_fread(file, &extra, 1) == 0;
  ok = zip_fclose(file) == 0 && ok;
  out->data[out->len] = 0;
  if (!ok && !before && cul_status_interrupted())
    return cul_fail(err, CUL_EINTR, "", "interrupted while unpacking");
  return ok ? 0 : refuse(err, stat->name, "cut off, or damaged");
}

static void archive_close(struct cul_zip *zip) {
  if (!zip)
    return;
  if (zip->zip)
    zip_discard(zip->zip);
  free(zip->stats);
  free(zip);
}

/* ---- npz ---- */

extern const struct cul_tensor_format cul_tensor_npy;

/* The length of name without ".npy"; 0: it does not end so. */
static size_t stem_of(const char *name) {
  size_t len = strlen(name);
  return len > 4 && strcmp(name + len - 4, ".npy") == 0 ? len - 4 : 0;
}

static bool sniff(struct cul_bytes bytes) {
  struct cul_zip *zip = NULL;
  struct cul_err ignored;
  bool found = false;
  if (!archive_sniff(bytes) || archive_open(bytes, &zip, &ignored) < 0)
    return false;
  for (size_t i = 0; i < zip_count(zip) && !found; i++)
    found = stem_of(archive_name(zip, i)) > 0;
  archive_close(zip);
  return found;
}

static int read_member(struct cul_zip *zip, size_t i,
                       const struct cul_tensor_hint *hint,
                       struct cul_tensors *out, struct cul_err *err) {
  const char *name = archive_name(zip, i);
  struct cul_tensors read = {0};
  struct cul_buf bytes = {0};
  char *stem;
  int rc;
  if (!stem_of(name))
    return cul_fail(err, CUL_EUSAGE, "write it again with numpy.savez",
                    "member \"%.80s\" is not a .npy file", name);
  stem = cul_xstrndup(name, stem_of(name));
  rc = zip_read(zip, i, &bytes, err);
  if (rc == 0)
    rc = cul_tensor_npy.read(cul_buf_bytes(&bytes), hint, &read, err);
  if (rc < 0)
    cul_fail_in(err, "array \"%.80s\"", stem);
  if (rc == 0 && cul_tensors_find(out, stem))
    rc = cul_fail(err, CUL_EUSAGE, "write it again with numpy.savez",
                  "array \"%.80s\" occurs twice", stem);
  cul_tensors_move(out, &read, stem);
  cul_buf_release(&bytes);
  free(stem);
  return rc;
}

static int read_npz(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                    struct cul_tensors *out, struct cul_err *err) {
  struct cul_zip *zip = NULL;
  int rc = archive_open(bytes, &zip, err);
  for (size_t i = 0; rc == 0 && i < zip_count(zip); i++)
    rc = read_member(zip, i, hint, out, err);
  archive_close(zip);
  return rc;
}

const struct cul_tensor_format cul_tensor_npz = {
    .name = "npz", .ends = ".npz", .sniff = sniff, .read = read_npz};

/* ---- pt ---- */

/* PyTorch's .pt is a zip of a pickle and raw storages. The pickle is read as
 * data (pickle.h); of the calls in it, only those that create plain tensors are
 * understood. */

enum { MAX_DEPTH = 32, MAX_VISITS = 1 << 20 };
/* Tensors may share a storage, or repeat it with stride 0. All of them together
 * may use the bytes of the file plus this. */
static const uint64_t spare_bytes = UINT64_C(256) << 20;

struct reader {
  struct cul_zip *zip;
  char *root; /* the folder in the archive: "archive/" */
  struct cul_pickle pickle;
  struct cul_tensors *out;
  size_t visits;
  uint64_t room; /* bytes that further tensors may use */
  struct cul_err *err;
};

struct view {
  enum cul_dtype dtype;
  struct cul_bytes key;
  uint64_t offset;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK], strides[CUL_TENSOR_MAX_RANK];
};

/* Find the pickle: at the top of a folder or of the archive. */
static size_t find_pickle(const struct cul_zip *zip) {
  size_t i = 0, n = zip_count(zip);
  while (i < n && !cul_text_ends(archive_name(zip, i), "/data.pkl") &&
         strcmp(archive_name(zip, i), "data.pkl") != 0)
    i++;
  return i;
}

static bool pt_sniff(struct cul_bytes bytes) {
  struct cul_zip *zip = NULL;
  struct cul_err ignored;
  bool found;
  if (!archive_sniff(bytes) || archive_open(bytes, &zip, &ignored) < 0)
    return false;
  found = find_pickle(zip) < zip_count(zip);
  archive_close(zip);
  return found;
}

static int pt_refuse(struct reader *r, const char *what) {
  return cul_fail(r->err, CUL_EUSAGE,
                  "save plain tensors, or lists or dictionaries of them, with "
                  "torch.save, or use safetensors",
                  "%s; pickles are not executed here", what);
}

static const struct cul_pickle_value *value_at(const struct reader *r,
                                               uint32_t at) {
  return &r->pickle.values[at];
}

/* Item i of a list or call; NULL: it has fewer. */
static const struct cul_pickle_value *
item(const struct reader *r, const struct cul_pickle_value *value, size_t i) {
  return i < value->n ? value_at(r, value->items[i]) : NULL;
}

static bool is_type(const struct cul_pickle_value *value,
                    enum cul_pickle_type type) {
  return value && value->type == type;
}

static bool is_text(const struct cul_pickle_value *value, const char *text) {
  return value && value->text.len == strlen(text) &&
         memcmp(value->text.data, text, value->text.len) == 0;
}

/* The element type of a storage class of torch, or of a torch dtype. */
static int storage_type(struct reader *r, const struct cul_pickle_value *global,
                        enum cul_dtype *out) {
  static const struct {
    const char *name;
    enum cul_dtype dtype;
  } rows[] = {
      {"DoubleStorage", CUL_F64},       {"FloatStorage", CUL_F32},
      {"HalfStorage", CUL_F16},         {"BFloat16Storage", CUL_BF16},
      {"LongStorage", CUL_SI64},        {"IntStorage", CUL_SI32},
      {"ShortStorage", CUL_SI16},       {"CharStorage", CUL_SI8},
      {"ByteStorage", CUL_UI8},         {"BoolStorage", CUL_I1},
      {"ComplexFloatStorage", CUL_C64}, {"ComplexDoubleStorage", CUL_C128},
      {"UntypedStorage", CUL_UI8}};
  const char *name;
  size_t len;
  if (!is_type(global, CUL_PICKLE_GLOBAL))
    return pt_refuse(r, "a storage without a type");
  name = memchr(global->text.data, '\n', global->text.len);
  name++; /* a global always contains its newline */
  len = global->text.len - (size_t)(name - global->text.data);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++)
    if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
      return *out = rows[i].dtype, 0;
  if (cul_dtype_parse(name, len, out))
    return 0;
  return pt_refuse(r, "a storage of a type that is not known");
}

static int read_storage(struct reader *r, const struct cul_pickle_value *id,
                        struct view *view) {
  const struct cul_pickle_value *tuple =
      is_type(id, CUL_PICKLE_PERSIST) ? item(r, id, 0) : NULL;
  if (!is_type(tuple, CUL_PICKLE_LIST) || tuple->n < 5 ||
      !is_text(item(r, tuple, 0), "storage") ||
      !is_type(item(r, tuple, 2), CUL_PICKLE_TEXT))
    return pt_refuse(r, "a tensor whose storage is not one of torch.save");
  view->key = item(r, tuple, 2)->text;
  return storage_type(r, item(r, tuple, 1), &view->dtype);
}

static int read_sizes(struct reader *r, const struct cul_pickle_value *list,
                      size_t rank, uint64_t *out) {
  if (!is_type(list, CUL_PICKLE_LIST) || list->n != rank)
    return pt_refuse(r, "a tensor without sizes or strides");
  for (size_t d = 0; d < rank; d++) {
    const struct cul_pickle_value *size = item(r, list, d);
    if (!is_type(size, CUL_PICKLE_INT) || size->number < 0)
      return pt_refuse(r, "a tensor has a negative dimension or stride");
    out[d] = (uint64_t)size->number;
  }
  return 0;
}

/* The arguments of _rebuild_tensor_v2(storage, offset, size, stride, ...);
 * those of _v3 end with the type. */
static int read_view(struct reader *r, const struct cul_pickle_value *args,
                     bool v3, struct view *view) {
  const struct cul_pickle_value *offset = item(r, args, 1);
  const struct cul_pickle_value *size = item(r, args, 2);
  *view = (struct view){0};
  if (!is_type(offset, CUL_PICKLE_INT) || offset->number < 0 ||
      !is_type(size, CUL_PICKLE_LIST) || size->n > CUL_TENSOR_MAX_RANK)
    return pt_refuse(r, "a tensor that is not as torch.save writes it");
  view->offset = (uint64_t)offset->number;
  view->rank = size->n;
  if (read_storage(r, item(r, args, 0), view) < 0 ||
      read_sizes(r, size, view->rank, view->dims) < 0 ||
      read_sizes(r, item(r, args, 3), view->rank, view->strides) < 0)
    return r->err->code;
  return v3 ? storage_type(r, item(r, args, 6), &view->dtype) : 0;
}

/* The number of storage elements that the view spans; UINT64_MAX: too many. */
static uint64_t reach_of(const struct view *view) {
  uint64_t last = view->offset, step;
  for (size_t d = 0; d < view->rank; d++) {
    if (view->dims[d] == 0)
      return 0;
    if (__builtin_mul_overflow(view->dims[d] - 1, view->strides[d], &step) ||
        __builtin_add_overflow(last, step, &last))
      return UINT64_MAX;
  }
  return last == UINT64_MAX ? last : last + 1;
}

static void copy_view(const struct view *view, const char *data,
                      struct cul_tensor *tensor) {
  uint64_t index[CUL_TENSOR_MAX_RANK];
  size_t size = cul_dtype_info(view->dtype)->size;
  for (uint64_t i = 0; i < tensor->n; i++) {
    cul_status_pass(i);
    uint64_t at = view->offset;
    cul_tensor_index(tensor, i, index);
    for (size_t d = 0; d < view->rank; d++)
      at += index[d] * view->strides[d];
    memcpy(tensor->data + i * size, data + at * size, size);
  }
}

static int fill(struct reader *r, const struct view *view, const char *name,
                struct cul_bytes data) {
  uint64_t reach = reach_of(view), need, bytes;
  struct cul_tensor *tensor;
  if (cul_tensor_room(view->dtype, 1, &reach, data.len, &need, r->err) < 0)
    return cul_fail_in(r->err, "tensor \"%.80s\"", name);
  if (cul_tensor_room(view->dtype, view->rank, view->dims, UINT64_MAX, &bytes,
                      r->err) < 0)
    return r->err->code;
  if (bytes > r->room)
    return pt_refuse(r, "its tensors repeat the storages without end");
  r->room -= bytes;
  if (cul_tensors_add(r->out, name, view->dtype, view->rank, view->dims,
                      &tensor, r->err) < 0)
    return r->err->code;
  copy_view(view, data.data, tensor);
  return 0;
}

static int add_tensor(struct reader *r, const struct cul_pickle_value *args,
                      bool v3, const char *name) {
  struct cul_buf data = {0};
  struct view view;
  char *path;
  size_t i;
  int rc;
  if (!is_type(args, CUL_PICKLE_LIST))
    return pt_refuse(r, "a call without arguments");
  if (read_view(r, args, v3, &view) < 0)
    return r->err->code;
  path = cul_xasprintf("%sdata/%.*s", r->root,
                       (int)(view.key.len < 80 ? view.key.len : 80),
                       view.key.data);
  i = zip_find(r->zip, path);
  rc = i < zip_count(r->zip)
           ? zip_read(r->zip, i, &data, r->err)
           : cul_fail(r->err, CUL_EUSAGE, "was it copied whole?",
                      "tensor \"%.80s\": its storage \"%.120s\" is missing",
                      name, path);
  if (rc == 0)
    rc = fill(r, &view, name, cul_buf_bytes(&data));
  cul_buf_release(&data);
  free(path);
  return rc;
}

static int visit(struct reader *r, uint32_t at, const char *name, int depth);

/* Visit a member of a list or dictionary; its name is the path to it. */
static int visit_member(struct reader *r, uint32_t at, const char *outer,
                        struct cul_bytes key, int depth) {
  char *name = cul_xasprintf("%.200s%s%.*s", outer, *outer ? "." : "",
                             (int)(key.len < 200 ? key.len : 200), key.data);
  int rc = visit(r, at, name, depth + 1);
  free(name);
  return rc;
}

static int visit_list(struct reader *r, const struct cul_pickle_value *list,
                      const char *name, int depth) {
  int rc = 0;
  for (size_t i = 0; i < list->n && rc == 0; i++) {
    char number[24];
    struct cul_bytes key = {number, 0};
    key.len = (size_t)snprintf(number, sizeof number, "%zu", i);
    rc = visit_member(r, list->items[i], name, key, depth);
  }
  return rc;
}

/* Visit the pairs from item `first` on. */
static int visit_pairs(struct reader *r, const struct cul_pickle_value *dict,
                       size_t first, const char *name, int depth) {
  int rc = 0;
  for (size_t i = first; i + 1 < dict->n && rc == 0; i += 2) {
    const struct cul_pickle_value *key = value_at(r, dict->items[i]);
    char number[24];
    struct cul_bytes text = key->text;
    if (key->type == CUL_PICKLE_INT)
      text = (struct cul_bytes){number,
                                (size_t)snprintf(number, sizeof number, "%lld",
                                                 (long long)key->number)};
    else if (key->type != CUL_PICKLE_TEXT)
      return pt_refuse(r,
                       "a dictionary whose keys are neither text nor numbers");
    rc = visit_member(r, dict->items[i + 1], name, text, depth);
  }
  return rc;
}

static int visit_call(struct reader *r, const struct cul_pickle_value *call,
                      const char *name, int depth) {
  const struct cul_pickle_value *what = item(r, call, 0);
  const struct cul_pickle_value *args = item(r, call, 1);
  if (!is_type(what, CUL_PICKLE_GLOBAL))
    return pt_refuse(r, "a call of something that has no name");
  if (is_text(what, "torch._utils\n_rebuild_tensor_v2"))
    return add_tensor(r, args, false, name);
  if (is_text(what, "torch._utils\n_rebuild_tensor_v3"))
    return add_tensor(r, args, true, name);
  if (is_text(what, "torch._utils\n_rebuild_parameter") && args && args->n)
    return visit(r, args->items[0], name, depth + 1);
  if (is_text(what, "collections\nOrderedDict"))
    return visit_pairs(r, call, 2, name, depth);
  return cul_fail(r->err, CUL_EUSAGE,
                  "save plain tensors, or lists or dictionaries of them, with "
                  "torch.save, or use safetensors",
                  "it calls %.*s, and pickles are not executed here",
                  (int)(what->text.len < 80 ? what->text.len : 80),
                  what->text.data);
}

static int visit(struct reader *r, uint32_t at, const char *name, int depth) {
  const struct cul_pickle_value *value = value_at(r, at);
  if (depth > MAX_DEPTH || ++r->visits > MAX_VISITS)
    return pt_refuse(r, "values that contain themselves, or too many");
  switch (value->type) {
  case CUL_PICKLE_LIST:
    return visit_list(r, value, name, depth);
  case CUL_PICKLE_DICT:
    return visit_pairs(r, value, 0, name, depth);
  case CUL_PICKLE_CALL:
    return visit_call(r, value, name, depth);
  case CUL_PICKLE_GLOBAL:
  case CUL_PICKLE_PERSIST:
    return pt_refuse(r, "an object that is not a tensor");
  default:
    return 0; /* ignore numbers and texts beside the tensors */
  }
}

static int check_order(struct reader *r) {
  char *path = cul_xasprintf("%sbyteorder", r->root);
  size_t i = zip_find(r->zip, path);
  struct cul_buf text = {0};
  int rc = 0;
  if (i < zip_count(r->zip))
    rc = zip_read(r->zip, i, &text, r->err);
  if (rc == 0 && text.len && strncmp(cul_buf_str(&text), "little", 6) != 0)
    rc = pt_refuse(r, "a file of big endian numbers");
  cul_buf_release(&text);
  free(path);
  return rc;
}

static int read_archive(struct reader *r) {
  size_t i = find_pickle(r->zip);
  struct cul_buf text = {0};
  const char *name;
  int rc;
  if (i == zip_count(r->zip))
    return cul_fail(r->err, CUL_EUSAGE,
                    "save it with torch.save of version 1.6 or later",
                    "the archive holds no data.pkl");
  name = archive_name(r->zip, i);
  r->root = cul_xstrndup(name, strlen(name) - strlen("data.pkl"));
  rc = check_order(r);
  if (rc == 0)
    rc = zip_read(r->zip, i, &text, r->err);
  if (rc == 0)
    rc = cul_pickle_read(cul_buf_bytes(&text), &r->pickle, r->err);
  if (rc == 0)
    rc = visit(r, r->pickle.root, "", 0);
  cul_pickle_release(&r->pickle);
  cul_buf_release(&text);
  return rc;
}

static int read_pt(struct cul_bytes bytes, const struct cul_tensor_hint *hint,
                   struct cul_tensors *out, struct cul_err *err) {
  struct reader r = {
      .out = out, .err = err, .room = spare_bytes + 2 * (uint64_t)bytes.len};
  int rc;
  (void)hint;
  if (!archive_sniff(bytes))
    return cul_fail(err, CUL_EUSAGE,
                    "save it with torch.save of version 1.6 or later, or as "
                    "safetensors",
                    "not a zip archive: the older format of torch.save is a "
                    "bare pickle, and pickles are not executed here");
  rc = archive_open(bytes, &r.zip, err);
  if (rc == 0)
    rc = read_archive(&r);
  archive_close(r.zip);
  free(r.root);
  return rc;
}

const struct cul_tensor_format cul_tensor_pt = {
    .name = "torch", .ends = ".pt .pth", .sniff = pt_sniff, .read = read_pt};
