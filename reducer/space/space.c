/* The space of edits: see space.h. */
#include "space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/check.h"
#include "../../base/files/file.h"
#include "../mutations/mutation.h"

/* ---- command part ---- */

/* The command as one of the two reduced parts (--reduce-command), with its
 * mutations, their sites and its size.  Unlike the module, which is in a
 * worker, it is small and handled in this process. */

enum { DROP_ARGUMENTS, DROP_FLAGS_ALONE, N_MUTATIONS };

static const struct cul_mutation_info infos[N_MUTATIONS] = {
    [DROP_ARGUMENTS] = {.name = "drop-arguments",
                        .summary = "leave out arguments of the command, "
                                   "passes and options inside them",
                        .phase = CUL_PHASE_DELTA,
                        .flags = CUL_MUT_COMMAND},
    [DROP_FLAGS_ALONE] = {.name = "drop-flags-alone",
                          .summary = "leave out a flag, but not the argument "
                                     "behind it",
                          .phase = CUL_PHASE_FINE,
                          .flags = CUL_MUT_COMMAND},
};

/* The mutations of the command, in the form in which a worker reports its
 * mutations. */
static const struct cul_mutation_info *command_mutations(size_t *n) {
  *n = N_MUTATIONS;
  return infos;
}

static bool is_site(const struct cul_arguments *args, uint32_t i,
                    uint32_t mutation) {
  const struct cul_argument *item = &args->items[i];
  if (item->kind == CUL_ARG_OUTPUT)
    return false;
  if (mutation == DROP_ARGUMENTS)
    return true;
  return item->kind == CUL_ARG_FLAG && i + 1 < args->n &&
         args->items[i + 1].kind == CUL_ARG_VALUE &&
         args->items[i + 1].parent == i;
}

/* List the sites of a mutation (an index into these) in the current command.
 * number: of the mutation among those of both parts.  *out: heap. */
static void command_sites(const char *const *argv, uint32_t mutation,
                          uint32_t number, struct cul_listed **out, size_t *n) {
  struct cul_arguments args;
  uint32_t *index; /* index of each item in the list */
  cul_arguments_read(argv, &args);
  index = cul_xcalloc(args.n + 1, sizeof *index);
  *out = cul_xcalloc(args.n + 1, sizeof **out);
  *n = 0;
  for (uint32_t i = 0; i < args.n; i++) {
    uint32_t parent = args.items[i].parent;
    if (!is_site(&args, i, mutation))
      continue;
    index[i] = (uint32_t)*n;
    (*out)[(*n)++] = (struct cul_listed){
        .mutation = number,
        .site = i,
        .weight = 1,
        .parent = parent == CUL_PIPE_NONE ? CUL_SITE_NONE : index[parent],
        .group = parent == CUL_PIPE_NONE ? 0 : parent + 1};
  }
  free(index);
  cul_arguments_release(&args);
}

/* The command with the sites ids[0..n) of listed applied.  Heap, one block. */
static char **command_apply(const char *const *argv, uint32_t mutation,
                            const struct cul_listed *listed,
                            const uint32_t *ids, size_t n) {
  struct cul_arguments args;
  bool *gone;
  char **out;
  cul_arguments_read(argv, &args);
  gone = cul_xcalloc(args.n + 1, sizeof *gone);
  for (size_t i = 0; i < n; i++)
    gone[listed[ids[i]].site] = true;
  if (mutation == DROP_ARGUMENTS)
    cul_arguments_spread(&args, gone);
  out = cul_arguments_write(&args, gone, NULL);
  free(gone);
  cul_arguments_release(&args);
  return out;
}

/* Length of a command in bytes. */
static uint64_t command_part_command_size(const char *const *argv) {
  uint64_t bytes = 0;
  for (; *argv; argv++)
    bytes += strlen(*argv) + 1;
  return bytes;
}

struct cul_digest cul_command_digest(const char *const *argv) {
  struct cul_hasher *h = cul_hasher_new();
  for (; *argv; argv++)
    cul_hasher_field(h, *argv);
  return cul_hasher_finish(h);
}

/* ---- space ---- */

/* Listing is one walk over the subject; a longer one is a defect. */
static const uint64_t list_limit_ms = 60 * 1000;

bool cul_size_less(const struct cul_size *a, const struct cul_size *b) {
  if (a->ops != b->ops)
    return a->ops < b->ops;
  if (a->values != b->values)
    return a->values < b->values;
  return a->bytes != b->bytes ? a->bytes < b->bytes : a->command < b->command;
}

