/* The identity of a tool: the content of everything it executed or loaded.
 *
 * The first run of a job is traced (CUL_RUN_TRACE); every file it executed
 * or read, beside the candidate and what it wrote itself, is part of the
 * tool, and so is what it looked for, found or not, and the names in the
 * directories that it read.  The list is remembered per command, so that the
 * next job only digests it again (files memoised by size, mtime, inode); where
 * anything changed, that job traces anew.  Without a
 * tracer: the resolved program and its DT_NEEDED closure; a script is then
 * not closed. */
#ifndef CUL_RUNNERS_IDENTITY_IDENTITY_H
#define CUL_RUNNERS_IDENTITY_IDENTITY_H

#include "../../base/run.h"

struct cul_cache;

/* A compiled Python module stands for its source.  Names that come and go say
 * nothing in directories where the tool writes or anybody may (/tmp); of those
 * in the working directory only what Python could import counts. */
struct cul_identity {
  struct cul_digest digest; /* zero = could not be closed */
  char *program;            /* resolved absolute path of argv[0] */
  char *wrapper; /* set where program is a script that executed another program:
                    path of the last program of the chain, else NULL */
  char *why;     /* not closed: one sentence; else NULL */
  struct cul_buf files; /* lines "DIGEST PATH\n", sorted by path: what was
                           seen of them where it is not closed */
  size_t n_files;
  struct cul_buf unseen; /* what may decide and is not seen: phrases, one a
                            line ("what the server at 10.0.0.1:80 answers") */
};

/* The identity of command from what an earlier job traced and stored; found =
 * false when there is none, or where anything of it is another now: what has
 * changed may make the tool read other files, so the next run has to be
 * traced.  A command whose argv[0] holds a placeholder is never found.  The key
 * is the command and its whole environment. */
CUL_MUST_CHECK int cul_identity_recall(struct cul_cache *cache,
                                       const struct cul_command *command,
                                       struct cul_identity *out, bool *found,
                                       struct cul_err *err);
/* The identity from a traced record; stored for recall.  candidate_dir: files
 * below it are not part of the tool.  cache may be NULL: nothing is stored.
 * A record that is not closed gives a zero digest and why; its run may have
 * gone otherwise than an untraced one (setuid programs lose their rights). */
CUL_MUST_CHECK int
cul_identity_learn(struct cul_cache *cache, const struct cul_command *command,
                   const struct cul_record *traced, const char *candidate_dir,
                   struct cul_identity *out, struct cul_err *err);
/* Teach the sandbox of command alone from a traced record: where its runs may
 * write, and read, from now on.  candidate_dir: as above. */
void cul_identity_teach(const struct cul_command *command,
                        const struct cul_record *traced,
                        const char *candidate_dir);
/* The digest that keys records: where the identity is not closed, a random one,
 * so that they are of use for this job only. */
struct cul_digest cul_identity_key(const struct cul_identity *identity);
void cul_identity_release(struct cul_identity *identity);

#endif
