/* Rounds of mutations: see rounds.h. */
#include "rounds.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../mutations/mutation.h"

static struct cul_statistics *known_of(const struct cul_rounds *rounds,
                                       uint32_t mutation) {
  return &rounds->driver->statistics[mutation];
}

void cul_rounds_forget(struct cul_rounds *rounds) {
  for (uint32_t m = 0; m < rounds->n_mutations; m++)
    memset(known_of(rounds, m)->fruitless, 0,
           sizeof known_of(rounds, m)->fruitless);
}

/* After an edit of the command, mutations that found nothing may find
 * something. */
static void note_command(struct cul_rounds *rounds,
                         const struct cul_turn *changed) {
  const struct cul_edits *edits = &rounds->driver->edits;
  if (edits->is_alone(edits->self, changed->mutation))
    cul_rounds_forget(rounds);
}

int cul_rounds_run(struct cul_rounds *rounds, const struct cul_turn *turns,
                   size_t n, bool *changed, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0, done; i < n && rc == 0; i += done) {
    size_t adopted = 0;
    rc = rounds->run(rounds->self, turns + i, n - i, &done, &adopted, err);
    if (adopted)
      note_command(rounds, &turns[i + adopted - 1]);
    *changed |= adopted > 0;
  }
  return rc;
}

/* ---- rules ---- */

static const char *cut_rule(const struct cul_statistics *known) {
  if (known->flags & CUL_MUT_CHAIN)
    return "prefix";
  if (known->flags & CUL_MUT_RANGE)
    return "segment";
  return known->flags & CUL_MUT_LARGE ? "needed" : "lone";
}

/* The rule for subsets of one mutation's sites.  bench/search.c measured them:
 * halving needs the fewest runs on modules, a sweep from the end on text, where
 * the end must often be removed before the beginning. */
static const char *subset_rule(const struct cul_rounds *rounds,
                               const struct cul_statistics *known) {
  if (known->flags & CUL_MUT_ONCE)
    return "minimal";
  if (rounds->search)
    return rounds->search;
  if (known->flags & CUL_MUT_LAST)
    return "minimal";
  return rounds->is_text ? "sweep" : "halve";
}

const char *cul_rounds_rule(const struct cul_rounds *rounds,
                            uint32_t mutation) {
  const struct cul_statistics *known = known_of(rounds, mutation);
  if (known->phase == CUL_PHASE_CUT)
    return cut_rule(known);
  return known->phase == CUL_PHASE_FINE ? "minimal"
                                        : subset_rule(rounds, known);
}

/* ---- rows ---- */

static bool comes_before(const struct cul_statistics *a,
                         const struct cul_statistics *b) {
  if (a->is_singly != b->is_singly)
    return b->is_singly;
  return a->round_removed * (b->round_sites + 1) >
         b->round_removed * (a->round_sites + 1);
}

/* Sort by operations removed per site listed in the last round, the highest
 * first, and mutations whose sites go one at a time behind all others.
 * Mutations with equal yield stay in table order. */
static void order_by_yield(const struct cul_rounds *rounds, uint32_t *order,
                           size_t n) {
  for (size_t i = 1; i < n; i++)
    for (size_t k = i; k > 0; k--) {
      const struct cul_statistics *a = known_of(rounds, order[k - 1]);
      const struct cul_statistics *b = known_of(rounds, order[k]);
      uint32_t swap = order[k];
      if (!comes_before(b, a))
        break;
      order[k] = order[k - 1];
      order[k - 1] = swap;
    }
}

/* The turns of one round.  All phases share one array, so that idle workers can
 * look ahead from one phase into the next. */
struct row {
  struct cul_turn *turns; /* [0, delta): cuts, and what is likely to change */
  size_t delta;           /* [delta, last): delta debugging */
  size_t last;            /* [last, minimal): delta debugging by mutations that
                             come when the others are exhausted */
  size_t minimal;         /* [minimal, n): every single site */
  size_t n;
  bool waits; /* a mutation of delta debugging is left out of this round */
};

enum {
  LARGE = 64,   /* operations */
  QUANTUM = 32, /* answers */
};

/* How many refusals in a row end a cut; 0: none do.  Each search without a
 * result quadruples the patience of the next.  A range of a text is never given
 * up, because it usually keeps nearly all of the text anyway.  The parts of a
 * large text are the exception: the descent to one part takes at most 12 tries.
 * If it fails, the needed parts lie far from each other, and each further try
 * is nearly as large as the text; single parts are tried next instead. */
