/* Cells: see cells.h. */
#include "cells.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../../base/clock.h"
#include "../../base/files/file.h"
#include "../../probe/json_word.h"
#include "../../probe/system.h"
#include "../../probe/target/findings.h"
#include "../../runners/process.h"
#include "../../runners/remote/hosts.h"
#include "cells_private.h"

/* ---- cell ---- */

/* Cells and their installations. */

/* Append the name of a cell. */
static void name_cell(const struct cul_cells *cells, uint32_t cell,
                      struct cul_buf *out) {
  cul_axes_name(cells->axes, cells->cells[cell]->at, out);
}

/* ---- programs of cells ---- */

static char *program_missing(const struct cul_cell *cell) {
  char *program;
  bool there, empty = !cell->argv[0];
  for (int r = 0; r < CUL_N_ROLES; r++)
    empty = empty || (cell->role_argv[r] && !cell->role_argv[r][0]);
  if (empty)
    return cul_xstrdup("a command has no words left");
  program = cul_plan_program(&cell->command, cell->argv[0]);
  there = cell->command.hosts || (program && access(program, X_OK) == 0);
  free(program);
  return there ? NULL
               : cul_xasprintf("cannot find the program %s", cell->argv[0]);
}

/* Watch the files of a cell's tool for changes.  Installations are not watched:
 * they may be removed while no run uses them. */
static void watch_tool(struct cul_cells *cells,
                       const struct cul_command *command,
                       const struct cul_identity *identity) {
  if (!cells->conf->installer)
    cul_stamps_add(&cells->target.stamps, command, identity);
}

/* Recall the tool's identity from an earlier job. */
static int recall_tool(struct cul_cells *cells, struct cul_cell *cell,
                       struct cul_err *err) {
  const struct cul_patience patience = cul_probe_patience(&cells->target.probe);
  struct cul_identity identity = {0};
  bool found = false;
  int rc = 0;
  if (cells->target.cache)
    rc = cul_identity_recall(cells->target.cache, &cell->command, &identity,
                             &found, err);
  if (rc == 0 && identity.there.len)
    rc = cul_hosts_recall(&cell->command, &patience, &identity, &found, err);
  if (rc == 0 && found) {
    cell->tool = cul_identity_key(&identity);
    watch_tool(cells, &cell->command, &identity);
  }
  cul_identity_release(&identity);
  return rc;
}

/* Does the cell's program exist?  If not, *why is the reason; heap.  Also
 * recalls the tool's identity from an earlier job. */
static int check(struct cul_cells *cells, struct cul_cell *cell, char **why,
                 struct cul_err *err) {
  *why = program_missing(cell);
  return *why ? 0 : recall_tool(cells, cell, err);
}

/* ---- the roles of a cell ---- */

/* Fill the cell's values into the command of another role.  A command without
 * an axis is the job's, and all cells share its runs. */
static void fill_role(struct cul_cells *cells, struct cul_cell *cell, int r) {
  const struct cul_role *role = &cells->target.probe.roles[r];
  cell->roles[r] = *role;
  if (!role->name || !cul_axes_are_in(cells->axes, role->cmd->argv))
    return;
  cell->role_argv[r] = cul_axes_argv(cells->axes, cell->at, role->cmd->argv);
  cell->role_commands[r] = *role->cmd;
  cell->role_commands[r].argv = (const char *const *)cell->role_argv[r];
  cell->roles[r].cmd = &cell->role_commands[r];
  cell->roles[r].tool = (struct cul_digest){{0, 0}};
}

static void fill_roles(struct cul_cells *cells, struct cul_cell *cell) {
  for (int r = CUL_ROLE_SUSPECT + 1; r < CUL_N_ROLES; r++)
    fill_role(cells, cell, r);
}

static size_t count_words(const char *const *words) {
  size_t n = 0;
  while (words && words[n])
    n++;
  return n;
}

/* Does the role run the cell's own command, with filled memory? */
static bool is_filled(const struct cul_cell *cell, int role) {
  return role != CUL_ROLE_SUSPECT && cell->roles[role].name &&
         cul_role_is_suspect((enum cul_run_role)role);
}

/* The variables of the cell's installation and then those of the role; heap. */
static const char **join_env(const struct cul_cell *cell, int role) {
  const char *const *fill = cell->roles[role].cmd->env;
  size_t n_fill = count_words(fill), n_env = count_words(cell->env);
  const char **env = cul_xcalloc(n_fill + n_env + 1, sizeof *env);
  for (size_t i = 0; i < n_env; i++)
    env[i] = cell->env[i];
  for (size_t i = 0; i < n_fill; i++)
    env[n_env + i] = fill[i];
  return env;
}

/* Run the suspect with filled memory in the cell's installation. */
static void enter_roles(struct cul_cell *cell) {
  for (int r = 0; r < CUL_N_ROLES; r++) {
    if (!is_filled(cell, r) || count_words(cell->env) == 0)
      continue;
    cell->role_env[r] = join_env(cell, r);
    cell->role_commands[r] = *cell->roles[r].cmd;
    cell->role_commands[r].env = cell->role_env[r];
    cell->role_commands[r].install = cell->command.install;
    cell->roles[r].cmd = &cell->role_commands[r];
  }
}

