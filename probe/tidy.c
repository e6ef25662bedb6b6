/* The directories of a run, before it and after it: see trial.h.  They are
 * accessed by the descriptor of the job's directory, so that links which
 * earlier or concurrent runs put in their place are not followed. */
#include <string.h>
#include <unistd.h>

#include "../base/files/beneath.h"
#include "../base/files/outputs.h"
#include "trial.h"

/* The directory that "@{out}" names, where the command asks for one. */
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

/* -1: it is not there, or elsewhere. */
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

/* Nothing is in the directory but keep; a link has no place there. */
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

/* Python keeps what it made of a source beside it, and takes it for that of the
 * next candidate of the same size that is written within the same second. */
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
