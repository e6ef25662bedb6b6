/* PyTorch's .pt: a zip of a pickle and of raw storages.  The pickle is read as
 * data (pickle.h); of what it would call, only the making of plain tensors is
 * understood. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../status.h"
#include "literal.h"
#include "pickle.h"
#include "zip.h"

enum { MAX_DEPTH = 32, MAX_VISITS = 1 << 20 };
/* Tensors may share a storage, or repeat it with stride 0: what all of them
 * take must stay near what the file holds. */
static const uint64_t spare_bytes = UINT64_C(256) << 20;

struct reader {
  struct cul_zip *zip;
  char *root; /* "archive/" */
  struct cul_pickle pickle;
  struct cul_tensors *out;
  size_t visits;
  uint64_t room; /* bytes that tensors may still take */
  struct cul_err *err;
};

struct view {
  enum cul_dtype dtype;
  struct cul_bytes key;
  uint64_t offset;
  size_t rank;
  uint64_t dims[CUL_TENSOR_MAX_RANK], strides[CUL_TENSOR_MAX_RANK];
};

/* The pickle's place: at the top of one folder, or of the archive. */
static size_t find_pickle(const struct cul_zip *zip) {
  size_t i = 0, n = cul_zip_count(zip);
  while (i < n && !cul_text_ends(cul_zip_name(zip, i), "/data.pkl") &&
         strcmp(cul_zip_name(zip, i), "data.pkl") != 0)
    i++;
  return i;
}

static bool sniff(struct cul_bytes bytes) {
  struct cul_zip *zip = NULL;
  struct cul_err ignored;
  bool found;
  if (!cul_zip_sniff(bytes) || cul_zip_open(bytes, &zip, &ignored) < 0)
    return false;
  found = find_pickle(zip) < cul_zip_count(zip);
  cul_zip_close(zip);
  return found;
}

static int refuse(struct reader *r, const char *what) {
  return cul_fail(r->err, CUL_EUSAGE,
                  "save plain tensors, or lists or dictionaries of them, with "
                  "torch.save, or use safetensors",
                  "%s; pickles are not executed here", what);
}

static const struct cul_pickle_value *value_at(const struct reader *r,
                                               uint32_t at) {
  return &r->pickle.values[at];
}

/* Item i of a list or call, or NULL. */
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

/* torch's storage classes, and its dtypes. */
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
    return refuse(r, "a storage without a type");
  name = memchr(global->text.data, '\n', global->text.len);
  name++; /* a global always holds its line end */
  len = global->text.len - (size_t)(name - global->text.data);
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++)
    if (strlen(rows[i].name) == len && memcmp(rows[i].name, name, len) == 0)
      return *out = rows[i].dtype, 0;
  if (cul_dtype_parse(name, len, out))
    return 0;
  return refuse(r, "a storage of a type that is not known");
}

static int read_storage(struct reader *r, const struct cul_pickle_value *id,
                        struct view *view) {
  const struct cul_pickle_value *tuple =
      is_type(id, CUL_PICKLE_PERSIST) ? item(r, id, 0) : NULL;
  if (!is_type(tuple, CUL_PICKLE_LIST) || tuple->n < 5 ||
      !is_text(item(r, tuple, 0), "storage") ||
      !is_type(item(r, tuple, 2), CUL_PICKLE_TEXT))
    return refuse(r, "a tensor whose storage is not one of torch.save");
  view->key = item(r, tuple, 2)->text;
  return storage_type(r, item(r, tuple, 1), &view->dtype);
}

static int read_sizes(struct reader *r, const struct cul_pickle_value *list,
                      size_t rank, uint64_t *out) {
  if (!is_type(list, CUL_PICKLE_LIST) || list->n != rank)
    return refuse(r, "a tensor without sizes or strides");
  for (size_t d = 0; d < rank; d++) {
    const struct cul_pickle_value *size = item(r, list, d);
    if (!is_type(size, CUL_PICKLE_INT) || size->number < 0)
      return refuse(r, "a tensor with a negative dimension or stride");
    out[d] = (uint64_t)size->number;
  }
  return 0;
}

/* _rebuild_tensor_v2(storage, offset, size, stride, ...); _v3 has the type
 * behind. */