/* Make the cell's runs on these hosts, including those of the suspect with
 * filled memory.  The commands of its other roles stay on this machine. */
static void enter_hosts(struct cul_cell *cell, struct cul_hosts *hosts) {
  cell->command.hosts = hosts;
  for (int r = 0; r < CUL_N_ROLES; r++) {
    if (!is_filled(cell, r))
      continue;
    if (cell->roles[r].cmd != &cell->role_commands[r])
      cell->role_commands[r] = *cell->roles[r].cmd;
    cell->role_commands[r].hosts = hosts;
    cell->roles[r].cmd = &cell->role_commands[r];
  }
}

/* Update the tool identities of the cell's roles, as far as they are known, and
 * add roles that the job has only had since a run of the reference showed what
 * it starts. */
static void update_roles(struct cul_cells *cells, struct cul_cell *cell) {
  for (int r = CUL_ROLE_SUSPECT + 1; r < CUL_N_ROLES; r++) {
    if (!cell->roles[r].name)
      fill_role(cells, cell, r);
    if (cul_role_is_suspect((enum cul_run_role)r))
      cell->roles[r].tool = cell->tool;
    else if (!cell->role_argv[r])
      cell->roles[r].tool = cells->target.probe.roles[r].tool;
  }
}

/* Learn which files the other roles (the reference, a control) execute and
 * read, so that one run of each serves all cells.  A command that contains an
 * axis differs from cell to cell, and runs for each. */
static int know_roles(struct cul_cells *cells, struct cul_err *err) {
  struct cul_target *target = &cells->target;
  const struct cul_role *roles = target->probe.roles;
  struct cul_placed placed = {0};
  bool differ = false;
  int rc;
  for (int r = CUL_ROLE_SUSPECT + 1; r < CUL_N_ROLES; r++)
    differ = differ ||
             (!cul_role_is_suspect((enum cul_run_role)r) && roles[r].name &&
              cul_axes_are_in(cells->axes, roles[r].cmd->argv));
  if (!roles[CUL_ROLE_REFERENCE].name || differ || !target->cache)
    return 0;
  rc = cul_target_place(target, CUL_SLOT_ORIGINAL, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&placed, cul_target_subject_given(&target->subject),
                         err);
  if (rc == 0)
    rc = cul_target_know_roles(target, &placed, err);
  cul_placed_release(&placed);
  return rc;
}

static void release_roles(struct cul_cell *cell) {
  for (int r = 0; r < CUL_N_ROLES; r++) {
    free(cell->role_argv[r]);
    free((void *)cell->role_env[r]);
  }
}

/* Check that the program exists of a cell that needs no installation. */
static int check_cell(struct cul_cells *cells, uint32_t number,
                      struct cul_err *err) {
  struct cul_buf name = {0};
  char *why;
  int rc = check(cells, cells->cells[number], &why, err);
  if (why) {
    name_cell(cells, number, &name);
    rc = cul_fail(err, CUL_EENV,
                  "install that program, or give the axis without this value",
                  "%s (%s)", why, cul_buf_str(&name));
  }
  cul_buf_release(&name);
  free(why);
  return rc;
}

int cul_cells_at(struct cul_cells *cells, const uint32_t *at, uint32_t *out,
                 struct cul_err *err) {
  size_t bytes = cells->axes->n * sizeof *at;
  struct cul_cell *cell;
  for (size_t i = 0; i < cells->n; i++)
    if (memcmp(cells->cells[i]->at, at, bytes) == 0) {
      *out = (uint32_t)i;
      return 0;
    }
  cell = cul_xcalloc(1, sizeof *cell);
  snprintf(cell->verdict.why, sizeof cell->verdict.why,
           "the job was interrupted, or its budget spent, before it was run");
  memcpy(cell->at, at, bytes);
  cell->command = cells->target.tool.command;
  cell->argv = cul_axes_argv(cells->axes, at, cells->target.tool.command.argv);
  cell->command.argv = (const char *const *)cell->argv;
  fill_roles(cells, cell);
  cells->cells =
      cul_xreallocarray(cells->cells, cells->n + 1, sizeof *cells->cells);
  cells->cells[cells->n] = cell;
  *out = (uint32_t)cells->n++;
  return cells->conf->installer ? 0 : check_cell(cells, *out, err);
}

static struct cul_cell_tally tally_of(const struct cul_cell *cell) {
  struct cul_cell_tally tally = {0};
  for (uint32_t i = 0; i < cell->n_runs; i++) {
    enum cul_answer answer = cell->runs[i].answer;
    if (!cell->runs[i].known)
      continue;
    tally.fails += answer == CUL_SAME;
    tally.passes += answer == CUL_PASSES;
    tally.others += answer == CUL_OTHER;
    tally.unknown +=
        answer != CUL_SAME && answer != CUL_PASSES && answer != CUL_OTHER;
  }
  return tally;
}

enum cul_answer cul_cell_state(const struct cul_cell *cell) {
  struct cul_cell_tally tally = tally_of(cell);
  if (tally.fails)
    return CUL_SAME;
  if (tally.passes)
    return CUL_PASSES;
  return tally.others ? CUL_OTHER : CUL_UNRESOLVED;
}

