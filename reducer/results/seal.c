/* Seals of bundles: see seal.h. */
#include "seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/mac.h"

/* ---- plain files ---- */

static int fail_kind(const char *dir, const char *name, struct cul_err *err) {
  return cul_fail(
      err, CUL_EUSAGE,
      "a bundle may contain only regular files: put the file itself there",
      "%s/%s is a link, or not a regular file: culprit does not read it", dir,
      name);
}

static int read_open(int fd, struct cul_buf *out) {
  static const size_t most = (size_t)1 << 30;
  ssize_t n;
  do {
    if (out->len > most) {
      errno = EFBIG;
      return -1;
    }
    cul_buf_reserve(out, 1 << 16);
    n = read(fd, out->data + out->len, 1 << 16);
    if (n > 0)
      out->len += (size_t)n;
  } while (n > 0 || (n < 0 && errno == EINTR));
  out->data[out->len] = '\0';
  return n < 0 ? -1 : 0;
}

/* Append a plain file of the open directory dir, which messages call `called`.
 * Returns 1 if there is no such file. */
static int read_plain(int dir, const char *called, const char *name,
                      struct cul_buf *out, struct cul_err *err) {
  struct stat st;
  int rc = 0;
  int fd = TEMP_FAILURE_RETRY(
      openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd < 0 && errno == ENOENT)
    return 1;
  if (fd < 0 && errno == ELOOP)
    return fail_kind(called, name, err);
  if (fd < 0 || fstat(fd, &st) < 0)
    rc = cul_fail(err, CUL_EENV, "check its permissions",
                  "cannot read %s/%s: %s", called, name, strerror(errno));
  else if (!S_ISREG(st.st_mode))
    rc = fail_kind(called, name, err);
  else if (read_open(fd, out) < 0)
    rc = cul_fail(err, CUL_EENV, "check the disk", "cannot read %s/%s: %s",
                  called, name, strerror(errno));
  if (fd >= 0)
    close(fd);
  return rc;
}

static int open_dir(const char *dir, struct cul_err *err) {
  int fd = TEMP_FAILURE_RETRY(open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd < 0)
    (void)cul_fail(err, CUL_EUSAGE,
                   "give a directory that culprit reduce --bundle wrote",
                   "cannot read %s: %s", dir, strerror(errno));
  return fd;
}

int cul_bundle_read(const char *dir, const char *name, struct cul_buf *out,
                    struct cul_err *err) {
  int fd = open_dir(dir, err);
  int rc = fd < 0 ? err->code : read_plain(fd, dir, name, out, err);
  if (fd >= 0)
    close(fd);
  return rc > 0 ? cul_fail(err, CUL_EUSAGE,
                           "give a directory that culprit reduce --bundle "
                           "wrote",
                           "%s has no %s", dir, name)
                : rc;
}

/* ---- the secret ---- */

