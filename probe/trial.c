/* A trial: see trial.h.  Records first come from the cache, then from runs; the
 * oracle decides when there are enough. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/again.h"
#include "../base/clock.h"
#include "../base/environment.h"
#include "../base/files/file.h"
#include "../base/files/outputs.h"
#include "../base/status.h"
#include "../oracles/repeat.h"
#include "workplace.h"

/* ---- refused ---- */

/* Runs without an answer: the sandbox refused them a write, or their
 * supervisors were killed. */

char *cul_judged_refused(const struct cul_judged *judged) {
  char *refused = NULL;
  for (size_t i = 0; i < judged->n && !refused; i++)
    refused = cul_record_refused(&judged->records[i]);
  return refused;
}

static void withdraw(struct cul_verdict *verdict, const char *refused) {
  verdict->answer = CUL_UNRESOLVED;
  verdict->confidence = 1;
  cul_phrase(verdict->why, sizeof verdict->why,
             "it tried to write to %s, which the sandbox forbids", refused);
}

/* Can the refused write be the reason for the verdict?  An absent failure is an
 * ordinary answer for a candidate, but for the input as given it would end the
 * job. */
static bool is_doubtful(const struct cul_trial *trial) {
  switch (trial->judged.verdict.answer) {
  case CUL_SAME:
  case CUL_OTHER:
  case CUL_BROKEN:
    return true;
  case CUL_PASSES:
    return trial->learn || trial->probe->doubt.passes;
  default:
    return false;
  }
}

/* Withdraw a verdict that a refused write may explain.  Any failure may come
 * from it; so may a pass of the input as given. */
static void trial_doubt(struct cul_trial *trial) {
  const struct cul_command *cmd = trial->request.cmd;
  struct cul_sandbox *sandbox = cul_environment_sandbox(cmd->environment);
  struct cul_verdict *verdict = &trial->judged.verdict;
  char *refused = sandbox ? cul_judged_refused(&trial->judged) : NULL;
  if (!refused)
    return;
  if (!sandbox->refused++)
    sandbox->first = cul_xstrdup(refused);
  if (is_doubtful(trial))
    withdraw(verdict, refused);
  free(refused);
}

/* Count lost runs in a row, and fail if the machine kills every run.  One
 * candidate, or many in a row, may kill their own supervisors, so after MOST of
 * them cul_probe_ask_machine finds out.  The original is examined elsewhere. */
static int trial_count_lost(struct cul_trial *trial,
                            const struct cul_record *record,
                            struct cul_err *err) {
  enum { MOST = 8 };
  struct cul_probe *probe = trial->probe;
  bool lost;
  int rc;
  if (trial->learn)
    return 0;
  probe->lost = record->end == CUL_MACHINE ? probe->lost + 1 : 0;
  if (probe->lost < MOST)
    return 0;
  rc = cul_probe_ask_machine(probe, trial->artefact, trial->request.cmd,
                             trial->tmp, &lost, err);
  probe->lost = 0;
  return rc == 0 && lost ? cul_record_fail(record, err) : rc;
}

/* ---- trial ---- */

uint64_t cul_probe_deadline_ms(const struct cul_probe *probe,
                               enum cul_run_role role) {
  /* Ten times the slowest run, in milliseconds; five times if hangs are sought:
   * then every hit takes the whole deadline, and the result is proven at the
   * end. */
  const struct cul_deadline *deadline = &probe->deadline;
  uint64_t slowest_us = deadline->slowest_us[role];
  uint64_t learnt = slowest_us / (deadline->fixed ? 200 : 100);
  uint64_t whole = probe->request.wall_ms;
  if (deadline->fixed ? !deadline->provisional : !slowest_us)
    return whole;
  if (learnt < CUL_SHORTEST_DEADLINE_MS)
    learnt = CUL_SHORTEST_DEADLINE_MS;
  return deadline->fixed && learnt > whole ? whole : learnt;
}

/* The deadline of the request in-process, in milliseconds: an endless candidate
 * takes all of it, and the tool's own takes longer than hundreds of such
 * runs. */
static uint64_t inside_deadline_ms(const struct cul_trial *trial) {
  uint64_t whole = trial->request.wall_ms;
  uint64_t slowest_us = trial->probe->service.inside.slowest_us[trial->role];
  uint64_t learnt = slowest_us / 100;
  if (learnt < CUL_SHORTEST_INSIDE_MS)
    learnt = CUL_SHORTEST_INSIDE_MS;
  return slowest_us && learnt < whole ? learnt : whole;
}

/* Note the time of the role's slowest run.  Served runs do not count, because
 * they do not start the tool. */
static void note_time(const struct cul_trial *trial,
                      const struct cul_record *record) {
  struct cul_deadline *deadline = &trial->probe->deadline;
  uint64_t *slowest_us = &deadline->slowest_us[trial->role];
  uint64_t *inside_us = &trial->probe->service.inside.slowest_us[trial->role];
  uint64_t us = record->wall_us;
  if (trial->inside && record->end != CUL_DEADLINE && us > *inside_us)
    *inside_us = us;
  if (deadline->spinning && record->cpu_us < us)
    us = record->cpu_us;
  if (record->end != CUL_DEADLINE && us > *slowest_us &&
      !(trial->request.flags & CUL_RUN_SERVED) && !trial->inside)
    *slowest_us = us;
}

void cul_judged_release(struct cul_judged *judged) {
  for (size_t i = 0; i < judged->n; i++)
    cul_record_release(&judged->records[i]);
  free(judged->records);
  *judged = (struct cul_judged){0};
}

/* Turn the request into one for the command of another role. */
static void play_role(struct cul_trial *trial, enum cul_run_role role) {
  const struct cul_role *roles =
      trial->artefact->roles ? trial->artefact->roles : trial->probe->roles;
  const struct cul_role *other = &roles[role];
  if (!other->name)
    cul_bug("an oracle asks for role %d, which the job does not have", role);
  trial->role = role;
  trial->request.role = other->name;
  trial->request.cmd = other->cmd;
  trial->request.tool = other->tool;
  trial->request.wall_ms = cul_probe_deadline_ms(trial->probe, role);
  /* Only the command under test is traced for its identity. */
  trial->request.flags &= ~(uint32_t)(CUL_RUN_TRACE | CUL_RUN_NO_CACHE);
  trial->request.flags |= trial->probe->request.flags | other->flags;
}

