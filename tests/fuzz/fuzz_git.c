/* Any bytes are the objects of a git repository, whatever their names are:
 * commits, trees, files and tags that may lead back to themselves, as in the
 * object directory of a stranger.  History, checkout, and what is told of
 * commits end with an answer or an error in words, and nothing is written but
 * in the directory of the checkout.
 *
 * The first byte says what is asked.  An object is a byte for its kind, two for
 * its length, and its bytes.  All ids whose first byte is N are those of object
 * N. */
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "../../bisect/history/repo_private.h"
#include "fuzz.h"

enum { MOST_OBJECTS = 64 };

struct object {
  git_object_t kind;
  const uint8_t *bytes;
  size_t len;
};

struct store {
  git_odb_backend backend; /* first */
  struct object objects[MOST_OBJECTS];
  size_t n;
};

static const struct object *find(git_odb_backend *backend, const git_oid *id) {
  struct store *store = (struct store *)backend;
  return id->id[0] < store->n ? &store->objects[id->id[0]] : NULL;
}

static int read_object(void **data, size_t *len, git_object_t *kind,
                       git_odb_backend *backend, const git_oid *id) {
  const struct object *object = find(backend, id);
  if (!object)
    return GIT_ENOTFOUND;
  *data = git_odb_backend_data_alloc(backend, object->len + 1);
  if (object->len)
    memcpy(*data, object->bytes, object->len);
  ((char *)*data)[object->len] = '\0';
  *len = object->len;
  *kind = object->kind;
  return 0;
}

static int read_header(size_t *len, git_object_t *kind,
                       git_odb_backend *backend, const git_oid *id) {
  const struct object *object = find(backend, id);
  if (!object)
    return GIT_ENOTFOUND;
  *len = object->len;
  *kind = object->kind;
  return 0;
}

static int exists(git_odb_backend *backend, const git_oid *id) {
  return find(backend, id) != NULL;
}

static void free_store(git_odb_backend *backend) {
  free((struct store *)backend);
}

static struct store *store_of(const uint8_t *data, size_t size) {
  static const git_object_t kinds[] = {GIT_OBJECT_COMMIT, GIT_OBJECT_TREE,
                                       GIT_OBJECT_BLOB, GIT_OBJECT_TAG};
  struct store *store = cul_xcalloc(1, sizeof *store);
  git_odb_init_backend(&store->backend, GIT_ODB_BACKEND_VERSION);
  store->backend.read = read_object;
  store->backend.read_header = read_header;
  store->backend.exists = exists;
  store->backend.free = free_store;
  while (size >= 3 && store->n < MOST_OBJECTS) {
    struct object *object = &store->objects[store->n++];
    size_t len = data[1] + 256U * data[2];
    object->kind = kinds[data[0] % CUL_ARRAY_SIZE(kinds)];
    object->bytes = data + 3;
    object->len = len < size - 3 ? len : size - 3;
    data += 3 + object->len;
    size -= 3 + object->len;
  }
  return store;
}

/* ---- the place ---- */

/* As there is one process: made at its first input, removed at its end. */
static struct {
  char dir[64];
  char *work;
  git_repository *git;
} place;

static void leave(void) {
  cul_rmtree(place.dir);
  free(place.work);
  git_repository_free(place.git);
}

static void enter(void) {
  const char *tmp = getenv("TMPDIR");
  char *git;
  snprintf(place.dir, sizeof place.dir, "%s/fuzz-git.XXXXXX",
           tmp && strlen(tmp) < 40 ? tmp : "/tmp");
  fuzz_demand(mkdtemp(place.dir) != NULL, "no directory");
  place.work = cul_xasprintf("%s/work", place.dir);
  git = cul_xasprintf("%s/git", place.dir);
  git_libgit2_init();
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_HASH_VERIFICATION, 0);
  git_libgit2_opts(GIT_OPT_ENABLE_CACHING, 0); /* ids are of one input */
  git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_GLOBAL, git);
  git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_XDG, git);
  git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, GIT_CONFIG_LEVEL_SYSTEM, git);
  fuzz_demand(git_repository_init(&place.git, git, 1) == 0, "no repository");
  free(git);
  atexit(leave);
}

/* ---- what bisect asks of it ---- */

static struct cul_commit_id id_of(unsigned n) {
  struct cul_commit_id id;
  memset(id.raw, (int)n, sizeof id.raw);
  return id;
}

static void read_about(struct cul_repo *repo, const struct cul_commit_id *id) {
  struct cul_commit_about about;
  struct cul_err err = {0};
  int rc = cul_repo_about(repo, id, &about, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0) {
    fuzz_demand(memchr(about.date, 0, sizeof about.date) && about.title &&
                    about.author && about.diffstat,
                "a commit of which something is not said");
    cul_commit_about_release(&about);
  }
}

