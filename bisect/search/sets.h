/* Finds minimal sets of changes that cause a failure, one or several.
 *
 * Items are on or off; with all on the test fails, with none it passes.  The
 * search halves the items by the low bits of their hashes; if neither half is
 * enough, it keeps one half on and searches the other, then the reverse.  Found
 * sets are switched off, and the search continues while the test still fails.
 * About |set| x 1..2 log2 n runs each.  Source: golang.org/x/tools/cmd/bisect
 * (the suffix-hash scheme), QuickXplain (Junker 2004). */
#ifndef CUL_BISECT_SEARCH_SETS_H
#define CUL_BISECT_SEARCH_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../base/buf.h"
#include "../../base/err.h"

struct cul_set_space {
  size_t n;
  const uint64_t *hashes; /* of the items; stable from run to run */
  size_t most;            /* sets to search for; 0: all */
  void *self;
  /* *out: does the test fail with these items on?  on: n flags. */
  int (*fails)(void *self, const bool *on, bool *out, struct cul_err *err);
};

struct cul_set {
  uint32_t *items; /* ascending */
  size_t n;
};

enum cul_sets_end {
  CUL_SETS_FOUND,  /* with all of them off the test passes */
  CUL_SETS_MORE,   /* `most` sets; with all of them off the test still fails */
  CUL_SETS_NEVER,  /* the test passes with all items on */
  CUL_SETS_ALWAYS, /* the test fails with all items off */
  CUL_SETS_CUT,    /* the search was ended before a result */
};

struct cul_sets {
  enum cul_sets_end end;
  /* Each set is enough alone, and not enough without any one of its items; both
   * were observed.  No two sets share an item. */
  struct cul_set *sets;
  size_t n;
  bool crooked; /* not monotonic: some set is enough, but not with more items
                   on */
  /* CUT: the smallest further set that was observed to be enough; it may
   * contain unnecessary items.  n is 0 if there is none. */
  struct cul_set enough;
};

/* Errors: those of fails; if it was cut (cul_is_cut), out has what was known by
 * then.  Release out in any case. */
CUL_MUST_CHECK int cul_sets_find(const struct cul_set_space *space,
                                 struct cul_sets *out, struct cul_err *err);
void cul_sets_release(struct cul_sets *sets);

/* Append the pattern that matches exactly the hashes that are on: "y", "n", or
 * binary suffixes, "+01+1101", as short as possible. */
void cul_sets_pattern(const uint64_t *hashes, const bool *on, size_t n,
                      struct cul_buf *out);
/* Append the items that are on as closed intervals: "0-3:7", or "" for none. */
void cul_sets_intervals(const bool *on, size_t n, struct cul_buf *out);

#endif
