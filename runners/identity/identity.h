/* The identity of a tool: the content of everything that it executed or loaded.
 *
 * The first run of a job is traced (CUL_RUN_TRACE); every file that it executed
 * or read is part of the tool, except the candidate and the files that it wrote
 * itself.  So are the paths that it looked up, found or not, and the names in
 * the directories that it read.  The list is stored per command, so that the
 * next job only computes its digest again (files memoised by size, mtime,
 * inode); if anything changed, that job traces anew.
 *
 * Runs on other inputs may use more files.  Some of them are traced, too, and
 * what they use beyond the first run is stored with its state, under the digest
 * of the first run (cul_identity_widen).  While one of these files has another
 * state, the tool has another digest.  Without a tracer, the
 * identity is the resolved program and its DT_NEEDED closure; a script is then
 * not closed (its identity is incomplete). */
#ifndef CUL_RUNNERS_IDENTITY_IDENTITY_H
#define CUL_RUNNERS_IDENTITY_IDENTITY_H

#include "../../base/run.h"

struct cul_cache;

/* A compiled Python module is identified by its source.  Names do not count in
 * directories where the tool writes or anybody may write (/tmp), nor do those
 * of culprit's own results (cul_cache_note_result). */
struct cul_identity {
  struct cul_digest digest; /* zero = could not be closed */
  /* the same by the files of the first run alone; zero also for a run on
   * another machine */
  struct cul_digest first;
  char *program; /* resolved absolute path of argv[0] */
  char *wrapper; /* set where program is a script that executed another program:
                    path the last program of the chain, else NULL */
  char *why;     /* not closed: one sentence; else NULL */
  struct cul_buf files; /* lines "DIGEST PATH\n", sorted by path: the files
                           seen, if the identity is not closed */
  size_t n_files;
  struct cul_buf looked; /* lines "p PATH\n" and "l PATH\n", of a run here:
                            names that it looked for, directories it listed */
  struct cul_buf beyond; /* as files, of those that only other runs read */
  /* inputs that may matter and are not seen: phrases, one per line ("what the
   * server at 10.0.0.1:80 answers") */
  struct cul_buf unseen;
  /* the programs that it executed, with their arguments, one per line (struct
   * cul_record, files); empty where they are not known */
  struct cul_buf calls;
  /* Of cul_identity_recall: what a traced run elsewhere showed
   * (struct cul_record, files), which only that place can check; or empty. */
  struct cul_buf there;
};

/* The identity of command that an earlier job traced and stored.  *found =
 * false if there is none or if any part of it has changed: the tool may then
 * read other files, so the next run must be traced.  Never found: a command
 * whose argv[0] contains a placeholder, and one that runs on another machine;
 * for the latter, out->there may contain the text that the other machine must
 * check (cul_hosts_recall).  The key is the command and its whole environment.
 */
CUL_MUST_CHECK int cul_identity_recall(struct cul_cache *cache,
                                       const struct cul_command *command,
                                       struct cul_identity *out, bool *found,
                                       struct cul_err *err);
/* Compute the identity from a traced record and store it for recall.
 * candidate_dir: files below it are not part of the tool.  cache may be NULL:
 * nothing is stored.  A record that is not closed gives a zero digest and
 * `why`; its run may differ from an untraced one (setuid programs lose their
 * rights). */
CUL_MUST_CHECK int
cul_identity_learn(struct cul_cache *cache, const struct cul_command *command,
                   const struct cul_record *traced, const char *candidate_dir,
                   struct cul_identity *out, struct cul_err *err);
/* Store what another run of the tool used beyond its first one, as it is now.
 * The digest stays: it is another one for jobs that find something of it
 * changed.  A name where runs of the command may write, below candidate_dir, or
 * known already is ignored, as is all for an identity without `first`.  cache
 * may be NULL.  The files among it are appended to identity->beyond. */
CUL_MUST_CHECK int cul_identity_widen(struct cul_cache *cache,
                                      const struct cul_command *command,
                                      struct cul_identity *identity,
                                      const struct cul_record *traced,
                                      const char *candidate_dir,
                                      struct cul_err *err);
/* Only teach the sandbox of command from a traced record where its runs may
 * write and read from now on.  candidate_dir: as above. */
void cul_identity_teach(const struct cul_command *command,
                        const struct cul_record *traced,
                        const char *candidate_dir);
/* On the machine of a traced run: append what tells this tool from others, for
 * cul_identity_learn elsewhere.  Lines "f DIGEST NAME\n" of the files that it
 * used, "! WHY\n" of those that cannot be read, and "h DIGEST\n" of the names
 * that it looked for and of environment, the variables that steer compilers.
 * The caller may add "e DIGEST\n" of all variables.  Names below own, a
 * directory, begin with CUL_IDENTITY_OWN; those below installs, or NULL, with
 * CUL_IDENTITY_INSTALLED: "i DIGEST\n" has the names that it looked for there.
 */
#define CUL_IDENTITY_OWN "@{there}"
#define CUL_IDENTITY_INSTALLED CUL_IDENTITY_OWN "/installs"
void cul_identity_see(const struct cul_record *traced, const char *own,
                      const char *installs,
                      const struct cul_digest *environment,
                      struct cul_buf *out);
/* Append the files below dir, an absolute path without links, that the tool
 * read: their names in it, a line each, sorted.  Not the program itself, nor
 * those of an installation: of the program's own (DIR/bin/NAME), of a compiled
 * program that it ran (with DIR below dir), other compiled files in directories
 * below dir, packages of Python, below a hidden directory; nor what a run on
 * another machine read. */
void cul_identity_below(const struct cul_identity *identity, const char *dir,
                        struct cul_buf *out);
/* The digest that keys records.  For an identity that is not closed it is
 * random, so that its records serve this job only. */
struct cul_digest cul_identity_key(const struct cul_identity *identity);
void cul_identity_release(struct cul_identity *identity);

#endif
