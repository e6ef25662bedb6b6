/* Submodules that cannot be had on this machine are left empty, as git leaves
 * them.  A commit that fails for lack of one must not be blamed: where an end
 * of the range has what another commit lacks, the end is tried without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../probe/findings.h"
#include "commits_private.h"

/* Runs of an end without a submodule: it may fail only sometimes. */
static const uint32_t trial_runs = 10;

struct cul_commits *cul_commits_outermost(struct cul_commits *job) {
  while (job->inside)
    job = job->inside->outer;
  return job;
}

/* ---- said once ---- */

static void say_missing(struct cul_commits *job,
                        const struct cul_commits_missing *missing) {
  char hex[CUL_COMMIT_HEX];
  char *base = NULL;
  const char *repo = job->conf->repo;
  cul_commit_hex(&missing->id, hex);
  if (strcmp(repo, ".") == 0)
    repo = base = realpath(repo, NULL);
  cul_commits_say(job,
                  "submodule %s is left empty: its commit %.12s is not on this "
                  "machine (URL %s); to give it: git -C %s submodule update "
                  "--init --recursive, or git -C %s config submodule.%s.url "
                  "/DIRECTORY/OF/A/CLONE",
                  missing->path, hex, missing->url ? missing->url : "unknown",
                  repo ? repo : ".", repo ? repo : ".", missing->name);
  free(base);
}

static void note(struct cul_commits *job, const struct cul_module *module) {
  struct cul_commits_missing *missing;
  for (size_t i = 0; i < job->n_missing; i++)
    if (strcmp(job->missing[i].path, module->path) == 0)
      return;
  job->missing =
      cul_xreallocarray(job->missing, job->n_missing + 1, sizeof *job->missing);
  missing = &job->missing[job->n_missing++];
  *missing = (struct cul_commits_missing){
      .path = cul_xstrdup(module->path),
      .name = cul_xstrdup(module->name),
      .url = module->url ? cul_xstrdup(module->url) : NULL,
      .id = module->id};
  say_missing(job, missing);
}

void cul_commits_say_pointers(struct cul_commits *job,
                              const struct cul_switched *files) {
  struct cul_commits *outermost = cul_commits_outermost(job);
  if (!outermost->said_pointers)
    cul_commits_warn(outermost,
                     "git-lfs has no content for %s%s on this machine: what "
                     "stands there is a pointer; to fetch it: git lfs fetch "
                     "--all, in the repository",
                     files->pointer,
                     files->n_pointers > 1 ? " and other files" : "");
  outermost->said_pointers = true;
}

/* Left empty for a trial: nothing is missing. */
static bool is_asked_for(const struct cul_revision *revision,
                         const char *path) {
  for (size_t i = 0; i < revision->n_held; i++)
    if (revision->held[i].kind == CUL_LEFT_EMPTY &&
        strcmp(revision->held[i].path, path) == 0)
      return true;
  return false;
}

bool cul_commits_lacking(struct cul_commits *job,
                         const struct cul_revision *revision,
                         struct cul_buf *paths) {
  struct cul_commits *outermost = cul_commits_outermost(job);
  struct cul_modules modules;
  struct cul_err ignored = {0};
  if (cul_repo_modules(outermost->repo, revision, &modules, &ignored) < 0)
    return false;
  for (size_t i = 0; i < modules.n; i++)
    if (!modules.items[i].repo &&
        !is_asked_for(revision, modules.items[i].path))
      note(outermost, &modules.items[i]);
  cul_modules_lacking(&modules, paths);
  cul_modules_release(&modules);
  return true;
}

static void lacking_at(struct cul_commits *job, uint32_t commit,
                       struct cul_buf *paths) {
  struct cul_revision revision;
  struct cul_override *held;
  cul_commits_revision(job, commit, &revision, &held);
  if (!cul_commits_lacking(job, &revision, paths))
    cul_buf_clear(paths);
  free(held);
}

static bool has_line(const char *lines, const char *line) {
  size_t len = strlen(line);
  for (; *lines; lines = strchr(lines, '\n') + 1)
    if (strncmp(lines, line, len) == 0 && lines[len] == '\n')
      return true;
  return false;
}

bool cul_commits_lacks(struct cul_commits *job, uint32_t commit,
                       const char *path) {
  struct cul_buf paths = {0};
  bool lacks;
  lacking_at(job, commit, &paths);
  lacks = has_line(cul_buf_str(&paths), path);
  cul_buf_release(&paths);
  return lacks;
}

