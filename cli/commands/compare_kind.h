/* What `culprit compare` can compare besides tensors and traces of steps. */
#ifndef CUL_CLI_COMMANDS_COMPARE_KIND_H
#define CUL_CLI_COMMANDS_COMPARE_KIND_H

#include <jansson.h>
#include <stdio.h>

#include "../../base/buf.h"
#include "../../base/options/opt.h"
#include "../../systems/trace.h"

/* Options that say something of profiles only. */
struct cul_compare_profile_conf {
  const char *metric, *threshold, *under; /* or NULL */
};

/* Both sides; borrowed. */
struct cul_compare_job {
  const char *const *paths;        /* got, want */
  const struct cul_strings *again; /* other runs of got */
  const struct cul_compare_profile_conf *conf;
  bool tensor_options; /* options were given that say something of tensors */
  bool number_options; /* the same, but for html */
  const char *html;    /* or NULL */
  FILE *out;           /* text for people */
};

struct cul_compare_kind {
  /* Compare and print.  *mine: false where got is of another kind; nothing was
   * printed then.  report: the findings, for --json; the caller gives it back.
   * Errors: EUSAGE; EDIFFER: they are not equal (report is set). */
  int (*run)(const struct cul_compare_job *job, bool *mine, json_t **report,
             struct cul_err *err);
};

extern const struct cul_compare_kind cul_compare_profiles, cul_compare_deps;

/* Golden tensors against the steps of one run. */
struct cul_compare_golden {
  /* Append to got the output of the trace that each tensor of want is, or is
   * nearest to, under its name, and to steps a line for each in words.  Errors:
   * EUSAGE (too large). */
  int (*place)(const struct cul_trace *trace, const struct cul_tensors *want,
               const struct cul_tolerance_conf *conf, struct cul_tensors *got,
               struct cul_buf *steps, struct cul_err *err);
};

extern const struct cul_compare_golden cul_compare_golden;

/* What became of golden tensors from pass to pass. */
struct cul_compare_passed {
  struct cul_tensors got, want; /* of the first pass in which any differs */
  char *first;                  /* heap: that pass; NULL: none differs */
  struct cul_buf words;
};

/* The values of each pass against golden tensors. */
struct cul_compare_passes {
  /* paths: a directory with one directory of values for each pass, and golden
   * tensors.  *mine: false where the first is of another kind; out, which
   * begins empty, is the caller's to release.  Errors: EUSAGE; those of
   * patience. */
  int (*follow)(const char *const *paths, const struct cul_tolerance_conf *conf,
                const struct cul_patience *patience, bool *mine,
                struct cul_compare_passed *out, struct cul_err *err);
  /* Fail with EUSAGE where the directory is a compiler's dump of the IR after
   * each pass, or the build around it: it has no values. */
  int (*refuse)(const char *dir, struct cul_err *err);
};

extern const struct cul_compare_passes cul_compare_passes;

#endif