/* Is it an ordinary run: no flags but the role's, the first attempt, a command
 * of the job, and the candidate passed as a file? */
static bool is_plain(const struct cul_trial *trial) {
  const struct cul_request *request = &trial->request;
  const struct cul_command *own = trial->artefact->cmd;
  const uint32_t usual = trial->probe->roles[trial->role].flags;
  return !(request->flags & ~usual) && !request->attempt &&
         (!own || own == trial->probe->request.cmd) &&
         request->cmd->delivery != CUL_BY_STDIN &&
         request->cmd->delivery != CUL_BY_ALL &&
         request->cmd->delivery != CUL_BY_LINK;
}

/* Is it a run of the suspect or the reference?  Other roles have commands of
 * another kind, such as culprit's own engine. */
static bool is_of_both(enum cul_run_role role) {
  return cul_role_is_suspect(role) || role == CUL_ROLE_REFERENCE ||
         role == CUL_ROLE_POISON;
}

static void prefer_server(struct cul_trial *trial) {
  struct cul_servers *servers = trial->probe->service.servers;
  struct cul_request *request = &trial->request;
  if (trial->serving != CUL_SERVING_YES || !is_of_both(trial->role) ||
      !is_plain(trial) || !cul_servers_usable(servers))
    return;
  request->flags |= CUL_RUN_SERVED;
  request->servers = servers;
}

/* If the engine can replace the command of this role, the engine makes the run.
 */
static void prefer_inside(struct cul_trial *trial) {
  struct cul_probe *probe = trial->probe;
  struct cul_request *request = &trial->request;
  const struct cul_command *words = &probe->service.inside.of[trial->role];
  const uint32_t own = probe->roles[trial->role].flags;
  const uint32_t filters = CUL_RUN_LIVE | CUL_RUN_SERVED | own;
  trial->inside = false;
  if (trial->serving != CUL_SERVING_YES || !probe->service.inside.on ||
      trial->artefact->live_fd < 0 || !words->argv || trial->artefact->cmd ||
      request->attempt || (request->flags & ~filters) ||
      probe->request.cmd->argv != probe->service.inside.instead)
    return;
  trial->inside = true;
  trial->own.cmd = request->cmd;
  trial->own.tool = request->tool;
  trial->own.wall_ms = request->wall_ms;
  request->cmd = words;
  request->tool = probe->service.inside.tool;
  request->flags = CUL_RUN_LIVE | own;
  request->servers = NULL;
  request->wall_ms = inside_deadline_ms(trial);
}

/* Make the run by the command after all, not by the engine. */
static void leave_inside(struct cul_trial *trial) {
  if (!trial->inside)
    return;
  trial->inside = false;
  trial->request.cmd = trial->own.cmd;
  trial->request.tool = trial->own.tool;
  trial->request.flags &= ~(uint32_t)CUL_RUN_LIVE;
  trial->request.wall_ms = trial->own.wall_ms;
}

/* Make the run in a process of its own after all, not by a server or the
 * engine.
 */
static void leave_server(struct cul_trial *trial) {
  leave_inside(trial);
  trial->request.flags &= ~(uint32_t)CUL_RUN_SERVED;
  trial->request.servers = NULL;
}

/* Ask for samples of the tool's stack, by which hangs are known early.  A
 * deadline of the search is then at least as long as that takes, since the tool
 * may need long to reach the loop. */
static void ask_where_it_stays(struct cul_trial *trial) {
  struct cul_probe *probe = trial->probe;
  struct cul_request *request = &trial->request;
  uint64_t whole_ms = probe->request.wall_ms, needed_ms;
  bool searches = probe->deadline.fixed && probe->deadline.provisional;
  if (!trial->learn && !searches)
    return;
  request->stay = cul_early_hangs_ask(&probe->early, trial->learn);
  if (trial->learn || !request->stay)
    return;
  needed_ms = (request->stay->after_us + request->stay->settled_us) / 1000;
  if (needed_ms >= whole_ms) {
    request->stay = NULL;
    needed_ms = whole_ms;
  }
  if (request->wall_ms < needed_ms)
    request->wall_ms = needed_ms;
}

/* Prepare the request of the first run, or of the next one that the oracle
 * wants.
 */
static void ask_next(struct cul_trial *trial) {
  struct cul_probe *probe = trial->probe;
  struct cul_request *request = &trial->request;
  *request = probe->request;
  if (trial->artefact->cmd)
    request->cmd = trial->artefact->cmd;
  if (probe->runner->live && trial->artefact->live_fd >= 0)
    request->flags |= CUL_RUN_LIVE;
  request->flags |= trial->artefact->run_flags;
  request->flags |= trial->learn ? CUL_RUN_GIVEN : 0;
  request->wall_ms = cul_probe_deadline_ms(probe, CUL_ROLE_SUSPECT);
  ask_where_it_stays(trial);
  if (trial->artefact->tool) {
    request->tool = *trial->artefact->tool;
    if (cul_digest_is_zero(&request->tool))
      request->flags |= CUL_RUN_TRACE | CUL_RUN_NO_CACHE;
  }
  trial->wanted = true;
  trial->role = CUL_ROLE_SUSPECT;
  if (trial->judged.n == 0) {
    prefer_server(trial);
    return;
  }
  const struct cul_want *want = &trial->wants.want[trial->next_want++];
  if (want->role != CUL_ROLE_SUSPECT)
    play_role(trial, want->role);
  request->attempt = want->attempt;
  request->flags |= want->flags;
  if (trial->learn && probe->learning.outside_wanted &&
      want->role == CUL_ROLE_SUSPECT) {
    request->flags |= CUL_RUN_OUTSIDE;
    probe->learning.outside_wanted = false;
  }
  if (want->wall_factor > 0)
    request->wall_ms = (uint64_t)((double)request->wall_ms * want->wall_factor);
  prefer_server(trial);
}

static void prepare_request(struct cul_trial *trial) {
  ask_next(trial);
  prefer_inside(trial);
}

