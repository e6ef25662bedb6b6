/* What an index offers, asked by pip and curl: see pip.h. */
#include "../../pipeline/shell_text.h"
#include "../build/build_log.h"
#include "pep440.h"
#include "pip_private.h"

int cul_pip_list(struct cul_pip *pip, const char *name, bool pre,
                 struct cul_pip_versions *out, struct cul_err *err) {
  struct cul_buf script = {0}, said = {0};
  char why[200];
  bool ok;
  int rc;
  *out = (struct cul_pip_versions){0};
  cul_pip_begin(pip, &script);
  cul_buf_addf(&script, " -m pip index versions -vv%s",
               pre || pip->conf.pre ? " --pre" : "");
  cul_pip_add_index(pip, &script);
  cul_buf_adds(&script, " -- ");
  cul_shell_quote(name, &script);
  rc = cul_scripts_run(pip->conf.scripts, NULL, cul_buf_str(&script), &said,
                       &ok, err);
  if (rc == 0) {
    cul_pip_read_listing(cul_buf_str(&said), out);
    cul_first_error(cul_buf_str(&said), why, sizeof why);
  }
  if (rc == 0 && out->n == 0)
    rc = cul_fail(err, CUL_EENV,
                  "check the name and the index: pip index versions NAME "
                  "(pip 21.2 and later)",
                  "pip offers no version of %s: %s", name, why);
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

/* What pip hides as **** culprit has not got. */
static bool may_ask(const char *page) {
  return (strncmp(page, "https://", 8) == 0 ||
          strncmp(page, "http://", 7) == 0) &&
         !strchr(page, '*');
}

int cul_pip_uploaded(struct cul_pip *pip,
                     const struct cul_pip_versions *versions,
                     const char *version, char **out, struct cul_err *err) {
  struct cul_pep440 parsed;
  bool ok;
  int rc = 0;
  *out = NULL;
  if (!cul_pep440_parse(version, &parsed))
    return 0;
  for (size_t i = 0; i < versions->n_pages && rc == 0 && !*out; i++) {
    struct cul_buf script = {0}, said = {0};
    if (!may_ask(versions->pages[i]))
      continue;
    cul_buf_adds(&script, "exec curl -fsSL --max-time 60 -H 'Accept: "
                          "application/vnd.pypi.simple.v1+json' -- ");
    cul_shell_quote(versions->pages[i], &script);
    cul_buf_adds(&script, " 2>/dev/null");
    rc = cul_scripts_run(pip->conf.scripts, NULL, cul_buf_str(&script), &said,
                         &ok, err);
    if (rc == 0 && ok)
      *out = cul_pip_first_upload(cul_buf_str(&said), &parsed);
    cul_buf_release(&said);
    cul_buf_release(&script);
  }
  return rc;
}
