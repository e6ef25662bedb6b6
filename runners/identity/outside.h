/* The files that a build reads outside its directory: headers, option files,
 * programs, and names that it looks for in vain.  A stored build is valid for
 * its sources as long as all of these are unchanged.
 *
 * A list of them has lines "a PATH", "P PATH" and "L PATH" of
 * runners/identity/built.h.  Of a build on another machine, a name that begins
 * with CUL_OUTSIDE_SENT is one of this machine, where files were sent from. */
#ifndef CUL_RUNNERS_IDENTITY_OUTSIDE_H
#define CUL_RUNNERS_IDENTITY_OUTSIDE_H

#include <stdlib.h>

#include "../../base/buf.h"
#include "../../base/digest.h"

struct cul_cache;

#define CUL_OUTSIDE_SENT "@{there}/sent/"

struct cul_outside_name {
  char *line; /* of a list */
  struct cul_digest state;
  size_t worker; /* on whose machine */
  size_t turn;   /* of two about the same name, the later one counts */
};
/* The states of names on other machines, as each worker told them. {0} is empty
 * and valid. */
struct cul_outside_told {
  struct cul_outside_name *items; /* sorted by line and worker, each once */
  size_t n, room;
  size_t workers; /* 1 + the last that told something */
};

/* Append the line of a trace, or of a list, as one of a list.  dir: names in it
 * are not outside.  Other lines append nothing. */
void cul_outside_add(const char *line, size_t len, const char *dir,
                     struct cul_buf *list);
/* Sort the lines of a list, each once. */
void cul_outside_sort(struct cul_buf *list);

/* The present state of the names in a list.  A file that is missing or cannot
 * be read counts as such.  cache NULL: files are compared by size, times and
 * inode, not by content. */
struct cul_digest cul_outside_state(struct cul_cache *cache, const char *list);

/* Take the lines "z DIGEST LINE" among those of a worker's record, in place of
 * what it told of the same names before, and append them to a list. */
void cul_outside_take(struct cul_outside_told *told, size_t worker,
                      const char *lines, struct cul_buf *list);
/* The path of a file among such lines that is another one on the machine of
 * another worker, heap; NULL: there is none.  Each machine may have its own
 * configuration, state and caches. */
char *cul_outside_find_other(const struct cul_outside_told *told, size_t worker,
                             const char *lines);
enum { CUL_OUTSIDE_ALL = -1 }; /* workers */
/* The state of the names in a list as the worker told it last.  False: it told
 * nothing of one of them.  ALL: by what all workers told: of each name, all
 * different states; false: none of them told anything of one of the names. */
bool cul_outside_told_state(const struct cul_outside_told *told, int worker,
                            struct cul_cache *cache, const char *list,
                            struct cul_digest *out);
static inline void cul_outside_told_release(struct cul_outside_told *told) {
  for (size_t i = 0; i < told->n; i++)
    free(told->items[i].line);
  free(told->items);
  *told = (struct cul_outside_told){0};
}

#endif