/* Is a better than b in the present search?  Operations, bytes and numbers are
 * compared in this order, so every sequence of improvements is finite. */
static bool is_better(const struct cul_edit_space *space,
                      const struct cul_size *a, const struct cul_size *b) {
  return cul_size_less(a, b) ||
         (space->by_numbers && a->ops == b->ops && a->bytes == b->bytes &&
          a->numbers < b->numbers);
}

void cul_edit_space_init(struct cul_edit_space *space,
                         struct cul_target *target, struct cul_worker *worker,
                         const struct cul_digest *text) {
  *space = (struct cul_edit_space){.target = target};
  cul_edit_space_reopen(space, worker, text);
  target->probe.slots = 4 * target->probe.workers + 2;
  space->slots = cul_xcalloc((size_t)target->probe.slots, sizeof *space->slots);
}

static const char *const *argv_of(const struct cul_edit_space *space) {
  return cul_target_command(space->target)->argv;
}

static const struct cul_in_process *
inside_of(const struct cul_edit_space *space) {
  return &space->target->probe.service.inside;
}

/* Are candidates run in the processes that hold them? */
static bool runs_live(const struct cul_edit_space *space) {
  return space->live ||
         (inside_of(space)->on && cul_worker_is_live(space->worker));
}

/* Warm up the worker; if it dies, the next candidate notices. */
static void warm(struct cul_edit_space *space) {
  struct cul_err ignored = {0};
  const char *const *words = space->live
                                 ? argv_of(space)
                                 : inside_of(space)->of[CUL_ROLE_SUSPECT].argv;
  space->warm = runs_live(space);
  if (space->warm && cul_worker_warm(space->worker, words, &ignored))
    return;
}

void cul_edit_space_reopen(struct cul_edit_space *space,
                           struct cul_worker *worker,
                           const struct cul_digest *text) {
  cul_worker_close(space->worker);
  space->worker = worker;
  space->revision = space->best.digest = *text;
  space->live = space->target->probe.runner->live && cul_worker_is_live(worker);
  cul_worker_size(worker, &space->best.size);
  warm(space);
}

void cul_edit_space_add_command(struct cul_edit_space *space) {
  space->reduce_command = true;
  space->best.command_size = command_part_command_size(argv_of(space));
}

static size_t n_of_session(const struct cul_edit_space *space) {
  size_t n;
  cul_worker_mutations(space->worker, &n);
  return n;
}

bool cul_edit_space_is_command(const struct cul_edit_space *space,
                               size_t number) {
  return number >= n_of_session(space);
}

size_t cul_edit_space_mutations(const struct cul_edit_space *space) {
  size_t n = 0;
  if (space->reduce_command)
    command_mutations(&n);
  return n_of_session(space) + n;
}

const struct cul_mutation_info *
cul_edit_space_mutation(const struct cul_edit_space *space, size_t number) {
  size_t n;
  const struct cul_mutation_info *own = cul_worker_mutations(space->worker, &n);
  if (number < n)
    return &own[number];
  return &command_mutations(&(size_t){0})[number - n];
}

static void free_slot(struct cul_edit_slot *slot) {
  cul_child_drop(slot->child);
  free(slot->argv);
  cul_placed_release(&slot->placed);
  *slot = (struct cul_edit_slot){.left = slot->left};
}

static size_t first_ahead(const struct cul_edit_space *space) {
  return CUL_MAX_LISTINGS - space->first_list;
}

static void free_lists(struct cul_edit_space *space, size_t first, size_t *n) {
  for (size_t i = first; i < first + *n; i++)
    free(space->lists[i].sites);
  *n = 0;
}

static void drop_ahead(struct cul_edit_space *space) {
  cul_worker_close(space->ahead.worker);
  space->ahead = (struct cul_speculative){0};
  free_lists(space, first_ahead(space), &space->n_lists_ahead);
}

void cul_edit_space_release(struct cul_edit_space *space) {
  if (space->slots)
    for (int i = 0; i < space->target->probe.slots; i++)
      free_slot(&space->slots[i]);
  cul_child_drop(space->best.child);
  cul_worker_close(space->worker);
  free(space->best.argv);
  free(space->slots);
  drop_ahead(space);
  free_lists(space, space->first_list, &space->n_lists);
  *space = (struct cul_edit_space){0};
}

