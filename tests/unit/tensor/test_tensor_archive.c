/* safetensors, PyTorch's archives, raw bytes and directories. */
#include "tensor_helper.h"

#include <stdio.h>
#include <unistd.h>

#include "../../../base/files/file.h"

static const float six[] = {1, 2, 3, 4, 5, 6};

static void make_safetensors(struct cul_buf *out, const char *header) {
  uint64_t len = strlen(header);
  cul_buf_add(out, &len, sizeof len);
  cul_buf_adds(out, header);
  cul_buf_add(out, six, sizeof six);
}

static void test_safetensors(void **state) {
  static const double all[] = {1, 2, 3, 4, 5, 6}, last[] = {5, 6};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  make_safetensors(
      &file,
      "{\"__metadata__\":{\"k\":\"v\"},"
      "\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":"
      "[0,24]},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[16,24]}}");
  read_well(&file, "x.safetensors", NULL, &got);
  assert_int_equal(got.n, 2);
  check_values(cul_tensors_find(&got, "w"), "2x3xf32", all);
  check_values(cul_tensors_find(&got, "b"), "2xf32", last);
  cul_tensors_release(&got);
}

static void test_safetensors_refused(void **state) {
  static const struct {
    const char *entry, *what;
  } rows[] = {
      {"{\"dtype\":\"F32\",\"shape\":[2,4],\"data_offsets\":[0,24]}",
       "cut off: its shape needs 32"},
      {"{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,24]}",
       "more bytes than its shape needs"},
      {"{\"dtype\":\"F32\",\"shape\":[7],\"data_offsets\":[0,28]}",
       "it ends at byte 28"},
      {"{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[24,0]}",
       "not two numbers in ascending order"},
      {"{\"dtype\":\"F32\",\"shape\":[-6],\"data_offsets\":[0,24]}",
       "negative dimension"},
      {"{\"dtype\":\"OBJ\",\"shape\":[6],\"data_offsets\":[0,24]}",
       "type \"OBJ\" is not known"},
      {"{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],"
       "\"data_offsets\":[0,24]}",
       "more than 4 GiB"},
      {"{}", "type \"(none)\""},
  };
  struct cul_buf file = {0};
  char header[200];
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    snprintf(header, sizeof header, "{\"w\":%s}", rows[i].entry);
    make_safetensors(&file, header);
    refused(&file, "x.safetensors", NULL, rows[i].what);
  }
  make_safetensors(&file, "{\"w\":");
  refused(&file, "x.safetensors", NULL, "the header is not a JSON object");
  cul_buf_adds(&file, "\x20\x03");
  refused(&file, "x.safetensors", NULL, "its header is incomplete");
}

/* A pickle in its bytes; the pieces of one tensor stand in these. */
#define PROTO "\x80\x02"
#define TEXT(n, s) "X" n "\0\0\0" s
#define REBUILD "ctorch._utils\n_rebuild_tensor_v2\n"
#define STORAGE(class, key)                                                    \
  "(" TEXT("\7", "storage") "ctorch\n" class "\n" TEXT("\1", key)              \
      TEXT("\3", "cpu") "K\6tQ"
#define ORDERED "ccollections\nOrderedDict\n)R"
/* (storage, offset, sizes, strides, False, {}) */
#define TENSOR(storage, rest) REBUILD "(" storage rest "\x89" ORDERED "tR"
#define WHOLE TENSOR(STORAGE("FloatStorage", "0"), "K\0K\2K\3\x86K\3K\1\x86")

static void make_pt(struct cul_buf *out, const char *pickle, size_t len) {
  const struct cul_bytes data = {(const char *)six, sizeof six};
  make_zip(out,
           (struct member[]){{"archive/data.pkl", {pickle, len}, ZIP_CM_STORE},
                             {"archive/byteorder", {"little", 6}, ZIP_CM_STORE},
                             {"archive/data/0", data, ZIP_CM_STORE}},
           3);
}
#define MAKE_PT(out, pickle) make_pt(out, pickle, sizeof(pickle) - 1)

static void test_pt(void **state) {
  static const double all[] = {1, 2, 3, 4, 5, 6}, turned[] = {2, 5, 3, 6};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  MAKE_PT(&file, PROTO WHOLE ".");
  read_well(&file, "x.pt", NULL, &got);
  check_values(&got.items[0], "2x3xf32", all);
  cul_tensors_release(&got);
  /* A dictionary, memo slots, and a transposed view with an offset. */
  MAKE_PT(&file, PROTO "}q\0(" TEXT("\1", "a") "q\1" WHOLE TEXT("\1", "b")
                     TENSOR(STORAGE("FloatStorage", "0"),
                            "K\1K\2K\2\x86K\1K\3\x86") "u.");
  read_well(&file, "x", NULL, &got);
  assert_int_equal(got.n, 2);
  check_values(cul_tensors_find(&got, "a"), "2x3xf32", all);
  check_values(cul_tensors_find(&got, "b"), "2x2xf32", turned);
  cul_tensors_release(&got);
}

