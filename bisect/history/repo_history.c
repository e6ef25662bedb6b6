/* The commit graph, read once into arrays: each commit object is parsed for
 * its parents only, which is several times faster than a walk. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "repo_private.h"

/* Commits found so far; open addressing by the first bytes of the id, which
 * are as good as random. */
enum { MOST_SHALLOW = 64 << 20 }; /* bytes of the list */

struct table {
  struct cul_history *history;
  uint32_t *slots; /* 1 + number of the commit */
  uint32_t n_slots, cap_ids, n_parents, cap_parents;
  struct cul_commit_id *cut; /* a shallow clone ends at these */
  size_t n_cut;
  struct replacement *replaced;
  size_t n_replaced;
};

/* refs/replace: a commit, and the one that git reads instead. */
struct replacement {
  struct cul_commit_id id, by;
};

static void read_cut(struct table *t, struct cul_repo *repo) {
  char *path = cul_xasprintf("%sshallow", git_repository_commondir(repo->git));
  struct cul_buf text = {0};
  struct cul_err ignored = {0};
  git_oid oid;
  if (cul_file_read(path, MOST_SHALLOW, &text, &ignored) == 0)
    for (const char *at = cul_buf_str(&text);
         strlen(at) >= 40 && git_oid_fromstr(&oid, at) == 0;
         at += 40 + (at[40] == '\n')) {
      t->cut = cul_xreallocarray(t->cut, t->n_cut + 1, sizeof *t->cut);
      t->cut[t->n_cut++] = cul_repo_id(&oid);
    }
  cul_buf_release(&text);
  free(path);
}

static int by_id(const void *left, const void *right) {
  return memcmp(left, right, sizeof(struct cul_commit_id));
}

static int add_replacement(const char *name, void *self) {
  struct table *t = self;
  git_oid oid;
  if (git_oid_fromstr(&oid, strrchr(name, '/') + 1) == 0) {
    t->replaced =
        cul_xreallocarray(t->replaced, t->n_replaced + 1, sizeof *t->replaced);
    t->replaced[t->n_replaced++].id = cul_repo_id(&oid);
  }
  return 0;
}

static void read_replaced(struct table *t, struct cul_repo *repo) {
  git_reference_foreach_glob(repo->git, "refs/replace/*", add_replacement, t);
  for (size_t i = 0; i < t->n_replaced; i++) {
    char hex[CUL_COMMIT_HEX], name[80];
    git_oid oid = cul_repo_oid(&t->replaced[i].id);
    snprintf(name, sizeof name, "refs/replace/%s",
             cul_commit_hex(&t->replaced[i].id, hex));
    (void)!git_reference_name_to_id(&oid, repo->git, name);
    t->replaced[i].by = cul_repo_id(&oid);
  }
}

static const struct cul_commit_id *read_as(const struct table *t,
                                           const struct cul_commit_id *id) {
  for (size_t i = 0; i < t->n_replaced; i++)
    if (cul_commit_equal(&t->replaced[i].id, id))
      return &t->replaced[i].by;
  return id;
}

static uint32_t slot_of(const struct table *t, const unsigned char *raw) {
  uint32_t at;
  memcpy(&at, raw, sizeof at);
  for (at &= t->n_slots - 1; t->slots[at]; at = (at + 1) & (t->n_slots - 1))
    if (memcmp(t->history->ids[t->slots[at] - 1].raw, raw, 20) == 0)
      break;
  return at;
}

static void grow_slots(struct table *t) {
  struct cul_history *h = t->history;
  free(t->slots);
  t->n_slots = t->n_slots ? 2 * t->n_slots : 1 << 12;
  t->slots = cul_xcalloc(t->n_slots, sizeof *t->slots);
  for (uint32_t i = 0; i < h->n; i++)
    t->slots[slot_of(t, h->ids[i].raw)] = i + 1;
}

/* The number of a commit, which is added if it is new. */
static uint32_t number_of(struct table *t, const unsigned char *raw) {
  struct cul_history *h = t->history;
  uint32_t at;
  if (2 * (h->n + 1) > t->n_slots)
    grow_slots(t);
  at = slot_of(t, raw);
  if (t->slots[at])
    return t->slots[at] - 1;
  if (h->n == t->cap_ids) {
    t->cap_ids = t->cap_ids ? 2 * t->cap_ids : 1024;
    h->ids = cul_xreallocarray(h->ids, t->cap_ids, sizeof *h->ids);
  }
  memcpy(h->ids[h->n].raw, raw, sizeof h->ids[h->n].raw);
  t->slots[at] = ++h->n;
  return h->n - 1;
}

static void add_parent(struct table *t, uint32_t parent) {
  struct cul_history *h = t->history;
  if (t->n_parents == t->cap_parents) {
    t->cap_parents = t->cap_parents ? 2 * t->cap_parents : 1024;
    h->parents =
        cul_xreallocarray(h->parents, t->cap_parents, sizeof *h->parents);
  }
  h->parents[t->n_parents++] = parent;
}