/* Does the oracle need the candidate's text, which was not read yet? */
static bool lacks_text(const struct cul_trial *trial) {
  const bool *quotes = trial->probe->doubt.quotes;
  return quotes && *quotes && !trial->text.known;
}

bool cul_trial_needs_files(const struct cul_trial *trial) {
  return !(trial->request.flags & CUL_RUN_LIVE) || lacks_text(trial);
}

/* The files are in place: read the text before a tool may change it.  A text
 * that cannot be read, or is larger than any program that a tool quotes, is
 * taken for one that is not quoted. */
static void read_text(struct cul_trial *trial) {
  enum { MOST = 4 << 20 };
  const struct cul_artefact *art = trial->artefact;
  struct cul_err unread = {0};
  char *path;
  bool lacks = lacks_text(trial);
  trial->text.known = true;
  if (!lacks || art->elsewhere || !art->file || !art->file[0])
    return;
  path = cul_xasprintf("%s/%s", art->dir, art->file);
  if (cul_file_read_own(path, MOST, &trial->text.bytes, &unread) < 0)
    cul_buf_release(&trial->text.bytes);
  free(path);
}

/* ---- samples ---- */

/* The roles whose runs are traced for this candidate (cul_samples): other roles
 * run culprit's own programs, or one of these commands. */
static uint32_t samples_of(const struct cul_probe *probe,
                           const struct cul_artefact *artefact, bool early) {
  enum { EACH = 32 };
  const uint32_t roles = 1U << CUL_ROLE_SUSPECT | 1U << CUL_ROLE_REFERENCE |
                         1U << CUL_ROLE_CONTROL;
  return probe->traced.samples.on &&
                 (early || artefact->digest.w[0] % EACH == 0)
             ? roles
             : 0;
}

/* Is the wanted run an ordinary one of a sample? */
static bool is_sample(const struct cul_trial *trial) {
  const struct cul_request *request = &trial->request;
  const uint32_t others = CUL_RUN_LIVE | CUL_RUN_SERVED | CUL_RUN_TRACE |
                          CUL_RUN_OUTSIDE | CUL_RUN_GIVEN;
  return trial->samples & 1U << trial->role &&
         trial->probe->traced.samples.on && !(request->flags & others) &&
         !trial->inside && !request->attempt && !request->cmd->hosts &&
         !request->cmd->install;
}

/* A sample is wanted again. */
static void leave_trace(struct cul_trial *trial) {
  if (trial->traces)
    trial->request.flags &= ~(uint32_t)CUL_RUN_TRACE;
  trial->traces = false;
}

/* Report what the sample used.  *again: the trace has gaps, so that an untraced
 * run may end differently, and is needed. */
static int take_sample(struct cul_trial *trial, struct cul_record *record,
                       bool *again, struct cul_err *err) {
  struct cul_samples *samples = &trial->probe->traced.samples;
  CUL_HEAP char *refused = cul_record_refused(record);
  int rc = 0;
  leave_trace(trial);
  trial->samples &= ~(1U << trial->role);
  if (record->trace_closed)
    rc = samples->told(samples->self, trial->role, record, err);
  else if (record->end != CUL_NOT_STARTED)
    *again = true;
  samples->on = samples->on && !*again;
  record->trace_closed = false;
  cul_buf_release(&record->files);
  if (refused)
    cul_buf_addf(&record->files, "d %s\n", refused);
  return rc;
}

/* Begin; artefact is borrowed until release. */
static void trial_begin(struct cul_trial *trial, struct cul_probe *probe,
                        const struct cul_artefact *artefact, int slot,
                        bool learn) {
  *trial = (struct cul_trial){
      .probe = probe,
      .artefact = artefact,
      .learn = learn,
      .slot = slot,
      .tmp = cul_xasprintf("%s/t%04d", probe->place->path, slot)};
  prepare_request(trial);
}

/* Begin a trial outside a search, whose candidate may be a sample; a result
 * that fresh runs confirm is one. */
static void begin_apart(struct cul_trial *trial, struct cul_probe *probe,
                        const struct cul_artefact *artefact, int slot) {
  bool early = cul_sample_early(&probe->traced.samples.apart[probe->phase]) ||
               artefact->run_flags & CUL_RUN_NO_CACHE;
  trial_begin(trial, probe, artefact, slot, false);
  trial->samples = samples_of(probe, artefact, early);
}

void cul_trial_begin_served(struct cul_trial *trial, struct cul_probe *probe,
                            const struct cul_artefact *artefact, int slot,
                            bool early) {
  trial_begin(trial, probe, artefact, slot, false);
  trial->samples = samples_of(probe, artefact, early);
  trial->serving = CUL_SERVING_YES;
  prefer_server(trial);
  prefer_inside(trial);
}

bool cul_trial_alone(const struct cul_trial *trial) {
  return trial->request.flags & CUL_RUN_ALONE;
}

static void add_record(struct cul_trial *trial, struct cul_record *record) {
  struct cul_judged *judged = &trial->judged;
  struct cul_watcher *watcher = &trial->probe->watcher;
  record->role = trial->role;
  trial->was_served |= (trial->request.flags & CUL_RUN_SERVED) != 0;
  trial->was_inside |= trial->inside;
  if (watcher->ran)
    watcher->ran(watcher->self, trial->slot, record);
  judged->records = cul_xreallocarray(judged->records, judged->n + 1,
                                      sizeof *judged->records);
  judged->records[judged->n++] = *record;
  trial->wanted = false;
}

/* Look up the run in the cache.  Prefer the record of a process of its own over
 * one of a server or the engine. */
static int find_record(struct cul_trial *trial, struct cul_record *record,
                       bool *found, struct cul_err *err) {
  struct cul_request own = trial->request;
  int rc;
  own.flags &= ~(uint32_t)CUL_RUN_SERVED;
  if (trial->inside) {
    own.flags &= ~(uint32_t)CUL_RUN_LIVE;
    own.cmd = trial->own.cmd;
    own.tool = trial->own.tool;
  }
  rc = cul_cache_get(trial->probe->cache, &trial->artefact->digest, &own,
                     record, found, err);
  if (rc == 0 && *found)
    leave_server(trial);
  if (rc < 0 || *found || own.flags == trial->request.flags)
    return rc;
  return cul_cache_get(trial->probe->cache, &trial->artefact->digest,
                       &trial->request, record, found, err);
}