static void test_pt_refused(void **state) {
  struct cul_buf file = {0};
  (void)state;
  MAKE_PT(&file, PROTO "cos\nsystem\n" TEXT("\4", "true") "\x85R.");
  refused(&file, "x.pt", NULL, "pickles are not executed here");
  MAKE_PT(&file, PROTO "cposix\nsystem\n.");
  refused(&file, "x.pt", NULL, "an object that is not a tensor");
  MAKE_PT(&file, PROTO "i__main__\nx\n.");
  refused(&file, "x.pt", NULL, "opcode 0x69");
  MAKE_PT(&file, PROTO WHOLE);
  refused(&file, "x.pt", NULL, "cut off");
  MAKE_PT(&file, PROTO "R.");
  refused(&file, "x.pt", NULL, "empty stack");
  MAKE_PT(&file, PROTO "h\7.");
  refused(&file, "x.pt", NULL, "a memo slot that is empty");
  MAKE_PT(&file, PROTO "]q\0h\0a."); /* a list that holds itself */
  refused(&file, "x.pt", NULL, "contain themselves");
  MAKE_PT(&file,
          PROTO TENSOR(STORAGE("FloatStorage", "1"), "K\0K\6\x85K\1\x85") ".");
  refused(&file, "x.pt", NULL, "storage \"archive/data/1\" is missing");
  MAKE_PT(&file,
          PROTO TENSOR(STORAGE("FloatStorage", "0"), "K\1K\6\x85K\1\x85") ".");
  refused(&file, "x.pt", NULL, "cut off: its shape needs 28");
  MAKE_PT(&file, PROTO TENSOR(STORAGE("FloatStorage", "0"),
                              "K\0J\xff\xff\xff\xff\x85K\1\x85") ".");
  refused(&file, "x.pt", NULL, "negative dimension");
  /* One element, repeated 2^31 times by stride 0. */
  MAKE_PT(&file, PROTO TENSOR(STORAGE("FloatStorage", "0"),
                              "K\0J\0\0\0\x20\x85K\0\x85") ".");
  refused(&file, "x.pt", NULL, "repeat the storages without end");
  MAKE_PT(&file,
          PROTO TENSOR(STORAGE("ThingStorage", "0"), "K\0K\6\x85K\1\x85") ".");
  refused(&file, "x.pt", NULL, "type that is not known");
  cul_buf_add(&file, PROTO "}.", 4);
  refused(&file, "x.pt", NULL, "the older format of torch.save");
}

static void test_every_prefix(void **state) {
  struct cul_buf file = {0};
  (void)state;
  make_safetensors(&file, "{\"w\":{\"dtype\":\"F32\",\"shape\":[6],"
                          "\"data_offsets\":[0,24]}}");
  no_prefix(&file, "x.safetensors");
  cul_buf_clear(&file);
  MAKE_PT(&file, PROTO WHOLE ".");
  no_prefix(&file, "x.pt");
  cul_buf_release(&file);
}

/* The archive of a .pt is no safer than that of an .npz. */
static void test_pt_bomb(void **state) {
  struct cul_buf file = {0};
  uint32_t claimed = 0xfffffff0;
  char *entry;
  (void)state;
  MAKE_PT(&file, PROTO WHOLE ".");
  entry = memmem(file.data, file.len, "PK\1\2", 4);
  assert_non_null(entry);
  memcpy(entry + 24, &claimed, sizeof claimed);
  refused(&file, "x.pt", NULL, "claim to unpack to");
}

static void test_bin(void **state) {
  static const double all[] = {1, 2, 3, 4, 5, 6};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  cul_buf_add(&file, six, sizeof six);
  read_well(&file, "x.bin", "3x2xf32", &got);
  check_values(&got.items[0], "3x2xf32", all);
  cul_tensors_release(&got);
  cul_buf_add(&file, six, sizeof six);
  read_well(&file, "x.bin", "f32", &got);
  check_values(&got.items[0], "6xf32", all);
  cul_tensors_release(&got);
  cul_buf_add(&file, six, sizeof six);
  refused(&file, "x.bin", NULL, "without a shape and a type");
  cul_buf_add(&file, six, sizeof six);
  refused(&file, "x.bin", "3x3xf32", "needs 36 bytes");
  cul_buf_add(&file, six, sizeof six);
  refused(&file, "x.bin", "5xf32", "24 bytes, but the shape needs 20");
  cul_buf_add(&file, six, sizeof six);
  refused(&file, "x.bin", "3xwhat", "not a tensor type");
  cul_buf_add(&file, "\1\2\3\xff", 4);
  refused(&file, "x.what", NULL, "unknown tensor format");
}

static void put(const char *dir, const char *name, const char *text) {
  char path[200];
  struct cul_err err;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  assert_int_equal(cul_file_write(path, text, strlen(text), 0600, &err), 0);
}

static void test_directory(void **state) {
  char dir[] = "/tmp/tensors-XXXXXX";
  struct cul_tensors got = {0};
  struct cul_err err;
  (void)state;
  assert_non_null(mkdtemp(dir));
  assert_int_equal(cul_tensors_load(dir, NULL, &got, &err), CUL_EUSAGE);
  assert_non_null(strstr(err.what, "no tensor file"));
  put(dir, "b.txt", "2xf32=[1 2]\n");
  put(dir, "a.txt", "f32=7\n");
  put(dir, "notes.md", "nothing");
  assert_int_equal(cul_tensors_load(dir, NULL, &got, &err), 0);
  assert_int_equal(got.n, 2);
  assert_string_equal(got.items[0].name, "a");
  assert_string_equal(got.items[1].name, "b");
  cul_tensors_release(&got);
  cul_rmtree(dir);
  assert_int_equal(cul_tensors_load(dir, NULL, &got, &err), CUL_EUSAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_safetensors),
      cmocka_unit_test(test_safetensors_refused),
      cmocka_unit_test(test_pt),
      cmocka_unit_test(test_pt_refused),
      cmocka_unit_test(test_every_prefix),
      cmocka_unit_test(test_pt_bomb),
      cmocka_unit_test(test_bin),
      cmocka_unit_test(test_directory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
