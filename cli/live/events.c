/* See events.h. */
#include "events.h"

#include <stdio.h>
#include <stdlib.h>

#include "../../base/visible.h"

void cul_event(json_t *object) {
  char *line = object ? json_dumps(object, JSON_COMPACT) : NULL;
  struct cul_buf text = {0};
  if (line)
    cul_visible_json(line, &text);
  if (line)
    cul_say(stderr, "%s\n", cul_buf_str(&text));
  fflush(stderr);
  cul_buf_release(&text);
  free(line);
  json_decref(object);
}
