/* The journal of a job: one event a line, as JSON. */
#ifndef CUL_REDUCER_JOB_JOURNAL_H
#define CUL_REDUCER_JOB_JOURNAL_H

#include <jansson.h>
#include <stdlib.h>

#include "../../base/buf.h"
#include "../../base/visible.h"

/* A journal of this many bytes gets no more events that occur for every
 * candidate: a million candidates would need ten times as many. */
enum { CUL_JOURNAL_MOST = 32 << 20 };

/* Append an event; takes over entry.  often: it occurs for every candidate.
 * *cut: set once the first event is left out, when an event "cut" takes its
 * place. */
static inline void cul_journal_add(struct cul_buf *journal, json_t *entry,
                                   bool often, bool *cut) {
  bool full = often && journal->len >= CUL_JOURNAL_MOST;
  char *line = NULL;
  if (full && !*cut) {
    json_t *last = json_pack("{s:s, s:O*}", "event", "cut", "t",
                             json_object_get(entry, "t"));
    line = json_dumps(last, JSON_COMPACT);
    json_decref(last);
    *cut = true;
  } else if (!full) {
    line = json_dumps(entry, JSON_COMPACT);
  }
  if (line) {
    cul_visible_json(line, journal);
    cul_buf_addc(journal, '\n');
  }
  free(line);
  json_decref(entry);
}

#endif