const struct cul_cell *cul_cells_first(const struct cul_cells *cells,
                                       enum cul_answer state) {
  for (size_t i = 0; i < cells->n; i++)
    if (cul_cell_state(cells->cells[i]) == state)
      return cells->cells[i];
  return NULL;
}

enum cul_answer cul_cells_answer(const struct cul_cells *cells,
                                 struct cul_cell_point point) {
  const struct cul_cell *cell = cells->cells[point.cell];
  if (point.attempt >= cell->n_runs || !cell->runs[point.attempt].known)
    return CUL_UNRESOLVED;
  return cell->runs[point.attempt].answer;
}

/* ---- installations ---- */

/* Set the cell up once its installation exists. */
static int settle(struct cul_cells *cells, struct cul_cell *cell,
                  struct cul_err *err) {
  cell->command.env = cell->env;
  enter_roles(cell);
  return check(cells, cell, &cell->barred, err);
}

static int cell_enter(struct cul_cells *cells, struct cul_cell *cell,
                      bool *inside, struct cul_err *err) {
  const struct cul_installer *installer = cells->conf->installer;
  struct cul_installation made = {0};
  int rc = installer->enter(installer->self, cell->at, &made, err);
  if (rc < 0)
    return rc;
  if (made.why) {
    cell->barred = made.why;
    return 0;
  }
  *inside = true;
  if (made.hosts)
    enter_hosts(cell, made.hosts);
  cell->command.install = made.install;
  if (cell->env) { /* restore the environment */
    free((void *)made.env);
    return 0;
  }
  cell->env = (const char **)made.env;
  return settle(cells, cell, err);
}

/* Enter the installations of the cells of these points, except those to skip.
 * inside: by cell; true if it has one, false for barred cells.  Call leave in
 * any case.  Errors: those of the installer. */
static int cells_enter(struct cul_cells *cells,
                       const struct cul_cell_point *points, size_t n,
                       const bool *skip, bool *inside, struct cul_err *err) {
  int rc = 0;
  if (!cells->conf->installer)
    return 0;
  for (size_t i = 0; i < n && rc == 0; i++) {
    struct cul_cell *cell = cells->cells[points[i].cell];
    if (!skip[i] && !inside[points[i].cell] && !cell->barred)
      rc = cell_enter(cells, cell, &inside[points[i].cell], err);
  }
  return rc;
}

static void cells_leave(struct cul_cells *cells, const bool *inside) {
  const struct cul_installer *installer = cells->conf->installer;
  for (size_t i = 0; i < cells->n; i++)
    if (inside[i])
      installer->leave(installer->self, cells->cells[i]->at);
}

/* ---- cells ---- */

/* ---- as a space ---- */

/* Place text in slot i, for the cell. */
static int place(struct cul_cells *cells, struct cul_cell *cell, int i,
                 struct cul_bytes text, struct cul_err *err) {
  struct cul_cells_slot *slot = &cells->slots[i];
  struct cul_artefact *art = &slot->placed.art;
  int rc;
  slot->used = true;
  rc = cul_target_place(&cells->target, i, &slot->placed, err);
  if (rc == 0)
    rc = cul_placed_fill(&slot->placed, text, err);
  art->cmd = &cell->command;
  art->tool = &cell->tool;
  update_roles(cells, cell);
  art->roles = cell->roles;
  return rc;
}

static int begin(void *self, const struct cul_point *point, int i, int *fd,
                 struct cul_err *err) {
  struct cul_cells *cells = self;
  struct cul_artefact *art = &cells->slots[i].placed.art;
  int rc = place(cells, cells->cells[point->ids[0]], i,
                 cul_target_subject_given(&cells->target.subject), err);
  *fd = cells->ready;
  if (point->ids[1] > 0) { /* each attempt is a separate run */
    struct cul_hasher *h = cul_hasher_new();
    cul_hasher_add(h, &art->digest, sizeof art->digest);
    cul_hasher_u64(h, point->ids[1]);
    art->digest = cul_hasher_finish(h);
  }
  return rc;
}

static int built(void *self, int i, struct cul_built *out,
                 struct cul_err *err) {
  struct cul_cells *cells = self;
  (void)err;
  *out = (struct cul_built){.valid = true, .art = cells->slots[i].placed.art};
  return 0;
}

static int materialise(void *self, int i, struct cul_err *err) {
  (void)self, (void)i, (void)err;
  return 0;
}

static void drop(void *self, int i) {
  struct cul_cells *cells = self;
  if (cells->slots[i].used)
    cul_placed_release(&cells->slots[i].placed);
  cells->slots[i] = (struct cul_cells_slot){0};
}

static int commit(void *self, int i, const struct cul_point *point,
                  const struct cul_built *result, struct cul_err *err) {
  (void)point, (void)result, (void)err;
  drop(self, i);
  return 0;
}

static struct cul_space space_of(struct cul_cells *cells) {
  return (struct cul_space){.name = "cells",
                            .self = cells,
                            .begin = begin,
                            .built = built,
                            .materialise = materialise,
                            .commit = commit,
                            .drop = drop};
}