static int take_from_cache(struct cul_trial *trial, struct cul_err *err) {
  struct cul_record record = {0};
  bool found = false;
  int rc = 0;
  if (trial->probe->cache && !(trial->request.flags & CUL_RUN_NO_CACHE))
    rc = find_record(trial, &record, &found, err);
  if (rc < 0 || !found)
    return rc;
  trial->probe->counts.cached++;
  note_time(trial, &record);
  add_record(trial, &record);
  return 0;
}

void cul_probe_tell_ended(const struct cul_probe *probe, int slot,
                          uint64_t start_us, bool killed) {
  const struct cul_watcher *watcher = &probe->watcher;
  if (watcher->ended)
    watcher->ended(watcher->self, slot, start_us, killed);
}

void cul_probe_tick(const struct cul_probe *probe) {
  cul_status_beat();
  if (probe->watcher.tick)
    probe->watcher.tick(probe->watcher.self);
}

static void tell_ended(const struct cul_trial *trial, bool killed) {
  cul_status_run_ended(killed ? 0 : cul_now_us() - trial->start_us + 1);
  cul_probe_tell_ended(trial->probe, trial->slot, trial->start_us, killed);
}

/* compares: the run repeats one that counts. */
static void count_run(struct cul_probe *probe, const struct cul_record *record,
                      bool compares) {
  struct cul_counts *counts = &probe->counts;
  counts->compared += compares;
  counts->executed += !compares;
  counts->by_phase[probe->phase] += !compares;
  counts->oracle_cpu_us += record->cpu_us;
  counts->timeouts += record->end == CUL_DEADLINE;
  if (record->rss_bytes > counts->peak_rss_bytes)
    counts->peak_rss_bytes = record->rss_bytes;
}

int cul_probe_run_apart(struct cul_probe *probe,
                        const struct cul_artefact *artefact,
                        const struct cul_request *request, const char *tmp,
                        struct cul_record *record, struct cul_err *err) {
  uint64_t start_us = cul_now_us();
  int rc = cul_probe_budget_left(probe, err);
  if (rc < 0)
    return rc;
  rc = cul_probe_try(probe, probe->runner, artefact, request, tmp, record, err);
  cul_probe_tell_ended(probe, CUL_MAX_WORKERS, start_us, false);
  if (rc == 0)
    count_run(probe, record, false);
  return rc;
}

/* A deadline also depends on the machine's load: it is stored only if a timeout
 * is sought and the run had all its time. */
static int keep_record(struct cul_trial *trial, struct cul_record *record,
                       struct cul_err *err) {
  struct cul_probe *probe = trial->probe;
  char *refused = cul_record_refused(record);
  bool fit = !refused; /* a later run may be allowed the refused write */
  bool store = record->end != CUL_DEADLINE ||
               (probe->deadline.fixed && !probe->deadline.provisional);
  free(refused);
  if (probe->lost_status && record->end == CUL_EXITED &&
      record->status == probe->lost_status)
    return 0;
  if (!probe->cache || !store || !fit ||
      (trial->request.flags & CUL_RUN_NO_CACHE))
    return 0;
  return cul_cache_put(probe->cache, &trial->artefact->digest, &trial->request,
                       record, err);
}

/* Report the traced run, by which the tool is now known.  *again: the trace has
 * gaps, so that an untraced run may end differently and is needed. */
static int take_traced(struct cul_trial *trial, struct cul_record *record,
                       bool *again, struct cul_err *err) {
  struct cul_probe *probe = trial->probe;
  char *refused = cul_record_refused(record);
  int rc = probe->traced.told(probe->traced.self, trial->artefact, record, err);
  *again = !record->trace_closed;
  cul_buf_release(&record->files);
  if (refused)
    cul_buf_addf(&record->files, "d %s\n", refused);
  free(refused);
  trial->request.tool = *trial->artefact->tool;
  trial->request.flags &= ~(uint32_t)(CUL_RUN_TRACE | CUL_RUN_NO_CACHE);
  return rc;
}

/* Did a run in-process wait for the processor for most of its deadline?  That
 * is short, and a pause of the machine is no answer about the candidate. */
static bool is_starved(const struct cul_trial *trial,
                       const struct cul_record *record) {
  return trial->inside && record->end == CUL_DEADLINE &&
         record->cpu_us / 1000 < trial->request.wall_ms / 2;
}

/* A run that the machine ended, or held up, is not an answer about the
 * candidate: it is repeated, outside a server or the engine if these made it.
 * True: it is repeated. */
static bool have_again(struct cul_trial *trial, struct cul_record *record) {
  enum { MOST_LOST = 3 };
  struct cul_bytes why = cul_record_why(record);
  bool served = trial->inside ||
                (trial->request.flags & (CUL_RUN_SERVED | CUL_RUN_OUTSIDE));
  if (record->end != CUL_MACHINE && !is_starved(trial, record))
    return false;
  if (!served &&
      (trial->request.flags & CUL_RUN_LIVE || trial->lost++ >= MOST_LOST))
    return false;
  if (!served)
    cul_status_transient(CUL_TRANSIENT_GUARD,
                         "note:      a run was lost; culprit repeats it: %.*s",
                         (int)why.len, why.data);
  cul_record_release(record);
  leave_server(trial);
  trial->request.flags &= ~(uint32_t)CUL_RUN_OUTSIDE;
  return true;
}

/* Has the machine refused a process, with its pipes and memory, although the
 * runner retried for long?  Other runs would wait as long. */
static bool is_refused(const struct cul_record *record) {
  return record->end == CUL_MACHINE && cul_is_transient(record->status);
}