/* The paths in a few words: "dep", "dep and 2 more". */
static char *in_words(const char *paths) {
  size_t len = strcspn(paths, "\n"), more = 0;
  for (const char *at = paths + len; *at; at++)
    more += *at == '\n' && at[1];
  return more ? cul_xasprintf("%.*s and %zu more", (int)len, paths, more)
              : cul_xstrndup(paths, len);
}

void cul_commits_blame_lack(struct cul_commits *job, uint32_t commit,
                            char why[200]) {
  static const char head[] = "without submodule ";
  struct cul_buf paths = {0};
  char *text, *words;
  lacking_at(job, commit, &paths);
  if (paths.len > 0 && strncmp(why, head, sizeof head - 1) != 0) {
    words = in_words(cul_buf_str(&paths));
    text = cul_xasprintf("%s%.80s: %s", head, words, why);
    snprintf(why, 200, "%s", text);
    free(text);
    free(words);
  }
  cul_buf_release(&paths);
}

/* ---- does it matter? ---- */

/* The end that fails, or passes: has the revision a submodule there? */
static bool names(struct cul_commits *job, const struct cul_commit_id *commit,
                  const char *path) {
  struct cul_revision revision = {.commit = *commit};
  struct cul_modules modules;
  struct cul_err ignored = {0};
  bool found = false;
  if (cul_repo_modules(job->repo, &revision, &modules, &ignored) < 0)
    return false;
  for (size_t i = 0; i < modules.n && !found; i++)
    found = strcmp(modules.items[i].path, path) == 0;
  cul_modules_release(&modules);
  return found;
}

/* An end, without a submodule that it has. */
static int try_without(struct cul_commits *job, const struct cul_commit_id *end,
                       const char *path, struct cul_verdict *verdict,
                       struct cul_err *err) {
  char hex[CUL_COMMIT_HEX];
  char *what = cul_xasprintf("%.12s without submodule %s",
                             cul_commit_hex(end, hex), path);
  struct cul_override held = {.path = path, .kind = CUL_LEFT_EMPTY};
  struct cul_revision revision = {*end, &held, 1};
  int rc = cul_commits_trial(job, &revision, what, trial_runs, verdict, err);
  free(what);
  return rc;
}

static int fail_lack(const char *path, const char *end, const char *does,
                     const char *other, struct cul_err *err) {
  return cul_fail(err, CUL_EENV,
                  "give it: git submodule update --init --recursive in the "
                  "repository, or git config submodule.NAME.url with the "
                  "directory of a clone",
                  "the %s end %s for lack of submodule %s: without it the %s "
                  "end %s, too",
                  end, does, path, other, does);
}

/* What only one end lacks, the other has or does not know. */
static int check_one(struct cul_commits *job,
                     struct cul_commits_missing *missing, bool bad, bool good,
                     struct cul_err *err) {
  const struct cul_commit_id *other = bad ? &job->goods[0] : &job->bad;
  struct cul_verdict verdict = {.answer = CUL_INVALID};
  bool known = names(job, other, missing->path);
  int rc = 0;
  missing->passes = missing->fails = CUL_DOUBT_COUNTS;
  if (bad && good)
    return 0;
  if (known)
    rc = try_without(job, other, missing->path, &verdict, err);
  else if (bad)
    cul_commits_warn(job,
                     "the bad end lacks submodule %s, which the good end does "
                     "not have: is the failure one for lack of it?",
                     missing->path);
  if (rc == 0 && known && bad && verdict.answer == CUL_SAME)
    rc = fail_lack(missing->path, "bad", "fails", "good", err);
  else if (rc == 0 && known && good && verdict.answer == CUL_PASSES)
    rc = fail_lack(missing->path, "good", "passes", "bad", err);
  return rc;
}

int cul_commits_check_lacking(struct cul_commits *job, struct cul_err *err) {
  struct cul_buf bad = {0}, good = {0};
  int rc = 0;
  lacking_at(job, cul_commits_number(job, &job->bad), &bad);
  lacking_at(job, cul_commits_number(job, &job->goods[0]), &good);
  for (size_t i = 0; i < job->n_missing && rc == 0; i++) {
    const char *path = job->missing[i].path;
    bool at_bad = has_line(cul_buf_str(&bad), path);
    bool at_good = has_line(cul_buf_str(&good), path);
    if (at_bad || at_good)
      rc = check_one(job, &job->missing[i], at_bad, at_good, err);
  }
  cul_buf_release(&bad);
  cul_buf_release(&good);
  return rc;
}