static size_t cut_patience(const struct cul_rounds *rounds,
                           const struct cul_statistics *known) {
  unsigned tries = known->unproductive < 8 ? known->unproductive : 8;
  size_t first = known->flags & CUL_MUT_LARGE   ? 48
                 : known->flags & CUL_MUT_RANGE ? 8
                 : known->flags & CUL_MUT_CHAIN ? 6
                                                : 4;
  if (rounds->is_text && (known->flags & CUL_MUT_RANGE))
    return known->flags & CUL_MUT_LARGE ? 16 : 0;
  return first << 2 * tries;
}

/* How many refusals end a cut that has removed nothing yet: half as many.  A
 * cut that works mostly shows it at once; most of the others never do. */
static size_t cut_first(const struct cul_rounds *rounds,
                        const struct cul_statistics *known) {
  if (rounds->is_text || known->accepted || known->unproductive ||
      !(known->flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)))
    return 0;
  return known->flags & CUL_MUT_CHAIN ? 2 : cut_patience(rounds, known) / 2;
}

/* Has the subject halved since the mutation was last searched? */
static bool has_halved(const struct cul_rounds *rounds,
                       const struct cul_statistics *known) {
  const struct cul_edits *edits = &rounds->driver->edits;
  return 2 * edits->revision(edits->self, false).ops <= known->effort.tried_at;
}

static bool is_large(const struct cul_rounds *rounds) {
  const struct cul_edits *edits = &rounds->driver->edits;
  return edits->revision(edits->self, false).ops > LARGE;
}

/* All cuts run in the first round.  On a subject that is still large, a cut
 * runs again once other mutations have halved the subject, or, if it found
 * nothing, when it is the turn of such mutations (again). */
static void add_cut(const struct cul_rounds *rounds, bool first, bool again,
                    struct row *row) {
  for (uint32_t m = 0; m < rounds->n_mutations; m++) {
    struct cul_statistics *known = known_of(rounds, m);
    bool halved = has_halved(rounds, known);
    bool later = rounds->enters && (known->flags & CUL_MUT_CHAIN);
    if (known->phase != CUL_PHASE_CUT)
      continue;
    if (halved)
      known->unproductive = 0;
    if ((first && !later) || (again && later && !known->effort.tried_at) ||
        (is_large(rounds) && (halved || (again && known->unproductive))))
      row->turns[row->n++] =
          (struct cul_turn){.mutation = m,
                            .rule = cut_rule(known),
                            .patience = cut_patience(rounds, known),
                            .first = cut_first(rounds, known),
                            .phase = rounds->cut};
  }
}

/* Of what is asked site by site at the end, that which is likely to change the
 * subject, such as the names of symbols, changes it before the others are
 * searched to their end: all of them would have to be searched again. */
static void add_likely(const struct cul_rounds *rounds, struct row *row) {
  enum { PATIENCE = 4 };
  for (uint32_t m = 0; m < rounds->n_mutations; m++)
    if (known_of(rounds, m)->phase == CUL_PHASE_FINE &&
        (known_of(rounds, m)->flags & CUL_MUT_LIKELY))
      row->turns[row->n++] = (struct cul_turn){.mutation = m,
                                               .rule = "minimal",
                                               .patience = PATIENCE,
                                               .kind = CUL_TURN_MINIMAL,
                                               .phase = rounds->delta};
}

/* How many refusals in a row end a search.  After each two searches without a
 * result the patience doubles; on texts it quadruples.  The most is more than
 * any list of sites: a search that is always left before its end would be
 * repeated for ever. */
static size_t delta_patience(const struct cul_rounds *rounds,
                             const struct cul_statistics *known, size_t first) {
  enum { MOST = 32 };
  unsigned tries =
      known->unproductive / 2 < MOST ? known->unproductive / 2 : MOST;
  unsigned doubled = rounds->is_text ? 2 * tries : tries;
  return first << (doubled < MOST ? doubled : MOST);
}

/* On text, and by a rule that the user chose, searches without a result
 * alternate between subsets and single sites. */
static const char *delta_rule(const struct cul_rounds *rounds,
                              const struct cul_statistics *known) {
  bool fine = known->unproductive ? known->unproductive % 2 : known->is_fine;
  return fine && !rounds->search ? "minimal" : subset_rule(rounds, known);
}

/* patience: the number of refusals that end the search at first; first: the
 * same before it has found anything, 0 = patience. */
static void add_search(const struct cul_rounds *rounds, uint32_t mutation,
                       const char *rule, size_t patience, size_t first,
                       struct row *row) {
  const struct cul_statistics *known = known_of(rounds, mutation);
  row->turns[row->n++] =
      (struct cul_turn){.mutation = mutation,
                        .rule = rule,
                        .patience = delta_patience(rounds, known, patience),
                        .first = delta_patience(rounds, known, first),
                        .passed = known->effort.passed,
                        .kind = CUL_TURN_DELTA,
                        .phase = rounds->delta,
                        .exhausted = known->flags & CUL_MUT_LAST,
                        .wakes = true};
}