static int advance_run(struct cul_trial *trial, bool *done,
                       struct cul_err *err) {
  struct cul_record record = {0};
  bool again = false;
  int rc = trial->probe->runner->advance(trial->run, &record, done, err);
  if (rc < 0 || !*done)
    return rc;
  trial->run = NULL;
  tell_ended(trial, false);
  if (is_refused(&record))
    rc = cul_record_fail(&record, err);
  else if (have_again(trial, &record))
    return leave_trace(trial), 0;
  else
    rc = trial_count_lost(trial, &record, err);
  if (rc < 0) {
    cul_record_release(&record);
    return rc;
  }
  cul_trial_collect(trial->probe, trial->artefact, trial->request.cmd, &record);
  count_run(trial->probe, &record, trial->serving == CUL_SERVING_CHECKED);
  trial->probe->service.inside.runs += trial->inside;
  cul_early_hangs_note(&trial->probe->early, &record);
  note_time(trial, &record);
  if (trial->traces)
    rc = take_sample(trial, &record, &again, err);
  else if (trial->artefact->tool && (trial->request.flags & CUL_RUN_TRACE))
    rc = take_traced(trial, &record, &again, err);
  if (rc < 0 || again) {
    cul_record_release(&record);
    return rc;
  }
  rc = keep_record(trial, &record, err);
  add_record(trial, &record);
  return rc;
}

static int start_run(struct cul_trial *trial, struct cul_err *err) {
  const struct cul_runner *runner;
  int rc = cul_probe_time_left(trial->probe, err);
  if (rc == 0)
    rc = cul_workplace_claim_tmp(trial->probe->place, trial->tmp,
                                 &trial->request, err);
  if (rc < 0)
    return rc;
  if (!(trial->request.flags & CUL_RUN_LIVE))
    cul_trial_tidy(trial->probe, trial->artefact, trial->request.cmd);
  trial->traces = is_sample(trial);
  if (trial->traces)
    trial->request.flags |= CUL_RUN_TRACE;
  trial->start_us = cul_now_us();
  cul_status_run_started(trial->request.wall_ms);
  /* After the start, all runners of processes are treated alike. */
  runner = trial->inside && !trial->probe->runner->live
               ? cul_runner_find("live")
               : trial->probe->runner;
  return runner->start(trial->artefact, &trial->request, trial->tmp,
                       &trial->run, err);
}

/* Tell the user how many more runs may follow for an original that passes. */
static void say_repeats(struct cul_trial *trial) {
  const struct cul_probe *probe = trial->probe;
  const struct cul_judged *judged = &trial->judged;
  unsigned long long more;
  uint64_t each_us;
  if (trial->said || probe->oracle != &cul_repeat)
    return;
  more = cul_repeat_may_follow(probe->oracle_self, judged->records, judged->n,
                               &each_us);
  if (more == 0)
    return;
  trial->said = true;
  cul_status_note(more * each_us / (uint64_t)probe->workers,
                  "%zu runs pass (%.*f s each); up to %llu more runs in case "
                  "the failure is flaky; --repeat 2 stops",
                  judged->n, each_us < 9500000, (double)each_us / 1e6, more);
}

/* The records of the trial say what the oracle may read of the candidate. */
static void tell_text(struct cul_trial *trial, struct cul_bytes text) {
  for (size_t i = 0; i < trial->judged.n; i++)
    trial->judged.records[i].candidate = text;
}

/* Ask the oracle; *done when it wants no more. */
static int consult(struct cul_trial *trial, bool *done, struct cul_err *err) {
  struct cul_probe *probe = trial->probe;
  struct cul_judged *judged = &trial->judged;
  int rc;
  trial->wants = (struct cul_wants){0};
  trial->next_want = 0;
  tell_text(trial, cul_buf_bytes(&trial->text.bytes));
  if (trial->learn)
    rc = probe->oracle->learn(probe->oracle_self, judged->records, judged->n,
                              &trial->wants, &judged->verdict, err);
  else
    rc = probe->oracle->judge(probe->oracle_self, judged->records, judged->n,
                              &trial->wants, &judged->verdict, err);
  tell_text(trial, (struct cul_bytes){0});
  *done = rc == 0 && trial->wants.n == 0;
  if (rc == 0 && trial->learn)
    cul_status_runs_left(trial->wants.n);
  if (rc == 0 && !*done && trial->learn)
    say_repeats(trial);
  return rc;
}

static uint64_t cpu_of(const struct cul_judged *judged) {
  uint64_t us = 0;
  for (size_t i = 0; i < judged->n; i++)
    us += judged->records[i].cpu_us;
  return us;
}

/* The processor time of served runs as a share of that of separate runs, if the
 * trial compared them; otherwise 1. */
static double trial_share(const struct cul_trial *trial,
                          const struct cul_judged *judged) {
  uint64_t own = cpu_of(judged);
  bool compared = trial->serving == CUL_SERVING_CHECKED && own > 0;
  return compared ? (double)trial->served.us / (double)own : 1;
}

/* Does the role decide about the failure itself?  The others say whether the
 * numbers mean anything. */
static bool decides(enum cul_run_role role) {
  return role == CUL_ROLE_SUSPECT || role == CUL_ROLE_REFERENCE;
}

/* Keep the records that need no second run.  The first failure is confirmed in
 * full, as is the result at the end. */
static void keep_some(struct cul_trial *trial) {
  struct cul_service *service = &trial->probe->service;
  struct cul_judged *judged = &trial->judged, *kept = &trial->served.kept;
  const struct cul_answers_compared *compared =
      trial->was_inside ? &service->inside.compared : &service->compared;
  if (trial->on_trial || trial->served.answer != CUL_SAME ||
      !(compared->answers & 1U << CUL_SAME))
    return;
  kept->records = cul_xcalloc(judged->n + 1, sizeof *kept->records);
  for (size_t i = 0; i < judged->n; i++)
    if (!decides(judged->records[i].role)) {
      kept->records[kept->n++] = judged->records[i];
      judged->records[i] = (struct cul_record){0};
    }
}

/* Take the kept record of the wanted role. */
static void take_kept(struct cul_trial *trial) {
  struct cul_judged *kept = &trial->served.kept;
  for (size_t i = 0; i < kept->n && trial->wanted; i++)
    if (trial->judged.n && !trial->request.attempt &&
        kept->records[i].role == trial->role && !decides(trial->role)) {
      struct cul_record record = kept->records[i];
      kept->records[i] = (struct cul_record){.role = CUL_ROLE_SUSPECT};
      add_record(trial, &record);
    }
}

/* Make separate runs in the place of the served ones, to compare the
 * verdicts. */