/* List the sites of a module; the tool's own verifier may be asked for this. */
static int list_module(struct cul_edit_space *space, struct cul_worker *worker,
                       struct cul_listing *list, struct cul_err *err) {
  uint32_t m = list->mutation;
  int rc = 0;
  if (cul_edit_space_mutation(space, m)->flags & CUL_MUT_ASKS)
    rc = cul_vendor_teach(space->vendor, worker, m, err);
  return rc ? rc
            : cul_worker_sites(worker, &m, 1, list_limit_ms, &list->sites,
                               &list->n_sites, err);
}

static int list_ahead(struct cul_edit_space *space, uint32_t mutation,
                      struct cul_err *err) {
  struct cul_listing *list =
      &space->lists[first_ahead(space) + space->n_lists_ahead];
  int rc;
  *list = (struct cul_listing){.mutation = mutation};
  rc = list_module(space, space->ahead.worker, list, err);
  space->n_lists_ahead += rc == 0;
  return rc;
}

static int list_more(struct cul_edit_space *space, uint32_t mutation,
                     struct cul_err *err) {
  struct cul_listing *list = &space->lists[space->first_list + space->n_lists];
  int rc;
  *list = (struct cul_listing){.mutation = mutation};
  if (cul_edit_space_is_command(space, mutation)) {
    command_sites(argv_of(space), mutation - (uint32_t)n_of_session(space),
                  mutation, &list->sites, &list->n_sites);
    rc = 0;
  } else {
    rc = list_module(space, space->worker, list, err);
  }
  space->n_lists += rc == 0;
  return rc;
}

int cul_edit_space_list(struct cul_edit_space *space, uint32_t mutation,
                        struct cul_err *err) {
  drop_ahead(space);
  free_lists(space, space->first_list, &space->n_lists);
  space->first_list = 0;
  space->mutation = mutation;
  return list_more(space, mutation, err);
}

int cul_edit_space_adopt(struct cul_edit_space *space, bool *changed,
                         struct cul_err *err) {
  int rc;
  *changed = space->best.child != NULL;
  if (!*changed)
    return 0;
  rc = cul_worker_adopt(space->worker, space->best.child, err);
  space->best.child = NULL;
  if (space->best.argv)
    cul_target_replace_command(space->target, space->best.argv);
  if (space->best.argv && rc == 0)
    warm(space);
  space->best.argv = NULL;
  space->revision = space->best.digest;
  return rc;
}

static const char *name_of(const struct cul_edit_space *space,
                           uint32_t mutation) {
  return cul_edit_space_mutation(space, mutation)->name;
}

static const uint32_t id_bits = (UINT32_C(1) << CUL_LISTING_SHIFT) - 1;

static size_t list_number(const struct cul_edit_space *space,
                          const struct cul_point *point) {
  return point->n ? point->ids[0] >> CUL_LISTING_SHIFT : space->first_list;
}

static const struct cul_listing *list_of(const struct cul_edit_space *space,
                                         const struct cul_point *point) {
  return &space->lists[list_number(space, point)];
}

static bool is_ahead(const struct cul_edit_space *space,
                     const struct cul_point *point) {
  return list_number(space, point) / CUL_MAX_LISTINGS !=
         space->first_list / CUL_MAX_LISTINGS;
}

static struct cul_digest digest_of(const struct cul_point *point) {
  return cul_digest_of(point->ids, point->n * sizeof *point->ids);
}

/* ---- looking ahead ---- */

static int branch(struct cul_edit_space *space, struct cul_child *child,
                  const struct cul_digest *revision,
                  const struct cul_size *size, struct cul_err *err) {
  drop_ahead(space);
  space->ahead.revision = *revision;
  space->ahead.size = *size;
  return cul_worker_branch(space->worker, child, &space->ahead.worker, err);
}

static const struct cul_edit_slot *slot_of(const struct cul_edit_space *space,
                                           const struct cul_point *point) {
  struct cul_digest wanted = digest_of(point);
  for (int i = 0; i < space->target->probe.slots; i++)
    if (space->slots[i].child &&
        cul_digest_equal(&space->slots[i].point, &wanted))
      return &space->slots[i];
  return NULL;
}

