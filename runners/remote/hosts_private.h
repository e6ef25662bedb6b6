/* Shared by the files of culprit's side: hosts.h.
 *
 * links.c has the connections, lessons.c checks that all workers have the same
 * tool, files.c sends the files of runs, hosts.c gives runs to workers. */
#ifndef CUL_RUNNERS_REMOTE_HOSTS_PRIVATE_H
#define CUL_RUNNERS_REMOTE_HOSTS_PRIVATE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "hosts.h"
#include "message.h"

enum cul_link_state {
  CUL_LINK_IDLE, /* not started yet, or to be started again */
  CUL_LINK_BOOT, /* waits for the shell there */
  CUL_LINK_HELLO,
  CUL_LINK_READY,
  CUL_LINK_OUT, /* for good */
};

/* A file to send, after everything queued before it. */
struct cul_parcel {
  char *path; /* on this machine */
  uint32_t run;
};

/* The command that connects, and its pipes. */
struct cul_wire {
  pid_t pid; /* the process that holds the command's */
  int to, from, err, control;
  struct cul_buf read, write, said;
  size_t written; /* bytes of write that were sent */
  bool full;      /* the loop waits until more can be written */
};

/* How the worker's program gets to its machine. */
struct cul_boarding {
  bool anew;   /* it must be sent again */
  bool asks;   /* the shell there asks for it */
  bool sends;  /* this connection sent it */
  bool looked; /* it has been notified that another link sent the file */
};

/* The files of a connection. */
struct cul_outbox {
  struct cul_parcel *parcels; /* from first on */
  size_t first, n, room;
  uint64_t n_sent, n_kept; /* queued for sending; known to be there */
  /* By link: wait until that link has kept this many; 0: do not wait. */
  uint64_t waits[CUL_MAX_HOSTS];
};

struct cul_link {
  struct cul_hosts *hosts;
  const char *command; /* of the hosts */
  enum cul_link_state state;
  struct cul_wire wire;
  struct cul_boarding program;
  struct cul_outbox outbox;
  struct cul_digest store; /* equal: these workers share their files */
  uint64_t since_us, heard_us, pinged_us, again_us;
  uint64_t trip_us; /* there and back; 0 = not known yet */
  unsigned tries;
  uint32_t life; /* number of the connection: see cul_hosts_life */
  bool was_ready;
  bool told;  /* the user was told that nothing answers yet */
  char *name; /* of the machine, once it is known */
  size_t n_runs, n_lessons;
  bool judged; /* it is lost because its tool differs: its runs do not count as
                  lost */
  char *why;   /* why it is out, or was lost */
};

/* A traced run, from which the other workers learn. */
struct cul_lesson {
  char *text, *seen;
  /* "e DIGEST\n" of an earlier job: whether the lesson still holds depends on
   * the first worker's answer.  NULL: the lesson is of this job */
  char *variables;
  enum { CUL_LESSON_HOLDS, CUL_LESSON_ASKED, CUL_LESSON_VOID } state;
};

struct cul_content {
  char *path;
  struct stat st;
  struct cul_digest digest;
};

/* The link that sends a file, or has sent it. */
struct cul_flight {
  struct cul_digest digest; /* zero: free */
  uint32_t link, life;
  uint64_t number; /* the file has arrived once n_kept reaches this */
};

/* The machine that has an installation. */
struct cul_home {
  char *install;
  struct cul_digest store;
};

struct cul_homes {
  struct cul_home *items;
  size_t n, room;
};

/* Digests of files on this machine. */
struct cul_contents {
  struct cul_content *items;
  size_t n, room;
};

/* When all links are looked at. */
struct cul_hosts_look {
  uint64_t at_us; /* the last time */
  bool due;       /* runs have changed since */
};

struct cul_hosts {
  char **commands; /* by link */
  struct cul_link *links;
  size_t n;
  char *shared;
  char **sent;        /* absolute; NULL terminated */
  char *here;         /* the working directory */
  const char *advice; /* for the error that no worker is left; static */
  struct cul_remote_job job;
  struct cul_buf program;
  struct cul_digest program_digest;
  struct cul_run **runs; /* in the order of their start */
  size_t n_runs, room;
  struct cul_lesson *lessons;
  size_t n_lessons, room_lessons;
  struct cul_contents contents;
  struct cul_flight *flights; /* open addressing */
  size_t n_flights, room_flights;
  struct cul_homes homes;
  uint32_t last_id;
  uint64_t run_us; /* mean duration of the last runs */
  int events;      /* epoll: all descriptors of the links */
  struct cul_hosts_look look;
};

struct cul_run {
  struct cul_run *here; /* made on this machine; or NULL */
  struct cul_hosts *hosts;
  const struct cul_artefact *artefact;
  const struct cul_request *request;
  const char *tmp;
  struct cul_remote_run message;
  char **paths;          /* of the message's files, at home */
  struct cul_link *link; /* the link that has it; NULL: it is queued */
  unsigned lost;
  int event; /* readable once it is over */
  bool over;
  struct cul_remote_record record;
  char *refused; /* the reason why it cannot be made; or NULL */
};

/* The functions of one concern; each is called at its event.  Members may be
 * NULL. */
struct cul_hosts_part {
  int (*open)(struct cul_hosts *hosts, const struct cul_hosts_conf *conf,
              struct cul_err *err);
  /* Operations on connections, allowed at any time; none blocks.  Receive and
   * send pending data; the second one only sends. */
  void (*pump)(struct cul_hosts *hosts);
  void (*flush)(struct cul_hosts *hosts);
  /* A worker has sent its first frame. */
  void (*ready)(struct cul_link *link);
  /* A connection was closed. */
  void (*lost)(struct cul_link *link);
  /* A message; false: it belongs to another part. */
  bool (*take)(struct cul_link *link, uint32_t type, struct cul_codec *codec);
  /* A run has ended there. */
  void (*ran)(struct cul_link *link, const struct cul_run *run);
  /* There is space for more data to send. */
  void (*room)(struct cul_link *link);
  /* The files that a run needs on the other machine. */
  int (*prepare)(struct cul_run *run, struct cul_err *err);
  void (*release)(struct cul_hosts *hosts);
};
extern const struct cul_hosts_part cul_hosts_links, cul_hosts_lessons,
    cul_hosts_files, cul_hosts_runs;

/* ---- links.c ---- */

/* The machine, or the command while it is not known. */
static inline const char *cul_link_name(const struct cul_link *link) {
  return link->name ? link->name : link->command;
}
void cul_link_send(struct cul_link *link, enum cul_frame_type type,
                   const struct cul_buf *body);
/* Close the connection: reconnect later if it was useful, else never. */
void cul_link_lose(struct cul_link *link, const char *why, bool again);
/* The run with this number on the link; NULL: it was cancelled. */
struct cul_run *cul_link_run(const struct cul_link *link, uint32_t id);
/* End the run.  why: the reason why it cannot be made, taken over; or NULL. */
void cul_run_end(struct cul_run *run, char *why);

#endif
