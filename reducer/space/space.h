/* The space of edits.  A point is a set of sites of one mutation, applied to
 * one revision of the subject.
 *
 * The subject is a product of parts: the module, which a worker holds and its
 * children edit, and, on request, the command that runs on it.
 * A mutation belongs to one part; its candidates leave the other parts
 * unchanged.  Mutations of all parts are numbered together, those of the worker
 * first. */
#ifndef CUL_REDUCER_SPACE_SPACE_H
#define CUL_REDUCER_SPACE_SPACE_H

#include "../../pipeline/arguments.h"
#include "../../probe/target/target.h"
#include "../driver/edits.h"
#include "../forms/vendor.h"
#include "../worker/worker.h"
#include <sys/stat.h>

/* The operations at the ends of an accepted range. */
struct cul_part {
  struct cul_like first, last;
  bool single; /* both ends are the same place */
};

/* An accepted point, as reported to the job. */
struct cul_step {
  const char *mutation;
  uint32_t number; /* of the mutation */
  struct cul_size before, after;
  struct cul_part part; /* zero: the point is no range */
};

/* The speculative revision: its own worker and listings, while its candidate is
 * judged. */
struct cul_speculative {
  struct cul_worker *worker; /* NULL: no speculative revision */
  struct cul_digest revision;
  struct cul_size size;
};

struct cul_edit_slot {
  struct cul_child *child;
  uint32_t mutation;
  bool ahead; /* belongs to the speculative revision */
  struct cul_digest point;
  char **argv; /* edited command of the candidate; NULL: not edited */
  struct cul_command command; /* the command with argv */
  struct cul_placed placed;
  struct stat left;     /* state of its file after a candidate was written */
  struct cul_size best; /* size to beat: the best when the point was asked */
  struct cul_size size; /* valid once built */
  bool is_built;        /* built and valid */
};

/* The smallest accepted text: a candidate, or the revision. */
struct cul_best {
  struct cul_child *child; /* holds the candidate; NULL: it is the revision */
  struct cul_digest digest;
  struct cul_size size;
  char **argv;           /* its command, where that was edited; or NULL */
  uint64_t command_size; /* of its command; 0: the command is not reduced */
  bool unwritten;        /* it could not be written to output */
};

struct cul_edit_space {
  struct cul_target *target;
  struct cul_worker *worker;
  /* the tool's verifier for questions about operations; or NULL; borrowed */
  struct cul_vendor *vendor;
  const char *output;         /* file rewritten at each step; or NULL */
  struct cul_pieces *written; /* the text last written to output; borrowed */
  struct cul_digest job;      /* part of every point's name */
  bool reduce_command;        /* the command is a part */
  bool live; /* candidates are run in the process that holds them */
  bool warm; /* the worker is prepared for such runs */
  struct cul_digest revision; /* digest of the listed subject */
  struct cul_listing lists[2 * CUL_MAX_LISTINGS];
  size_t first_list; /* start of the revision's listings: 0 or CUL_MAX_LISTINGS;
                        the other half is for the speculative revision */
  size_t n_lists, n_lists_ahead;
  struct cul_speculative ahead;
  uint32_t mutation; /* mutation of the current turn */
  bool by_numbers;   /* an equal size with smaller numbers also counts */
  struct cul_edit_slot *slots;
  struct cul_best best;
  bool may_grow; /* a candidate need not be smaller than the best */
  const struct cul_size *floor; /* not NULL: results are provisional, and output
                                   is only written below this size */
  struct cul_digest avoid;      /* with a floor: its subject's digest */
  uint64_t kept; /* bytes of a result in output that only smaller ones replace;
                    0: none */
  void *watcher;
  void (*stepped)(void *watcher, const struct cul_step *step);
};

/* Initialise the space.  target, output, watcher and stepped are borrowed;
 * worker is owned from now on.  text: digest of the text that worker holds. */
void cul_edit_space_init(struct cul_edit_space *space,
                         struct cul_target *target, struct cul_worker *worker,
                         const struct cul_digest *text);
/* Make the command a part too. */
void cul_edit_space_add_command(struct cul_edit_space *space);
/* Replace the worker with one that holds another text. */
void cul_edit_space_reopen(struct cul_edit_space *space,
                           struct cul_worker *worker,
                           const struct cul_digest *text);
/* Number of mutations of all parts, and the mutation of a number; borrowed. */
size_t cul_edit_space_mutations(const struct cul_edit_space *space);
const struct cul_mutation_info *
cul_edit_space_mutation(const struct cul_edit_space *space, size_t number);
/* Does the mutation edit the command? */
bool cul_edit_space_is_command(const struct cul_edit_space *space,
                               size_t number);
void cul_edit_space_release(struct cul_edit_space *space);

/* List the sites of one mutation of the current revision; there may be none.
 * This becomes the first listing, and all others are dropped. */
CUL_MUST_CHECK int cul_edit_space_list(struct cul_edit_space *space,
                                       uint32_t mutation, struct cul_err *err);
/* The bytes of the candidate in a slot; false where it holds none. */
bool cul_edit_space_text(const struct cul_edit_space *space, int slot,
                         struct cul_buf *out);
/* The mutation of the point in a slot, and whether the point belongs to the
 * speculative revision. */
uint32_t cul_edit_space_mutation_of(const struct cul_edit_space *space,
                                    int slot);
bool cul_edit_space_is_ahead(const struct cul_edit_space *space, int slot);
/* Make the candidate accepted since the listing the revision.  *changed: one
 * was accepted. */
CUL_MUST_CHECK int cul_edit_space_adopt(struct cul_edit_space *space,
                                        bool *changed, struct cul_err *err);
/* The space as the probe and the driver see it. */
struct cul_space cul_edit_space_view(struct cul_edit_space *space);
struct cul_edits cul_edit_space_edits(struct cul_edit_space *space);

/* Is a smaller than b: fewer operations, then fewer values (struct cul_size),
 * then fewer bytes, then a shorter command? */
bool cul_size_less(const struct cul_size *a, const struct cul_size *b);

/* A digest of the arguments. */
struct cul_digest cul_command_digest(const char *const *argv);

#endif