static int speculate(struct cul_edit_space *space,
                     const struct cul_point *point, bool *made,
                     struct cul_err *err) {
  const struct cul_edit_slot *slot = point ? slot_of(space, point) : NULL;
  struct cul_child *child = point ? NULL : space->best.child;
  const struct cul_digest *revision = &space->best.digest;
  const struct cul_size *size = &space->best.size;
  if (slot && slot->is_built) {
    child = slot->child;
    revision = &slot->placed.art.digest;
    size = &slot->size;
  }
  *made = child != NULL;
  return child ? branch(space, child, revision, size, err) : 0;
}

static void promote(struct cul_edit_space *space) {
  cul_child_drop(space->best.child);
  space->best.child = NULL;
  cul_worker_close(space->worker);
  space->worker = space->ahead.worker;
  space->revision = space->ahead.revision;
  space->ahead = (struct cul_speculative){0};
  free_lists(space, space->first_list, &space->n_lists);
  space->first_list = first_ahead(space);
  space->n_lists = space->n_lists_ahead;
  space->n_lists_ahead = 0;
  for (int i = 0; i < space->target->probe.slots; i++)
    space->slots[i].ahead = false;
}

bool cul_edit_space_is_ahead(const struct cul_edit_space *space, int slot) {
  return space->slots[slot].ahead;
}

bool cul_edit_space_text(const struct cul_edit_space *space, int slot,
                         struct cul_buf *out) {
  struct cul_child *child = space->slots[slot].child;
  struct cul_err err = {0};
  cul_buf_clear(out);
  return child && cul_child_text(child, out, &err) == 0;
}

uint32_t cul_edit_space_mutation_of(const struct cul_edit_space *space,
                                    int slot) {
  return space->slots[slot].mutation;
}

/* Hash the ids in batches: a point may have tens of thousands. */
static void name_ids(struct cul_hasher *h, const struct cul_point *point) {
  uint64_t ids[512];
  for (size_t i = 0, n = 0; i < point->n; i++) {
    ids[n++] = point->ids[i] & id_bits;
    if (n == CUL_ARRAY_SIZE(ids) || i + 1 == point->n) {
      cul_hasher_add(h, ids, n * sizeof *ids);
      n = 0;
    }
  }
}

static void name_point(void *self, const struct cul_point *point,
                       struct cul_digest *out) {
  const struct cul_edit_space *space = self;
  bool ahead = is_ahead(space, point);
  const struct cul_digest *revision =
      ahead ? &space->ahead.revision : &space->revision;
  const struct cul_size *best = ahead ? &space->ahead.size : &space->best.size;
  struct cul_hasher *h = cul_hasher_new();
  cul_hasher_add(h, &space->job, sizeof space->job);
  cul_hasher_add(h, revision, sizeof *revision);
  cul_hasher_field(h, name_of(space, list_of(space, point)->mutation));
  if (space->by_numbers)
    cul_hasher_field(h, "by numbers");
  name_ids(h, point);
  if (space->reduce_command) {
    struct cul_digest command = cul_command_digest(argv_of(space));
    cul_hasher_add(h, &command, sizeof command);
  }
  cul_hasher_u64(h, cul_vendor_missed(space->vendor));
  if (space->floor) { /* the set of valid candidates depends on it */
    cul_hasher_add(h, &space->avoid, sizeof space->avoid);
    cul_hasher_u64(h, best->ops);
    cul_hasher_u64(h, best->bytes);
  }
  *out = cul_hasher_finish(h);
}

/* Begin a candidate with the unchanged module and another command. */
static int begin_command(struct cul_edit_space *space,
                         const struct cul_point *point,
                         struct cul_edit_slot *slot, struct cul_err *err) {
  const struct cul_listing *list = list_of(space, point);
  slot->argv = command_apply(argv_of(space),
                             list->mutation - (uint32_t)n_of_session(space),
                             list->sites, point->ids, point->n);
  slot->command = cul_target_variant(space->target, slot->argv);
  return cul_worker_begin(space->worker, NULL, 0, &slot->child, err);
}

