/* The messages between culprit and a worker on another machine.
 *
 * A frame is 4 bytes of type, 4 of length (both little-endian) and the body.
 * The worker sends the first frame.  All received bytes are untrusted data: a
 * frame that is too long, or malformed for its type, ends the connection. */
#ifndef CUL_RUNNERS_REMOTE_MESSAGE_H
#define CUL_RUNNERS_REMOTE_MESSAGE_H

#include "../../base/run.h"

enum { CUL_REMOTE_VERSION = 4 };

/* A body has at most this many bytes. */
#define CUL_FRAME_MOST ((size_t)256 << 20)
/* Candidates up to this size are sent with the run, other files by content. */
#define CUL_REMOTE_INLINE ((size_t)64 << 10)
/* Stands, at the beginning of a name, for the worker's own directory. */
#define CUL_REMOTE_THERE "@{there}" /* as CUL_IDENTITY_OWN */
/* The same for the build directory of a run, and for the directory that it is
 * in. */
#define CUL_REMOTE_WORKSPACE "@{workspace}"
#define CUL_REMOTE_WORKSPACES "@{workspaces}"
/* The same for the directory of all installations. */
#define CUL_REMOTE_INSTALLS "@{installs}"
/* The same directory in the file names of a record. */
#define CUL_REMOTE_INSTALLED                                                   \
  CUL_REMOTE_THERE "/installs" /* as in identity.h                             \
                                */

enum cul_frame_type {
  CUL_FRAME_HELLO = 1, /* worker: struct cul_remote_hello */
  CUL_FRAME_JOB,       /* culprit, first: struct cul_remote_job */
  CUL_FRAME_FILE,      /* culprit: the bytes of a file */
  CUL_FRAME_RUN,       /* culprit: struct cul_remote_run */
  CUL_FRAME_CANCEL,    /* culprit: the number of a run */
  CUL_FRAME_NEED,      /* worker: digests that it lacks, for a run */
  CUL_FRAME_RECORD,    /* worker: struct cul_remote_record */
  CUL_FRAME_REFUSED,   /* worker: struct cul_remote_words */
  CUL_FRAME_TEACH,     /* culprit: struct cul_remote_words, see there */
  CUL_FRAME_SEEN,      /* worker: the answer, struct cul_remote_words */
  CUL_FRAME_PING,      /* culprit: empty */
  CUL_FRAME_PONG,      /* worker: empty */
  CUL_FRAME_KEPT,      /* worker: the digest of a file that has arrived */
  CUL_FRAME_LOOK,      /* culprit: a file that was asked for may be there now,
                          because another worker of the machine has it */
};

struct cul_remote_hello {
  uint32_t version;
  char *host, *system; /* "gpu07"; "Linux 6.1.0 x86_64" */
  uint32_t cores;
  uint64_t memory_bytes;
  struct cul_digest program; /* of the worker's own file */
  struct cul_digest store;   /* equal: the same machine, user and directory of
                                files, whatever their names */
};

struct cul_remote_job {
  uint32_t version;
  uint32_t sandbox;      /* enum cul_sandbox_mode */
  uint64_t memory_bytes; /* limit of a run; 0 = what the machine has */
  char **set, **unset;   /* variables, over those of the worker */
  bool all;              /* pass also those that are usually denied */
};

enum cul_remote_place {
  CUL_PLACE_CANDIDATE, /* in the candidate's own directory; name: in it */
  CUL_PLACE_SENT,      /* name: absolute, at home */
  CUL_PLACE_WORKSPACE, /* name: in the build directory; mode: with its type, of
                     a file, a link (whose target is the content) or an
                     empty directory.  In the order of their names */
  CUL_PLACE_INSTALL,   /* as SENT, for the script that makes the installation */
};

struct cul_remote_file {
  uint32_t place, mode;
  char *name;
  bool carried; /* bytes has the content; else it is asked for */
  struct cul_digest digest;
  struct cul_buf bytes;
};

/* The installation that a run uses, letters, digits and "._+-"; or NULL.  If it
 * is missing, script makes it first, in its directory.  If the script fails,
 * the record is NOT_STARTED with the status ENOPKG and contains the script's
 * output. */