/* "tree HEX\nparent HEX\nparent HEX\nauthor ..." */
static void read_parents(struct table *t, const char *at, size_t len,
                         bool first_parent) {
  static const char word[] = "parent ";
  const char *end = at + len;
  at = memchr(at, '\n', len);
  while (at && end - at > 48 && memcmp(at + 1, word, sizeof word - 1) == 0) {
    git_oid oid;
    if (git_oid_fromstr(&oid, at + sizeof word) == 0)
      add_parent(t, number_of(t, oid.id));
    if (first_parent)
      return;
    at = memchr(at + 1, '\n', (size_t)(end - at - 1));
  }
}

static int read_commit(struct table *t, struct cul_repo *repo, git_odb *odb,
                       uint32_t i, bool first_parent, struct cul_err *err) {
  const struct cul_commit_id *id = &t->history->ids[i];
  git_oid oid = cul_repo_oid(read_as(t, id));
  git_odb_object *object;
  char what[64], hex[CUL_COMMIT_HEX];
  int code = git_odb_read(&object, odb, &oid);
  if (code < 0) {
    snprintf(what, sizeof what, "commit %s",
             cul_commit_hex(&t->history->ids[i], hex));
    return cul_repo_fail_object(repo, code, what, err);
  }
  /* A shallow clone does not have the parents of the commits at its border. */
  if (!t->n_cut || !bsearch(id, t->cut, t->n_cut, sizeof *t->cut, by_id))
    read_parents(t, git_odb_object_data(object), git_odb_object_size(object),
                 first_parent);
  git_odb_object_free(object);
  return 0;
}

int cul_repo_history(struct cul_repo *repo, const struct cul_commit_id *tips,
                     size_t n, bool first_parent, struct cul_history *out,
                     struct cul_err *err) {
  struct table t = {.history = out};
  git_odb *odb = NULL;
  enum { AT_ONCE = 1024 }; /* commits: some milliseconds */
  uint32_t cap = 0;
  int rc = 0;
  *out = (struct cul_history){0};
  if (git_repository_odb(&odb, repo->git) < 0)
    return cul_fail(err, CUL_EENV, "git fsck describes the damage",
                    "cannot read the repository: %s", cul_repo_why());
  read_cut(&t, repo);
  read_replaced(&t, repo);
  if (t.n_cut)
    qsort(t.cut, t.n_cut, sizeof *t.cut, by_id);
  for (size_t i = 0; i < n; i++)
    number_of(&t, tips[i].raw);
  for (uint32_t i = 0; i < out->n && rc == 0; i++) {
    if (i + 1 >= cap) {
      cap = cap ? 2 * cap : 1024;
      out->first = cul_xreallocarray(out->first, cap, sizeof *out->first);
    }
    out->first[i] = t.n_parents;
    rc = read_commit(&t, repo, odb, i, first_parent, err);
    if (i % AT_ONCE == 0)
      cul_status_beat();
    out->first[i + 1] = t.n_parents;
  }
  free(t.slots);
  free(t.cut);
  free(t.replaced);
  git_odb_free(odb);
  if (rc < 0)
    cul_history_release(out);
  return rc;
}

void cul_history_release(struct cul_history *history) {
  free(history->ids);
  free(history->first);
  free(history->parents);
  *history = (struct cul_history){0};
}

uint32_t cul_history_find(const struct cul_history *history,
                          const struct cul_commit_id *id) {
  uint32_t i = 0;
  while (i < history->n && !cul_commit_equal(&history->ids[i], id))
    i++;
  return i;
}

/* Mark the ancestors of a commit, but not the commit itself. */
static void mark_above(const struct cul_history *h, uint32_t from,
                       unsigned char bit, unsigned char *marks,
                       uint32_t *stack) {
  size_t depth = 0;
  stack[depth++] = from;
  while (depth > 0) {
    uint32_t c = stack[--depth];
    for (uint32_t k = h->first[c]; k < h->first[c + 1]; k++) {
      uint32_t parent = h->parents[k];
      if (marks[parent] & bit)
        continue;
      marks[parent] |= bit;
      stack[depth++] = parent;
    }
  }
}

size_t cul_history_bases(const struct cul_history *h, uint32_t a, uint32_t b,
                         uint32_t **out) {
  enum { OF_A = 1, OF_B = 2, BELOW = 4 };
  unsigned char *marks = cul_xcalloc((size_t)h->n + 1, 1);
  uint32_t *stack = cul_xcalloc((size_t)h->n + 1, sizeof *stack);
  size_t n = 0;
  marks[a] |= OF_A;
  marks[b] |= OF_B;
  mark_above(h, a, OF_A, marks, stack);
  mark_above(h, b, OF_B, marks, stack);
  for (uint32_t c = 0; c < h->n; c++)
    if ((marks[c] & (OF_A | OF_B)) == (OF_A | OF_B) && !(marks[c] & BELOW))
      mark_above(h, c, BELOW, marks, stack);
  *out = stack;
  for (uint32_t c = 0; c < h->n; c++)
    if (marks[c] == (OF_A | OF_B))
      stack[n++] = c;
  free(marks);
  return n;
}