/* A failure that only an exit status tells may be one for lack of anything. */
static bool is_unmistakable(const struct cul_commits *job) {
  return !job->oracle_conf.script && job->sought.kind != CUL_KIND_EXIT;
}

static enum cul_commits_doubt doubt_at(struct cul_commits *job,
                                       struct cul_commits_missing *missing,
                                       bool fails) {
  enum cul_commits_doubt *doubt = fails ? &missing->fails : &missing->passes;
  const struct cul_commit_id *end = fails ? &job->goods[0] : &job->bad;
  if (fails && is_unmistakable(job))
    return CUL_DOUBT_COUNTS;
  if (*doubt != CUL_DOUBT_NEW)
    return *doubt;
  if (job->inside)
    return CUL_DOUBT_NOT;
  /* The bad end fails without ever having had it; that the good end does not
   * need it says nothing of later ones. */
  return *doubt = names(job, end, missing->path) ? CUL_DOUBT_TO_TRY
                  : fails                        ? CUL_DOUBT_NOT
                                                 : CUL_DOUBT_COUNTS;
}

enum cul_commits_doubt cul_commits_doubt(struct cul_commits *job,
                                         uint32_t commit,
                                         enum cul_answer answer) {
  struct cul_commits *outermost = cul_commits_outermost(job);
  enum cul_commits_doubt worst = CUL_DOUBT_COUNTS;
  struct cul_buf paths = {0};
  if (answer != CUL_SAME && answer != CUL_PASSES)
    return worst;
  lacking_at(job, commit, &paths);
  for (size_t i = 0; paths.len > 0 && i < outermost->n_missing; i++) {
    struct cul_commits_missing *missing = &outermost->missing[i];
    enum cul_commits_doubt doubt;
    if (!has_line(cul_buf_str(&paths), missing->path))
      continue;
    doubt = doubt_at(job, missing, answer == CUL_SAME);
    if (doubt == CUL_DOUBT_NOT ||
        (doubt == CUL_DOUBT_TO_TRY && worst != CUL_DOUBT_NOT))
      worst = doubt;
  }
  cul_buf_release(&paths);
  return worst;
}

bool cul_commits_has_doubts(const struct cul_commits *job) {
  for (size_t i = 0; i < job->n_missing; i++)
    if (job->missing[i].passes == CUL_DOUBT_TO_TRY ||
        job->missing[i].fails == CUL_DOUBT_TO_TRY)
      return true;
  return false;
}

int cul_commits_settle_doubts(struct cul_commits *job, struct cul_err *err) {
  struct cul_verdict verdict;
  int rc = 0;
  for (size_t i = 0; i < job->n_missing && rc == 0; i++) {
    const char *path = job->missing[i].path;
    if (job->missing[i].passes == CUL_DOUBT_TO_TRY) {
      rc = try_without(job, &job->bad, path, &verdict, err);
      job->missing[i].passes = rc == 0 && verdict.answer == CUL_SAME
                                   ? CUL_DOUBT_COUNTS
                                   : CUL_DOUBT_NOT;
    }
    if (rc == 0 && job->missing[i].fails == CUL_DOUBT_TO_TRY) {
      rc = try_without(job, &job->goods[0], path, &verdict, err);
      job->missing[i].fails = rc == 0 && verdict.answer == CUL_PASSES
                                  ? CUL_DOUBT_COUNTS
                                  : CUL_DOUBT_NOT;
    }
  }
  return rc;
}

/* ---- the report ---- */

json_t *cul_commits_missing_report(const struct cul_commits *job) {
  json_t *out = json_array();
  char hex[CUL_COMMIT_HEX];
  for (size_t i = 0; i < job->n_missing; i++) {
    const struct cul_commits_missing *missing = &job->missing[i];
    json_array_append_new(
        out,
        json_pack("{s:o, s:o, s:o, s:s}", "path",
                  cul_report_string(missing->path), "name",
                  cul_report_string(missing->name), "url",
                  missing->url ? cul_report_string(missing->url) : json_null(),
                  "commit", cul_commit_hex(&missing->id, hex)));
  }
  return out;
}

void cul_commits_missing_free(struct cul_commits *job) {
  for (size_t i = 0; i < job->n_missing; i++) {
    free(job->missing[i].path);
    free(job->missing[i].name);
    free(job->missing[i].url);
  }
  free(job->missing);
}
