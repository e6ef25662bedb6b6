/* The part of Landlock's interface (landlock(7)) that is used here, independent
 * of the kernel headers of the build. */
#ifndef CUL_RUNNERS_SANDBOX_LANDLOCK_H
#define CUL_RUNNERS_SANDBOX_LANDLOCK_H

#include <stdint.h>
#include <sys/syscall.h>

#ifndef SYS_landlock_create_ruleset /* the same on all machines */
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

/* ABI 1 has the first member, 4 the second, 6 the third. */
struct cul_landlock_rules {
  uint64_t files, net, scopes;
};

struct cul_landlock_path {
  uint64_t files;
  int32_t fd;
} __attribute__((packed));

enum {
  CUL_LANDLOCK_VERSION = 1,      /* flag of create_ruleset */
  CUL_LANDLOCK_PATH = 1,         /* kind of a rule */
  CUL_LANDLOCK_SCOPE_SIGNAL = 2, /* ABI 6 */
  CUL_LANDLOCK_ABI_REFER = 2,    /* renames to another directory */
  CUL_LANDLOCK_ABI_TRUNCATE = 3, /* write rules are complete */
  CUL_LANDLOCK_ABI_SCOPES = 6,
};

/* Rights on files. */
enum {
  CUL_FS_EXECUTE = 1 << 0,
  CUL_FS_WRITE_FILE = 1 << 1,
  CUL_FS_READ_FILE = 1 << 2,
  CUL_FS_READ_DIR = 1 << 3,
  CUL_FS_REMOVE_DIR = 1 << 4,
  CUL_FS_REMOVE_FILE = 1 << 5,
  CUL_FS_MAKE_CHAR = 1 << 6,
  CUL_FS_MAKE_DIR = 1 << 7,
  CUL_FS_MAKE_REG = 1 << 8,
  CUL_FS_MAKE_SOCK = 1 << 9,
  CUL_FS_MAKE_FIFO = 1 << 10,
  CUL_FS_MAKE_BLOCK = 1 << 11,
  CUL_FS_MAKE_SYM = 1 << 12,
  CUL_FS_REFER = 1 << 13,
  CUL_FS_TRUNCATE = 1 << 14,
  /* The rights that a plain file can have. */
  CUL_FS_OF_FILES =
      CUL_FS_EXECUTE | CUL_FS_WRITE_FILE | CUL_FS_READ_FILE | CUL_FS_TRUNCATE,
  CUL_FS_READS = CUL_FS_EXECUTE | CUL_FS_READ_FILE | CUL_FS_READ_DIR,
  CUL_FS_WRITES = CUL_FS_WRITE_FILE | CUL_FS_REMOVE_DIR | CUL_FS_REMOVE_FILE |
                  CUL_FS_MAKE_CHAR | CUL_FS_MAKE_DIR | CUL_FS_MAKE_REG |
                  CUL_FS_MAKE_SOCK | CUL_FS_MAKE_FIFO | CUL_FS_MAKE_BLOCK |
                  CUL_FS_MAKE_SYM | CUL_FS_REFER | CUL_FS_TRUNCATE,
};

#endif