struct cul_remote_install {
  char *name, *script;
  uint64_t most_bytes; /* of all installations; 0 = no bound */
};

/* A request and its artefact, templates and all.  Words may name
 * CUL_REMOTE_THERE "/sent/NAME". */
struct cul_remote_run {
  uint32_t id;
  char **argv, **env;
  uint32_t delivery;
  char *cwd;             /* or NULL */
  char **keys, **values; /* substitutions; a value may begin with
                            CUL_REMOTE_THERE "/out" */
  bool placed;           /* the artefact has a directory */
  char *file;            /* the candidate in it; "" = none */
  uint32_t attempt, flags;
  uint64_t wall_ms, cpu_ms, rss_bytes, out_bytes;
  uint32_t without; /* parts of the sandbox that the tool does not tolerate */
  bool sealed;      /* struct cul_sandbox */
  /* The build directory in which it runs, "KEY/NAME", which stays; "/PATH": a
   * directory that is there.  NULL: none. */
  char *workspace;
  bool
      building; /* it is a build: the files sent replace those of the workspace;
                   without a workspace, it is a script about installations */
  bool anew;    /* the contents of the workspace cannot be reused */
  /* Lists of files (runners/identity/built.h), each followed by an empty line:
   * the record has the digest of each in the workspace.  Without a workspace,
   * one list of runners/identity/outside.h: it has the state of each name. */
  struct cul_buf lists;
  struct cul_remote_install install;
  uint32_t n_files;
  struct cul_remote_file *files;
};

struct cul_remote_record {
  uint32_t id;
  /* The directories of the run, which its output may name. */
  char *dir, *tmp, *out;
  struct cul_record record;
};

/* Text about a run: the reason (REFUSED), or lines of a trace (TEACH, SEEN). */
struct cul_remote_words {
  uint32_t id;
  struct cul_buf text;
};

/* Reads or writes the body of a frame.  One description of a message serves
 * both directions, so that the two ends cannot differ.  Numbers are
 * little-endian; texts and lists begin with their length.  A reader checks
 * every length: one that exceeds the body makes the reader bad, and a bad
 * reader returns zeros. */
struct cul_codec {
  struct cul_buf *out;  /* writing: appended to; NULL = reading */
  const char *at, *end; /* reading: the rest; borrowed */
  bool bad;             /* reading: the body is malformed */
};

void cul_codec_u32(struct cul_codec *codec, uint32_t *value);
void cul_codec_digest(struct cul_codec *codec, struct cul_digest *value);
/* Reading: was the whole body read, and is it well formed? */
bool cul_codec_is_done(const struct cul_codec *codec);

/* Read or write a message. */
void cul_remote_pass_hello(struct cul_codec *codec,
                           struct cul_remote_hello *hello);
void cul_remote_pass_job(struct cul_codec *codec, struct cul_remote_job *job);
void cul_remote_pass_run(struct cul_codec *codec, struct cul_remote_run *run);
void cul_remote_pass_record(struct cul_codec *codec,
                            struct cul_remote_record *record);
void cul_remote_pass_words(struct cul_codec *codec,
                           struct cul_remote_words *words);
/* Free the memory that a reader allocated, or that a writer allocated in the
 * same way. */
void cul_remote_hello_release(struct cul_remote_hello *hello);
void cul_remote_job_release(struct cul_remote_job *job);
void cul_remote_run_release(struct cul_remote_run *run);
void cul_remote_record_release(struct cul_remote_record *record);

/* Append a frame. */
void cul_frame_add(struct cul_buf *out, enum cul_frame_type type,
                   struct cul_bytes body);
enum cul_frame_state {
  CUL_FRAME_PART, /* more bytes are needed */
  CUL_FRAME_WHOLE,
  CUL_FRAME_BAD, /* no frame of this protocol */
};
/* The first frame of these bytes.  WHOLE: *type, *body (borrowed) and *used,
 * the bytes of the frame. */
enum cul_frame_state cul_frame_next(struct cul_bytes bytes, uint32_t *type,
                                    struct cul_bytes *body, size_t *used);

#endif
