/* The space of edits: a point is a set of sites of one mutation, applied to
 * one revision of the subject.
 *
 * The subject is a product of parts: the module, which a worker holds and a
 * child of it edits, and, where the user asks for it, the command that runs
 * on it (command_part.h).  A mutation belongs to one part; the others stay as
 * they are in its candidates.  The mutations are numbered through: the
 * worker's first. */
#ifndef CUL_REDUCER_SPACE_SPACE_H
#define CUL_REDUCER_SPACE_SPACE_H

#include "../../pipeline/arguments.h"
#include "../../probe/target/target.h"
#include "../driver/edits.h"
#include "../forms/vendor.h"
#include "../worker/worker.h"

/* Of an accepted range: what stands at its ends. */
struct cul_part {
  struct cul_like first, last;
  bool single; /* they are one place */
};

/* An accepted point, as the job is told of it. */
struct cul_step {
  const char *mutation;
  uint32_t number; /* of it */
  struct cul_size before, after;
  struct cul_part part; /* zero: of no range */
};

/* A candidate that may become the next revision, looked ahead to: its own
 * worker and listings, while that candidate is judged. */
struct cul_speculative {
  struct cul_worker *worker; /* NULL: there is none */
  struct cul_digest revision;
  struct cul_size size;
};

struct cul_edit_slot {
  struct cul_child *child;
  uint32_t mutation;
  bool ahead; /* of the speculative revision */
  struct cul_digest point;
  char **argv; /* where the command is edited: the candidate's; else NULL */
  struct cul_command command; /* with it */
  struct cul_placed placed;
  struct cul_size best; /* when the point was asked: what to beat */
  struct cul_size size; /* once it is built */
  bool is_built;        /* and valid */
};

/* The smallest accepted text: a candidate, or the revision. */
struct cul_best {
  struct cul_child *child; /* holds the candidate; NULL: it is the revision */
  struct cul_digest digest;
  struct cul_size size;
  char **argv;           /* its command, where that was edited; or NULL */
  uint64_t command_size; /* of its command; 0: it is no part */
  bool unwritten;        /* it could not be written to output */
};

struct cul_edit_space {
  struct cul_target *target;
  struct cul_worker *worker;
  struct cul_vendor *vendor;  /* asked what operations require; borrowed; NULL:
                                 nobody is */
  const char *output;         /* file rewritten at each step; or NULL */
  struct cul_buf *written;    /* what was; borrowed */
  struct cul_digest job;      /* part of every point's name */
  bool reduce_command;        /* the command is a part */
  bool live;                  /* candidates are run where they are held */
  struct cul_digest revision; /* digest of the subject the sites are of */
  struct cul_listing lists[2 * CUL_MAX_LISTINGS];
  size_t first_list; /* 0 or CUL_MAX_LISTINGS: those ahead are the others */
  size_t n_lists, n_lists_ahead;
  struct cul_speculative ahead;
  uint32_t mutation; /* whose turn it is */
  bool by_numbers;   /* as small with smaller numbers will do, too */
  struct cul_edit_slot *slots;
  struct cul_best best;
  bool may_grow; /* a candidate need not be smaller than the best */
  const struct cul_size *floor; /* not NULL: provisional; the output is only
                                   written below this size */
  struct cul_digest avoid;      /* with a floor: what it is the size of */
  void *watcher;
  void (*stepped)(void *watcher, const struct cul_step *step);
};

/* target, worker, output, watcher and stepped are borrowed; worker is owned
 * from now on.  text: digest of the text that worker holds. */
void cul_edit_space_init(struct cul_edit_space *space,
                         struct cul_target *target, struct cul_worker *worker,
                         const struct cul_digest *text);
/* The command becomes a part too. */
void cul_edit_space_add_command(struct cul_edit_space *space);
/* Another worker with another text takes the place of worker. */
void cul_edit_space_reopen(struct cul_edit_space *space,
                           struct cul_worker *worker,
                           const struct cul_digest *text);
/* Number of mutations of all parts, and one of them; borrowed. */
size_t cul_edit_space_mutations(const struct cul_edit_space *space);
const struct cul_mutation_info *
cul_edit_space_mutation(const struct cul_edit_space *space, size_t number);
/* Does the mutation edit the command? */
bool cul_edit_space_is_command(const struct cul_edit_space *space,
                               size_t number);
void cul_edit_space_release(struct cul_edit_space *space);

/* List the sites of one mutation of the current revision (n may be 0): the
 * first listing, others go. */
CUL_MUST_CHECK int cul_edit_space_list(struct cul_edit_space *space,
                                       uint32_t mutation, struct cul_err *err);
/* The bytes of the candidate in a slot; false where it holds none. */
bool cul_edit_space_text(const struct cul_edit_space *space, int slot,
                         struct cul_buf *out);
/* Whose point is in a slot; is it one of the speculative revision? */
uint32_t cul_edit_space_mutation_of(const struct cul_edit_space *space,
                                    int slot);
bool cul_edit_space_is_ahead(const struct cul_edit_space *space, int slot);
/* What was accepted since list becomes the revision; *changed says whether
 * there was any. */
CUL_MUST_CHECK int cul_edit_space_adopt(struct cul_edit_space *space,
                                        bool *changed, struct cul_err *err);
/* The probe's view, and the driver's. */
struct cul_space cul_edit_space_view(struct cul_edit_space *space);
struct cul_edits cul_edit_space_edits(struct cul_edit_space *space);

/* Is a smaller than b: fewer operations, then fewer bytes, then a shorter
 * command? */
bool cul_size_less(const struct cul_size *a, const struct cul_size *b);

/* A digest of the arguments. */
struct cul_digest cul_command_digest(const char *const *argv);

#endif