/* Note the identity of a traced tool. */
static int traced(void *self, const struct cul_artefact *artefact,
                  const struct cul_record *record, struct cul_err *err) {
  struct cul_cells *cells = self;
  struct cul_identity identity = {0};
  int rc = cul_identity_learn(cells->target.cache, artefact->cmd, record,
                              cells->target.dir, &identity, err);
  if (rc == 0) {
    *artefact->tool = cul_identity_key(&identity);
    watch_tool(cells, artefact->cmd, &identity);
  }
  cul_identity_release(&identity);
  return rc;
}

/* ---- as a search: a list of runs, in any order ---- */

struct queue {
  struct cul_cells *cells;
  const struct cul_cell_point *points;
  struct cul_verdict *verdicts; /* by point */
  bool *skip, *told;
  bool *inside; /* by cell, see cells_enter */
  size_t n, next, done;
  uint32_t ids[2];
  uint64_t *accepted;
  size_t n_accepted;
};

static bool ask(void *self, struct cul_point *point, uint64_t *ticket,
                uint64_t *again_us) {
  struct queue *queue = self;
  (void)again_us;
  while (queue->next < queue->n && queue->skip[queue->next])
    queue->next++;
  if (queue->next == queue->n)
    return false;
  queue->ids[0] = queue->points[queue->next].cell;
  queue->ids[1] = queue->points[queue->next].attempt;
  *point = (struct cul_point){queue->ids, 2};
  *ticket = ++queue->next;
  return true;
}

static void tell(void *self, uint64_t ticket,
                 const struct cul_verdict *verdict) {
  struct queue *queue = self;
  queue->verdicts[ticket - 1] = *verdict;
  queue->told[ticket - 1] = true;
  queue->done++;
  if (verdict->answer == CUL_SAME) /* releases its slot */
    queue->accepted[queue->n_accepted++] = ticket;
}

static size_t stale(void *self, uint64_t *tickets, size_t max) {
  (void)self, (void)tickets, (void)max;
  return 0;
}

static uint64_t accepted(void *self) {
  struct queue *queue = self;
  return queue->n_accepted ? queue->accepted[--queue->n_accepted] : 0;
}

static bool finished(void *self) {
  struct queue *queue = self;
  return queue->done == queue->n;
}

/* Judge all these runs by the probe's oracle.  verdicts: by point. */
static int run_all(struct cul_cells *cells, struct queue *queue,
                   struct cul_err *err) {
  struct cul_space space = space_of(cells);
  struct cul_asker asker = {.self = queue,
                            .ask = ask,
                            .tell = tell,
                            .stale = stale,
                            .accepted = accepted,
                            .finished = finished};
  return cul_probe_run(&cells->probe, &space, &asker, err);
}

static void open_queue(struct queue *queue, struct cul_cells *cells,
                       const struct cul_cell_point *points, size_t n) {
  *queue = (struct queue){.cells = cells, .points = points, .n = n};
  queue->verdicts = cul_xcalloc(n + 1, sizeof *queue->verdicts);
  queue->skip = cul_xcalloc(n + 1, sizeof *queue->skip);
  queue->told = cul_xcalloc(n + 1, sizeof *queue->told);
  queue->accepted = cul_xcalloc(n + 1, sizeof *queue->accepted);
  queue->inside = cul_xcalloc(cells->n + 1, sizeof *queue->inside);
}

static void skip(struct queue *queue, size_t i) {
  queue->done += !queue->skip[i];
  queue->skip[i] = true;
}

/* Enter the installations that the runs need; runs without one give no
 * answer. */
static int enter(struct queue *queue, struct cul_err *err) {
  int rc = cells_enter(queue->cells, queue->points, queue->n, queue->skip,
                       queue->inside, err);
  for (size_t i = 0; i < queue->n && rc == 0; i++) {
    const char *why = queue->cells->cells[queue->points[i].cell]->barred;
    struct cul_verdict *verdict = &queue->verdicts[i];
    if (!why || queue->skip[i])
      continue;
    verdict->answer = CUL_UNRESOLVED;
    cul_phrase(verdict->why, sizeof verdict->why, "%s", why);
    queue->told[i] = true;
    skip(queue, i);
  }
  return rc;
}

static void release_queue(struct queue *queue) {
  cells_leave(queue->cells, queue->inside);
  free(queue->inside);
  free(queue->verdicts);
  free(queue->skip);
  free(queue->told);
  free(queue->accepted);
}

/* ---- learning ---- */

/* Does this run show a failure by itself? */
static int look(const void *self, const struct cul_record *records, size_t n,
                struct cul_wants *more, struct cul_verdict *verdict,
                struct cul_err *err) {
  const struct cul_cells *cells = self;
  struct cul_one_run one = {cells->target.oracle, NULL};
  int rc = one.inner->open(&cells->target.oracle_conf, &one.self, err);
  if (rc == 0)
    rc = cul_one_run_oracle.learn(&one, records, n, more, verdict, err);
  if (one.self)
    one.inner->close(one.self);
  if (rc == 0 && verdict->answer == CUL_BROKEN)
    verdict->answer = CUL_UNRESOLVED;
  return rc;
}

static const struct cul_oracle looking = {.abi = CUL_ORACLE_ABI,
                                          .name = "look",
                                          .summary = "any failure",
                                          .judge = look};