/* False: there is no secret that only this user can read. */
static bool read_secret(const char *path, uint8_t key[CUL_MAC_KEY]) {
  struct stat st;
  int fd = TEMP_FAILURE_RETRY(
      open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
              st.st_uid == geteuid() && (st.st_mode & 077) == 0 &&
              TEMP_FAILURE_RETRY(read(fd, key, CUL_MAC_KEY)) == CUL_MAC_KEY;
  if (fd >= 0)
    close(fd);
  return good;
}

static bool write_secret(int fd) {
  uint8_t key[CUL_MAC_KEY];
  return getrandom(key, sizeof key, 0) == sizeof key &&
         write(fd, key, sizeof key) == sizeof key && fsync(fd) == 0;
}

/* Write the secret completely or not at all, and never replace an existing
 * one.  An unnamed file, where the file system has them, leaves nothing behind
 * if this process is killed. */
static void make_secret(const char *dir, const char *path) {
  CUL_HEAP char *fresh = cul_xasprintf("%s.XXXXXX", path);
  char own[32];
  int fd =
      TEMP_FAILURE_RETRY(open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  bool named = fd < 0;
  if (fd < 0)
    fd = mkostemp(fresh, O_CLOEXEC); /* 0600 */
  snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
  if (fd >= 0 && write_secret(fd))
    (void)!linkat(AT_FDCWD, named ? fresh : own, AT_FDCWD, path,
                  AT_SYMLINK_FOLLOW);
  if (fd >= 0)
    close(fd);
  if (fd >= 0 && named)
    unlink(fresh);
}

static bool get_secret(bool make, uint8_t key[CUL_MAC_KEY]) {
  CUL_HEAP char *dir = cul_cache_dir();
  CUL_HEAP char *path = cul_xasprintf("%s/bundle.key", dir);
  struct cul_err ignored = {0};
  bool good = read_secret(path, key);
  if (!good && make && cul_mkdirs(dir, 0700, &ignored) == 0) {
    make_secret(dir, path);
    good = read_secret(path, key);
  }
  return good;
}

/* ---- sealed files ---- */

static int add_file(struct cul_mac *mac, int dir, const char *called,
                    const char *name, struct cul_err *err) {
  CUL_OWNED(cul_buf) text = {0};
  int rc = read_plain(dir, called, name, &text, err);
  if (rc == 0) {
    cul_mac_field(mac, name, strlen(name));
    cul_mac_field(mac, cul_buf_str(&text), text.len);
  }
  return rc < 0 ? rc : 0;
}

/* All files whose names begin so, in the order of the names. */
static int add_files(struct cul_mac *mac, int dir, const char *called,
                     const char *begin, struct cul_err *err) {
  CUL_HEAP struct dirent **names = NULL;
  CUL_HEAP char *path = cul_xasprintf("/proc/self/fd/%d", dir);
  int n = scandir(path, &names, NULL, alphasort), rc = 0;
  if (n < 0)
    return cul_fail(err, CUL_EENV, "check its permissions", "cannot read %s",
                    called);
  for (int i = 0; i < n; i++) {
    const char *name = names[i]->d_name;
    if (rc == 0 && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
        strncmp(name, begin, strlen(begin)) == 0)
      rc = add_file(mac, dir, called, name, err);
    free(names[i]);
  }
  return rc;
}

static int add_inputs(struct cul_mac *mac, int dir, const char *called,
                      struct cul_err *err) {
  int inputs = TEMP_FAILURE_RETRY(
      openat(dir, "inputs", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  char *inside;
  int rc;
  if (inputs < 0 && errno == ENOENT)
    return 0;
  if (inputs < 0)
    return fail_kind(called, "inputs", err);
  cul_mac_field(mac, "inputs/", 7);
  inside = cul_xasprintf("%s/inputs", called);
  rc = add_files(mac, inputs, inside, "", err);
  free(inside);
  close(inputs);
  return rc;
}

/* Would a shell, an interpreter or the kernel run the case? */
static bool is_program(int dir, const char *name, const struct cul_buf *text) {
  static const char *const endings[] = {".sh",  ".py",  ".pl",  ".rb", ".js",
                                        ".mjs", ".lua", ".tcl", ".so", ".bash"};
  struct stat st;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(endings); i++)
    if (cul_text_ends(name, endings[i]))
      return true;
  return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
         (st.st_mode & 0111) != 0 ||
         cul_bytes_start(cul_buf_bytes(text), "#!") ||
         cul_bytes_start(cul_buf_bytes(text), "\x7f"
                                              "ELF");
}

/* whole: the code over everything; command: over everything except the case. */
struct codes {
  char command[CUL_MAC_HEX], whole[CUL_MAC_HEX];
  bool program; /* the case is a program */
};

static int take_codes(const char *dir, const char *repro,
                      const uint8_t key[CUL_MAC_KEY], struct codes *out,
                      struct cul_err *err) {
  static const char *const names[] = {"report.json", "interesting",
                                      "inputs.txt"};
  CUL_OWNED(cul_buf) text = {0};
  struct cul_mac mac;
  int fd = open_dir(dir, err);
  int rc = fd < 0 ? err->code : 0;
  cul_mac_init(&mac, key);
  cul_mac_field(&mac, repro, strlen(repro));
  for (size_t i = 0; i < CUL_ARRAY_SIZE(names) && rc == 0; i++)
    rc = add_file(&mac, fd, dir, names[i], err);
  if (rc == 0)
    rc = add_files(&mac, fd, dir, "script-", err);
  if (rc == 0)
    rc = add_inputs(&mac, fd, dir, err);
  if (rc == 0)
    rc = read_plain(fd, dir, repro, &text, err);
  if (rc >= 0) {
    cul_mac_hex(&mac, out->command);
    cul_mac_field(&mac, cul_buf_str(&text), text.len);
    cul_mac_hex(&mac, out->whole);
    out->program = is_program(fd, repro, &text);
  }
  if (fd >= 0)
    close(fd);
  return rc < 0 ? rc : 0;
}

/* ---- the seal ---- */

int cul_seal_write(const char *dir, const char *repro, struct cul_err *err) {
  uint8_t key[CUL_MAC_KEY];
  struct codes codes;
  struct cul_err none = {0};
  CUL_HEAP char *path = NULL, *text = NULL;
  /* A bundle without a seal is complete: its replay asks the user first. */
  if (!get_secret(true, key) || take_codes(dir, repro, key, &codes, &none) < 0)
    return 0;
  path = cul_xasprintf("%s/seal", dir);
  text = cul_xasprintf("command %s\nwhole %s\n", codes.command, codes.whole);
  return cul_file_write(path, text, strlen(text), 0666, err);
}

int cul_seal_check(const char *dir, const char *repro, bool *made_here,
                   struct cul_err *err) {
  uint8_t key[CUL_MAC_KEY] = {0};
  CUL_OWNED(cul_buf) text = {0};
  struct cul_err none = {0};
  struct codes codes;
  char command[CUL_MAC_HEX] = "", whole[CUL_MAC_HEX] = "";
  bool known = get_secret(false, key);
  /* errors for links even without a secret */
  int rc = take_codes(dir, repro, key, &codes, err);
  *made_here = false;
  if (rc < 0)
    return rc;
  if (known && cul_bundle_read(dir, "seal", &text, &none) == 0 &&
      sscanf(cul_buf_str(&text), "command %64[0-9a-f] whole %64[0-9a-f]",
             command, whole) == 2)
    *made_here = cul_mac_equal(command, codes.command) &&
                 (!codes.program || cul_mac_equal(whole, codes.whole));
  return 0;
}