static int begin_module(struct cul_edit_space *space,
                        const struct cul_point *point,
                        struct cul_edit_slot *slot, struct cul_err *err) {
  struct cul_edit *edits = cul_xreallocarray(NULL, point->n, sizeof *edits);
  int rc;
  for (size_t k = 0; k < point->n; k++) {
    const struct cul_listed *site =
        &list_of(space, point)->sites[point->ids[k] & id_bits];
    edits[k] = (struct cul_edit){site->mutation, site->site};
  }
  rc = cul_worker_begin(slot->ahead ? space->ahead.worker : space->worker,
                        edits, point->n, &slot->child, err);
  free(edits);
  return rc;
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  int rc;
  slot->mutation = list_of(space, point)->mutation;
  slot->ahead = is_ahead(space, point);
  slot->point = digest_of(point);
  if (!space->warm)
    warm(space);
  rc = cul_edit_space_is_command(space, slot->mutation)
           ? begin_command(space, point, slot, err)
           : begin_module(space, point, slot, err);
  if (rc < 0)
    return rc;
  slot->best = slot->ahead ? space->ahead.size : space->best.size;
  slot->best.command = space->best.command_size;
  *fd = cul_child_fd(slot->child);
  rc = cul_target_place(space->target, i, &slot->placed, err);
  if (slot->argv)
    slot->placed.art.cmd = &slot->command;
  return rc;
}

/* Is the candidate small enough?  A growing edit may at most double the
 * subject. */
static bool is_small_enough(const struct cul_edit_space *space,
                            const struct cul_size *size,
                            const struct cul_size *best) {
  return space->may_grow ? size->ops <= 2 * best->ops + 16
                         : is_better(space, size, best);
}

/* Is it the subject at which a growing edit began?  Returning to it is no
 * progress. */
static bool is_back(const struct cul_edit_space *space,
                    const struct cul_digest *digest) {
  return space->floor && cul_digest_equal(digest, &space->avoid);
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  struct cul_child_built answer;
  struct cul_size size;
  int rc = cul_child_built(slot->child, &answer, err);
  if (rc < 0)
    return rc;
  *out = (struct cul_built){.valid = answer.valid &&
                                     (slot->argv || answer.applied > 0)};
  slot->size = size = answer.size;
  size.command =
      slot->argv ? command_part_command_size((const char *const *)slot->argv)
                 : slot->best.command;
  out->size = (struct cul_extent){size.ops, size.bytes, size.lines};
  snprintf(out->why, sizeof out->why, "%s",
           answer.valid ? "nothing to apply" : answer.why);
  slot->placed.art.digest = answer.digest;
  if (runs_live(space) && !answer.is_cut)
    slot->placed.art.live_fd = cul_child_fd(slot->child);
  out->art = slot->placed.art;
  /* It must be smaller than the best at the time of asking.  This is decided
   * here, not on acceptance, so that the order of finishing does not matter. */
  if (out->valid && (!is_small_enough(space, &size, &slot->best) ||
                     is_back(space, &answer.digest))) {
    out->valid = false;
    snprintf(out->why, sizeof out->why, "not smaller");
  }
  slot->is_built = out->valid;
  return 0;
}

static int materialise(void *self, int i, struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  int fd, rc = cul_placed_create(&slot->placed, &slot->left, &fd, err);
  if (rc < 0)
    return rc;
  rc = cul_child_write(slot->child, fd, slot->placed.path, err);
  if (rc == 0 && fstat(fd, &slot->left) < 0)
    slot->left = (struct stat){0};
  close(fd);
  return rc;
}

/* Write the best candidate after every step, so that a complete file is on disk
 * at any time.  It is also kept in memory: if a tool changes the file, it is
 * restored at the end. */
static int write_output(struct cul_edit_space *space, struct cul_child *child,
                        const struct cul_size *size, struct cul_err *err) {
  struct cul_patience patience = cul_probe_patience(&space->target->probe);
  struct cul_pieces text = {0};
  bool got, kept = space->kept && size->bytes >= space->kept;
  int rc;
  if (!space->output || (space->floor && !cul_size_less(size, space->floor)))
    return 0;
  rc = cul_child_pieces(child, &text, err);
  got = rc == 0;
  if (got && !kept)
    rc = cul_file_replace_while(space->output, &text,
                                space->target->subject.executable ? 0777 : 0666,
                                false, &patience, err);
  if (!got || cul_is_cut(rc)) { /* it may be incomplete */
    cul_pieces_release(&text);
    return rc;
  }
  cul_pieces_release(space->written);
  *space->written = text;
  return rc;
}

/* The ends of an accepted range; zero: the point is no range. */
static struct cul_part part_of(const struct cul_edit_space *space,
                               const struct cul_point *point) {
  const struct cul_listed *sites = list_of(space, point)->sites;
  struct cul_part part = {0};
  if (point->n == 0)
    return part;
  part.first = sites[point->ids[0] & id_bits].like;
  part.last = sites[point->ids[point->n - 1] & id_bits].like;
  part.single = point->n == 1 || point->ids[0] == point->ids[1];
  return part;
}

