/* The wire format between the main program and a worker.  Private to
 * reducer/worker/.  Both ends come from one build, so structs are sent as they
 * are. */
#ifndef CUL_REDUCER_WORKER_WIRE_H
#define CUL_REDUCER_WORKER_WIRE_H

#include "../../base/files/wire.h"
#include "worker.h"

/* The socket's descriptor, the same in every worker process, server or child,
 * so that a signal handler can use it without a global. */
#define CUL_WIRE_FD 3
/* Size of a process's description: see cul_session_say_role. */
#define CUL_ROLE_BYTES 80
/* Standard error of the main program, if CUL_WAIT_VARIABLE is set. */
#define CUL_WAIT_FD 4

enum cul_wire_type {
  /* Client to server. */
  CUL_WIRE_OPEN,    /* struct cul_wire_open, fd: a sealed memory file that holds
                       the text and a '\0' -> OPENED, FAILED */
  CUL_WIRE_SITES,   /* uint32_t mutations[] -> LISTED, FAILED */
  CUL_WIRE_BEGIN,   /* struct cul_edit[], fd: the child's end of a socket pair;
                       BUILT is answered there */
  CUL_WIRE_ORIGINS, /* -> ORIGINATED */
  CUL_WIRE_WARM,    /* words, each ended by '\0' -> WARMED */
  CUL_WIRE_ASK,     /* uint32_t mutation -> ASKED: the questions due for it;
                       UINT32_MAX: all questions that can be answered */
  CUL_WIRE_TELL,    /* enum cul_ruling, a byte per question -> TOLD */
  CUL_WIRE_EXPLAIN, /* the name of an operation, or nothing -> EXPLAINED */
  CUL_WIRE_FORK,    /* before OPEN.  fd: an end of a socket pair, where a fork
                       becomes a server -> BRANCHED */
  /* Client to child; also CUL_LIVE_RUN (runners/live.h). */
  CUL_WIRE_WRITE,  /* fd: a file open for writing -> WROTE */
  CUL_WIRE_SHOW,   /* fd: an empty memory file, to which the child writes what
                      is no part of the input -> SHOWN */
  CUL_WIRE_ADOPT,  /* -> ADOPTED; the child is then the server */
  CUL_WIRE_BRANCH, /* fd: an end of a socket pair, where a fork of the child
                      becomes a server; the child itself stays -> BRANCHED */
  /* Answers. */
  CUL_WIRE_OPENED,     /* struct cul_wire_opened, struct cul_mutation_info[] */
  CUL_WIRE_LISTED,     /* struct cul_listed[] */
  CUL_WIRE_BUILT,      /* struct cul_child_built */
  CUL_WIRE_WROTE,      /* int32_t errno, 0 = done */
  CUL_WIRE_SHOWN,      /* struct cul_wire_part[]: the text in order; nothing:
                          it cannot be written */
  CUL_WIRE_ADOPTED,    /* empty */
  CUL_WIRE_BRANCHED,   /* int32_t errno, 0 = done */
  CUL_WIRE_ORIGINATED, /* text: see struct cul_subject_kind */
  CUL_WIRE_WARMED,     /* empty */
  CUL_WIRE_ASKED,      /* struct cul_question, each followed by its text */
  CUL_WIRE_TOLD,       /* empty */
  CUL_WIRE_EXPLAINED,  /* struct cul_asked, then text */
  CUL_WIRE_FAILED,     /* struct cul_err */
  CUL_WIRE_DIED,       /* struct cul_wire_died: last words */
};

struct cul_wire_open {
  struct cul_reading how;
  uint64_t len; /* of the text */
  bool shared;  /* the client keeps the text: CUL_WIRE_SHOW may name parts of
                   it */
};

/* A part of a text; at: in the text that was opened, or CUL_WIRE_WRITTEN: the
 * next bytes of the memory file. */
#define CUL_WIRE_WRITTEN UINT64_MAX
struct cul_wire_part {
  uint64_t at, len;
};

struct cul_wire_opened {
  struct cul_size size;
};

#define CUL_WIRE_WORDS 4096
struct cul_wire_died {
  int32_t signal;            /* 0: ended by exit() */
  char text[CUL_WIRE_WORDS]; /* the end of standard error; terminated */
};

#endif
