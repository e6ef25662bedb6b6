/* One tool everywhere: see hosts_private.h. */
#include <stdlib.h>
#include <string.h>

#include "hosts_private.h"

static void send_lesson(struct cul_link *link, size_t at) {
  struct cul_remote_words words = {.id = (uint32_t)at};
  struct cul_buf body = {0};
  struct cul_codec codec = {.out = &body};
  cul_buf_adds(&words.text, link->hosts->lessons[at].text);
  cul_remote_pass_words(&codec, &words);
  cul_link_send(link, CUL_FRAME_TEACH, &body);
  cul_buf_release(&words.text);
  cul_buf_release(&body);
}

static void send_lessons(struct cul_link *link) {
  while (link->n_lessons < link->hosts->n_lessons)
    send_lesson(link, link->n_lessons++);
}

static bool is_seen(const char *line) {
  return line[0] == 'f' || line[0] == 'h' || line[0] == '!';
}

/* Lines of a trace for the other workers, and what they must see. */
static void add_lesson(struct cul_link *link, const struct cul_run *run) {
  const struct cul_buf *files = &run->record.record.files;
  struct cul_hosts *hosts = link->hosts;
  struct cul_buf text = {0}, seen = {0};
  const size_t own = strlen(CUL_REMOTE_THERE);
  /* Builds differ, and are compared otherwise. */
  if (!(run->request->flags & CUL_RUN_TRACE) || run->message.yard ||
      !run->record.record.trace_closed)
    return;
  for (const char *at = cul_buf_str(files); *at;) {
    size_t len = strcspn(at, "\n");
    /* Variables are keyed, but two places may differ in them; what is sent is
     * the same everywhere, and may not be there yet. */
    if (at[0] != 'e' && at[0] != 'i' && !memmem(at, len, CUL_REMOTE_THERE, own))
      cul_buf_addf(is_seen(at) ? &seen : &text, "%.*s\n", (int)len, at);
    at += len + (at[len] == '\n');
  }
  hosts->lessons = cul_xgrow(hosts->lessons, hosts->n_lessons,
                             &hosts->room_lessons, sizeof *hosts->lessons);
  hosts->lessons[hosts->n_lessons] =
      (struct cul_lesson){cul_buf_take(&text), NULL};
  hosts->lessons[hosts->n_lessons++].seen = cul_buf_take(&seen);
  for (size_t i = 0; i < hosts->n; i++)
    if (&hosts->links[i] == link && link->n_lessons + 1 == hosts->n_lessons)
      link->n_lessons++;
    else if (hosts->links[i].state == CUL_LINK_READY)
      send_lessons(&hosts->links[i]);
}

/* The first file that two workers see differently, or what else. */
static char *difference(const char *one, const char *other) {
  while (*one && *one != 'f')
    one += strcspn(one, "\n") + 1;
  for (; *one == 'f'; one += strcspn(one, "\n") + 1) {
    int len = (int)strcspn(one, "\n");
    char *line = cul_xstrndup(one, (size_t)len + 1);
    bool same = strstr(other, line) != NULL;
    free(line);
    if (!same)
      return cul_xstrndup(one + 2 + CUL_DIGEST_HEX,
                          (size_t)(len - 2 - CUL_DIGEST_HEX));
  }
  return cul_xstrdup("its PATH or another variable, or which files there are");
}

static bool take_seen(struct cul_link *link, uint32_t type,
                      struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  const struct cul_lesson *lesson;
  char *what, *why;
  if (type != CUL_FRAME_SEEN)
    return false;
  cul_remote_pass_words(codec, &words);
  if (!cul_codec_is_done(codec) || words.id >= link->hosts->n_lessons) {
    cul_link_lose(link, "it sent an answer that is none", false);
  } else {
    lesson = &link->hosts->lessons[words.id];
    if (strcmp(lesson->seen, cul_buf_str(&words.text)) != 0) {
      what = difference(lesson->seen, cul_buf_str(&words.text));
      why = cul_xasprintf("the tool there is another one (%s)", what);
      cul_buf_clear(&link->wire.said);
      link->judged = true;
      cul_link_lose(link, why, false);
      free(why);
      free(what);
    }
  }
  cul_buf_release(&words.text);
  return true;
}

static void forget(struct cul_link *link) { link->n_lessons = 0; }

static void release(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n_lessons; i++) {
    free(hosts->lessons[i].text);
    free(hosts->lessons[i].seen);
  }
  free(hosts->lessons);
}

const struct cul_hosts_part cul_hosts_lessons = {.ready = send_lessons,
                                                 .lost = forget,
                                                 .take = take_seen,
                                                 .ran = add_lesson,
                                                 .release = release};