/* A mutation of modules is asked for all of its sites, and if that fails, for
 * single sites, which tell whether it works at all: a needed operation spoils
 * most large subsets, but few sites.  One that works is left less soon.
 * `minimal` goes on from single sites by doubling, so a mutation that removed
 * something by them begins with them. */
static void add_searches(const struct cul_rounds *rounds, uint32_t mutation,
                         struct row *row) {
  enum { TEXT = 256, MODULE = 6, SUBSETS = 1, SINGLES = 3 };
  const struct cul_statistics *known = known_of(rounds, mutation);
  const char *subsets = subset_rule(rounds, known);
  bool singles = !strcmp(subsets, "minimal");
  if (rounds->is_text) {
    add_search(rounds, mutation, delta_rule(rounds, known), TEXT, 0, row);
  } else if (rounds->search) {
    add_search(rounds, mutation, delta_rule(rounds, known), MODULE, 0, row);
  } else {
    if (!known->is_fine && !singles)
      add_search(rounds, mutation, subsets, MODULE, SUBSETS, row);
    add_search(rounds, mutation, "minimal", MODULE, SINGLES, row);
  }
}

/* Does nothing remain to be searched in this revision? */
static bool is_settled(const struct cul_rounds *rounds,
                       const struct cul_statistics *known) {
  const struct cul_edits *edits = &rounds->driver->edits;
  struct cul_revision revision = edits->revision(edits->self, false);
  return known->dead || cul_digest_equal(&known->fruitless[CUL_FRUITLESS_DELTA],
                                         &revision.digest);
}

/* The fewest searches without a result among mutations that may still find
 * something. */
static unsigned least_unproductive(const struct cul_rounds *rounds,
                                   const uint32_t *order, size_t n) {
  unsigned least = UINT_MAX;
  for (size_t i = 0; i < n; i++) {
    const struct cul_statistics *known = known_of(rounds, order[i]);
    if (!(known->flags & CUL_MUT_LAST) && known->unproductive < least &&
        !is_settled(rounds, known))
      least = known->unproductive;
  }
  return least;
}

/* Add the mutations of order[0..n) whose CUL_MUT_LAST bit equals `last`.  A
 * mutation whose search was given up without a result waits for its turn
 * (again), on texts no longer than until the subject has halved.  On modules
 * those go first then whose patience is least, so that none gets much more of
 * it than the others. */
static void add_delta(const struct cul_rounds *rounds, const uint32_t *order,
                      size_t n, uint32_t last, bool again, struct row *row) {
  unsigned least =
      last || rounds->is_text ? UINT_MAX : least_unproductive(rounds, order, n);
  unsigned most = again ? (least | 1) : 0;
  for (size_t i = 0; i < n; i++) {
    struct cul_statistics *known = known_of(rounds, order[i]);
    if ((known->flags & CUL_MUT_LAST) != last)
      continue;
    if (rounds->is_text && has_halved(rounds, known))
      known->unproductive = 0;
    if (known->unproductive <= most)
      add_searches(rounds, order[i], row);
    else
      row->waits |= !again || !is_settled(rounds, known);
  }
}

/* Leave a search that removes little, and, the first time, one that removes one
 * site at a time: another mutation may be faster.  In the first round most were
 * not tried, so there a search must remove half of its sites to go on. */
static void set_quanta(const struct cul_rounds *rounds, bool first,
                       struct row *row) {
  enum { HALF = 2 };
  for (size_t i = row->delta; i < row->last; i++) {
    row->turns[i].quantum = QUANTUM;
    row->turns[i].slow = first ? HALF : 0;
    row->turns[i].leaves_singly =
        !known_of(rounds, row->turns[i].mutation)->is_singly;
  }
}

static void add_minimal(const struct cul_rounds *rounds, struct row *row) {
  for (uint32_t m = 0; m < rounds->n_mutations; m++)
    if (!(known_of(rounds, m)->flags & (CUL_MUT_RANGE | CUL_MUT_CHAIN)) &&
        known_of(rounds, m)->phase != CUL_PHASE_GROW)
      row->turns[row->n++] = (struct cul_turn){.mutation = m,
                                               .rule = "minimal",
                                               .kind = CUL_TURN_MINIMAL,
                                               .phase = rounds->minimal,
                                               .exhausted = true};
}