static void check_served(struct cul_trial *trial) {
  const struct cul_service *service = &trial->probe->service;
  const struct cul_answers_compared *compared =
      trial->was_inside ? &service->inside.compared : &service->compared;
  /* a new answer may come from a new file */
  trial->samples =
      samples_of(trial->probe, trial->artefact,
                 trial->samples || trial->judged.verdict.answer != CUL_SAME ||
                     !(compared->answers & 1U << CUL_SAME));
  trial->serving = CUL_SERVING_CHECKED;
  trial->served.answer = trial->judged.verdict.answer;
  memcpy(trial->served.why, trial->judged.verdict.why,
         sizeof trial->served.why);
  trial->served.us = cpu_of(&trial->judged);
  keep_some(trial);
  cul_judged_release(&trial->judged);
  trial->wants = (struct cul_wants){0};
  trial->next_want = 0;
  prepare_request(trial);
}

/* Is it time to compare the n-th failing point?  Compare the first few, then
 * every eighth, so that little is lost if served runs are wrong; in-process
 * runs, whose code is the tool's, the first, the second, the fourth, the
 * eighth ... */
static bool is_due(uint64_t n, bool inside) {
  enum { FIRST = 3, EACH = 8 };
  return inside ? (n & (n + 1)) == 0 : n < FIRST || n % EACH == 0;
}

static struct cul_other_compared *
find_other(struct cul_answers_compared *compared, const char *why) {
  struct cul_digest digest = cul_digest_of(why, strlen(why));
  for (size_t i = 0; i < compared->n_others; i++)
    if (cul_digest_equal(&compared->others[i].why, &digest))
      return &compared->others[i];
  return NULL;
}

static bool was_compared(struct cul_answers_compared *compared,
                         enum cul_answer answer, const char *why) {
  const struct cul_other_compared *other;
  if (answer != CUL_OTHER)
    return compared->answers & 1U << answer;
  other = find_other(compared, why);
  if (!other && compared->n_others == CUL_ARRAY_SIZE(compared->others))
    return compared->answers & 1U << answer;
  return other && other->proven;
}

/* Note the comparison.  unlike: the ordinary run showed another other failure;
 * enough: after so many of these, this one is not compared again (0: never). */
static void note_compared(struct cul_answers_compared *compared,
                          const struct cul_served *served, bool unlike,
                          unsigned enough) {
  struct cul_other_compared *other = NULL;
  if (served->answer == CUL_OTHER) {
    other = find_other(compared, served->why);
    if (!other && compared->n_others < CUL_ARRAY_SIZE(compared->others)) {
      other = &compared->others[compared->n_others++];
      other->why = cul_digest_of(served->why, strlen(served->why));
    }
  }
  if (other) {
    other->unlike += unlike;
    other->proven |= !unlike || (enough && other->unlike >= enough);
  }
  compared->answers |= 1U << served->answer;
}

/* Has this answer been compared often enough? */
static bool is_proven(struct cul_trial *trial, enum cul_answer answer) {
  struct cul_service *service = &trial->probe->service;
  struct cul_in_process *inside = &trial->probe->service.inside;
  bool in = trial->was_inside;
  if (answer == CUL_SAME && is_due(in ? inside->same++ : service->same++, in))
    return false;
  if (in && (inside->owed || (answer == CUL_SAME && inside->unconfirmed)))
    return false;
  return answer == CUL_SAME ||
         was_compared(in ? &inside->compared : &service->compared, answer,
                      trial->judged.verdict.why);
}

/* The command gave another answer, which counts. */
static void contradict_engine(struct cul_trial *trial) {
  struct cul_in_process *inside = &trial->probe->service.inside;
  const struct cul_verdict *verdict = &trial->judged.verdict;
  inside->contradicted++;
  inside->owed += CUL_INSIDE_OWED;
  inside->unconfirmed |= trial->served.answer == CUL_SAME;
  inside->on = inside->owed <= CUL_INSIDE_MOST_OWED;
  snprintf(inside->differed, sizeof inside->differed,
           "in-process a candidate shows \"%s\" (%.80s), and \"%s\" (%.80s) "
           "when the command runs",
           cul_answer_name(trial->served.answer), trial->served.why,
           cul_answer_name(verdict->answer), verdict->why);
  if (!inside->on)
    cul_status_note(0, "%s: it runs from now on", inside->differed);
}

/* Compare the answer of a run in-process with that of the command.  Two other
 * failures contradict each other as little as two equal ones: neither is
 * accepted. */
static void compare_engine(struct cul_trial *trial, bool agree, bool unlike) {
  enum { ENOUGH_UNLIKE = 3 };
  struct cul_in_process *inside = &trial->probe->service.inside;
  if (!agree && inside->on)
    contradict_engine(trial);
  if (!agree)
    return;
  inside->owed -= inside->owed > 0;
  note_compared(&inside->compared, &trial->served, unlike, ENOUGH_UNLIKE);
}

/* The same of a server: if both show other failures, but different ones, the
 * next such answer is compared, too. */
static void compare_server(struct cul_trial *trial, bool agree, bool unlike) {
  enum { MOST_UNLIKE = 8 };
  struct cul_service *service = &trial->probe->service;
  if (agree && (!unlike || ++service->compared.n_unlike < MOST_UNLIKE)) {
    note_compared(&service->compared, &trial->served, unlike, 0);
    return;
  }
  cul_servers_refuse(service->servers, true);
  service->same = 0;
  service->compared = (struct cul_answers_compared){0};
}

/* Compare the answer of a separate run with that of the run that it checks,
 * trial->served. */
static void compare(struct cul_trial *trial, enum cul_answer answer) {
  bool agree = answer == trial->served.answer;
  bool unlike = agree && answer == CUL_OTHER &&
                strcmp(trial->judged.verdict.why, trial->served.why) != 0;
  if (trial->was_inside)
    compare_engine(trial, agree, unlike);
  else
    compare_server(trial, agree, unlike);
}

/* Is the verdict final?  If not, it is checked by a separate run. */
static bool believe(struct cul_trial *trial) {
  enum cul_answer answer = trial->judged.verdict.answer;
  if (trial->serving == CUL_SERVING_CHECKED)
    return compare(trial, answer), true;
  if ((!trial->was_served && !trial->was_inside) ||
      (is_proven(trial, answer) && !trial->on_trial))
    return true;
  check_served(trial);
  return false;
}

