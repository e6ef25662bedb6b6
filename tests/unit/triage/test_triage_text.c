/* Logs as they come: encodings, colours, damage, packed data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../../../triage/text/clean.h"
#include "../../../triage/text/damage.h"
#include "../../../triage/text/unpack.h"

#define BYTES(text) ((struct cul_bytes){text, sizeof text - 1})

static const char *damage_of(struct cul_bytes text) {
  size_t at;
  return cul_damage(text, &at);
}

static void assert_clean(struct cul_bytes raw, const char *want) {
  struct cul_buf out = {0};
  cul_clean(raw, &out);
  assert_string_equal(cul_buf_str(&out), want);
  cul_buf_release(&out);
}

static void colours_and_returns_go(void **state) {
  (void)state;
  assert_clean(BYTES("\x1b[0;31merror:\x1b[0m a\r\nb\rc\n"),
               "error: a\nb\nc\n");
  assert_clean(BYTES("\x1b]0;title\aa\x1b]8;;u\x1b\\b\x1b(Bc"), "abc");
  assert_clean(BYTES("\x1b_bk;t=17\aa\nb\x01\x02"
                     "c"),
               "a\nbc");
  assert_clean(BYTES("cut \x1b[31"), "cut ");
  assert_clean(BYTES(""), "");
}

static void encodings_become_utf8(void **state) {
  (void)state;
  assert_clean(BYTES("\xef\xbb\xbf"
                     "caf\xc3\xa9 caf\xe9"),
               "caf\xc3\xa9 caf\xc3\xa9");
  assert_clean(BYTES("#\xe2\x80\x8b"
                     "0 0x11"),
               "#0 0x11");
  assert_clean(BYTES("\xff\xfe"
                     "e\0r\0r\0\n\0"),
               "err\n");
  assert_clean(BYTES("e\0r\0r\0o\0r\0:\0 \0x\0"), "error: x");
  assert_clean(BYTES("\0e\0r\0r\0o\0r\0:\0 \0x"), "error: x");
  assert_clean(BYTES("\xff\xfe\x3d\xd8\x00\xde"), "\xf0\x9f\x98\x80");
  assert_clean(BYTES("\xc0\x80 \xed\xa0\x80"),
               "\xc3\x80\xef\xbf\xbd \xc3\xad\xc2\xa0\xef\xbf\xbd");
  assert_true(cul_is_binary(BYTES("\x7f"
                                  "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0")));
  assert_false(cul_is_binary(BYTES("e\0r\0r\0o\0r\0:\0 \0x\0")));
  assert_false(cul_is_binary(BYTES("plain\ntext\x1b[0m\n")));
}

static void whole_stacks_are_trusted(void **state) {
  (void)state;
  assert_null(damage_of(BYTES("error: no stack here\n")));
  assert_null(damage_of(BYTES(" #0 0x000011 f() (/b/x+0x11)\n"
                              " #1 0x000012 g() (/b/x+0x12)\n"
                              " #1 0x000012 h() (/b/x+0x12)\n"
                              " #2 0x000013 main (/b/x+0x13)\n"
                              "\nfreed by:\n"
                              " #0 0x000021 f() (/b/x+0x21)\n"
                              " #1 0x000022 g() (/b/x+0x22)\n")));
  assert_null(damage_of(BYTES("see #12 for more\n#7 too\n")));
}

static void damaged_stacks_are_not(void **state) {
  (void)state;
  assert_non_null(strstr(damage_of(BYTES(" #0 0x000011 f() (/b/x+0x11)\n"
                                         " #1 0x000012 g() (/b/x+0x12)\n"
                                         " #0 0x000031 p() (/b/x+0x31)\n"
                                         " #2 0x000013 h() (/b/x+0x13)\n"
                                         " #1 0x000032 q() (/b/x+0x32)\n")),
                         "two processes"));
  assert_non_null(
      strstr(damage_of(BYTES(" #0 0x000011 f() (/b/x+ #0 0x000031 p()\n")),
             "two processes"));
  assert_non_null(strstr(damage_of(BYTES(" #0 0x000011 f() (/b/x+0x11)\n"
                                         " #4 0x000012 g() (/b/x+0x12)\n")),
                         "missing"));
  assert_non_null(
      strstr(damage_of(BYTES(" #5 0x000011 f() (/b/x+0x11)\n")), "missing"));
  assert_non_null(strstr(damage_of(BYTES(" #0 0x000011 f() (/b/x+0x11)\n"
                                         " #1 0x000012 void g(int, lo")),
                         "cut off"));
}

/* ---- packed ---- */

struct seen {
  struct cul_buf text, problems;
};

static void take_file(void *self, const char *name, struct cul_bytes raw) {
  struct seen *seen = self;
  cul_buf_addf(&seen->text, "%s=%.*s;", name, (int)raw.len, raw.data);
}