static int read_view(struct reader *r, const struct cul_pickle_value *args,
                     bool v3, struct view *view) {
  const struct cul_pickle_value *offset = item(r, args, 1);
  const struct cul_pickle_value *size = item(r, args, 2);
  *view = (struct view){0};
  if (!is_type(offset, CUL_PICKLE_INT) || offset->number < 0 ||
      !is_type(size, CUL_PICKLE_LIST) || size->n > CUL_TENSOR_MAX_RANK)
    return refuse(r, "a tensor that is not as torch.save writes it");
  view->offset = (uint64_t)offset->number;
  view->rank = size->n;
  if (read_storage(r, item(r, args, 0), view) < 0 ||
      read_sizes(r, size, view->rank, view->dims) < 0 ||
      read_sizes(r, item(r, args, 3), view->rank, view->strides) < 0)
    return r->err->code;
  return v3 ? storage_type(r, item(r, args, 6), &view->dtype) : 0;
}

/* Elements of the storage that the view reaches; UINT64_MAX: too many. */
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
    return refuse(r, "its tensors repeat the storages without end");
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
    return refuse(r, "a call without arguments");
  if (read_view(r, args, v3, &view) < 0)
    return r->err->code;
  path = cul_xasprintf("%sdata/%.*s", r->root,
                       (int)(view.key.len < 80 ? view.key.len : 80),
                       view.key.data);
  i = cul_zip_find(r->zip, path);
  rc = i < cul_zip_count(r->zip)
           ? cul_zip_read(r->zip, i, &data, r->err)
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

/* A member of a list or dictionary: its name is the path to it. */
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

/* Pairs from item `first` on. */
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
      return refuse(r, "a dictionary whose keys are neither text nor numbers");
    rc = visit_member(r, dict->items[i + 1], name, text, depth);
  }
  return rc;
}

static int visit_call(struct reader *r, const struct cul_pickle_value *call,
                      const char *name, int depth) {
  const struct cul_pickle_value *what = item(r, call, 0);
  const struct cul_pickle_value *args = item(r, call, 1);
  if (!is_type(what, CUL_PICKLE_GLOBAL))
    return refuse(r, "a call of something that has no name");
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
    return refuse(r, "values that contain themselves, or too many");
  switch (value->type) {
  case CUL_PICKLE_LIST:
    return visit_list(r, value, name, depth);
  case CUL_PICKLE_DICT:
    return visit_pairs(r, value, 0, name, depth);
  case CUL_PICKLE_CALL:
    return visit_call(r, value, name, depth);
  case CUL_PICKLE_GLOBAL:
  case CUL_PICKLE_PERSIST:
    return refuse(r, "an object that is no tensor");
  default:
    return 0; /* numbers and texts beside the tensors */
  }
}

static int check_order(struct reader *r) {
  char *path = cul_xasprintf("%sbyteorder", r->root);
  size_t i = cul_zip_find(r->zip, path);
  struct cul_buf text = {0};
  int rc = 0;
  if (i < cul_zip_count(r->zip))
    rc = cul_zip_read(r->zip, i, &text, r->err);
  if (rc == 0 && text.len && strncmp(cul_buf_str(&text), "little", 6) != 0)
    rc = refuse(r, "a file of big endian numbers");
  cul_buf_release(&text);
  free(path);
  return rc;
}

static int read_archive(struct reader *r) {
  size_t i = find_pickle(r->zip);
  struct cul_buf text = {0};
  const char *name;
  int rc;
  if (i == cul_zip_count(r->zip))
    return cul_fail(r->err, CUL_EUSAGE,
                    "save it with torch.save of version 1.6 or later",
                    "the archive holds no data.pkl");
  name = cul_zip_name(r->zip, i);
  r->root = cul_xstrndup(name, strlen(name) - strlen("data.pkl"));
  rc = check_order(r);
  if (rc == 0)
    rc = cul_zip_read(r->zip, i, &text, r->err);
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
  if (!cul_zip_sniff(bytes))
    return cul_fail(err, CUL_EUSAGE,
                    "save it with torch.save of version 1.6 or later, or as "
                    "safetensors",
                    "no zip archive: the older format of torch.save is a bare "
                    "pickle, and pickles are not executed here");
  rc = cul_zip_open(bytes, &r.zip, err);
  if (rc == 0)
    rc = read_archive(&r);
  cul_zip_close(r.zip);
  free(r.root);
  return rc;
}

const struct cul_tensor_format cul_tensor_pt = {
    .name = "torch", .ends = ".pt .pth", .sniff = sniff, .read = read_pt};
