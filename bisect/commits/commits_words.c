/* A failure that no rule knows is told by what its run says and a run that
 * passes does not: the good end is run before the search, and the failure
 * learnt anew beside it. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/file.h"
#include "../search/commits_oracle.h"
#include "commits_private.h"

/* What is compared of a record: how it ended, what it printed. */
static void copy_record(const struct cul_record *from, struct cul_record *to) {
  cul_record_release(to);
  *to = (struct cul_record){.end = from->end,
                            .status = from->status,
                            .role = from->role,
                            .pace = from->pace,
                            .wall_us = from->wall_us,
                            .cpu_us = from->cpu_us};
  cul_buf_add(&to->err, from->err.data, from->err.len);
  cul_buf_add(&to->out, from->out.data, from->out.len);
}

void cul_commits_heed(struct cul_commits *job, bool learn,
                      const struct cul_record *record, enum cul_answer answer) {
  struct cul_commits_oracle *one = job->one_run;
  if (learn && answer == CUL_SAME)
    copy_record(record, &job->shown);
  if (learn || !job->contrasting || answer != CUL_PASSES)
    return;
  one->inner->contrast(one->self, record);
  job->contrasted = true;
}

/* From the run that showed it, beside one that passes. */
static int learn_anew(struct cul_commits *job, struct cul_err *err) {
  struct cul_commits_oracle *one = job->one_run;
  struct cul_verdict verdict = {0};
  struct cul_wants more = {0};
  struct cul_hasher *h;
  int rc = cul_commits_one_run.learn(one, &job->shown, 1, &more, &verdict, err);
  if (rc < 0)
    return rc;
  job->sought = verdict.sig;
  h = cul_hasher_new(); /* verdicts from before are of another failure */
  cul_hasher_add(h, &job->job, sizeof job->job);
  cul_hasher_add(h, &job->sought.key, sizeof job->sought.key);
  job->job = cul_hasher_finish(h);
  return 0;
}

bool cul_commits_wants_contrast(const struct cul_commits *job) {
  const struct cul_commits_oracle *one = job->one_run;
  return one->inner->contrast && job->sought.words && !job->contrasted;
}

int cul_commits_take_contrast(struct cul_commits *job, struct cul_err *err) {
  char title[sizeof job->sought.title];
  int rc;
  if (!job->contrasted)
    return 0;
  memcpy(title, job->sought.title, sizeof title);
  rc = learn_anew(job, err);
  if (rc == 0 && strcmp(title, job->sought.title) != 0)
    cul_commits_say_sought(job);
  return rc;
}

int cul_commits_contrast(struct cul_commits *job, struct cul_err *err) {
  int rc = 0;
  for (size_t i = 0;
       i < job->n_goods && rc == 0 && cul_commits_wants_contrast(job); i++) {
    struct cul_verdict verdict;
    job->contrasting = true;
    rc = cul_commits_try(job, cul_commits_number(job, &job->goods[i]), false,
                         &verdict, err);
    job->contrasting = false;
  }
  return rc ? rc : cul_commits_take_contrast(job, err);
}

void cul_commits_say_sought(struct cul_commits *job) {
  struct cul_buf text = {0};
  bool guessed = cul_commits_guesses(job);
  cul_commits_one_run.describe(job->one_run, &text);
  cul_commits_say(
      job, "sought%s: %s%s", guessed ? " (guessed from the output)" : "",
      cul_buf_str(&text), guessed ? "; say --match to be sure" : "");
  cul_buf_release(&text);
}

bool cul_commits_guesses(const struct cul_commits *job) {
  const struct cul_commits_oracle *one = job->one_run;
  return one->inner->contrast && job->sought.words;
}

/* ---- files that are the same at every commit ---- */

static void add_file(struct cul_commits *job, const char *word, size_t len) {
  char *path = cul_xstrndup(word, len);
  struct stat st;
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
    job->fixed =
        cul_xreallocarray(job->fixed, job->n_fixed + 2, sizeof *job->fixed);
    job->fixed[job->n_fixed++] = cul_xstrdup(cul_basename(path));
    job->fixed[job->n_fixed] = NULL;
  }
  free(path);
}

void cul_commits_find_fixed(struct cul_commits *job) {
  static const char apart[] = " \t\n'\"=;|&()<>`,";
  for (const char *const *arg = job->conf->argv; *arg; arg++)
    for (const char *at = *arg; *at;) {
      size_t len = strcspn(at, apart);
      if (at[0] == '/')
        add_file(job, at, len);
      at += len + (at[len] != '\0');
    }
  job->oracle_conf.fixed = (const char *const *)job->fixed;
}

void cul_commits_release_words(struct cul_commits *job) {
  for (size_t i = 0; i < job->n_fixed; i++)
    free(job->fixed[i]);
  free(job->fixed);
  cul_record_release(&job->shown);
}
