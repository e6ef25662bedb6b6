/* Minimal sets of changes that make it fail, and several of them.
 *
 * Items are on or off; with all on it fails, with none it does not.  A set is
 * found by halving by the low bits of the items' hashes: where neither half is
 * enough, one is kept on and the other searched, then the other way round.
 * Found sets are switched off, and the search goes on while it still fails.
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
  size_t most;            /* sets to look for; 0: all */
  void *self;
  /* Does it fail with these items on (n of them)? */
  int (*fails)(void *self, const bool *on, bool *out, struct cul_err *err);
};

struct cul_set {
  uint32_t *items; /* ascending */
  size_t n;
};

enum cul_sets_end {
  CUL_SETS_FOUND,  /* and with all of them off it does not fail */
  CUL_SETS_MORE,   /* `most` sets; with all of them off it still fails */
  CUL_SETS_NEVER,  /* it does not fail with all items on */
  CUL_SETS_ALWAYS, /* it fails with all items off */
  CUL_SETS_CUT,    /* the search was ended before it knew */
};

struct cul_sets {
  enum cul_sets_end end;
  /* Each is enough alone, and not without any one of its items: both were
   * seen.  No two share an item. */
  struct cul_set *sets;
  size_t n;
  bool crooked; /* some set is enough, but not with more items on */
  /* CUT: the smallest set beside these that was seen to be enough; it may hold
   * more than is needed.  n is 0 where there is none. */
  struct cul_set enough;
};

/* Errors: those of fails; where it was cut (cul_is_cut), out has what is known
 * until then.  It is to be released in any case. */
CUL_MUST_CHECK int cul_sets_find(const struct cul_set_space *space,
                                 struct cul_sets *out, struct cul_err *err);
void cul_sets_release(struct cul_sets *sets);

/* The pattern that matches these of the hashes and none of the others: "y",
 * "n", or suffixes in binary, "+01+1101", as short as they can be.  Appended.
 */
void cul_sets_pattern(const uint64_t *hashes, const bool *on, size_t n,
                      struct cul_buf *out);
/* The items as closed intervals of numbers: "0-3:7", or "" for none. */
void cul_sets_intervals(const bool *on, size_t n, struct cul_buf *out);

#endif