/* Make one run; its record may be in the cache. */
static int run_one(struct cul_cells *cells, struct cul_cell_point point,
                   bool learn, struct cul_judged *out, struct cul_err *err) {
  uint32_t ids[2] = {point.cell, point.attempt};
  int fd, slot = CUL_MAX_WORKERS;
  int rc = begin(cells, &(struct cul_point){ids, 2}, slot, &fd, err);
  if (rc == 0)
    rc = cul_probe_judge(&cells->probe, &cells->slots[slot].placed.art, learn,
                         out, err);
  drop(cells, slot);
  return rc;
}

/* Learn the failure in contrast to a run that passes (NULL: none does).  If no
 * rule recognizes the failure, nothing that the passing run prints belongs to
 * it. */
static int learn_beside(struct cul_cells *cells,
                        const struct cul_cell_point *passing,
                        struct cul_judged *failing, struct cul_err *err) {
  struct cul_one_run *one = &cells->one_run;
  struct cul_judged judged = {0};
  struct cul_wants more = {0};
  int rc;
  if (!passing || !failing->verdict.sig.words || !one->inner->contrast)
    return 0;
  rc = run_one(cells, *passing, false, &judged, err);
  if (rc == 0 && judged.verdict.answer == CUL_PASSES) {
    one->inner->contrast(one->self, &judged.records[judged.n - 1]);
    rc = cul_one_run_oracle.learn(one, failing->records, failing->n, &more,
                                  &failing->verdict, err);
  }
  cul_judged_release(&judged);
  return rc;
}

/* Classification compares with a run of the input in its own directory; here,
 * as the input of that cell's command. */
static int compare_in_place(struct cul_cells *cells,
                            const struct cul_cell *cell,
                            const struct cul_judged *judged,
                            struct cul_err *err) {
  const struct cul_learnt learnt = {.judged = judged,
                                    .command = &cell->command,
                                    .oracle = cells->probe.oracle,
                                    .oracle_self = cells->probe.oracle_self};
  return cell->command.hosts
             ? 0
             : cul_target_compare_in_place(&cells->target, &learnt, err);
}

static int learn_from(struct cul_cells *cells, struct cul_cell_point point,
                      const struct cul_cell_point *passing,
                      struct cul_err *err) {
  struct cul_judged judged = {0};
  int rc;
  cells->one_run.inner = cells->target.oracle;
  rc = cells->one_run.inner->open(&cells->target.oracle_conf,
                                  &cells->one_run.self, err);
  if (rc < 0)
    return rc;
  cells->probe.oracle = &cul_one_run_oracle;
  cells->probe.oracle_self = &cells->one_run;
  rc = run_one(cells, point, true, &judged, err);
  if (rc == 0)
    rc = learn_beside(cells, passing, &judged, err);
  if (rc == 0)
    rc = compare_in_place(cells, cells->cells[point.cell], &judged, err);
  cells->sought = judged.verdict.sig;
  cells->learnt = rc == 0;
  if (rc == 0)
    cul_target_seal(&cells->target);
  cul_judged_release(&judged);
  return rc;
}

static int fail_none(const struct cul_cells *cells, const struct queue *queue,
                     struct cul_err *err) {
  const char *why = "";
  for (size_t i = 0; i < queue->n; i++)
    if (queue->verdicts[i].answer == CUL_UNRESOLVED)
      why = queue->verdicts[i].why;
  if (*why)
    return cul_fail(err, CUL_EENV, "run the command by hand and fix it",
                    "no run shows the failure, and some cannot be judged: %s",
                    why);
  return cul_fail(err, CUL_ENOFAIL,
                  "run the commands by hand; if the failure is not a crash, "
                  "use --match, --exit, --signal or --script",
                  "%s fails nowhere (%zu run%s)", cells->conf->target.input,
                  queue->n, cul_s(queue->n));
}

/* ---- the sense of a script ---- */

/* The exit status of the script on an empty input in the cell; < 0: unclear. */
static int empty_status(struct cul_cells *cells, struct cul_cell *cell,
                        int *status, struct cul_err *err) {
  int slot = CUL_MAX_WORKERS, rc;
  struct cul_judged judged = {0};
  rc = place(cells, cell, slot, cul_target_empty_subject(&cells->target), err);
  if (rc == 0)
    rc = cul_probe_judge(&cells->probe, &cells->slots[slot].placed.art, false,
                         &judged, err);
  *status = rc == 0 && judged.records[0].end == CUL_EXITED &&
                    (judged.records[0].status < 125)
                ? judged.records[0].status
                : -1;
  cul_judged_release(&judged);
  drop(cells, slot);
  return rc;
}

static void set_sense(struct cul_cells *cells, enum cul_sense sense,
                      const char *cell, int status) {
  cells->target.oracle_conf.script.sense = sense;
  snprintf(cells->sense_why, sizeof cells->sense_why,
           "it exits %d on an empty input (%.60s), so exit status %s means "
           "that the failure shows",
           status, cell, sense == CUL_SENSE_ZERO ? "0" : "1 to 127");
}

