/* Errors: one caller-owned struct, filled once, where the cause is known.
 *
 * Every fallible function returns 0 or a negative enum cul_code and takes
 * `struct cul_err *err` (never NULL) last.  Verdicts, timeouts and crashes of
 * the tool under test are results, never errors. */
#ifndef CUL_BASE_ERR_H
#define CUL_BASE_ERR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#define CUL_MUST_CHECK __attribute__((warn_unused_result))
#define CUL_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define CUL_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* The process exits with -code; ECHILD, EINTR and ELOST never reach main as
 * such. */
enum cul_code {
  CUL_OK = 0,
  CUL_EINTERNAL = -1, /* a defect of culprit */
  CUL_EUSAGE = -2,    /* command line or input file */
  CUL_ENOFAIL = -3,   /* the input does not show a failure */
  CUL_EFLAKY = -4,    /* too flaky to decide */
  CUL_EBUDGET = -5,   /* budget spent; the best result is on disk */
  CUL_EENV = -6,      /* a tool, device, server, or room on disk is missing */
  CUL_ECHILD = -7,    /* a worker or its child died: costs one candidate */
  CUL_EINTR = -8,     /* interrupted by the user; best result is on disk */
  CUL_EFOUND = -11,   /* triage --fail-on: there are such bugs */
  CUL_ESEVERAL = -12, /* bisect: only what cannot be tested separates several */
  CUL_EDIFFER = -9,   /* compare, env --diff: not equal */
  CUL_ELOST = -10, /* a worker or its child was killed, or the machine refused
                      to make it: nothing is known; run it again */
};

struct cul_err {
  int code;         /* enum cul_code; 0 = nothing reported */
  bool of_command;  /* with EENV: the command under test cannot run; false: the
                       machine lacks something, and the command may be fine */
  bool changed;     /* with of_command: its files changed while the job ran */
  char what[768];   /* what failed, on which thing, why; lower case, no dot */
  char advice[384]; /* what to do about it; may be empty */
};

/* Print a message or a reason into out.  Where it is too long, its middle gives
 * way to " ... ": a long command or path stands there, and the reason behind
 * it. Allocates nothing; a text above 4 KiB loses its end. */
void cul_phrase(char *out, size_t size, const char *fmt, ...) CUL_PRINTF(3, 4);
void cul_vphrase(char *out, size_t size, const char *fmt, va_list args);

/* Fill err and return code.  advice: one sentence for the user, or "".
 * The message is fit into the sizes above as by cul_phrase. */
int cul_fail(struct cul_err *err, enum cul_code code, const char *advice,
             const char *fmt, ...) CUL_PRINTF(4, 5);

/* As cul_fail, with EENV: the command under test cannot run. */
int cul_fail_command(struct cul_err *err, const char *advice, const char *fmt,
                     ...) CUL_PRINTF(3, 4);

/* Put "context: " before what is already reported; returns err->code. */
int cul_fail_in(struct cul_err *err, const char *fmt, ...) CUL_PRINTF(2, 3);

/* Did a spent budget or an interrupt by the user end the work?  The results so
 * far are kept. */
static inline bool cul_is_cut(int code) {
  return code == CUL_EBUDGET || code == CUL_EINTR;
}

/* Process exit status for a code: 0..6; EDIFFER gives 7, EFOUND 8, ESEVERAL 9,
 * EINTR 130. */
int cul_exit_status(int code);

/* End the process with status 6 and the message that the machine has no
 * memory.  bytes: the size asked for, 0 where a library does not tell.
 * Allocates nothing. */
_Noreturn void cul_no_memory(size_t bytes);
/* From now on cul_no_memory prints nothing in this process: its parent
 * recognizes the status, retries and reports it once. */
void cul_no_memory_quietly(void);

/* Broken invariant: print and abort.  Safe: the best result is on disk. */
_Noreturn void cul_bug(const char *fmt, ...) CUL_PRINTF(1, 2);

#endif
