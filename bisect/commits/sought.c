/* The sought failure: see sought.h. */
#include "sought.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"

/* Copy the parts of a record that are compared: its end and its output. */
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

void cul_sought_note(struct cul_sought *sought, enum cul_purpose purpose,
                     const struct cul_record *record, enum cul_answer answer) {
  if (purpose == CUL_TO_LEARN && answer == CUL_SAME)
    copy_record(record, &sought->shown);
  if (purpose != CUL_TO_CONTRAST || answer != CUL_PASSES)
    return;
  sought->oracle.inner->contrast(sought->oracle.self, record);
  sought->contrasted = true;
}

int cul_sought_relearn(struct cul_sought *sought, struct cul_err *err) {
  struct cul_verdict verdict = {0};
  struct cul_wants more = {0};
  int rc = cul_one_run_oracle.learn(&sought->oracle, &sought->shown, 1, &more,
                                    &verdict, err);
  if (rc == 0)
    sought->signature = verdict.sig;
  return rc;
}

void cul_sought_say(const struct cul_sought *sought,
                    const struct cul_notices *notices) {
  struct cul_buf text = {0};
  bool guessed = cul_sought_is_guess(sought);
  cul_one_run_oracle.describe(&sought->oracle, &text);
  cul_notices_say(
      notices, "sought%s: %s%s", guessed ? " (guessed from the output)" : "",
      cul_buf_str(&text), guessed ? "; use --match to be sure" : "");
  cul_buf_release(&text);
}

/* ---- files that are the same at every commit ---- */

static void add_file(struct cul_sought *sought, const char *word, size_t len) {
  char *path = cul_xstrndup(word, len);
  struct stat st;
  if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
    sought->fixed = cul_xreallocarray(sought->fixed, sought->n_fixed + 2,
                                      sizeof *sought->fixed);
    sought->fixed[sought->n_fixed++] = cul_xstrdup(cul_basename(path));
    sought->fixed[sought->n_fixed] = NULL;
  }
  free(path);
}

static void find_fixed(struct cul_sought *sought, const char *const *argv) {
  static const char apart[] = " \t\n'\"=;|&()<>`,";
  for (const char *const *arg = argv; *arg; arg++)
    for (const char *at = *arg; *at;) {
      size_t len = strcspn(at, apart);
      if (at[0] == '/')
        add_file(sought, at, len);
      at += len + (at[len] != '\0');
    }
  sought->conf.crash.fixed = (const char *const *)sought->fixed;
}

/* ---- the oracle ---- */

int cul_sought_open(struct cul_sought *sought,
                    const struct cul_oracle_conf *given,
                    const char *const *argv, uint64_t limit_ms,
                    struct cul_err *err) {
  struct cul_oracle_conf *conf = &sought->conf;
  struct cul_one_run *one = &sought->oracle;
  int rc = cul_rules_new(&sought->rules, err);
  if (rc < 0)
    return rc;
  *conf = *given;
  conf->rules = sought->rules;
  conf->crash.across = true;
  find_fixed(sought, argv);
  conf->timeout_ms = conf->hang.limit_ms = limit_ms;
  if (conf->script.wanted)
    conf->script.sense = CUL_SENSE_BISECT;
  one->inner = cul_oracle_choose(conf);
  return one->inner->open(conf, &one->self, err);
}

void cul_sought_release(struct cul_sought *sought) {
  if (sought->oracle.self)
    sought->oracle.inner->close(sought->oracle.self);
  cul_rules_free(sought->rules);
  for (size_t i = 0; i < sought->n_fixed; i++)
    free(sought->fixed[i]);
  free(sought->fixed);
  cul_record_release(&sought->shown);
}
