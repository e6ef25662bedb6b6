/* Verifies that all workers have the same tool: see hosts_private.h. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/files/file.h"
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

/* Append a lesson: lines of a trace for the other workers, and the expected
 * result. */
static struct cul_lesson *append_lesson(struct cul_hosts *hosts,
                                        const struct cul_buf *files) {
  struct cul_buf text = {0}, seen = {0};
  const size_t own = strlen(CUL_REMOTE_THERE);
  struct cul_lesson *lesson;
  for (const char *at = cul_buf_str(files); *at;) {
    size_t len = strcspn(at, "\n");
    /* Leave out variables, which are part of the key and may differ between
     * places, and sent files, which are equal everywhere and may not have
     * arrived. */
    if (at[0] != 'e' && at[0] != 'i' && !memmem(at, len, CUL_REMOTE_THERE, own))
      cul_buf_addf(is_seen(at) ? &seen : &text, "%.*s\n", (int)len, at);
    at += len + (at[len] == '\n');
  }
  hosts->lessons = cul_xgrow(hosts->lessons, hosts->n_lessons,
                             &hosts->room_lessons, sizeof *hosts->lessons);
  lesson = &hosts->lessons[hosts->n_lessons++];
  *lesson = (struct cul_lesson){.text = cul_buf_take(&text)};
  lesson->seen = cul_buf_take(&seen);
  return lesson;
}

static void add_lesson(struct cul_link *link, const struct cul_run *run) {
  struct cul_hosts *hosts = link->hosts;
  /* builds, and what they read outside, differ, and are compared in another
   * way */
  if (!(run->request->flags & CUL_RUN_TRACE) || run->message.workspace ||
      run->message.lists.len || !run->record.record.trace_closed)
    return;
  append_lesson(hosts, &run->record.record.files);
  for (size_t i = 0; i < hosts->n; i++)
    if (&hosts->links[i] == link && link->n_lessons + 1 == hosts->n_lessons)
      link->n_lessons++;
    else if (hosts->links[i].state == CUL_LINK_READY)
      send_lessons(&hosts->links[i]);
}

/* The first file that differs between two workers, or another difference. */
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

/* Remove the line of variables, which comes last, from an answer. */
static char *cut_variables(struct cul_buf *answer) {
  char *text = answer->len ? answer->data : NULL, *at, *out;
  size_t n = 0;
  if (!text)
    return cul_xstrdup("");
  for (at = text; (at = strstr(at, "\ne ")); at++)
    n = (size_t)(at + 1 - text);
  out = cul_xstrdup(n ? text + n : "");
  if (n) {
    text[n] = '\0';
    answer->len = n;
  }
  return out;
}

/* A stored identity is valid if one worker sees the same files with the same
 * variables. */
static void settle_recalled(struct cul_lesson *lesson,
                            const struct cul_buf *answer,
                            const char *variables) {
  bool same = strcmp(lesson->seen, cul_buf_str(answer)) == 0 &&
              strcmp(lesson->variables, variables) == 0;
  lesson->state = same ? CUL_LESSON_HOLDS : CUL_LESSON_VOID;
}