/* Find out what exit status 0 of the script means: its status on an empty input
 * means "not the failure".  Prefer a cell in which that is 0: other statuses
 * may come from a tool that cannot read an empty input. */
static int find_sense(struct cul_cells *cells,
                      const struct cul_cell_point *points, size_t n,
                      struct cul_err *err) {
  const struct cul_script_conf *script = &cells->target.oracle_conf.script;
  struct cul_buf name = {0};
  int status = -1, rc = 0;
  if (!script->wanted || script->sense != CUL_SENSE_UNKNOWN)
    return 0;
  for (size_t i = 0; i < n && rc == 0 && status != 0; i++) {
    struct cul_cell *cell = cells->cells[points[i].cell];
    int found = -1;
    if (points[i].attempt > 0 || cell->barred)
      continue;
    rc = empty_status(cells, cell, &found, err);
    if (rc == 0 && found >= 0) {
      status = found;
      cul_buf_clear(&name);
      name_cell(cells, points[i].cell, &name);
    }
  }
  if (rc == 0 && status < 0)
    rc = cul_fail(err, CUL_EUSAGE,
                  "say which by --contract: bisect (other than 0), or cvise, "
                  "llvm and others (0)",
                  "the script cannot run on an empty input, which would show "
                  "whether its exit status 0 means that the failure shows");
  if (rc == 0)
    set_sense(cells, status == 0 ? CUL_SENSE_BISECT : CUL_SENSE_ZERO,
              cul_buf_str(&name), status);
  cul_buf_release(&name);
  return rc;
}

static void keep(struct cul_cell *cell, uint32_t attempt,
                 const struct cul_verdict *verdict) {
  enum cul_answer before = cul_cell_state(cell);
  bool first = cell->n_runs == 0;
  if (attempt >= cell->n_runs) {
    cell->runs = cul_xreallocarray(cell->runs, attempt + 1, sizeof *cell->runs);
    memset(cell->runs + cell->n_runs, 0,
           (attempt + 1 - cell->n_runs) * sizeof *cell->runs);
    cell->n_runs = attempt + 1;
  }
  cell->runs[attempt] = (struct cul_cell_run){verdict->answer, true};
  if (first || cul_cell_state(cell) != before)
    cell->verdict = *verdict;
}

/* The job was cut before the failure was learnt: keep what the runs showed by
 * themselves.  The failure of the first one that fails stands for the sought
 * one. */
static void keep_seen(struct cul_cells *cells, const struct queue *queue) {
  const struct cul_verdict *first = NULL;
  for (size_t i = 0; i < queue->n; i++) {
    struct cul_verdict verdict = queue->verdicts[i];
    if (!queue->told[i])
      continue;
    if (verdict.answer == CUL_SAME && !first)
      first = &queue->verdicts[i];
    else if (verdict.answer == CUL_SAME &&
             !cul_digest_equal(&verdict.sig.key, &first->sig.key))
      verdict.answer = CUL_OTHER;
    keep(cells->cells[queue->points[i].cell], queue->points[i].attempt,
         &verdict);
    cells->seen = true;
  }
  if (first)
    cells->sought = first->sig;
}

int cul_cells_learn(struct cul_cells *cells,
                    const struct cul_cell_point *points, size_t n,
                    struct cul_err *err) {
  const struct cul_cell_point *passing = NULL;
  struct queue queue;
  size_t first = 0;
  int rc;
  cells->probe.oracle = &looking;
  cells->probe.oracle_self = cells;
  cells->probe.phase = CUL_RUNS_CLASSIFY;
  open_queue(&queue, cells, points, n);
  rc = know_roles(cells, err);
  if (rc == 0)
    rc = enter(&queue, err);
  if (rc == 0)
    rc = find_sense(cells, points, n, err);
  if (rc == 0)
    rc = run_all(cells, &queue, err);
  while (rc == 0 && first < n && queue.verdicts[first].answer != CUL_SAME)
    first++;
  if (rc == 0 && first == n)
    rc = fail_none(cells, &queue, err);
  for (size_t i = 0; i < n && rc == 0 && !passing; i++)
    if (queue.verdicts[i].answer == CUL_PASSES)
      passing = &points[i];
  cells->probe.phase = CUL_RUNS_SEARCH;
  if (rc == 0)
    rc = learn_from(cells, points[first], passing, err);
  if (cul_is_cut(rc))
    keep_seen(cells, &queue);
  release_queue(&queue);
  return rc;
}

static bool is_known(const struct cul_cells *cells,
                     struct cul_cell_point point) {
  const struct cul_cell *cell = cells->cells[point.cell];
  return point.attempt < cell->n_runs && cell->runs[point.attempt].known;
}

int cul_cells_judge(struct cul_cells *cells,
                    const struct cul_cell_point *points, size_t n,
                    struct cul_err *err) {
  struct queue queue;
  int rc;
  open_queue(&queue, cells, points, n);
  for (size_t i = 0; i < n; i++) {
    if (is_known(cells, points[i]))
      skip(&queue, i);
  }
  rc = enter(&queue, err);
  if (rc == 0)
    rc = run_all(cells, &queue, err);
  for (size_t i = 0; i < n && (rc == 0 || cul_is_cut(rc)); i++)
    if (queue.told[i])
      keep(cells->cells[points[i].cell], points[i].attempt, &queue.verdicts[i]);
  release_queue(&queue);
  return rc;
}

