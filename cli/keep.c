/* See keep.h. */
#include "keep.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files/file.h"
#include "../base/status.h"
#include "../base/visible.h"
#include "../probe/repro_lines.h"
#include "../reducer/job/watch.h"

/* The largest number at the beginning of a file's name. */
static uint64_t last_in(const char *dir) {
  DIR *stream = opendir(dir);
  struct dirent *entry;
  uint64_t last = 0;
  while (stream && (entry = readdir(stream))) {
    uint64_t number = strtoull(entry->d_name, NULL, 10);
    if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && number > last &&
        number < UINT64_MAX)
      last = number;
  }
  if (stream)
    closedir(stream);
  return last;
}

int cul_keep_open(struct cul_keep *keep, const char *dir, uint64_t most,
                  struct cul_err *err) {
  static const char *const none[] = {NULL};
  bool all = dir && strncmp(dir, "all:", 4) == 0;
  *keep =
      (struct cul_keep){.dir = all ? dir + 4 : dir, .all = all, .most = most};
  if (dir && !*keep->dir)
    return cul_fail(err, CUL_EUSAGE, "give DIR, or all:DIR",
                    "--keep-candidates: no directory is named");
  if (!dir)
    return 0;
  if (cul_outdir_open(&keep->outdir,
                      &(struct cul_outdir_conf){.dir = keep->dir,
                                                .option = "--keep-candidates",
                                                .names = none},
                      err) < 0)
    return err->code;
  keep->last = last_in(keep->dir);
  return 0;
}

static void end(struct cul_keep *keep, const char *why) {
  keep->ended = true;
  cul_status_make_way();
  cul_say(stderr, "note: no more candidates are kept in %s: %s\n", keep->dir,
          why);
}

void cul_keep_judged(struct cul_keep *keep, struct cul_reduce *job, int slot,
                     enum cul_answer answer) {
  struct cul_buf text = {0};
  struct cul_err err = {0};
  char *path, *verdict;
  if (!keep->dir || keep->ended || (!keep->all && answer != CUL_SAME) ||
      !cul_edit_space_text(&job->subject.space, slot, &text)) {
    cul_buf_release(&text);
    return;
  }
  verdict = cul_xasprintf("%s%s", keep->all ? "-" : "",
                          keep->all ? cul_answer_name(answer) : "");
  for (char *at = strchr(verdict, ' '); at; at = strchr(at, ' '))
    *at = '-';
  path = cul_xasprintf("%s/%04llu%s%s", keep->dir,
                       (unsigned long long)keep->last + 1, verdict,
                       cul_repro_case_extension(job->conf->target.input));
  if (keep->last >= keep->most)
    end(keep, "there are as many as --keep-candidates-max allows");
  else if (cul_file_replace_step(path, text.data, text.len, 0666, &err) < 0)
    end(keep, err.what);
  else
    keep->last++;
  free(path);
  free(verdict);
  cul_buf_release(&text);
}
