/* Tests of reducer/finish/plain_llvm.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../reducer/finish/plain_llvm.h"

static void expect(const char *text, const char *plain) {
  CUL_OWNED(cul_buf) out = {0};
  cul_plain_llvm((struct cul_bytes){text, strlen(text)}, &out);
  assert_string_equal(cul_buf_str(&out), plain);
}

static void empty_lines_and_comments_go(void **state) {
  (void)state;
  expect("", "");
  expect("\n ; a comment\n\t\n@g = global i32 0 ; behind it\n",
         "@g = global i32 0\n");
  expect("1:       ; preds = %0, %0\n", "1:\n");
  expect("@s = global [3 x i8] c\" ; \" ; text\n",
         "@s = global [3 x i8] c\" ; \"\n");
  expect("\n@g = global i32 0", "@g = global i32 0");
}

static void intrinsics_know_their_attributes(void **state) {
  (void)state;
  expect("declare i32 @llvm.x(i32) #0\n\nattributes #0 = { nounwind }\n",
         "declare i32 @llvm.x(i32)\n");
  expect("declare i32 @x(i32) #0\nattributes #0 = { nounwind }\n",
         "declare i32 @x(i32) #0\nattributes #0 = { nounwind }\n");
  expect("declare i32 @\"llvm.x\"(i32) #0\nattributes #0 = { cold }\n",
         "declare i32 @\"llvm.x\"(i32) #0\nattributes #0 = { cold }\n");
}

static void used_groups_stay(void **state) {
  (void)state;
  expect("define void @f() #1 {\n  call void @llvm.y() #2\n  ret void\n}\n"
         "declare void @llvm.y() #10\n"
         "attributes #1 = { cold }\nattributes #2 = { hot }\n"
         "attributes #10 = { nounwind }\n",
         "define void @f() #1 {\n  call void @llvm.y() #2\n  ret void\n}\n"
         "declare void @llvm.y()\n"
         "attributes #1 = { cold }\nattributes #2 = { hot }\n");
}

static void strings_refer_to_nothing(void **state) {
  (void)state;
  expect("@s = global [3 x i8] c\" #0\"\ndeclare void @llvm.y() #0\n"
         "attributes #0 = { nounwind }\n",
         "@s = global [3 x i8] c\" #0\"\ndeclare void @llvm.y()\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty_lines_and_comments_go),
      cmocka_unit_test(intrinsics_know_their_attributes),
      cmocka_unit_test(used_groups_stay),
      cmocka_unit_test(strings_refer_to_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