/* ---- from end to end ---- */

/* Read those axes that the command, or that of another role, contains. */
static int read_axes(struct cul_cells *cells, struct cul_err *err) {
  const struct cul_target *target = &cells->target;
  const char *const *commands[CUL_N_ROLES + 1] = {target->tool.command.argv};
  size_t n = 1;
  for (int r = CUL_ROLE_SUSPECT + 1; r < CUL_N_ROLES; r++)
    if (target->probe.roles[r].name)
      commands[n++] = target->probe.roles[r].cmd->argv;
  return cul_axes_read(cells->conf->axes, cells->conf->n_axes, commands,
                       &cells->own, err);
}

int cul_cells_open(struct cul_cells *cells, const struct cul_cells_conf *conf,
                   struct cul_err *err) {
  int rc;
  *cells =
      (struct cul_cells){.conf = conf, .ready = -1, .start_us = cul_now_us()};
  cells->axes = conf->given ? conf->given : &cells->own;
  cells->target_conf = conf->target;
  cells->target_conf.oracle.crash.across = true;
  cells->target_conf.installed = conf->installer != NULL;
  rc = cul_target_open(&cells->target, &cells->target_conf, err);
  if (rc == 0 && !conf->given)
    rc = read_axes(cells, err);
  if (rc < 0)
    return rc;
  cells->ready = eventfd(1, EFD_CLOEXEC);
  if (cells->ready < 0)
    return cul_fail(err, CUL_EENV, "", "no file descriptor is left");
  cells->probe = cells->target.probe;
  cells->probe.deadline.fixed = true; /* each tool has its own pace */
  cells->probe.doubt.passes = true;
  cells->probe.request.flags |= CUL_RUN_SYMBOLIZE;
  cells->probe.traced.told = traced;
  cells->probe.traced.self = cells;
  return 0;
}

void cul_cells_release(struct cul_cells *cells) {
  for (int i = 0; i <= CUL_MAX_WORKERS; i++)
    drop(cells, i);
  if (cells->one_run.self)
    cells->one_run.inner->close(cells->one_run.self);
  for (size_t i = 0; i < cells->n; i++) {
    free(cells->cells[i]->argv);
    free(cells->cells[i]->runs);
    free((void *)cells->cells[i]->env);
    free(cells->cells[i]->barred);
    release_roles(cells->cells[i]);
    free(cells->cells[i]);
  }
  free(cells->cells);
  if (cells->ready >= 0)
    close(cells->ready);
  cul_target_release(&cells->target);
  cul_axes_release(&cells->own);
}

/* ---- report ---- */

/* Reports of cells. */

static json_t *values_of(const struct cul_cells *cells, uint32_t cell) {
  json_t *out = json_object();
  for (size_t i = 0; i < cells->axes->n; i++) {
    const struct cul_axis *axis = &cells->axes->axes[i];
    json_object_set_new(
        out, axis->name,
        cul_report_string(axis->values[cells->cells[cell]->at[i]]));
  }
  return out;
}

/* One cell: values, answer, fails, runs, why. */
static json_t *report_cell(const struct cul_cells *cells, uint32_t number) {
  const struct cul_cell *cell = cells->cells[number];
  struct cul_cell_tally tally = tally_of(cell);
  enum cul_answer state = cul_cell_state(cell);
  const struct cul_signature *sig = &cell->verdict.sig;
  bool failed = state == CUL_SAME || state == CUL_OTHER;
  json_t *out = json_object();
  json_object_set_new(out, "values", values_of(cells, number));
  json_object_set_new(out, "command", cul_report_argv(cell->command.argv));
  json_object_set_new(out, "tool", cul_report_digest(&cell->tool));
  json_object_set_new(out, "answer", json_string(cul_answer_name(state)));
  json_object_set_new(out, "fails", json_integer(tally.fails));
  json_object_set_new(
      out, "runs",
      json_integer(tally.fails + tally.passes + tally.others + tally.unknown));
  json_object_set_new(out, "why", cul_report_string(cell->verdict.why));
  json_object_set_new(out, "title",
                      failed ? cul_report_string(sig->title) : json_null());
  return out;
}

static json_t *axes_of(const struct cul_axes *axes) {
  json_t *out = json_array();
  for (size_t i = 0; i < axes->n; i++) {
    json_t *values = json_array();
    for (uint32_t k = 0; k < axes->axes[i].n; k++)
      json_array_append_new(values, cul_report_string(axes->axes[i].values[k]));
    json_array_append_new(out, json_pack("{s:s, s:o}", "name",
                                         axes->axes[i].name, "values", values));
  }
  return out;
}

static bool is_flaky(const struct cul_cells *cells) {
  for (size_t i = 0; i < cells->n; i++) {
    struct cul_cell_tally tally = tally_of(cells->cells[i]);
    if (tally.fails && tally.passes)
      return true;
  }
  return false;
}

