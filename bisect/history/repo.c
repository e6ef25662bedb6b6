/* Revisions and descriptions of commits: see repo.h. */
#include "repo.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "repo_private.h"

char *cul_commit_hex(const struct cul_commit_id *id, char hex[CUL_COMMIT_HEX]) {
  git_oid oid = cul_repo_oid(id);
  return git_oid_tostr(hex, CUL_COMMIT_HEX, &oid);
}

bool cul_commit_equal(const struct cul_commit_id *a,
                      const struct cul_commit_id *b) {
  return memcmp(a->raw, b->raw, sizeof a->raw) == 0;
}

const char *cul_repo_why(void) {
  const git_error *error = git_error_last();
  return error && error->message ? error->message : "libgit2 does not say why";
}

git_oid cul_repo_oid(const struct cul_commit_id *id) {
  git_oid oid;
  git_oid_fromraw(&oid, id->raw);
  return oid;
}

struct cul_commit_id cul_repo_id(const git_oid *oid) {
  struct cul_commit_id id;
  memcpy(id.raw, oid->id, sizeof id.raw);
  return id;
}

int cul_repo_fail_object(struct cul_repo *repo, int code, const char *what,
                         struct cul_err *err) {
  const git_error *error = git_error_last();
  int shallow;
  /* libgit2 also reports "not found" if there is not enough memory. */
  if (error && error->klass == GIT_ERROR_NOMEMORY)
    code = GIT_ERROR;
  shallow = code == GIT_ENOTFOUND ? git_repository_is_shallow(repo->git) : -1;
  if (shallow < 0)
    return cul_fail(err, CUL_EENV, "git fsck describes the damage",
                    "cannot read %s: %s", what, cul_repo_why());
  if (shallow)
    return cul_fail(err, CUL_EUSAGE,
                    "fetch the rest: git fetch --unshallow, or give a newer "
                    "--good",
                    "the repository is a shallow clone: %s is not in it", what);
  return cul_fail(err, CUL_EUSAGE,
                  "a partial clone lacks objects: fetch them (git fetch "
                  "--refetch --no-filter); else run git fsck",
                  "%s is missing in the repository", what);
}

/* ---- opening ---- */

int cul_repo_open(const char *dir, struct cul_repo **out, struct cul_err *err) {
  struct cul_repo *repo = cul_xcalloc(1, sizeof *repo);
  char why[200];
  bool foreign;
  int code;
  git_libgit2_init();
  /* Do not verify hashes of objects: git has done so when it wrote them. */
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
  code = git_repository_open_ext(&repo->git, dir, 0, NULL);
  if (code == 0) {
    *out = repo;
    return 0;
  }
  /* libgit2 1.5 reports instead that the configuration has no exception for
   * this repository. */
  foreign = code == GIT_EOWNER || strstr(cul_repo_why(), "safe.directory");
  snprintf(why, sizeof why, "%s", cul_repo_why());
  cul_repo_close(repo);
  if (foreign)
    return cul_fail(err, CUL_EUSAGE,
                    "if you trust it: git config --global --add "
                    "safe.directory DIR",
                    "%s belongs to another user (dubious ownership)", dir);
  if (code == GIT_ENOTFOUND)
    return cul_fail(err, CUL_EUSAGE,
                    "give --repo the directory that holds .git",
                    "%s is not a git repository", dir);
  if (strstr(why, "extension") || strstr(why, "version"))
    return cul_fail(err, CUL_EUSAGE,
                    "give a clone in git's usual format: SHA-1 ids, refs as "
                    "files (git init --object-format=sha1)",
                    "the repository %s has a format that libgit2 %s does not "
                    "read: %s",
                    dir, LIBGIT2_VERSION, why);
  return cul_fail(err, CUL_EUSAGE, "does git itself read it?",
                  "cannot open the repository %s: %s", dir, why);
}

void cul_repo_close(struct cul_repo *repo) {
  if (!repo)
    return;
  cul_repo_found_free(repo->found);
  git_repository_free(repo->plain);
  git_repository_free(repo->git);
  free(repo);
  git_libgit2_shutdown();
}

int cul_repo_resolve(struct cul_repo *repo, const char *rev, const char *what,
                     struct cul_commit_id *out, struct cul_err *err) {
  git_object *object = NULL, *commit = NULL;
  int code = git_revparse_single(&object, repo->git, rev);
  if (code == 0)
    code = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
  if (code == 0)
    memcpy(out->raw, git_object_id(commit)->id, sizeof out->raw);
  git_object_free(object);
  git_object_free(commit);
  if (code == 0)
    return 0;
  if (code == GIT_EAMBIGUOUS)
    return cul_fail(err, CUL_EUSAGE, "give more of its digits",
                    "%s %s is ambiguous", what, rev);
  return cul_fail(err, CUL_EUSAGE,
                  "give a commit, branch or tag of that repository (git log)",
                  "%s %s names no commit: %s", what, rev, cul_repo_why());
}

/* ---- descriptions of commits ---- */