/* The first record of the role; NULL: there is none. */
static const struct cul_record *record_of(const struct cul_record *records,
                                          size_t n, enum cul_run_role role) {
  for (size_t i = 0; i < n; i++)
    if (records[i].role == role)
      return &records[i];
  return NULL;
}

static bool is_equal(const struct cul_buf *a, const struct cul_buf *b) {
  return cul_bytes_equal(cul_buf_bytes(a), cul_buf_bytes(b));
}

/* Did the run end like that one, print the same and write the same? */
static bool is_alike(const struct cul_record *a, const struct cul_record *b) {
  return a->end == b->end && a->status == b->status && !a->truncated &&
         !b->truncated && is_equal(&a->out, &b->out) &&
         is_equal(&a->outputs, &b->outputs);
}

/* The record of the wanted role in the judgement that is known; NULL: there is
 * none, or the roles that decide say something else than there. */
static const struct cul_record *known_record(const struct cul_trial *trial) {
  static const enum cul_run_role deciding[] = {CUL_ROLE_SUSPECT,
                                               CUL_ROLE_REFERENCE};
  const struct cul_artefact *artefact = trial->artefact;
  const struct cul_judged *judged = &trial->judged;
  if (artefact->n_known == 0 || decides(trial->role) || trial->request.attempt)
    return NULL;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(deciding); i++) {
    const struct cul_record *here =
        record_of(judged->records, judged->n, deciding[i]);
    const struct cul_record *there =
        record_of(artefact->known, artefact->n_known, deciding[i]);
    if (!here || !there || !is_alike(here, there))
      return NULL;
  }
  return record_of(artefact->known, artefact->n_known, trial->role);
}

static void copy(const struct cul_buf *from, struct cul_buf *to) {
  *to = (struct cul_buf){0};
  cul_buf_add(to, from->data, from->len);
}

static void take_known(struct cul_trial *trial) {
  const struct cul_record *known = known_record(trial);
  struct cul_record record;
  if (!known)
    return;
  record = *known;
  copy(&known->out, &record.out);
  copy(&known->err, &record.err);
  copy(&known->files, &record.files);
  copy(&known->outputs, &record.outputs);
  trial->probe->counts.cached++;
  add_record(trial, &record);
}

int cul_trial_step(struct cul_trial *trial, bool may_run,
                   enum cul_trial_state *state, struct cul_err *err) {
  if (may_run && !trial->text.known)
    read_text(trial);
  for (;;) {
    bool done = false;
    int rc = 0;
    if (trial->run) {
      rc = advance_run(trial, &done, err);
      *state = CUL_TRIAL_RUNNING;
      if (rc < 0 || !done)
        return rc;
    } else if (trial->wanted) {
      take_kept(trial);
      if (trial->wanted)
        rc = take_from_cache(trial, err);
      if (rc == 0 && trial->wanted)
        take_known(trial);
      if (rc == 0 && trial->wanted && !may_run)
        return *state = CUL_TRIAL_WANTS_RUN, 0;
      if (rc == 0 && trial->wanted)
        rc = start_run(trial, err);
      may_run = false; /* the next one may need files */
    } else if (trial->next_want < trial->wants.n) {
      prepare_request(trial);
    } else if (lacks_text(trial)) {
      return *state = CUL_TRIAL_WANTS_RUN, 0;
    } else {
      rc = consult(trial, &done, err);
      if (rc == 0 && done)
        trial_doubt(trial);
      if (rc == 0 && done && believe(trial))
        return *state = CUL_TRIAL_DONE, 0;
    }
    if (rc < 0)
      return rc;
  }
}

size_t cul_trial_fds(const struct cul_trial *trial, struct pollfd *out,
                     size_t max) {
  return trial->run ? trial->probe->runner->fds(trial->run, out, max) : 0;
}

void cul_trial_hang_up(struct cul_trial *trial) {
  const struct cul_runner *runner = trial->probe->runner;
  if (trial->run && runner->hang_up)
    runner->hang_up(trial->run);
}

void cul_trial_release(struct cul_trial *trial) {
  if (trial->run) {
    trial->probe->runner->cancel(trial->run);
    tell_ended(trial, true);
    trial->probe->counts.killed++;
  }
  cul_judged_release(&trial->judged);
  cul_judged_release(&trial->served.kept);
  cul_buf_release(&trial->text.bytes);
  free(trial->tmp);
  *trial = (struct cul_trial){0};
}

/* ---- judge ---- */

/* Artefacts whose files are in place, judged outside a search.  They run in
 * parallel; the results are used as if they ran one after the other. */

bool cul_judged_is_lost(const struct cul_judged *judged) {
  return judged->n > 0 && judged->verdict.answer == CUL_UNRESOLVED &&
         judged->records[judged->n - 1].end == CUL_MACHINE;
}

int cul_judged_fail(const struct cul_judged *judged, struct cul_err *err) {
  if (judged->n && judged->records[judged->n - 1].end == CUL_MACHINE)
    return cul_record_fail(&judged->records[judged->n - 1], err);
  return cul_fail_command(
      err, "run the command by hand on the input and fix it",
      "the test itself cannot run: %s", judged->verdict.why);
}

struct judging {
  struct cul_probe *probe;
  struct cul_trial *trials;
  enum cul_trial_state *states;
  size_t n, taken; /* of them: taken from the first on */
  struct cul_judged *out;
};

static size_t count_running(const struct judging *judging) {
  size_t n = 0;
  for (size_t i = judging->taken; i < judging->n; i++)
    n += judging->states[i] == CUL_TRIAL_RUNNING;
  return n;
}

/* A run that must be alone waits for the others to end and keeps new ones
 * out. */
static bool may_start(const struct judging *judging, size_t at) {
  size_t running = count_running(judging);
  if (cul_trial_alone(&judging->trials[at]))
    return running == 0;
  for (size_t i = judging->taken; i < judging->n; i++)
    if (judging->states[i] != CUL_TRIAL_DONE &&
        cul_trial_alone(&judging->trials[i]))
      return false;
  return running < (size_t)judging->probe->workers;
}

