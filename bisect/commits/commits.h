/* Bisecting commits: finds the commit that made a test fail (or pass again). */
#ifndef CUL_BISECT_COMMITS_COMMITS_H
#define CUL_BISECT_COMMITS_COMMITS_H

#include <jansson.h>

#include "../../base/environment.h"
#include "../../probe/probe.h"
#include "../../probe/workplace.h"
#include "../history/repo.h"
#include "../search/bisector.h"

/* The user's configuration; strings are borrowed for the life of the job. */
struct cul_commits_conf {
  const char *repo;
  /* revisions, NULL terminated; empty: search for one */
  const char *const *good;
  const char *bad;
  bool find_fix; /* good is the newer one, and passes */
  bool first_parent;
  /* the culprit touches one of them; NULL terminated */
  const char *const *paths;
  const char *build;       /* shell string; NULL: nothing is built */
  const char *const *argv; /* the test, NULL terminated; @{dir}, @{commit} */
  const char *bundle;      /* directory for the results; or NULL */
  const char *work;        /* NULL: in the user's cache directory */
  struct cul_commits_pins pins; /* dependencies that files name */
  int builds;                   /* at a time; 0 = 1 */
  double timeout_s;             /* of a run; 0 = 60 */
  struct cul_oracle_conf oracle;
  /* Is the failure of the bad end the sought one?  NULL: any failure is. */
  bool (*sought)(const void *self, const struct cul_signature *shown);
  const void *sought_self;
  struct cul_bisect_conf search;
  int64_t retries;      /* if the machine fails: no room, no memory ... */
  double retry_pause_s; /* before each */
  double max_time_s;    /* 0: no limit */
  struct cul_cache_conf cache;
  struct cul_environment_conf environment; /* of builds and tests */
  const volatile int *interrupted;
};

/* Receives messages while the job works; may be NULL. */
struct cul_commits_watcher {
  void *self;
  void (*said)(void *self, const char *line);
};

/* Run the job.  Returns 0 with an answer (also a set of suspects).  Errors:
 * EUSAGE, ENOFAIL (the bad end does not fail, or fails differently), EFLAKY,
 * EBUDGET, EENV (also if the machine failed repeatedly), EINTR. *report: filled
 * also with EBUDGET; decref it. */
CUL_MUST_CHECK int cul_commits_run(const struct cul_commits_conf *conf,
                                   const struct cul_commits_watcher *watcher,
                                   json_t **report, struct cul_err *err);

#endif