static void read_between(struct cul_repo *repo,
                         const struct cul_history *history) {
  static const char *const paths[] = {"a", "b/c", NULL};
  const struct cul_graph graph = {history->n, history->first, history->parents};
  const uint32_t good = 1;
  struct cul_dag dag;
  struct cul_err err = {0};
  uint32_t *points, *bases;
  size_t n = history->n > 1 ? cul_history_bases(history, 0, 1, &bases) : 0;
  for (size_t i = 0; i < n; i++)
    fuzz_demand(bases[i] < history->n, "a base that is no commit");
  if (history->n < 2)
    return;
  free(bases);
  if (cul_dag_between(&graph, 0, &good, 1, &dag, &points)) {
    size_t all = (size_t)dag.n + dag.n_outer;
    struct cul_commit_id *ids = cul_xcalloc(all + 1, sizeof *ids);
    bool *touches = cul_xcalloc((size_t)dag.n + 1, sizeof *touches);
    for (size_t i = 0; i < all; i++)
      ids[i] = history->ids[points[i]];
    fuzz_demand_words(cul_repo_touching(repo, &dag, ids, paths, touches, &err),
                      &err);
    free(ids);
    free(touches);
    free(points);
    cul_dag_release(&dag);
  }
}

static void read_history(struct cul_repo *repo, bool first_parent) {
  const struct cul_commit_id tips[] = {id_of(0), id_of(1)};
  struct cul_history history;
  struct cul_err err = {0};
  int rc = cul_repo_history(repo, tips, 2, first_parent, &history, &err);
  fuzz_demand_words(rc, &err);
  if (rc < 0)
    return;
  for (uint32_t i = 0; i < history.first[history.n]; i++)
    fuzz_demand(history.parents[i] < history.n, "a parent that is no commit");
  read_between(repo, &history);
  cul_history_release(&history);
}

static void read_moves(struct cul_repo *repo) {
  const struct cul_commit_id old = id_of(1), new = id_of(0);
  struct cul_commits_pin pin = {"a", "at ([0-9a-f]{40})", "/nowhere"};
  const struct cul_commits_pins pins = {&pin, 1};
  struct cul_moves moves;
  struct cul_dated *dated;
  struct cul_err err = {0};
  size_t n;
  int rc = cul_repo_moved(repo, &old, &new, &pins, &moves, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0)
    cul_moves_release(&moves);
  fuzz_demand_words(cul_repo_first_parents(repo, &old, &new, &dated, &n, &err),
                    &err);
  free(dated);
}

static int count_one(const char *root, const git_tree_entry *entry,
                     void *left) {
  (void)root, (void)entry;
  return --*(int *)left < 0 ? -1 : 0;
}

/* What is written to a disk takes its time. */
static bool is_small(struct cul_repo *repo, const struct cul_commit_id *id) {
  enum { MOST_FILES = 32 };
  git_oid oid = cul_repo_oid(id);
  git_commit *commit = NULL;
  git_tree *tree = NULL;
  int left = MOST_FILES;
  struct cul_err ignored = {0};
  if (cul_repo_check(repo, id, &ignored) == 0 &&
      git_commit_lookup(&commit, repo->git, &oid) == 0 &&
      git_commit_tree(&tree, commit) == 0)
    (void)!git_tree_walk(tree, GIT_TREEWALK_PRE, count_one, &left);
  git_tree_free(tree);
  git_commit_free(commit);
  return left >= 0;
}

/* One revision after the other into the same directory, and back. */
static void check_out(struct cul_repo *repo) {
  const struct cul_override held = {
      .path = "a", .id = id_of(1), .kind = CUL_TAKEN_WHOLE};
  const struct cul_repo_revision new = {id_of(0), &held, 1},
                                 old = {.commit = id_of(1)};
  struct cul_switched ignored = {0};
  struct cul_err err = {0};
  int rc;
  if (!is_small(repo, &old.commit) || !is_small(repo, &new.commit))
    return;
  cul_rmtree(place.work);
  fuzz_demand(mkdir(place.work, 0700) == 0, "no directory to check out to");
  rc = cul_repo_switch(repo, place.work, NULL, &old, &ignored, &err);
  fuzz_demand_words(rc, &err);
  if (rc < 0)
    return;
  fuzz_demand_words(
      cul_repo_restore(repo, place.work, &old, (struct timespec){0, 0}, &err),
      &err);
  rc = cul_repo_switch(repo, place.work, &old, &new, &ignored, &err);
  fuzz_demand_words(rc, &err);
  if (rc == 0)
    fuzz_demand_words(
        cul_repo_switch(repo, place.work, &new, &old, &ignored, &err), &err);
}

static void read_revision(struct cul_repo *repo) {
  struct cul_commit_id id;
  struct cul_err err = {0};
  char hex[CUL_COMMIT_HEX];
  for (unsigned n = 0; n < 3; n++) {
    id = id_of(n);
    cul_commit_hex(&id, hex);
    fuzz_demand_words(cul_repo_resolve(repo, hex, "--good", &id, &err), &err);
  }
}

static void ask(struct cul_repo *repo, unsigned what) {
  const struct cul_commit_id first = id_of(0);
  switch (what % 3) {
  case 0:
    read_revision(repo);
    read_history(repo, false);
    read_history(repo, true);
    read_about(repo, &first);
    break;
  case 1:
    read_moves(repo);
    break;
  default:
    check_out(repo);
    break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cul_repo repo = {0};
  git_odb *odb = NULL;
  struct store *store;
  if (!size)
    return 0;
  if (!place.git)
    enter();
  store = store_of(data + 1, size - 1);
  fuzz_demand(git_odb_new(&odb) == 0 &&
                  git_odb_add_backend(odb, &store->backend, 1) == 0 &&
                  git_repository_set_odb(place.git, odb) == 0,
              "no object database");
  git_odb_free(odb); /* the repository holds it */
  repo.git = place.git;
  ask(&repo, data[0]);
  cul_repo_found_free(repo.found);
  return 0;
}