static bool take_seen(struct cul_link *link, uint32_t type,
                      struct cul_codec *codec) {
  struct cul_remote_words words = {0};
  struct cul_lesson *lesson;
  char *what, *why, *variables;
  if (type != CUL_FRAME_SEEN)
    return false;
  cul_remote_pass_words(codec, &words);
  if (!cul_codec_is_done(codec) || words.id >= link->hosts->n_lessons) {
    cul_link_lose(link, "it sent an answer that is none", false);
  } else {
    lesson = &link->hosts->lessons[words.id];
    variables = cut_variables(&words.text);
    if (lesson->state == CUL_LESSON_ASKED)
      settle_recalled(lesson, &words.text, variables);
    free(variables);
    if (lesson->state != CUL_LESSON_VOID &&
        strcmp(lesson->seen, cul_buf_str(&words.text)) != 0) {
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

/* Are the local files that will be sent unchanged? */
static bool holds_here(const char *traced) {
  static const char sent[] = CUL_REMOTE_THERE "/sent/";
  bool same = true;
  for (const char *at = traced; same && *at; at += strcspn(at, "\n") + 1) {
    const size_t len = strcspn(at, "\n"), head = 2 + CUL_DIGEST_HEX;
    struct cul_digest then, now;
    struct cul_err ignored = {0};
    char *line, hex[CUL_DIGEST_HEX];
    if (at[0] != 'f' || len < head + sizeof sent ||
        memcmp(at + head, sent, sizeof sent - 1) != 0)
      continue;
    line = cul_xstrndup(at, len);
    memcpy(hex, line + 2, sizeof hex - 1);
    hex[sizeof hex - 1] = '\0';
    same =
        cul_digest_parse(hex, &then) &&
        cul_file_digest(line + head + sizeof sent - 2, &now, &ignored) == 0 &&
        cul_digest_equal(&then, &now);
    free(line);
    if (!at[len])
      break;
  }
  return same;
}

/* Wait for the answer.  *holds: it arrived and confirms the identity. */
static int ask_there(struct cul_hosts *hosts, size_t at,
                     const struct cul_patience *patience, bool *holds,
                     struct cul_err *err) {
  char *why = NULL;
  int rc = 0;
  while (rc == 0 && !why && hosts->lessons[at].state == CUL_LESSON_ASKED) {
    struct pollfd end = {hosts->events, POLLIN, 0};
    rc = cul_hosts_wait(hosts, patience, &why, err);
    if (rc == 0 && !why && hosts->lessons[at].state == CUL_LESSON_ASKED)
      (void)poll(&end, 1, 100);
    if (rc == 0)
      rc = patience->left(patience->self, err);
  }
  free(why);
  *holds = hosts->lessons[at].state == CUL_LESSON_HOLDS;
  if (!*holds)
    hosts->lessons[at].state = CUL_LESSON_VOID;
  return rc;
}

int cul_hosts_recall(const struct cul_command *command,
                     const struct cul_patience *patience,
                     struct cul_identity *identity, bool *found,
                     struct cul_err *err) {
  struct cul_hosts *hosts = command->hosts;
  struct cul_record traced = {.trace_closed = true, .files = identity->there};
  struct cul_lesson *lesson;
  size_t at = hosts->n_lessons;
  bool holds = false;
  int rc;
  *found = false;
  if (!holds_here(cul_buf_str(&traced.files)))
    return 0;
  lesson = append_lesson(hosts, &traced.files);
  lesson->state = CUL_LESSON_ASKED;
  lesson->variables = cut_variables(&traced.files);
  cul_buf_adds(&traced.files, lesson->variables);
  for (size_t i = 0; i < hosts->n; i++)
    if (hosts->links[i].state == CUL_LINK_READY)
      send_lessons(&hosts->links[i]);
  identity->there = (struct cul_buf){0};
  rc = ask_there(hosts, at, patience, &holds, err);
  if (rc == 0 && holds) {
    cul_identity_release(identity);
    rc = cul_identity_learn(NULL, command, &traced, NULL, identity, err);
    *found = rc == 0 && !cul_digest_is_zero(&identity->digest);
  }
  cul_buf_release(&traced.files);
  return rc;
}

static void release(struct cul_hosts *hosts) {
  for (size_t i = 0; i < hosts->n_lessons; i++) {
    free(hosts->lessons[i].text);
    free(hosts->lessons[i].seen);
    free(hosts->lessons[i].variables);
  }
  free(hosts->lessons);
}

const struct cul_hosts_part cul_hosts_lessons = {.ready = send_lessons,
                                                 .lost = forget,
                                                 .take = take_seen,
                                                 .ran = add_lesson,
                                                 .release = release};