static void take_problem(void *self, const char *name, const char *why) {
  struct seen *seen = self;
  cul_buf_addf(&seen->problems, "%s: %s;", name, why);
}

static void assert_unpacks(struct cul_bytes raw, const char *text,
                           const char *problems) {
  struct seen seen = {{0}, {0}};
  const struct cul_unpacked to = {&seen, take_file, take_problem};
  cul_unpack_file("x", raw, &to);
  assert_string_equal(cul_buf_str(&seen.text), text);
  assert_string_equal(cul_buf_str(&seen.problems), problems);
  cul_buf_release(&seen.text);
  cul_buf_release(&seen.problems);
}

/* "hello\n" by gzip, twice. */
#define HELLO_GZ                                                               \
  "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\x00"   \
  "\x20\x30\x3a\x36\x06\x00\x00\x00"

/* "hello\n" by zstd, and an empty frame. */
#define HELLO_ZSTD "\x28\xb5\x2f\xfd\x00\x58\x31\x00\x00hello\n"
#define NOTHING_ZSTD "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"

/* One entry of a tar archive at buf: header and data. */
static void add_entry(struct cul_buf *buf, const char *name, char type,
                      struct cul_bytes data) {
  char block[512] = {0};
  unsigned sum = 8 * ' ';
  snprintf(block, 100, "%s", name);
  snprintf(block + 124, 12, "%011o", (unsigned)data.len);
  memcpy(block + 257, "ustar\00000", 8);
  block[156] = type;
  if (name[0] == '/')
    memcpy(block + 345, "long/prefix", 11);
  for (size_t i = 0; i < sizeof block; i++)
    sum += (unsigned char)block[i];
  snprintf(block + 148, 8, "%06o", sum);
  cul_buf_add(buf, block, sizeof block);
  cul_buf_add(buf, data.data, data.len);
  memset(block, 0, sizeof block);
  cul_buf_add(buf, block, (512 - data.len % 512) % 512);
}

static void members_of_tar_archives(void **state) {
  static const char zeros[1024];
  struct cul_buf tar = {0};
  struct cul_bytes cut;
  (void)state;
  add_entry(&tar, "a.log", '0', BYTES("one"));
  add_entry(&tar, "d", '5', BYTES(""));
  add_entry(&tar, "x", 'x', BYTES("11 mtime=1\n20 path=d/other.log\n"));
  add_entry(&tar, "d/cut-off", '0', BYTES("two"));
  add_entry(&tar, "l", 'L', BYTES("d/longer.log\0"));
  add_entry(&tar, "d/lon", '0', BYTES(HELLO_GZ));
  add_entry(&tar, "/in.log", '0', BYTES(""));
  cul_buf_add(&tar, zeros, sizeof zeros);
  assert_unpacks(cul_buf_bytes(&tar),
                 "x!a.log=one;x!d/other.log=two;x!d/longer.log=hello\n;"
                 "x!long/prefix//in.log=;",
                 "");
  cut = (struct cul_bytes){tar.data, 512 + 100};
  assert_unpacks(cut, "x!a.log=one;", "x: the archive is damaged or cut off;");
  cut.len = 512 + 2;
  assert_unpacks(cut, "", "x: the archive is damaged or cut off;");
  tar.data[0] = 'b'; /* the sum is another */
  cut = (struct cul_bytes){tar.data, 512};
  assert_false(cul_is_tar(cut));
  cul_buf_release(&tar);
}

static void packed_data_is_unpacked(void **state) {
  (void)state;
  assert_unpacks(BYTES("hello"), "x=hello;", "");
  assert_unpacks(BYTES(HELLO_GZ), "x=hello\n;", "");
  assert_unpacks(BYTES(HELLO_GZ HELLO_GZ), "x=hello\nhello\n;", "");
  assert_unpacks(BYTES(HELLO_ZSTD), "x=hello\n;", "");
  assert_unpacks(BYTES(HELLO_ZSTD NOTHING_ZSTD HELLO_ZSTD), "x=hello\nhello\n;",
                 "");
  assert_unpacks(BYTES("\x28\xb5\x2f\xfd\x00\x58\x31"), "",
                 "x: the packed data is damaged or cut off;");
  assert_unpacks(BYTES("\x1f\x8b\x08\x00\x00"), "",
                 "x: the packed data is damaged or cut off;");
  assert_unpacks(BYTES("\xfd\x37zXZ\0\0\0\0"), "",
                 "x: the packed data is damaged or cut off;");
  assert_unpacks(BYTES("PK\3\4 and no more"), "",
                 "x: the archive is damaged or cut off;");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(colours_and_returns_go),
      cmocka_unit_test(encodings_become_utf8),
      cmocka_unit_test(whole_stacks_are_trusted),
      cmocka_unit_test(damaged_stacks_are_not),
      cmocka_unit_test(packed_data_is_unpacked),
      cmocka_unit_test(members_of_tar_archives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