/* The time of a commit may be any number, also one without a calendar date. */
static void format_date(const git_signature *author, char date[32]) {
  int offset = author->when.offset;
  struct tm tm;
  time_t local;
  size_t n;
  if (__builtin_add_overflow(author->when.time, offset * 60, &local) ||
      !gmtime_r(&local, &tm)) {
    snprintf(date, 32, "@%lld", (long long)author->when.time);
    return;
  }
  n = strftime(date, 32, "%Y-%m-%dT%H:%M:%S", &tm);
  snprintf(date + n, 32 - n, "%c%02d:%02d", offset < 0 ? '-' : '+',
           abs(offset) / 60 % 100, abs(offset) % 60);
}

static int sound_tree(struct cul_repo *repo, const git_commit *commit,
                      git_tree **out) {
  struct cul_commit_id id = cul_repo_id(git_commit_id(commit));
  struct cul_err ignored = {0};
  return cul_repo_check(repo, &id, &ignored) < 0 ? -1
                                                 : git_commit_tree(out, commit);
}

static char *diffstat(struct cul_repo *repo, git_commit *commit) {
  git_commit *parent = NULL;
  git_tree *old = NULL, *new = NULL;
  git_diff *diff = NULL;
  git_diff_stats *stats = NULL;
  git_buf text = {0};
  char *out;
  int code = sound_tree(repo, commit, &new);
  if (code == 0 && git_commit_parentcount(commit))
    code = git_commit_parent(&parent, commit, 0);
  if (code == 0 && parent)
    code = sound_tree(repo, parent, &old);
  if (code == 0)
    code = git_diff_tree_to_tree(&diff, repo->git, old, new, NULL);
  if (code == 0)
    code = git_diff_get_stats(&stats, diff);
  if (code == 0)
    code = git_diff_stats_to_buf(&text, stats, GIT_DIFF_STATS_FULL, 72);
  out = cul_xstrdup(code == 0 && text.ptr ? text.ptr : "");
  git_buf_dispose(&text);
  git_diff_stats_free(stats);
  git_diff_free(diff);
  git_tree_free(old);
  git_tree_free(new);
  git_commit_free(parent);
  return out;
}

int cul_repo_about(struct cul_repo *repo, const struct cul_commit_id *id,
                   struct cul_commit_about *out, struct cul_err *err) {
  git_oid oid = cul_repo_oid(id);
  git_commit *commit = NULL;
  const git_signature *author;
  int code = git_commit_lookup(&commit, repo->git, &oid);
  *out = (struct cul_commit_about){0};
  if (code < 0)
    return cul_repo_fail_object(repo, code, "a commit", err);
  author = git_commit_author(commit);
  out->title = cul_xstrdup(
      git_commit_summary(commit) ? git_commit_summary(commit) : "(no message)");
  out->author = cul_xasprintf("%s <%s>", author->name, author->email);
  format_date(author, out->date);
  out->diffstat = diffstat(repo, commit);
  git_commit_free(commit);
  return 0;
}

void cul_commit_about_release(struct cul_commit_about *about) {
  free(about->title);
  free(about->author);
  free(about->diffstat);
  *about = (struct cul_commit_about){0};
}

int cul_repo_tree(struct cul_repo *repo, const struct cul_commit_id *id,
                  struct cul_commit_id *tree, struct cul_err *err) {
  git_oid oid = cul_repo_oid(id);
  git_commit *commit = NULL;
  int code = git_commit_lookup(&commit, repo->git, &oid);
  if (code < 0)
    return cul_repo_fail_object(repo, code, "a commit", err);
  memcpy(tree->raw, git_commit_tree_id(commit)->id, sizeof tree->raw);
  git_commit_free(commit);
  return 0;
}

int cul_repo_blob(struct cul_repo *repo, const git_oid *oid, const char *path,
                  git_blob **out, struct cul_err *err) {
  git_odb *odb = NULL;
  git_object_t type;
  size_t len = 0;
  int code = git_repository_odb(&odb, repo->git);
  *out = NULL;
  if (code == 0)
    code = git_odb_read_header(&len, &type, odb, oid);
  git_odb_free(odb);
  if (code == 0 && len > CUL_REPO_MOST_FILE)
    return cul_fail(err, CUL_ECHILD, "",
                    "the commit's file %s has %zu bytes; at most %d are "
                    "checked out",
                    path, len, CUL_REPO_MOST_FILE);
  if (code == 0)
    code = git_blob_lookup(out, repo->git, oid);
  return code < 0 ? cul_repo_fail_object(repo, code, path, err) : 0;
}

bool cul_repo_has(struct cul_repo *repo, const struct cul_commit_id *id) {
  git_oid oid = cul_repo_oid(id);
  git_commit *commit = NULL;
  bool has = git_commit_lookup(&commit, repo->git, &oid) == 0;
  git_commit_free(commit);
  return has;
}

bool cul_repo_is_shallow(struct cul_repo *repo) {
  return git_repository_is_shallow(repo->git) == 1;
}
