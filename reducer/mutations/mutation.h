/* Mutations.  A mutation makes one kind of edit; its descriptor is a row of
 * list.h.  Variants of one edit share a file.
 *
 * A mutation lists the sites of the present subject, and applies any subset of
 * them at once.  Site ids are valid for the subject on which they were listed:
 * the worker keeps the listed subject unchanged, and every candidate is a fork
 * of it.
 *
 * A candidate is accepted if some edit applied, the subject's check finds it
 * valid, it is smaller than the best was when the point was asked
 * (cul_size_less; CUL_PHASE_GROW may grow), and the oracle judges that it shows
 * the sought failure.  At the end of the search over these sites, the child of
 * the best becomes the worker, and sites are listed anew.
 *
 * Most mutations need no code but the few functions that their frame calls
 * (frame/each.h).  They use ../subject/ir/ir.h and ../subject/ir/edits.h for
 * modules, text/sites.h for texts.
 *
 * To run one mutation alone: culprit-worker-mlir --apply NAME --only LIST FILE;
 * in a debugger: CULPRIT_WAIT_CHILD (docs/development.md). */
#ifndef CUL_REDUCER_MUTATIONS_MUTATION_H
#define CUL_REDUCER_MUTATIONS_MUTATION_H

#include "../subject/subject.h"

/* When a mutation is tried. */
enum cul_phase {
  CUL_PHASE_CUT,   /* graph cut: O(log n) runs */
  CUL_PHASE_DELTA, /* weighted delta debugging over sites */
  CUL_PHASE_FINE,  /* one site at a time, only in the 1-minimal phase */
  CUL_PHASE_GROW,  /* may grow: one site at a time at the very end; kept only
                      if delta then makes the result smaller */
};

enum cul_mutation_flags {
  CUL_MUT_RANGE = 1 << 0, /* sites are ranges {first, last} of one group */
  CUL_MUT_ONCE = 1 << 1,  /* one whole-subject site: passes, names */
  CUL_MUT_GROWS = 1 << 2, /* also tried as a growing edit, besides its phase */
  CUL_MUT_LAST =
      1 << 3, /* many sites, little yield: run once all else is exhausted */
  CUL_MUT_COMMAND = 1 << 4,   /* edits how the subject is run; only used on
                                 request (--reduce-command) */
  CUL_MUT_NUMBERS = 1 << 5,   /* may keep the size and only lower numbers */
  CUL_MUT_SEGMENT = 1 << 6,   /* cuts a part out and leaves it unchanged:
                                 allowed in `culprit extract` */
  CUL_MUT_CHAIN = 1 << 7,     /* sites are places of a sequence, each below
                                 the one before it: cutting at one removes
                                 the rest */
  CUL_MUT_LARGE = 1 << 8,     /* sites are large: find those that must stay
                                 before removing any; ranges of a text: stop
                                 once no short one is enough */
  CUL_MUT_LIKELY = 1 << 9,    /* removing all sites usually keeps the failure:
                                 look ahead to what follows */
  CUL_MUT_ASKS = 1 << 10,     /* sites depend on what operations require: the
                                 tool's verifier is asked before they are
                                 listed */
  CUL_MUT_REWRITES = 1 << 11, /* leaves another text: its edits are not
                                 undone, and its parts not compared */
  CUL_MUT_RUN = CUL_MUT_RANGE | CUL_MUT_SEGMENT /* keeps a run as it is */
};

#define CUL_SITE_NONE UINT32_MAX

struct cul_site {
  uint32_t weight; /* operations (text: tokens) it may remove; at least 1 */
  uint32_t parent; /* index of the enclosing site, or CUL_SITE_NONE */
  uint32_t group;  /* ordered siblings share one (operations of a block) */
};

/* The sites of one mutation.  For each site the mutation keeps what it needs to
 * find the place again: an index into the subject, or a pointer. */
struct cul_sites {
  struct cul_site *items;
  size_t n, cap;
  void **place;     /* place[i]: private to the mutation, e.g.
                       MlirOperation.ptr */
  uint64_t *detail; /* detail[i]: a number private to the mutation */
};
/* Append a site without a parent, in group 0; returns its id. */
uint32_t cul_sites_add(struct cul_sites *sites, void *place, uint64_t detail,
                       uint32_t weight);
/* Remove all sites, and keep the memory for others. */
void cul_sites_clear(struct cul_sites *sites);
/* Free what it owns; {0} is fine. */
void cul_sites_release(struct cul_sites *sites);

/* Lists and applies the sites of many mutations.  how: the data of one
 * mutation; its type is given in the frame's header. */
struct cul_mutation_frame {
  void (*sites)(const void *how, struct cul_subject *subject,
                struct cul_sites *out);
  size_t (*apply)(const void *how, struct cul_subject *subject,
                  const struct cul_sites *sites, const uint32_t *ids, size_t n);
};

struct cul_mutation {
  const char *name, *summary; /* "value-to-argument"; one line for --list */
  uint32_t kinds;             /* enum cul_subject_bits that it can edit */
  enum cul_phase phase;
  uint32_t flags; /* enum cul_mutation_flags */
  const struct cul_mutation_frame *frame;
  const void *how; /* for the frame */
  /* For ASKS: the operations for which ties are asked.  NULL: ask of all
   * operations which attributes may be removed. */
  cul_wanted_fn *wanted;
};

/* List the sites in the subject's own order, without changing the subject. */
static inline void cul_mutation_sites(const struct cul_mutation *mutation,
                                      struct cul_subject *subject,
                                      struct cul_sites *out) {
  mutation->frame->sites(mutation->how, subject, out);
}
/* Apply the sites ids[0..n), ascending, of those that cul_mutation_sites
 * listed.  Sites that no longer apply are skipped; returns the number of the
 * others.  The subject may become invalid, which the kind's check detects. Runs
 * in a child: it may crash. */
static inline size_t cul_mutation_apply(const struct cul_mutation *mutation,
                                        struct cul_subject *subject,
                                        const struct cul_sites *sites,
                                        const uint32_t *ids, size_t n) {
  return mutation->frame->apply(mutation->how, subject, sites, ids, n);
}

/* Define what a mutation gives its frame: the struct cul_mutation_ID of this
 * type, where ID is that of its row in list.h.  Each frame has a macro of its
 * own, named like its rows: CUL_EACH(ID, members). */
#define CUL_MUTATION(type, id, ...)                                            \
  const struct type cul_mutation_##id = {__VA_ARGS__}

extern const struct cul_mutation *const cul_mutations[]; /* NULL-terminated */
/* The mutation of this name, static; NULL: there is none. */
const struct cul_mutation *cul_mutation_find(const char *name);

#endif
