/* Cleans the directories of a run before it, and collects its outputs after it:
 * see trial.h.  All access is relative to the descriptor of the job's
 * directory, so that it follows no links that other runs put there. */
#include <string.h>
#include <unistd.h>

#include "../base/files/beneath.h"
#include "../base/files/outputs.h"
#include "trial.h"

/* The directory for "@{out}"; NULL if the command does not contain "@{out}". */
static const char *out_dir(const struct cul_artefact *art,
                           const struct cul_command *cmd) {
  const char *const *arg = cmd && cmd->argv ? cmd->argv : NULL;
  while (arg && *arg && !strstr(*arg, "@{out}"))
    arg++;
  for (size_t i = 0; arg && *arg && i < art->n_subst; i++)
    if (strcmp(art->subst[i].key, "@{out}") == 0)
      return art->subst[i].value;
  return NULL;
}

/* A descriptor of path; -1: there is no such directory below the job's. */
static int open_dir(const struct cul_probe *probe, const char *path) {
  const char *name = cul_held_name(probe->place, path);
  return name ? cul_beneath_dir(probe->place->fd, name) : -1;
}

void cul_trial_collect(const struct cul_probe *probe,
                       const struct cul_artefact *art,
                       const struct cul_command *cmd,
                       struct cul_record *record) {
  const char *out = out_dir(art, cmd);
  int dir = out ? open_dir(probe, out) : -1;
  if (dir < 0)
    return;
  record->truncated += cul_outputs_collect_in(dir, &record->outputs);
  close(dir);
}

/* Remove everything from the directory except keep (NULL: everything).  If a
 * tool replaced the directory by a link, it is made anew. */
static void empty(const struct cul_probe *probe, const char *path,
                  const char *keep) {
  struct cul_err ignored = {0};
  int dir = -1;
  if (!cul_held_name(probe->place, path) ||
      cul_held_claim(probe->place, path, &dir, &ignored) < 0)
    return;
  (void)!cul_beneath_empty(dir, keep);
  close(dir);
}

/* Remove Python's bytecode of the last candidate: Python would use it for the
 * next one if both have the same size and were written in the same second. */
static void forget_bytecode(const struct cul_probe *probe,
                            const struct cul_artefact *art) {
  int dir = open_dir(probe, art->dir);
  if (dir < 0)
    return;
  (void)!cul_beneath_remove(dir, "__pycache__");
  close(dir);
}

void cul_trial_tidy(const struct cul_probe *probe,
                    const struct cul_artefact *art,
                    const struct cul_command *cmd) {
  const char *out = out_dir(art, cmd);
  bool placed = art->dir && art->file && *art->file;
  if (placed && cmd && !cmd->cwd)
    empty(probe, art->dir, art->file);
  else if (placed)
    forget_bytecode(probe, art);
  if (out)
    empty(probe, out, NULL);
}
