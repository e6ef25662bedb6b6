/* The user's own pip: what versions it offers, and what it installs.
 *
 * culprit asks no index by itself: pip does, as it is configured (options,
 * PIP_*, pip.conf), and curl for the pages that pip named, which tell when
 * files were uploaded.  They run as builds do: with the network, and writing to
 * their own directories and to caches. */
#ifndef CUL_BISECT_INSTALL_PIP_H
#define CUL_BISECT_INSTALL_PIP_H

#include "installs.h"

/* Borrowed. */
struct cul_pip_conf {
  const char *python;       /* a program; NULL = python3 */
  const char *const *index; /* words for pip: --index-url URL ...; NULL ended */
  bool pre;                 /* pre-releases, too */
  bool no_deps;
  struct cul_scripts *scripts; /* what is run here */
};

struct cul_pip {
  struct cul_pip_conf conf;
  char *python;          /* its program, absolute */
  char *cwd;             /* the user's: relative names of an index count from
                            there */
  bool reaches;          /* pip has --python: none is put into environments */
  struct cul_digest key; /* of Python, pip and their configuration */
};

/* Find it.  Errors: EENV (no Python, pip or venv: says what to install). Is to
 * be released in any case. */
CUL_MUST_CHECK int cul_pip_open(struct cul_pip *pip,
                                const struct cul_pip_conf *conf,
                                struct cul_err *err);
void cul_pip_release(struct cul_pip *pip);

/* What pip offers of a package for this Python and machine. */
struct cul_pip_versions {
  char **items; /* oldest first; none that was yanked */
  size_t n;
  char **pages; /* of its index, as pip names them */
  size_t n_pages;
};
/* pre: pre-releases of this package, too.  Errors: EENV (pip's own word), those
 * of patience.  out is to be released in any case. */
CUL_MUST_CHECK int cul_pip_list(struct cul_pip *pip, const char *name, bool pre,
                                struct cul_pip_versions *out,
                                struct cul_err *err);
void cul_pip_versions_release(struct cul_pip_versions *versions);

/* When a version was uploaded, "2025-06-12T10:00:00Z"; NULL: no page tells.
 * Asks curl.  Heap.  Errors: of patience. */
CUL_MUST_CHECK int cul_pip_uploaded(struct cul_pip *pip,
                                    const struct cul_pip_versions *versions,
                                    const char *version, char **out,
                                    struct cul_err *err);

struct cul_pip_way {
  struct cul_pip pip;
  void *self;
  /* The requirements of the one with these values, NULL ended; one heap block.
   */
  char **(*requirements)(void *self, const uint32_t *at);
};

/* Its self is a struct cul_pip_way. */
extern const struct cul_installs_way cul_pip_way;

#endif
