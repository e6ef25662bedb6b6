/* Decides whether the tool is started once for many runs: see
 * cul_target_serve. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/files/file.h"
#include "inside.h"

/* Bytes of code from which a server is tried.  A tool that loads so much may
 * take longer to link and to register its dialects and passes than to compile
 * most candidates: mlir-opt and its libraries have 190 to 320 MB.  Smaller
 * tools are not measured, so that the search does the same on a busy machine.
 */
static const off_t heavy = (off_t)64 << 20;

/* The most processor time that a served run on a small subject may take, as a
 * share of a run of its own.  Above it, servers do not save enough to pay for
 * the runs that compare them. */
static const double worth = 0.6;

/* The path of a line "DIGEST PATH". */
static const char *path_of(const char *line, size_t len) {
  const char *space = memchr(line, ' ', len);
  return space ? space + 1 : line + len;
}

/* python, python3, python3.11 ... */
static bool is_python(const char *name) {
  static const char python[] = "python";
  size_t n = sizeof python - 1;
  return strncmp(name, python, n) == 0 &&
         name[n + strspn(name + n, "0123456789.")] == '\0';
}

static bool is_code(const struct cul_identity *identity, const char *path) {
  return strcmp(path, identity->program) == 0 ||
         (identity->wrapper && strcmp(path, identity->wrapper) == 0) ||
         strstr(cul_basename(path), ".so");
}

static off_t size_of(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 ? st.st_size : 0;
}

/* The bytes of the program and its libraries.  *has_python: an interpreter is
 * among its files. */
static off_t size_of_code(const struct cul_identity *identity,
                          bool *has_python) {
  const char *line = cul_buf_str(&identity->files);
  off_t size = 0;
  *has_python = false;
  while (*line) {
    size_t len = strcspn(line, "\n");
    size_t head = (size_t)(path_of(line, len) - line);
    char *path = cul_xstrndup(line + head, len - head);
    *has_python |= is_python(cul_basename(path));
    if (is_code(identity, path))
      size += size_of(path);
    free(path);
    line += len + (line[len] == '\n');
  }
  return size;
}

/* May runs share a server?  Not if runs are judged together or by their time,
 * if chance decides their outcome, if stored numbers stand for the reference,
 * or if the candidate is the program itself. */
static bool may_share(const struct cul_target *target) {
  return !target->engine.argv && !target->tool.hosts &&
         !target->conf->elsewhere && !target->script.contract &&
         !strstr(target->tool.command.argv[0], "@@") &&
         !target->conf->ref.want && !cul_target_whole(target) &&
         !target->probe.deadline.fixed && !cul_target_flaky(target, NULL);
}

/* Run the text by a server and by itself, and compare.  known: an earlier
 * judgement of it; or NULL. */
static int try_out(struct cul_target *target, const struct cul_pieces *text,
                   const struct cul_judged *known, double *share,
                   struct cul_err *err) {
  struct cul_placed placed = {0};
  int rc = cul_target_place(target, 0, &placed, err);
  if (rc == 0)
    rc = cul_placed_fill_pieces(&placed, text, err);
  if (known) {
    placed.art.known = known->records;
    placed.art.n_known = known->n;
  }
  if (rc == 0)
    rc = cul_probe_try_servers(&target->probe, &placed.art, share, err);
  cul_placed_release(&placed);
  return rc;
}

/* Do words of the command start several programs?  Another process than the
 * first one then reads the input.  A run on trial shows that as well, but where
 * numbers are compared it is a run of every role. */
static bool starts_several(const struct cul_target *target) {
  const char *const *word = target->tool.command.argv;
  while (*word && !strpbrk(*word, "|;&"))
    word++;
  return target->conf->ref.command && *word;
}

/* Does the tool start so slowly that servers are worth their cost?  A large
 * program does if a run shows it.  Python does: its modules take longer to load
 * than most inputs to compile.  Both have one thread until they read the input.
 * If another process of the command reads the input, one run is lost. */
static int starts_slowly(struct cul_target *target, struct cul_bytes small,
                         bool *slowly, struct cul_err *err) {
  struct cul_pieces text = cul_pieces_of(small);
  bool has_python;
  off_t size = size_of_code(&target->tool.identity, &has_python);
  double share = 1;
  int rc = 0;
  if (!has_python && size >= heavy && small.len > 0 && !starts_several(target))
    rc = try_out(target, &text, NULL, &share, err);
  *slowly = has_python || share <= worth;
  return rc;
}

static void stop_serving(struct cul_target *target) {
  cul_servers_free(target->probe.service.servers);
  target->probe.service.servers = NULL;
}

int cul_target_serve(struct cul_target *target, bool held,
                     const struct cul_pieces *text, struct cul_bytes small,
                     struct cul_err *err) {
  enum cul_start start = target->conf->start;
  bool shared = start == CUL_START_SHARED;
  double share;
  int rc = held ? cul_target_enter(target, text, err) : 0;
  if (rc < 0 || target->probe.service.inside.on)
    return rc;
  if (start == CUL_START_OWN || !may_share(target)) {
    stop_serving(target);
    return 0;
  }
  if (target->probe.service.servers) /* already decided in this job */
    return 0;
  target->probe.service.servers = cul_servers_new();
  if (!shared)
    rc = starts_slowly(target, small, &shared, err);
  if (rc == 0 && shared)
    return try_out(target, text, &target->original, &share, err);
  cul_servers_refuse(target->probe.service.servers, false);
  return rc;
}