/* The rate over all runs of cells that fail. */
static json_t *flake_of(const struct cul_cells *cells) {
  json_int_t fails = 0, runs = 0;
  for (size_t i = 0; i < cells->n; i++) {
    struct cul_cell_tally tally = tally_of(cells->cells[i]);
    fails += tally.fails;
    runs += tally.fails ? tally.fails + tally.passes : 0;
  }
  return json_pack("{s:I, s:I}", "fails", fails, "runs", runs);
}

/* The sought failure in words; null: it is not known yet. */
static json_t *preserved(const struct cul_cells *cells) {
  struct cul_buf text = {0};
  json_t *out = NULL;
  if (cells->learnt) {
    cul_one_run_oracle.describe(&cells->one_run, &text);
    out = cul_report_string(cul_buf_str(&text));
  }
  cul_buf_release(&text);
  return out ? out : json_null();
}

json_t *cul_cells_report(const struct cul_cells *cells, const char *job) {
  const struct cul_target *target = &cells->target;
  json_t *out = json_object(), *list = json_array();
  for (size_t i = 0; i < cells->n; i++)
    json_array_append_new(list, report_cell(cells, (uint32_t)i));
  json_object_set_new(out, "culprit_version", json_string(CULPRIT_VERSION));
  json_object_set_new(out, "system", cul_report_system());
  json_object_set_new(out, "job", json_string(job));
  json_object_set_new(out, "input", cul_json_word(target->conf->input));
  json_object_set_new(out, "command",
                      cul_report_argv(target->tool.command.argv));
  json_object_set_new(out, "axes", axes_of(cells->axes));
  json_object_set_new(out, "signature", cul_report_signature(&cells->sought));
  json_object_set_new(out, "preserves", preserved(cells));
  json_object_set_new(out, "script_sense", cul_report_string(cells->sense_why));
  json_object_set_new(
      out, "guessed",
      json_boolean(cells->sought.words && cells->target.oracle->contrast));
  json_object_set_new(out, "caution",
                      target->found ? cul_report_string(target->found)
                                    : json_null());
  json_object_set_new(out, "cells", list);
  json_object_set_new(out, "flaky", json_boolean(is_flaky(cells)));
  json_object_set_new(out, "flake", flake_of(cells));
  json_object_set_new(
      out, "builds",
      json_pack("{s:i, s:i, s:i}", "done", 0, "failed", 0, "cached", 0));
  json_object_set_new(out, "runs", cul_report_runs(&cells->probe.counts));
  cul_report_add_costs(out, &cells->probe.counts,
                       (double)(cul_now_us() - cells->start_us) / 1e6);
  return out;
}

/* ---- the bundle ---- */

/* Append the installer's script (struct cul_installer), if there is one. */
static void add_script(const struct cul_cells *cells,
                       const struct cul_cell *cell, struct cul_buf *make,
                       struct cul_buf *enter) {
  const struct cul_installer *installer = cells->conf->installer;
  if (installer)
    installer->script(installer->self, cell->at, make, enter);
}

/* A cell whose runs are made under other words. */
struct under {
  struct cul_cells *cells;
  const struct cul_cell *cell;
};

/* Make its first run. */
static int judge_under(void *self, char *const *argv, struct cul_judged *out,
                       struct cul_err *err) {
  const struct under *under = self;
  struct cul_cells *cells = under->cells;
  struct cul_command command = under->cell->command;
  uint32_t ids[2] = {0};
  int fd, slot = CUL_MAX_WORKERS, rc;
  while (cells->cells[ids[0]] != under->cell)
    ids[0]++;
  rc = begin(cells, &(struct cul_point){ids, 2}, slot, &fd, err);
  command.argv = (const char *const *)argv;
  cells->slots[slot].placed.art.cmd = &command;
  if (rc == 0)
    rc = cul_probe_judge(&cells->probe, &cells->slots[slot].placed.art, false,
                         out, err);
  drop(cells, slot);
  return rc;
}

int cul_cells_leave_bundle(struct cul_cells *cells, const char *dir,
                           const struct cul_cell *bad,
                           const struct cul_cell *good,
                           const struct cul_leave_report *report,
                           struct cul_err *err) {
  struct cul_leave bundle = {.dir = dir,
                             .target = &cells->target,
                             .conf = &cells->target.oracle_conf,
                             .sig = &cells->sought,
                             .report = *report,
                             .fails = bad ? bad->command.argv : NULL,
                             .passes = good ? good->command.argv : NULL};
  struct cul_buf first = {0}, before_bad = {0}, before_good = {0};
  struct under under = {cells, bad};
  int rc = 0;
  if (bad)
    add_script(cells, bad, &first, &before_bad);
  if (good)
    add_script(cells, good, &first, &before_good);
  bundle.first = cul_buf_str(&first);
  bundle.before_fails = cul_buf_str(&before_bad);
  bundle.before_passes = cul_buf_str(&before_good);
  if (bad && !cells->conf->installer)
    rc = cul_leave_find(&bundle, &cells->target,
                        &(struct cul_variables_runs){.command = &bad->command,
                                                     .judge = judge_under,
                                                     .self = &under},
                        err);
  if (rc == 0)
    rc = cul_leave_bundle(&bundle, err);
  cul_variables_release(&bundle.variables);
  cul_buf_release(&first);
  cul_buf_release(&before_bad);
  cul_buf_release(&before_good);
  return rc;
}
