/* The user's own pip: the versions that it offers, and installations by it.
 *
 * culprit itself accesses no index.  pip does, as configured (options, PIP_*,
 * pip.conf), and so does curl for pages that pip named, which have the upload
 * times of files.  Both run like builds: with the network, and with writes to
 * their own directories and to caches. */
#ifndef CUL_BISECT_INSTALL_PIP_H
#define CUL_BISECT_INSTALL_PIP_H

#include "installs.h"
#include "pep440.h"

/* Borrowed. */
struct cul_pip_conf {
  const char *python; /* a program; NULL = python3 */
  /* arguments for pip: --index-url URL ...; NULL terminated */
  const char *const *index;
  bool pre; /* pre-releases, too */
  bool no_deps;
  struct cul_scripts *scripts; /* runs the scripts */
};

struct cul_pip {
  struct cul_pip_conf conf;
  char *python; /* its program, absolute */
  char *cwd;    /* the user's: relative names of an index are resolved there */
  bool reaches; /* pip has --python, so environments need no pip */
  struct cul_digest key; /* of Python, pip and their configuration */
};

/* Find pip.  Errors: EENV (no Python, pip or venv; with advice what to
 * install).  Release pip in any case. */
CUL_MUST_CHECK int cul_pip_open(struct cul_pip *pip,
                                const struct cul_pip_conf *conf,
                                struct cul_err *err);
void cul_pip_release(struct cul_pip *pip);

/* What pip offers of a package for this Python and machine. */
struct cul_pip_versions {
  char **items; /* oldest first; without yanked ones */
  size_t n;
  char **pages; /* of its index, as named by pip */
  size_t n_pages;
};
/* List the versions; extras in the name ("toolx[gpu]") are ignored.  pre:
 * include pre-releases of this package.  Errors: EENV (pip's own message),
 * those of patience.  Release out in any case. */
CUL_MUST_CHECK int cul_pip_list(struct cul_pip *pip, const char *name, bool pre,
                                struct cul_pip_versions *out,
                                struct cul_err *err);
void cul_pip_versions_release(struct cul_pip_versions *versions);

/* When a version was uploaded, "2025-06-12T10:00:00Z"; NULL: no page has it.
 * Runs curl.  Heap.  Errors: of patience. */
CUL_MUST_CHECK int cul_pip_uploaded(struct cul_pip *pip,
                                    const struct cul_pip_versions *versions,
                                    const char *version, char **out,
                                    struct cul_err *err);

struct cul_pip_way {
  struct cul_pip pip;
  void *self;
  /* The requirements of the environment with these values, NULL terminated; one
   * heap block. */
  char **(*requirements)(void *self, const uint32_t *at);
};

/* Its self must be a struct cul_pip_way. */
extern const struct cul_installs_way cul_pip_way;

/* ---- what pip and an index print ---- */

/* Read the output of `pip index versions -vv`: versions, sorted, and pages. */
void cul_pip_read_listing(const char *said, struct cul_pip_versions *out);
/* The upload time of the first file of a version, from a page in the format of
 * PEP 691 and 700; heap, NULL: the page does not have it. */
char *cul_pip_first_upload(const char *page, const struct cul_pep440 *version);

#endif
