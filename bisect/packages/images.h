/* Bisecting container images: finds the tag of an image with which a failure
 * began or ended.
 *
 * Each run is made inside a container of its tag, by a worker that docker or
 * podman starts there (runners/remote/hosts.h): a deadline ends the tool, not
 * the client.  A tag whose container does not start gives no answer.  With
 * target.environment.on, docker or podman is that of the machines there. */
#ifndef CUL_BISECT_PACKAGES_IMAGES_H
#define CUL_BISECT_PACKAGES_IMAGES_H

#include "../versions/versions.h"

/* Strings are borrowed for the life of the job. */
struct cul_images_conf {
  struct cul_target_conf target;
  struct cul_bisect_conf search;
  const char *bundle; /* directory; or NULL */
  bool all;
  const char *image;      /* without a tag */
  const char *good, *bad; /* tags; bad NULL = the newest */
  /* "A,B,C", or a file with one a line, oldest first; NULL = asked of the
   * registry, or of the images that the container tool has, and sorted as
   * versions */
  const char *tags;
  const char *tool;           /* NULL = docker, else podman */
  const char *const *options; /* of its "run" */
  size_t n_options;
};

/* Run the job.  *report: as for cul_versions_run.  Errors: as
 * cul_packages_run; EENV where the container tool is missing or refuses. */
CUL_MUST_CHECK int cul_images_run(const struct cul_images_conf *conf,
                                  json_t **report, struct cul_err *err);

#endif
