/* Detects the format of a file, and reads files and directories of tensors. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../files/file.h"
#include "tensor.h"

#define FORMAT(name) extern const struct cul_tensor_format cul_tensor_##name;
#include "list.h"
#undef FORMAT

const struct cul_tensor_format *const cul_tensor_formats[] = {
#define FORMAT(name) &cul_tensor_##name,
#include "list.h"
#undef FORMAT
    NULL,
};

/* The length of the suffix of name that belongs to the format, or 0. */
static size_t end_of(const struct cul_tensor_format *format, const char *name) {
  size_t len = strlen(name);
  for (const char *at = format->ends; *at;) {
    size_t n = strcspn(at, " ");
    if (len > n && strncasecmp(name + len - n, at, n) == 0)
      return n;
    at += n + (at[n] == ' ');
  }
  return 0;
}

static const struct cul_tensor_format *by_name(const char *name, size_t *end) {
  for (size_t i = 0; cul_tensor_formats[i]; i++)
    if ((*end = end_of(cul_tensor_formats[i], name)))
      return cul_tensor_formats[i];
  return NULL;
}

bool cul_tensors_knows(const char *name) {
  size_t end;
  return by_name(name, &end) != NULL;
}

/* Choose by magic bytes if the format has any, else by name. */
static const struct cul_tensor_format *choose(struct cul_bytes bytes,
                                              const char *name) {
  size_t end;
  const struct cul_tensor_format *named = by_name(name, &end);
  const struct cul_tensor_format *const *at = cul_tensor_formats;
  if (named && !named->sniff)
    return named; /* raw bytes may start with any magic */
  while (*at && !((*at)->sniff && (*at)->sniff(bytes)))
    at++;
  return *at && !(named && (*at)->weak) ? *at : named;
}

int cul_tensors_parse(struct cul_bytes bytes, const char *name,
                      const struct cul_tensor_hint *hint,
                      struct cul_tensors *out, struct cul_err *err) {
  static const struct cul_tensor_hint none;
  const struct cul_tensor_format *format = choose(bytes, name);
  struct cul_tensors read = {0};
  int rc;
  if (!format)
    return cul_fail(err, CUL_EUSAGE,
                    "give npy, npz, safetensors, pt, IREE's text or a memref "
                    "print; raw bytes as NAME.bin with --type 2x3xf32",
                    "%s: unknown tensor format", name);
  rc = format->read(bytes, hint ? hint : &none, &read, err);
  if (rc < 0) {
    cul_tensors_release(&read);
    return cul_fail_in(err, "%s (%s)", name, format->name);
  }
  if (read.n == 0) {
    cul_tensors_release(&read);
    return cul_fail(err, CUL_EUSAGE, "was it written to its end?",
                    "%s (%s): it contains no tensor", name, format->name);
  }
  cul_tensors_move(out, &read, "");
  return 0;
}

static int load_file(const char *path, const struct cul_tensor_hint *hint,
                     struct cul_tensors *out, struct cul_err *err) {
  struct cul_buf text = {0};
  int rc = cul_file_read(path, CUL_TENSOR_MAX_BYTES, &text, err);
  if (rc == 0)
    rc = cul_tensors_parse(cul_buf_bytes(&text), path, hint, out, err);
  cul_buf_release(&text);
  return rc;
}

static int load_entry(const char *dir, const char *name,
                      const struct cul_tensor_hint *hint,
                      struct cul_tensors *out, struct cul_err *err) {
  struct cul_tensors read = {0};
  size_t end;
  char *path, *stem;
  int rc;
  if (name[0] == '.' || !by_name(name, &end))
    return 0;
  path = cul_xasprintf("%s/%s", dir, name);
  stem = cul_xstrndup(name, strlen(name) - end);
  rc = load_file(path, hint, &read, err);
  cul_tensors_move(out, &read, stem);
  free(stem);
  free(path);
  return rc;
}

static int load_dir(const char *dir, const struct cul_tensor_hint *hint,
                    struct cul_tensors *out, struct cul_err *err) {
  struct dirent **entries = NULL;
  int rc = 0, n = scandir(dir, &entries, NULL, alphasort);
  if (n < 0)
    return cul_fail(err, CUL_EUSAGE, "may you read it?", "%s: cannot list it",
                    dir);
  for (int i = 0; i < n; i++) {
    if (rc == 0)
      rc = load_entry(dir, entries[i]->d_name, hint, out, err);
    free(entries[i]);
  }
  free(entries);
  return rc;
}

int cul_tensors_load(const char *path, const struct cul_tensor_hint *hint,
                     struct cul_tensors *out, struct cul_err *err) {
  struct stat st;
  size_t before = out->n;
  int rc;
  if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
    return load_file(path, hint, out, err);
  rc = load_dir(path, hint, out, err);
  if (rc == 0 && out->n == before)
    rc = cul_fail(err, CUL_EUSAGE,
                  "name them *.npy, .npz, .safetensors, .pt, .bin or .txt",
                  "%s: no tensor file in this directory", path);
  return rc;
}
