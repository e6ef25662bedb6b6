/* Mutations: one edit each, a descriptor and one line in list.h; variants of
 * one edit stand in one file.
 *
 * A mutation lists the sites of the subject as it stands, and applies any
 * subset of them in one go.  Site ids are valid for the subject they were
 * listed on: the worker keeps the listed subject unchanged and every
 * candidate is a fork of it.
 *
 * A candidate is accepted where something applied, the subject's check finds it
 * valid, it is smaller than the best was when it was asked (operations, bytes,
 * numbers; CUL_PHASE_GROW may grow), and the oracle says that it fails as
 * sought.  Its child is the worker from then on, and sites are listed anew.
 * One alone: culprit-worker-mlir --apply NAME --only LIST FILE; in a
 * debugger: CUL_WAIT_VARIABLE. */
#ifndef CUL_REDUCER_MUTATIONS_MUTATION_H
#define CUL_REDUCER_MUTATIONS_MUTATION_H

#include "../subject/subject.h"

/* When a mutation is tried. */
enum cul_phase {
  CUL_PHASE_CUT,   /* graph cut: O(log n) runs */
  CUL_PHASE_DELTA, /* weighted delta debugging over sites */
  CUL_PHASE_FINE,  /* only one site at a time, in the 1-minimal phase */
  CUL_PHASE_GROW,  /* may grow: one site at a time at the very end, kept only
                      if what delta makes of the result is smaller */
};

enum cul_mutation_flags {
  CUL_MUT_RANGE = 1 << 0, /* sites are ranges {first, last} of one group */
  CUL_MUT_ONCE = 1 << 1,  /* one whole-subject site: passes, names */
  CUL_MUT_GROWS = 1 << 2, /* tried as a growing edit too, beside its phase */
  CUL_MUT_LAST =
      1 << 3, /* many sites, little yield: once all else is exhausted */
  CUL_MUT_COMMAND = 1 << 4,   /* edits how the subject is run: not unless the
                                 user asks for it (--reduce-command) */
  CUL_MUT_NUMBERS = 1 << 5,   /* may leave the size and only lower numbers */
  CUL_MUT_SEGMENT = 1 << 6,   /* cuts a part out and leaves it as it was:
                                 what `culprit extract` may do */
  CUL_MUT_CHAIN = 1 << 7,     /* sites are places of a sequence, each below the
                                 one before it: a cut there takes the rest */
  CUL_MUT_LARGE = 1 << 8,     /* sites are large: none goes before it is known
                                 which must stay */
  CUL_MUT_LIKELY = 1 << 9,    /* all sites together mostly fail the same: what
                                 comes after that is looked ahead to */
  CUL_MUT_ASKS = 1 << 10,     /* sites follow from what operations require: the
                                 tool's verifier is asked before they are
                                 listed */
  CUL_MUT_REWRITES = 1 << 11, /* leaves another text: what it left is not
                                 taken back, nor its parts compared */
};

#define CUL_SITE_NONE UINT32_MAX

struct cul_site {
  uint32_t weight; /* operations (text: tokens) it may remove; at least 1 */
  uint32_t parent; /* index of the site around it, or CUL_SITE_NONE */
  uint32_t group;  /* ordered siblings share one (operations of a block) */
};

/* The sites of one mutation.  The mutation keeps, beside each site, what it
 * needs to find the place again: an index into the subject, a pointer. */
struct cul_sites {
  struct cul_site *items;
  size_t n, cap;
  void **place;     /* place[i]: the mutation's own, e.g. MlirOperation.ptr */
  uint64_t *detail; /* detail[i]: the mutation's own number */
};
/* Append a site without parent, of group 0; returns its id. */
uint32_t cul_sites_add(struct cul_sites *sites, void *place, uint64_t detail,
                       uint32_t weight);
void cul_sites_clear(struct cul_sites *sites);
void cul_sites_release(struct cul_sites *sites);

/* Lists and applies for many mutations.  how: what is one mutation's own, of
 * the type that the frame's header says. */
struct cul_mutation_frame {
  void (*sites)(const void *how, struct cul_subject *subject,
                struct cul_sites *out); /* NULL: the mutations have their own */
  /* Returns how many sites were applied: *applied of cul_mutation_apply. */
  size_t (*apply)(const void *how, struct cul_subject *subject,
                  const struct cul_sites *sites, const uint32_t *ids, size_t n);
};

struct cul_mutation {
  const char *name, *summary; /* "value-to-argument"; one line for --list */
  uint32_t kinds;             /* enum cul_subject_bits it can edit */
  enum cul_phase phase;
  uint32_t flags; /* enum cul_mutation_flags */
  /* NULL, or instead of what is NULL below */
  const struct cul_mutation_frame *frame;
  const void *how; /* for the frame */
  /* ASKS: of which operations it is asked what changes together; NULL: which
   * attributes may go is asked, of all. */
  cul_wanted_fn *wanted;
  /* See cul_mutation_sites and cul_mutation_apply. */
  int (*sites)(struct cul_subject *subject, struct cul_sites *out,
               struct cul_err *err);
  int (*apply)(struct cul_subject *subject, const struct cul_sites *sites,
               const uint32_t *ids, size_t n, size_t *applied,
               struct cul_err *err);
};

/* List the sites in the subject's own order.  Does not change it.  0 or a code
 * of err. */
int cul_mutation_sites(const struct cul_mutation *mutation,
                       struct cul_subject *subject, struct cul_sites *out,
                       struct cul_err *err);
/* Apply the sites ids[0..n) (ascending) of what cul_mutation_sites listed; skip
 * those that no longer apply; *applied counts the rest.  The subject may end
 * up invalid (the kind's check says so).  Runs in a child: it may crash. */
int cul_mutation_apply(const struct cul_mutation *mutation,
                       struct cul_subject *subject,
                       const struct cul_sites *sites, const uint32_t *ids,
                       size_t n, size_t *applied, struct cul_err *err);

extern const struct cul_mutation *const cul_mutations[]; /* NULL ends it */
const struct cul_mutation *cul_mutation_find(const char *name);

#endif