static int step(struct judging *judging, size_t at, struct cul_err *err) {
  struct cul_trial *trial = &judging->trials[at];
  enum cul_trial_state *state = &judging->states[at];
  int rc;
  if (*state == CUL_TRIAL_DONE)
    return 0;
  rc = cul_trial_step(trial, false, state, err);
  if (rc == 0 && *state == CUL_TRIAL_WANTS_RUN && may_start(judging, at))
    rc = cul_trial_step(trial, true, state, err);
  return rc;
}

/* Wait for the runs in flight, 100 ms at most. */
static int wait_for(struct judging *judging, struct cul_err *err) {
  struct pollfd fds[CUL_MAX_WORKERS * CUL_RUN_MAX_FDS];
  struct cul_probe *probe = judging->probe;
  size_t n = 0, running = count_running(judging);
  uint64_t before = cul_now_us();
  for (size_t i = judging->taken; i < judging->n; i++)
    n += cul_trial_fds(&judging->trials[i], fds + n, CUL_RUN_MAX_FDS);
  poll(fds, n, running ? 100 : 0);
  probe->counts.idle_us +=
      ((size_t)probe->workers - running) * (cul_now_us() - before);
  cul_probe_tick(probe);
  return cul_probe_time_left(probe, err);
}

static bool is_end(enum cul_until until, bool first, enum cul_answer answer) {
  bool same = answer == CUL_SAME;
  switch (until) {
  case CUL_UNTIL_SAME:
    return same;
  case CUL_UNTIL_SAME_AGAIN:
    return same != first;
  case CUL_UNTIL_END:
    break;
  }
  return false;
}

/* The verdicts that are there, in order; *enough: no more are asked for. */
static void take(struct judging *judging, enum cul_until until, bool *enough) {
  while (!*enough && judging->taken < judging->n &&
         judging->states[judging->taken] == CUL_TRIAL_DONE) {
    struct cul_trial *trial = &judging->trials[judging->taken];
    enum cul_answer answer = trial->judged.verdict.answer;
    bool first = judging->taken == 0;
    judging->out[judging->taken++] = trial->judged;
    trial->judged = (struct cul_judged){0};
    *enough = answer == CUL_BROKEN || is_end(until, first, answer);
  }
  *enough |= judging->taken == judging->n;
}

/* Of runs by a tool that has changed nothing is used. */
static int demand_same_tools(struct judging *judging, struct cul_err *err) {
  int rc = cul_probe_tools_hold(judging->probe, true, err);
  for (size_t i = 0; i < judging->taken && rc < 0; i++)
    cul_judged_release(&judging->out[i]);
  return rc;
}

static int judge(struct judging *judging, enum cul_until until,
                 struct cul_err *err) {
  uint64_t ended = cul_counts_ended(&judging->probe->counts);
  bool enough = judging->n == 0;
  int rc = 0;
  while (rc == 0 && !enough) {
    for (size_t i = judging->taken; i < judging->n && rc == 0; i++)
      rc = step(judging, i, err);
    if (rc == 0)
      take(judging, until, &enough);
    if (rc == 0 && !enough)
      rc = wait_for(judging, err);
  }
  if (rc == 0 && cul_counts_ended(&judging->probe->counts) > ended)
    rc = demand_same_tools(judging, err);
  return rc;
}

int cul_probe_judge_all(struct cul_probe *probe,
                        const struct cul_artefact *artefacts, size_t n,
                        enum cul_until until, struct cul_judged *out,
                        struct cul_err *err) {
  struct judging judging = {.probe = probe, .n = n, .out = out};
  int rc;
  judging.trials = cul_xcalloc(n + 1, sizeof *judging.trials);
  judging.states = cul_xcalloc(n + 1, sizeof *judging.states);
  for (size_t i = 0; i < n; i++) {
    out[i] = (struct cul_judged){0};
    judging.states[i] = CUL_TRIAL_WANTS_RUN;
    if (i == 0 ||
        !cul_digest_equal(&artefacts[i].digest, &artefacts[i - 1].digest))
      begin_apart(&judging.trials[i], probe, &artefacts[i],
                  CUL_MAX_WORKERS + (int)i);
    else /* again */
      trial_begin(&judging.trials[i], probe, &artefacts[i],
                  CUL_MAX_WORKERS + (int)i, false);
  }
  rc = judge(&judging, until, err);
  for (size_t i = 0; i < n; i++)
    cul_trial_hang_up(&judging.trials[i]);
  for (size_t i = 0; i < n; i++)
    cul_trial_release(&judging.trials[i]);
  free(judging.trials);
  free(judging.states);
  return rc;
}

int cul_probe_judge(struct cul_probe *probe,
                    const struct cul_artefact *artefact, bool learn,
                    struct cul_judged *out, struct cul_err *err) {
  struct cul_trial trial;
  enum cul_trial_state state = CUL_TRIAL_WANTS_RUN;
  struct judging judging = {
      .probe = probe, .trials = &trial, .states = &state, .n = 1, .out = out};
  int rc;
  if (learn)
    trial_begin(&trial, probe, artefact, CUL_MAX_WORKERS, true);
  else
    begin_apart(&trial, probe, artefact, CUL_MAX_WORKERS);
  trial.judged = *out;
  trial.wanted = out->n == 0;
  *out = (struct cul_judged){0};
  rc = judge(&judging, CUL_UNTIL_END, err);
  if (rc < 0) { /* what was had stays had */
    *out = trial.judged;
    trial.judged = (struct cul_judged){0};
  }
  cul_trial_release(&trial);
  return rc;
}

int cul_probe_try_servers(struct cul_probe *probe,
                          const struct cul_artefact *artefact, double *share,
                          struct cul_err *err) {
  struct cul_trial trial;
  struct cul_judged verdict = {0};
  enum cul_trial_state state = CUL_TRIAL_WANTS_RUN;
  struct judging judging = {.probe = probe,
                            .trials = &trial,
                            .states = &state,
                            .n = 1,
                            .out = &verdict};
  int rc;
  cul_trial_begin_served(&trial, probe, artefact, 0, false);
  trial.on_trial = true;
  /* That a run of its own fails is known. */
  trial.request.flags |= CUL_RUN_NO_CACHE;
  rc = judge(&judging, CUL_UNTIL_END, err);
  *share = trial_share(&trial, &verdict);
  cul_judged_release(&verdict);
  cul_trial_release(&trial);
  return rc;
}
