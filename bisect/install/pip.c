/* The user's own pip, run: see pip.h. */
#include "pip.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../base/file.h"
#include "../../pipeline/shell_text.h"
#include "../../runners/trace/program.h"
#include "../build/build_log.h"
#include "pip_private.h"

void cul_pip_begin(const struct cul_pip *pip, struct cul_buf *script) {
  cul_buf_adds(script, "cd ");
  cul_shell_quote(pip->cwd, script);
  cul_buf_adds(script, " || exit\n");
  cul_shell_quote(pip->python, script);
}

void cul_pip_add_index(const struct cul_pip *pip, struct cul_buf *script) {
  for (const char *const *word = pip->conf.index; word && *word; word++) {
    cul_buf_addc(script, ' ');
    cul_shell_quote(*word, script);
  }
}

/* ---- finding it ---- */

static int find_python(struct cul_pip *pip, struct cul_err *err) {
  const char *name = pip->conf.python ? pip->conf.python : "python3";
  char *found = cul_find_program(name);
  if (!found || access(found, X_OK) < 0) {
    free(found);
    return cul_fail(err, CUL_EENV,
                    "install it (Debian: apt install python3 python3-pip "
                    "python3-venv), or give --python PROGRAM",
                    "cannot find the program %s", name);
  }
  pip->python = found[0] == '/' ? cul_xstrdup(found)
                                : cul_xasprintf("%s/%s", pip->cwd, found);
  free(found);
  return 0;
}

static int fail_module(const struct cul_pip *pip, const char *said,
                       struct cul_err *err) {
  char why[200];
  bool venv = strstr(said, "No module named venv") != NULL;
  bool none = strstr(said, "No module named pip") != NULL;
  cul_first_error(said, why, sizeof why);
  if (venv || none)
    return cul_fail(err, CUL_EENV,
                    "install it (Debian: apt install python3-pip "
                    "python3-venv), or give another --python PROGRAM",
                    "%s has no %s", pip->python, venv ? "venv" : "pip");
  return cul_fail(err, CUL_EENV, "run it by hand; or give --python PROGRAM",
                  "%s -m pip does not work: %s", pip->python, why);
}

/* "pip 23.2.1 from ...": --python came with 22.3. */
static bool reaches_others(const char *said) {
  const char *at = strstr(said, "pip ");
  char *end = NULL;
  unsigned long major = at ? strtoul(at + 4, &end, 10) : 0;
  unsigned long minor = end && *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
  return major > 22 || (major == 22 && minor >= 3);
}

/* What pip is, and how it is configured; last the program that environments
 * have for a Python. */
static int ask(struct cul_pip *pip, struct cul_buf *said, struct cul_err *err) {
  struct cul_buf script = {0};
  bool ok;
  int rc;
  cul_pip_begin(pip, &script);
  cul_buf_adds(&script, " -m pip --version && ");
  cul_shell_quote(pip->python, &script);
  cul_buf_adds(&script, " -m pip config list && ");
  cul_shell_quote(pip->python, &script);
  cul_buf_adds(&script, " -m venv --without-pip \"$TMPDIR/venv\" && "
                        "readlink -f \"$TMPDIR/venv/bin/python3\"");
  rc = cul_scripts_run(pip->conf.scripts, NULL, cul_buf_str(&script), said, &ok,
                       err);
  if (rc == 0 && !ok)
    rc = fail_module(pip, cul_buf_str(said), err);
  cul_buf_release(&script);
  return rc;
}

static bool same_line(const char *a, const char *b) {
  size_t n = strcspn(a, "\n");
  return n == strcspn(b, "\n") && memcmp(a, b, n) == 0;
}

/* A program that stands before Python (a shim of pyenv) may do more than that,
 * elsewhere: where what it starts has the same pip, that is taken. */
static int pass_shim(struct cul_pip *pip, const char *said,
                     struct cul_err *err) {
  struct cul_program kind;
  struct cul_buf script = {0}, again = {0};
  const char *end = said + strlen(said), *at = end;
  char *shim = pip->python;
  bool ok;
  int rc;
  cul_program_read(shim, &kind);
  if (kind.kind != CUL_PROGRAM_SCRIPT || end == said)
    return 0;
  for (at--; at > said && at[-1] != '\n'; at--)
    ;
  pip->python = cul_xstrndup(at, strcspn(at, "\n"));
  cul_pip_begin(pip, &script);
  cul_buf_adds(&script, " -m pip --version");
  rc = cul_scripts_run(pip->conf.scripts, NULL, cul_buf_str(&script), &again,
                       &ok, err);
  if (rc == 0 && ok && same_line(said, cul_buf_str(&again))) {
    free(shim);
  } else {
    free(pip->python);
    pip->python = shim;
  }
  cul_buf_release(&again);
  cul_buf_release(&script);
  return rc;
}

static int get_to_know(struct cul_pip *pip, struct cul_err *err) {
  struct cul_buf said = {0};
  struct cul_hasher *h = cul_hasher_new();
  int rc = ask(pip, &said, err);
  if (rc == 0)
    rc = pass_shim(pip, cul_buf_str(&said), err);
  pip->reaches = reaches_others(cul_buf_str(&said));
  cul_hasher_field(h, "environment of packages 1");
  cul_hasher_field(h, cul_buf_str(&said));
  for (const char *const *word = pip->conf.index; word && *word; word++)
    cul_hasher_field(h, *word);
  cul_hasher_u64(h, (uint64_t)pip->conf.no_deps * 2 + pip->conf.pre);
  pip->key = cul_hasher_finish(h);
  cul_buf_release(&said);
  return rc;
}

