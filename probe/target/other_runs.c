/* Other runs of the input, compared with those that were judged: outside the
 * sandbox, and in its own directory.  See target.h. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
#include "../../runners/sandbox/sandbox.h"
#include "../trial.h"
#include "target.h"

/* Make one run that is not judged, with these flags added. */
static int run_apart(struct cul_target *target, const struct cul_artefact *art,
                     const struct cul_command *command, uint32_t flags,
                     struct cul_record *out, struct cul_err *err) {
  struct cul_request request = target->probe.request;
  char *tmp = cul_xasprintf("%s/t%04d", target->dir, CUL_SLOT_ORIGINAL);
  int rc;
  request.cmd = command;
  request.flags |= flags | CUL_RUN_NO_CACHE;
  rc = cul_workplace_claim_tmp(target->probe.place, tmp, &request, err);
  if (rc == 0)
    rc = cul_probe_run_apart(&target->probe, art, &request, tmp, out, err);
  free(tmp);
  return rc;
}

/* ---- outside the sandbox ---- */

void cul_target_seal(struct cul_target *target) {
  cul_environment_sandbox(target->tool.environment)->sealed = true;
}

/* Can a run outside the sandbox tell anything?  Not if runs are measured, or if
 * the engine makes them. */
static bool may_compare(const struct cul_target *target) {
  const struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  return sandbox->mode == CUL_SANDBOX_AUTO && cul_sandbox_parts(sandbox) &&
         !sandbox->compared && !cul_target_whole(target) &&
         !target->engine.argv;
}

bool cul_target_wants_outside(const struct cul_target *target) {
  return may_compare(target) && target->original.n == 0;
}

static int run_once(struct cul_target *target, struct cul_placed *placed,
                    uint32_t flags, struct cul_record *out,
                    struct cul_err *err) {
  int rc =
      cul_placed_fill(placed, cul_target_subject_given(&target->subject), err);
  cul_record_release(out);
  if (rc == 0)
    rc =
        run_apart(target, &placed->art, &target->tool.command, flags, out, err);
  if (rc == 0)
    cul_trial_collect(&target->probe, &placed->art, &target->tool.command, out);
  return rc;
}

static bool same_end(const struct cul_record *a, const struct cul_record *b) {
  return a->end == b->end && a->status == b->status;
}

/* Does the end differ inside and outside the sandbox?  Two runs each must
 * agree, since ends that vary from run to run prove nothing. */
static int differs(struct cul_target *target, struct cul_placed *placed,
                   struct cul_record *outside, bool *out, struct cul_err *err) {
  struct cul_record inside = {0}, again = {0};
  int rc = run_once(target, placed, 0, &inside, err);
  *out = false;
  if (rc == 0 && !same_end(&inside, outside)) {
    rc = run_once(target, placed, 0, &again, err);
    *out = rc == 0 && same_end(&inside, &again);
    if (*out)
      rc = run_once(target, placed, CUL_RUN_OUTSIDE, &again, err);
    *out = *out && rc == 0 && same_end(outside, &again);
  }
  cul_record_release(&inside);
  cul_record_release(&again);
  return rc;
}

/* Take parts of the sandbox away, the least important first, until a run inside
 * ends like one outside. */
static int leave_out(struct cul_target *target, struct cul_placed *placed,
                     const struct cul_record *outside, struct cul_err *err) {
  static const uint32_t steps[] = {CUL_PART_LIMITS,
                                   CUL_PART_PIDS | CUL_PART_USERS};
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  struct cul_record inside = {0};
  bool same = false;
  int rc = 0;
  for (size_t i = 0; i < CUL_ARRAY_SIZE(steps) && rc == 0 && !same; i++) {
    cul_sandbox_leave_out(sandbox, steps[i],
                          "the command behaves differently in it");
    if (i + 1 < CUL_ARRAY_SIZE(steps))
      rc = run_once(target, placed, 0, &inside, err);
    same = rc == 0 && same_end(&inside, outside);
  }
  cul_record_release(&inside);
  return rc;
}

/* Do runs inside the sandbox differ among themselves?  (At most one of the runs
 * was made outside.) */
static bool varies(const struct cul_judged *original) {
  const struct cul_record *inside =
      &original->records[original->n > 2 ? original->n - 1 : 0];
  size_t others = 0;
  for (size_t i = 0; i < original->n; i++)
    others += !same_end(&original->records[i], inside);
  return others > 1;
}

/* Is no comparison needed?  All runs show the failure, and of two or more one
 * was made outside; or the runs hang, vary, or come from an earlier job. */
static bool is_clear(const struct cul_target *target) {
  const struct cul_judged *original = &target->original;
  return original->n == 0 || original->records[0].end == CUL_DEADLINE ||
         original->records[0].cached || varies(original) ||
         (original->verdict.answer == CUL_SAME &&
          !cul_target_flaky(target, NULL));
}

int cul_target_compare_outside(struct cul_target *target,
                               struct cul_placed *placed, bool *left,
                               struct cul_err *err) {
  const struct cul_judged *original = &target->original;
  struct cul_record outside = {0};
  bool differ = false;
  int rc;
  *left = false;
  if (!may_compare(target) || is_clear(target))
    return 0;
  cul_environment_sandbox(target->tool.environment)->compared = true;
  rc = run_once(target, placed, CUL_RUN_OUTSIDE, &outside, err);
  for (size_t i = 0; i < original->n && rc == 0; i++)
    differ |= !same_end(&original->records[i], &outside);
  differ = differ && outside.end != CUL_MACHINE;
  if (rc == 0 && differ)
    rc = differs(target, placed, &outside, &differ, err);
  if (rc == 0 && differ)
    rc = leave_out(target, placed, &outside, err);
  *left = rc == 0 && differ;
  cul_record_release(&outside);
  return rc;
}