static int commit(void *self, int i, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_edit_slot *slot = &space->slots[i];
  struct cul_size size = slot->size;
  struct cul_step step = {.mutation = name_of(space, slot->mutation),
                          .number = slot->mutation,
                          .before = space->best.size,
                          .after = size,
                          .part = part_of(space, point)};
  int rc;
  /* The best only becomes smaller. */
  cul_check(space->may_grow || is_better(space, &size, &space->best.size));
  rc = write_output(space, slot->child, &size, err);
  if (cul_is_cut(rc)) { /* the candidate in the file stays the best */
    free_slot(slot);
    return rc;
  }
  space->best.unwritten = rc < 0;
  cul_child_drop(space->best.child);
  space->best.child = slot->child;
  slot->child = NULL;
  if (slot->argv) {
    free(space->best.argv);
    space->best.argv = slot->argv;
    space->best.command_size =
        command_part_command_size((const char *const *)slot->argv);
    slot->argv = NULL;
  }
  space->best.digest = result->art.digest;
  space->best.size = size;
  free_slot(slot);
  if (!space->floor)
    cul_probe_tighten(&space->target->probe);
  if (rc == 0 && space->stepped && !space->floor)
    space->stepped(space->watcher, &step);
  return rc;
}

static void drop(void *self, int i) {
  struct cul_edit_space *space = self;
  free_slot(&space->slots[i]);
}

struct cul_space cul_edit_space_view(struct cul_edit_space *space) {
  return (struct cul_space){.name = "edits",
                            .self = space,
                            .key = name_point,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}

/* ---- the driver's view ---- */

static int list_sites(void *self, enum cul_list_place place, uint32_t mutation,
                      size_t *number, struct cul_err *err) {
  struct cul_edit_space *space = self;
  int rc = place == CUL_LIST_FIRST  ? cul_edit_space_list(space, mutation, err)
           : place == CUL_LIST_MORE ? list_more(space, mutation, err)
                                    : list_ahead(space, mutation, err);
  *number = place == CUL_LIST_AHEAD
                ? first_ahead(space) + space->n_lists_ahead - 1
                : space->first_list + space->n_lists - 1;
  return rc;
}

static const struct cul_listing *listing(void *self, size_t number) {
  const struct cul_edit_space *space = self;
  return &space->lists[number];
}

static bool is_alone(void *self, uint32_t mutation) {
  return cul_edit_space_is_command(self, mutation);
}

static struct cul_revision revision_of(void *self, bool ahead) {
  const struct cul_edit_space *space = self;
  return ahead ? (struct cul_revision){space->ahead.revision,
                                       space->ahead.size.ops}
               : (struct cul_revision){space->revision, space->best.size.ops};
}

static bool best_of(void *self, struct cul_digest *digest) {
  const struct cul_edit_space *space = self;
  *digest = space->best.digest;
  return space->best.child != NULL;
}

static bool can_speculate(void *self) {
  const struct cul_edit_space *space = self;
  return !runs_live(space) && !space->reduce_command;
}

static int make_ahead(void *self, const struct cul_point *point, bool *made,
                      struct cul_err *err) {
  return speculate(self, point, made, err);
}

static void forget_ahead(void *self) { drop_ahead(self); }

static void promote_ahead(void *self) { promote(self); }

static int adopt(void *self, bool *changed, struct cul_err *err) {
  return cul_edit_space_adopt(self, changed, err);
}

static int run(void *self, struct cul_asker *asker, struct cul_err *err) {
  struct cul_edit_space *space = self;
  struct cul_space view = cul_edit_space_view(space);
  return cul_probe_run(&space->target->probe, &view, asker, err);
}

struct cul_edits cul_edit_space_edits(struct cul_edit_space *space) {
  return (struct cul_edits){.self = space,
                            .list = list_sites,
                            .listing = listing,
                            .is_alone = is_alone,
                            .revision = revision_of,
                            .best = best_of,
                            .can_speculate = can_speculate,
                            .speculate = make_ahead,
                            .drop_ahead = forget_ahead,
                            .promote = promote_ahead,
                            .adopt = adopt,
                            .run = run};
}