int cul_pip_open(struct cul_pip *pip, const struct cul_pip_conf *conf,
                 struct cul_err *err) {
  int rc;
  *pip = (struct cul_pip){.conf = *conf};
  pip->cwd = getcwd(NULL, 0);
  if (!pip->cwd)
    return cul_fail(err, CUL_EENV, "go to one that is there",
                    "the working directory: %s", strerror(errno));
  rc = find_python(pip, err);
  return rc ? rc : get_to_know(pip, err);
}

void cul_pip_release(struct cul_pip *pip) {
  free(pip->python);
  free(pip->cwd);
  *pip = (struct cul_pip){0};
}

/* ---- installing ---- */

static void add_requirements(const struct cul_pip *pip,
                             const char *const *requirements,
                             struct cul_buf *script) {
  cul_buf_adds(script, pip->conf.no_deps ? " --no-deps" : "");
  cul_buf_adds(script, pip->conf.pre ? " --pre" : "");
  cul_buf_adds(script, " --");
  for (; *requirements; requirements++) {
    cul_buf_addc(script, ' ');
    cul_shell_quote(*requirements, script);
  }
}

/* pip of the environment, or of the user's Python for it. */
static void write_install(const struct cul_pip *pip, const char *dir,
                          const char *const *requirements,
                          struct cul_buf *script) {
  cul_pip_begin(pip, script);
  cul_buf_addf(script, " -m venv%s ", pip->reaches ? " --without-pip" : "");
  cul_shell_quote(dir, script);
  cul_buf_adds(script, " &&\n");
  if (pip->reaches) {
    cul_shell_quote(pip->python, script);
    cul_buf_adds(script, " -m pip --python ");
    cul_shell_quote(dir, script);
    cul_buf_adds(script, "/bin/python");
  } else {
    cul_shell_quote(dir, script);
    cul_buf_adds(script, "/bin/python -m pip");
  }
  cul_buf_adds(script, " install");
  cul_pip_add_index(pip, script);
  add_requirements(pip, requirements, script);
}

int cul_pip_install(struct cul_pip *pip, const char *dir,
                    const char *const *requirements, char **why,
                    struct cul_err *err) {
  struct cul_buf script = {0}, said = {0};
  bool ok;
  int rc;
  write_install(pip, dir, requirements, &script);
  rc = cul_scripts_run(pip->conf.scripts, dir, cul_buf_str(&script), &said, &ok,
                       err);
  if (rc == 0 && !ok)
    rc = cul_scripts_fail(dir, cul_buf_str(&said), why, err);
  cul_buf_release(&said);
  cul_buf_release(&script);
  return rc;
}

/* Of the first requirement, what a file's name can hold. */
static void add_plain(const char *requirement, struct cul_buf *out) {
  size_t most = 60;
  for (; *requirement && most > 0; requirement++, most--)
    if (isalnum((unsigned char)*requirement) || strchr("._+-", *requirement))
      cul_buf_addc(out, *requirement);
    else if (out->len > 0 && out->data[out->len - 1] != '-')
      cul_buf_addc(out, '-');
}

char *cul_pip_environment_name(const struct cul_pip *pip,
                               const char *const *requirements) {
  struct cul_buf out = {0};
  struct cul_hasher *h = cul_hasher_new();
  struct cul_digest digest;
  char hex[CUL_DIGEST_HEX];
  cul_hasher_add(h, &pip->key, sizeof pip->key);
  for (const char *const *r = requirements; *r; r++)
    cul_hasher_field(h, *r);
  digest = cul_hasher_finish(h);
  add_plain(*requirements ? *requirements : "empty", &out);
  cul_buf_addf(&out, "-%.16s", cul_digest_hex(&digest, hex));
  return cul_buf_take(&out);
}

/* A word for pip as a script may hold it: "https://name:word@host/" without
 * what stands before the "@"; a file by its whole name. */
static char *portable(const struct cul_pip *pip, const char *word) {
  const char *from = strstr(word, "://");
  size_t n = from ? strcspn(from + 3, "/@") : 0;
  if (from && from[3 + n] == '@')
    return cul_xasprintf("%.*s%s", (int)(from + 3 - word), word, from + 4 + n);
  if (!from && word[0] != '-' && word[0] != '/' && access(word, F_OK) == 0)
    return cul_xasprintf("%s/%s", pip->cwd, word);
  return cul_xstrdup(word);
}

void cul_pip_shell(const struct cul_pip *pip, const char *const *requirements,
                   struct cul_buf *out) {
  cul_buf_adds(out, "python=${PYTHON:-");
  cul_shell_quote(pip->conf.python ? pip->conf.python : "python3", out);
  cul_buf_addf(out, "} && \"$python\" -m venv%s \"$venv\" &&\n",
               pip->reaches ? " --without-pip" : "");
  cul_buf_addf(out, "    %s install --quiet",
               pip->reaches ? "\"$python\" -m pip --python \"$venv/bin/python\""
                            : "\"$venv/bin/python\" -m pip");
  for (const char *const *word = pip->conf.index; word && *word; word++) {
    char *plain = portable(pip, *word);
    cul_buf_addc(out, ' ');
    cul_shell_quote(plain, out);
    free(plain);
  }
  add_requirements(pip, requirements, out);
}