/* ---- in its own directory ---- */

/* Is the name in the text as a word, not as a part of a longer one? */
static bool has_word(struct cul_bytes text, const char *name) {
  const char *at = text.data, *end = text.data + text.len;
  size_t len = strlen(name);
  while (at && (at = memmem(at, (size_t)(end - at), name, len))) {
    bool first = at == text.data || !(isalnum((unsigned char)at[-1]) ||
                                      at[-1] == '_' || at[-1] == '.');
    bool last =
        at + len == end || !(isalnum((unsigned char)at[len]) || at[len] == '_');
    if (first && last)
      return true;
    at += len;
  }
  return false;
}

/* Do the runs print the name of a file?  The name of a directory or of a Python
 * module may be any word, so it counts only in quotes. */
static bool is_printed(const struct cul_judged *judged, const char *name) {
  size_t len = strlen(name) - (cul_text_ends(name, ".py") ? 3 : 0);
  bool any_word = !memchr(name, '.', len);
  char *word = any_word ? cul_xasprintf("'%.*s'", (int)len, name)
                        : cul_xstrndup(name, len);
  bool found = false;
  for (size_t i = 0; i < judged->n && !found; i++)
    found = has_word(cul_buf_bytes(&judged->records[i].err), word) ||
            has_word(cul_buf_bytes(&judged->records[i].out), word);
  free(word);
  return found;
}

/* Find a file or directory beside the input whose name the runs print; heap, or
 * NULL. */
static char *find_beside(const struct cul_judged *judged, const char *real) {
  enum { MOST = 10000 };
  const char *own = cul_basename(real);
  char *dir = cul_xstrndup(real, (size_t)(own - real)), *found = NULL;
  DIR *open = opendir(dir);
  const struct dirent *entry;
  for (int i = 0; open && !found && i < MOST && (entry = readdir(open)); i++)
    if (entry->d_name[0] != '.' && strcmp(entry->d_name, own) != 0 &&
        is_printed(judged, entry->d_name))
      found = cul_xstrdup(entry->d_name);
  if (open)
    closedir(open);
  free(dir);
  return found;
}

/* May the command run once on the user's own file?  A tool that writes beside
 * its input, or moves its directory, would do so to the user's files.  So the
 * sandbox is sealed first: the run may write only where runs on copies wrote.
 * Without rules for writes there is no such run, unless the user turned the
 * sandbox off. */
static bool may_run_in_place(struct cul_target *target) {
  struct cul_sandbox *sandbox =
      cul_environment_sandbox(target->tool.environment);
  cul_sandbox_ask(sandbox); /* if all runs are stored, none asked */
  cul_target_seal(target);
  return sandbox->mode == CUL_SANDBOX_OFF ||
         (cul_sandbox_parts(sandbox) & (CUL_PART_WRITES | CUL_PART_MOUNTS));
}

/* Make one run on the input in its place.  *same: it may show the failure, or
 * the sandbox refused a write, so that nothing can be concluded. */
static int run_in_place(struct cul_target *target,
                        const struct cul_learnt *learnt, const char *real,
                        bool *same, struct cul_err *err) {
  struct cul_placed placed;
  struct cul_record record = {0};
  struct cul_wants more = {0};
  struct cul_verdict verdict = {.answer = CUL_SAME};
  char *refused = NULL;
  int rc = cul_target_place(target, CUL_SLOT_OTHER, &placed, err);
  placed.subst[0].value = real;
  if (rc == 0)
    rc = run_apart(target, &placed.art, learnt->command, 0, &record, err);
  if (rc == 0)
    rc = learnt->oracle->judge(learnt->oracle_self, &record, 1, &more, &verdict,
                               err);
  refused = cul_record_refused(&record);
  *same = more.n > 0 || refused || verdict.answer == CUL_SAME ||
          verdict.answer == CUL_UNRESOLVED || verdict.answer == CUL_BROKEN;
  free(refused);
  cul_record_release(&record);
  cul_placed_release(&placed);
  return rc;
}

/* May a file that is missing beside the copy cause the failure? */
static bool may_lack(const struct cul_target *target,
                     const struct cul_learnt *learnt) {
  return learnt->judged->verdict.answer == CUL_SAME &&
         learnt->command->delivery == CUL_BY_PLACEHOLDER &&
         target->probe.runner == cul_runner_find("preload") &&
         !target->script.contract && !target->engine.argv &&
         !cul_target_whole(target);
}

int cul_target_compare_in_place(struct cul_target *target,
                                const struct cul_learnt *learnt,
                                struct cul_err *err) {
  char *real =
      may_lack(target, learnt) ? realpath(target->conf->input, NULL) : NULL;
  char *name = real ? find_beside(learnt->judged, real) : NULL;
  bool same = true;
  bool may = name && may_run_in_place(target);
  int rc = may ? run_in_place(target, learnt, real, &same, err) : 0;
  if (rc == 0 && !same)
    rc = run_in_place(target, learnt, real, &same, err);
  if (rc == 0 && !same) {
    free(target->found);
    target->found =
        cul_xasprintf("%s fails in another way in its own directory: %s is "
                      "there, but not next to the copies that are run; "
                      "--within DIR gives each run a copy of "
                      "the directory",
                      cul_basename(real), name);
  }
  free(name);
  free(real);
  return rc;
}
