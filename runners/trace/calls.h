/* The system calls that are reported to a trace, and how each names its
 * file. */
#ifndef CUL_RUNNERS_TRACE_CALLS_H
#define CUL_RUNNERS_TRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cul_trace_kind {
  CUL_CALL_EXEC,      /* path args[0], argv args[1] */
  CUL_CALL_EXECAT,    /* directory, path, argv, envp, flags */
  CUL_CALL_OPEN,      /* path, flags */
  CUL_CALL_CREAT,     /* path */
  CUL_CALL_OPENAT,    /* directory, path, flags */
  CUL_CALL_OPENAT2,   /* directory, path, struct open_how */
  CUL_CALL_NAME,      /* old path, new path */
  CUL_CALL_NAMEAT,    /* directory, old path, directory, new path */
  CUL_CALL_HARD,      /* like NAME, and the old path stays */
  CUL_CALL_HARDAT,    /* like NAMEAT, and the old path stays */
  CUL_CALL_LINK,      /* anything, new path */
  CUL_CALL_LINKAT,    /* anything, directory, new path */
  CUL_CALL_MAKE,      /* path of a new file */
  CUL_CALL_MAKEAT,    /* directory, path */
  CUL_CALL_CHANGE,    /* path of a file that is changed or removed */
  CUL_CALL_CHANGEAT,  /* directory, path */
  CUL_CALL_OPEN_FILE, /* descriptor of a file that is changed */
  CUL_CALL_LOOK,      /* path */
  CUL_CALL_LOOKAT,    /* directory, path */
  CUL_CALL_STAT,      /* path: like LOOK, and tells times */
  CUL_CALL_STATAT,    /* directory, path */
  CUL_CALL_SOCKET,    /* address family */
  CUL_CALL_CONNECT,   /* socket, address, its length */
  CUL_CALL_CLONE3,    /* struct clone_args */
  CUL_CALL_MOUNTS,    /* the same paths will name other files */
  CUL_CALL_HIDDEN,    /* files may be opened by ways that are not reported */
};

/* Can a call change files?  BY_FLAGS: for calls that open, the flags decide. */
enum cul_trace_change { CUL_CHANGE_NO, CUL_CHANGE_YES, CUL_CHANGE_BY_FLAGS };

struct cul_trace_call {
  int nr;
  enum cul_trace_kind kind;
  enum cul_trace_change change;
};

/* Can files change by the call, or after it, without a report that names them?
 */
static inline bool cul_trace_hides(const struct cul_trace_call *call) {
  return call->kind == CUL_CALL_HIDDEN || call->kind == CUL_CALL_MOUNTS;
}

extern const struct cul_trace_call cul_trace_table[];
extern const size_t cul_n_trace_calls;

#endif
