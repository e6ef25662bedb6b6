/* Installations by pip: see pip_way.h. */
#include "pip_way.h"

#include <stdlib.h>

#include "../../base/status.h"

static char *name(void *self, const uint32_t *at) {
  const struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  char *out =
      cul_pip_environment_name(&way->pip, (const char *const *)requirements);
  free(requirements);
  return out;
}

static int make(void *self, const uint32_t *at, const char *dir, char **why,
                struct cul_err *err) {
  struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  struct cul_buf words = {0};
  int rc;
  for (char **r = requirements; *r; r++)
    cul_buf_addf(&words, "%s%s", words.len ? " " : "", *r);
  cul_status_note(UINT64_MAX, "installing %s", cul_buf_str(&words));
  rc = cul_pip_install(&way->pip, dir, (const char *const *)requirements, why,
                       err);
  cul_buf_release(&words);
  free(requirements);
  return rc;
}

/* What is compiled already stays as it is. */
static char **variables(void *self, const char *dir) {
  const struct cul_pip_way *way = self;
  const char *path =
      cul_environment_get(way->pip.conf.scripts->environment, "PATH");
  char **out = cul_xcalloc(4, sizeof *out);
  out[0] =
      cul_xasprintf("PATH=%s/bin%s%s", dir, path ? ":" : "", path ? path : "");
  out[1] = cul_xasprintf("VIRTUAL_ENV=%s", dir);
  out[2] = cul_xstrdup("PYTHONDONTWRITEBYTECODE=1");
  return out;
}

static void shell(void *self, const uint32_t *at, struct cul_buf *out) {
  const struct cul_pip_way *way = self;
  char **requirements = way->requirements(way->self, at);
  cul_pip_shell(&way->pip, (const char *const *)requirements, out);
  free(requirements);
}

const struct cul_installs_way cul_pip_way = {
    .name = name,
    .make = make,
    .variables = variables,
    .programs = "bin",
    .shell = shell,
    .enter = "  VIRTUAL_ENV=$venv\n  PATH=$venv/bin:$PATH\n"
             "  export VIRTUAL_ENV PATH\n"};
