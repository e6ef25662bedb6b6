/* .npy and .npz: what NumPy writes, and what is wrong with a file. */
#include "tensor_helper.h"

static const float six[] = {1, 2, 3, 4, 5, 6};

static void npy(struct cul_buf *out, const char *header) {
  make_npy(out, header, six, sizeof six);
}

static void test_plain(void **state) {
  static const double rows[] = {1, 2, 3, 4, 5, 6};
  static const double columns[] = {1, 3, 5, 2, 4, 6};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  npy(&file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n");
  read_well(&file, "x.npy", NULL, &got);
  check_values(&got.items[0], "2x3xf32", rows);
  cul_tensors_release(&got);
  npy(&file, "{'shape': (2, 3L), 'fortran_order': True, 'descr': '<f4'}");
  read_well(&file, "x", NULL, &got); /* the magic is enough */
  check_values(&got.items[0], "2x3xf32", columns);
  cul_tensors_release(&got);
}

static void test_scalar_and_empty(void **state) {
  static const double one[] = {258};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  make_npy(&file, "{'descr': '>i2', 'fortran_order': False, 'shape': (), }",
           "\1\2", 2);
  read_well(&file, "x.npy", NULL, &got);
  check_values(&got.items[0], "si16", one);
  cul_tensors_release(&got);
  make_npy(&file, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9), }",
           "", 0);
  read_well(&file, "x.npy", NULL, &got);
  check_type(&got.items[0], "0x9xf64");
  cul_tensors_release(&got);
}

/* NumPy's view of other bytes as booleans leaves the bytes as they are. */
static void test_booleans(void **state) {
  static const double values[] = {0, 1, 1, 1};
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  make_npy(&file, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }",
           "\0\1\2\377", 4);
  read_well(&file, "x.npy", NULL, &got);
  check_values(&got.items[0], "4xi1", values);
  cul_tensors_release(&got);
}

/* ml_dtypes: without a name the type comes from outside. */
static void test_types(void **state) {
  static const double value[] = {1.5};
  static const char *const bf16 = "\xc0\x3f";
  struct cul_buf file = {0};
  struct cul_tensors got;
  (void)state;
  make_npy(&file, "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }",
           bf16, 2);
  read_well(&file, "x.npy", "bf16", &got);
  check_values(&got.items[0], "1xbf16", value);
  cul_tensors_release(&got);
  make_npy(&file,
           "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (1,), }",
           bf16, 2);
  read_well(&file, "x.npy", NULL, &got);
  check_values(&got.items[0], "1xbf16", value);
  cul_tensors_release(&got);
  make_npy(&file, "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }",
           bf16, 2);
  refused(&file, "x.npy", NULL, "elements of 2 bytes without a type");
}

static void test_refused(void **state) {
  static const struct {
    const char *header, *what;
  } rows[] = {
      {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }",
       "Python objects"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }",
       "structured dtype"},
      {"{'descr': '<U4', 'fortran_order': False, 'shape': (6,), }",
       "'<U4' is not a number type"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 3), }",
       "negative dimension"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }",
       "cut off: its shape needs 32 bytes of data, and there are 24"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
       "24 bytes of data, but its shape has 16"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': "
       "(4294967296, 4294967296), }",
       "more than 4 GiB"},
      {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (6,), }",
       "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, }", "lacks descr"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (6,",
       "shape contains something"},
      {"{'descr': '<f4', 'what': 3, 'shape': (6,), }",
       "is unknown or repeated"},
      {"import os", "not a dictionary"},
  };
  struct cul_buf file = {0};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(rows); i++) {
    npy(&file, rows[i].header);
    refused(&file, "x.npy", NULL, rows[i].what);
  }
}