/* Is it the turn of mutations that found nothing?  It is if nothing else
 * helped, and on modules also if searches with a result have taken at least
 * TWICE the answers of those without: to seek a faster mutation then costs no
 * more than half of what the slow ones take, and its patience grows with what
 * they take.
 */
static bool is_turn_of_waiting(const struct cul_rounds *rounds, bool helped) {
  enum { TWICE = 2 };
  uint64_t vain = 0, fruitful = 0;
  for (uint32_t m = 0; m < rounds->n_mutations; m++) {
    vain += known_of(rounds, m)->effort.answers[0];
    fruitful += known_of(rounds, m)->effort.answers[1];
  }
  return !helped || (!rounds->is_text && fruitful >= TWICE * vain);
}

static void make_row(const struct cul_rounds *rounds, const uint32_t *order,
                     size_t n, bool first, bool again, struct row *row) {
  row->n = 0;
  row->waits = false;
  add_cut(rounds, first, again, row);
  if (first)
    add_likely(rounds, row);
  row->delta = row->n;
  add_delta(rounds, order, n, 0, again, row);
  row->last = row->n;
  if (!rounds->is_text)
    set_quanta(rounds, first, row);
  add_delta(rounds, order, n, CUL_MUT_LAST, again, row);
  row->minimal = row->n;
  add_minimal(rounds, row);
}

/* How a row ended. */
enum went {
  WENT_CHANGED,   /* a mutation of delta debugging changed the subject */
  WENT_SHORT,     /* no change, but some search was given up */
  WENT_EXHAUSTED, /* no change, and every search ran to its end */
  WENT_MINIMAL,   /* only single sites were removed, until none could be */
};

/* Try single sites from turns[from] on, then all single sites again until
 * nothing is removed. */
static int minimal(struct cul_rounds *rounds, const struct row *row,
                   size_t from, struct cul_err *err) {
  bool again = true;
  int rc =
      cul_rounds_run(rounds, row->turns + from, row->n - from, &again, err);
  while (again && rc == 0) {
    again = false;
    rc = cul_rounds_run(rounds, row->turns + row->minimal,
                        row->n - row->minimal, &again, err);
  }
  return rc;
}

static int run_row(struct cul_rounds *rounds, const struct row *row,
                   enum went *went, struct cul_err *err) {
  bool changed = false;
  int rc = 0;
  rounds->driver->cut_short = row->waits;
  for (size_t i = 0, done; i < row->n && rc == 0; i += done) {
    size_t adopted = 0, end = changed ? row->last : row->n;
    *went = changed ? WENT_CHANGED : WENT_SHORT;
    if (i >= row->last && (changed || rounds->driver->cut_short))
      return 0;
    rc = rounds->run(rounds->self, row->turns + i, end - i, &done, &adopted,
                     err);
    if (adopted && i + adopted > row->minimal) {
      *went = WENT_MINIMAL;
      note_command(rounds, &row->turns[i + adopted - 1]);
      return rc ? rc : minimal(rounds, row, i + done, err);
    }
    changed |= adopted && i + adopted > row->delta;
  }
  *went = changed ? WENT_CHANGED : WENT_EXHAUSTED;
  return rc;
}

/* Each round runs the mutations in the order of their last yield.  A mutation
 * that finds nothing at many sites is given up, and continues only when no
 * other mutation helps. */
int cul_rounds_shrink(struct cul_rounds *rounds, bool *changed,
                      struct cul_err *err) {
  uint32_t *order =
      cul_xreallocarray(NULL, rounds->n_mutations + 1, sizeof *order);
  struct row row = {0};
  enum went went = WENT_CHANGED;
  size_t n = 0;
  int rc = 0;
  row.turns =
      cul_xreallocarray(NULL, 4 * rounds->n_mutations + 1, sizeof *row.turns);
  for (uint32_t m = 0; m < rounds->n_mutations; m++)
    if (known_of(rounds, m)->phase == CUL_PHASE_DELTA &&
        !(known_of(rounds, m)->flags & (CUL_MUT_RANGE | CUL_MUT_COMMAND)))
      order[n++] = m;
  for (bool first = true;
       rc == 0 && (went == WENT_CHANGED || went == WENT_SHORT); first = false) {
    for (size_t i = 0; i < n; i++)
      known_of(rounds, order[i])->round_removed =
          known_of(rounds, order[i])->round_sites = 0;
    make_row(rounds, order, n, first,
             !first && is_turn_of_waiting(rounds, went != WENT_SHORT), &row);
    rc = run_row(rounds, &row, &went, err);
    order_by_yield(rounds, order, n);
  }
  *changed |= went == WENT_MINIMAL;
  free(row.turns);
  free(order);
  return rc;
}
