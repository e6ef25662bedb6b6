/* The wire between the main program and a workshop: private to workshop.c and
 * the workshop_*.c files.  Both ends come from one build, so structs travel as
 * they are.
 *
 * One message is one SOCK_SEQPACKET packet: type, length, body.  A body too
 * long for a packet travels in a memfd beside it; a message may also carry
 * one file descriptor of its own. */
#ifndef CUL_REDUCER_SUBJECT_WORKSHOP_WIRE_H
#define CUL_REDUCER_SUBJECT_WORKSHOP_WIRE_H

#include "workshop.h"

/* The descriptor of the socket in every workshop process, the same in a
 * server and in a child: what a signal handler knows without a global. */
#define CUL_WIRE_FD 3

enum cul_wire_type {
  /* Client to server. */
  CUL_WIRE_OPEN,    /* struct cul_wire_open, then the text -> OPENED, FAILED */
  CUL_WIRE_SITES,   /* uint32_t mutations[] -> LISTED, FAILED */
  CUL_WIRE_BEGIN,   /* struct cul_edit[], fd: the child's end of a socket pair;
                       the answer, BUILT, comes there */
  CUL_WIRE_ORIGINS, /* -> ORIGINATED */
  /* Client to child. */
  CUL_WIRE_WRITE, /* fd: a file open for writing -> WROTE */
  CUL_WIRE_ADOPT, /* -> ADOPTED; the child is now the server */
  /* Answers. */
  CUL_WIRE_OPENED,     /* struct cul_wire_opened, struct cul_mutation_info[] */
  CUL_WIRE_LISTED,     /* struct cul_listed[] */
  CUL_WIRE_BUILT,      /* struct cul_child_built */
  CUL_WIRE_WROTE,      /* int32_t errno, 0 = done */
  CUL_WIRE_ADOPTED,    /* empty */
  CUL_WIRE_ORIGINATED, /* text: see struct cul_subject_kind */
  CUL_WIRE_FAILED,     /* struct cul_err */
  CUL_WIRE_DIED,       /* struct cul_wire_died: last words */
};

struct cul_wire_open {
  uint32_t form, check;
};

struct cul_wire_opened {
  struct cul_size size;
};

#define CUL_WIRE_WORDS 4096
struct cul_wire_died {
  int32_t signal;            /* 0: ended by exit() */
  char text[CUL_WIRE_WORDS]; /* the end of standard error; terminated */
};

/* A received message.  Release after each receive that returned 1. */
struct cul_wire_msg {
  uint32_t type;
  int fd; /* carried along, or -1; close-on-exec; set to -1 to keep it */
  struct cul_buf body;
};

/* Send one message.  pass_fd: -1 for none; stays the caller's.  Safe in a
 * signal handler for bodies of at most CUL_WIRE_INLINE bytes.  Blocks while
 * the peer's queue is full.  0, or -1 with errno. */
#define CUL_WIRE_INLINE 32768
int cul_wire_send(int sock, enum cul_wire_type type, const void *body,
                  size_t len, int pass_fd);

/* Wait for one message.  1: got it; 0: the peer is gone; -1 with errno. */
int cul_wire_recv(int sock, struct cul_wire_msg *out);
void cul_wire_msg_release(struct cul_wire_msg *msg);

#endif