static void test_wrong_magic(void **state) {
  struct cul_buf file = {0};
  (void)state;
  npy(&file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  file.data[1] = 'X';
  refused(&file, "x.npy", NULL, "the magic of .npy is missing");
  npy(&file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  file.data[6] = 9;
  refused(&file, "x.npy", NULL, "an unknown version of .npy");
  npy(&file, "{}");
  file.len = 11;
  refused(&file, "x.npy", NULL, "cut off in the header");
  cul_buf_adds(&file, "just words");
  refused(&file, "x.npy", NULL, "cut off in the header");
}

/* What is written is read again, every type. */
static void test_written(void **state) {
  static const uint64_t dims[] = {2, 3};
  (void)state;
  for (int d = 0; d < CUL_N_DTYPES; d++) {
    struct cul_tensors made = {0}, got;
    struct cul_tensor *tensor;
    struct cul_buf file = {0};
    struct cul_err err;
    assert_int_equal(
        cul_tensors_add(&made, "", (enum cul_dtype)d, 2, dims, &tensor, &err),
        0);
    for (uint64_t i = 0; i < 6; i++)
      cul_tensor_set(tensor, i, 0, i % 2);
    cul_tensor_write_npy(tensor, &file);
    assert_int_equal(file.len % 2, 0);
    read_well(&file, "x.npy", NULL, &got);
    assert_memory_equal(got.items[0].data, tensor->data,
                        6 * cul_dtype_info((enum cul_dtype)d)->size);
    cul_tensors_release(&got);
    cul_tensors_release(&made);
  }
}

static void add_member(struct cul_buf *npy_file, const char *shape) {
  char header[100];
  snprintf(header, sizeof header,
           "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
  npy(npy_file, header);
}

static void test_npz(void **state) {
  static const double rows[] = {1, 2, 3, 4, 5, 6};
  struct cul_buf a = {0}, b = {0}, file = {0};
  struct cul_tensors got;
  (void)state;
  add_member(&a, "(6,)");
  add_member(&b, "(3, 2)");
  make_zip(&file,
           (struct member[]){{"a.npy", cul_buf_bytes(&a), ZIP_CM_STORE},
                             {"b.npy", cul_buf_bytes(&b), ZIP_CM_DEFLATE}},
           2);
  read_well(&file, "x.npz", NULL, &got);
  assert_int_equal(got.n, 2);
  check_values(cul_tensors_find(&got, "a"), "6xf32", rows);
  check_values(cul_tensors_find(&got, "b"), "3x2xf32", rows);
  cul_tensors_release(&got);
  make_zip(&file,
           (struct member[]){{"a.npy", cul_buf_bytes(&a), ZIP_CM_STORE},
                             {"b.txt", cul_buf_bytes(&b), ZIP_CM_STORE}},
           2);
  refused(&file, "x.npz", NULL, "\"b.txt\" is not a .npy file");
  cul_buf_release(&a);
  cul_buf_release(&b);
}

static void test_every_prefix(void **state) {
  struct cul_buf file = {0}, member = {0};
  (void)state;
  npy(&file, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  no_prefix(&file, "x.npy");
  cul_buf_clear(&file);
  add_member(&member, "(6,)");
  make_zip(&file,
           (struct member[]){{"a.npy", cul_buf_bytes(&member), ZIP_CM_DEFLATE}},
           1);
  no_prefix(&file, "x.npz");
  cul_buf_release(&member);
  cul_buf_release(&file);
}

static void test_npz_refused(void **state) {
  struct cul_buf a = {0}, zeros = {0}, file = {0};
  (void)state;
  add_member(&a, "(6,)");
  make_zip(&file, (struct member[]){{"a.npy", cul_buf_bytes(&a), ZIP_CM_STORE}},
           1);
  file.data[60] ^= 1; /* within the data: the checksum says so */
  refused(&file, "x.npz", NULL, "cut off, or damaged");
  make_zip(&file, (struct member[]){{"a.npy", cul_buf_bytes(&a), ZIP_CM_STORE}},
           1);
  file.len -= 30;
  refused(&file, "x.npz", NULL, "the archive");
  cul_buf_add(&file, "PK\3\4 what", 9);
  refused(&file, "x.npz", NULL, "the archive");
  cul_buf_add(&file, "PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
  refused(&file, "x.npz", NULL, "it contains no tensor");
  cul_buf_adds(&file, "no archive");
  refused(&file, "x.npz", NULL, "the archive");
  cul_buf_release(&zeros);
  cul_buf_release(&a);
}

/* The directory says that a member of a few bytes unpacks to many. */
static void test_bomb(void **state) {
  struct cul_buf a = {0}, file = {0};
  uint32_t claimed = 0xfffffff0;
  char *entry;
  (void)state;
  add_member(&a, "(6,)");
  make_zip(&file,
           (struct member[]){{"a.npy", cul_buf_bytes(&a), ZIP_CM_DEFLATE}}, 1);
  entry = memmem(file.data, file.len, "PK\1\2", 4);
  assert_non_null(entry);
  memcpy(entry + 24, &claimed, sizeof claimed);
  refused(&file, "x.npz", NULL, "claim to unpack to 4294967280");
  cul_buf_release(&a);
}

/* The shape as NumPy writes it, for readers that take no other blanks. */
static void test_shape_written(void **state) {
  static const struct {
    size_t rank;
    uint64_t dims[3];
    const char *shape;
  } cases[] = {{0, {0}, "'shape': (), }"},
               {1, {6}, "'shape': (6,), }"},
               {2, {2, 3}, "'shape': (2, 3), }"},
               {3, {1, 2, 3}, "'shape': (1, 2, 3), }"}};
  (void)state;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(cases); i++) {
    struct cul_tensors made = {0};
    struct cul_tensor *tensor;
    struct cul_buf file = {0};
    struct cul_err err;
    assert_int_equal(cul_tensors_add(&made, "", CUL_F32, cases[i].rank,
                                     cases[i].dims, &tensor, &err),
                     0);
    cul_tensor_write_npy(tensor, &file);
    assert_non_null(
        memmem(file.data, file.len, cases[i].shape, strlen(cases[i].shape)));
    cul_buf_release(&file);
    cul_tensors_release(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_booleans),
      cmocka_unit_test(test_wrong_magic),
      cmocka_unit_test(test_written),
      cmocka_unit_test(test_every_prefix),
      cmocka_unit_test(test_npz),
      cmocka_unit_test(test_npz_refused),
      cmocka_unit_test(test_bomb),
      cmocka_unit_test(test_scalar_and_empty),
      cmocka_unit_test(test_shape_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
