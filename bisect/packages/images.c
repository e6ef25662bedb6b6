/* Bisecting container images: see images.h. */
#include "images.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/files/file.h"
#include "../../base/status.h"
#include "../../pipeline/shell_text.h"
#include "../../probe/workplace.h"
#include "../../runners/remote/hosts.h"
#include "debs.h"

/* Containers that stay up for their next run, at most. */
enum { MOST_IDLE = 2 };

/* A tag's container. */
struct box {
  struct cul_hosts *hosts; /* NULL: none */
  size_t users;
  uint64_t used;
  char *why; /* it does not start */
};

struct job {
  const struct cul_images_conf *conf;
  const char *tool;
  struct cul_hosts *hosts; /* run the container tool; NULL: this machine does */
  struct cul_axis axis;    /* its values are tags */
  struct cul_axes axes;
  struct box *boxes; /* by value */
  uint32_t good;
  uint64_t turn;
  struct cul_environment *environment; /* of the container tool */
  struct cul_workplace place;
};

/* ---- the container tool ---- */

/* Run a shell script as the user would, outside the sandbox, where the
 * containers are.  said: its output; why: the last line of standard error,
 * where it fails.  Errors: EENV, those of patience. */
static int ask(struct job *job, const char *script, struct cul_buf *said,
               char **why, struct cul_err *err) {
  const struct cul_patience patience = {cul_target_left, &job->conf->target};
  const char *const argv[] = {"sh", "-c", script, NULL};
  const struct cul_command command = {.argv = argv,
                                      .cwd = job->hosts ? NULL : ".",
                                      .environment = job->environment,
                                      .hosts = job->hosts};
  struct cul_request request = {.role = "container tool",
                                .cmd = &command,
                                .wall_ms = 120 * 1000,
                                .out_bytes = 16 << 20};
  const struct cul_artefact none = {.dir = "", .file = "", .live_fd = -1};
  struct cul_record record = {0};
  char *tmp = cul_xasprintf("%s/t", job->place.dir);
  int rc = cul_workplace_claim_tmp(&job->place.held, tmp, &request, err);
  *why = NULL;
  if (rc == 0)
    rc = cul_run_wait(job->hosts ? &cul_runner_remote
                                 : cul_runner_find("process"),
                      &none, &request, tmp, &patience, &record, err);
  if (rc == 0 && record.end == CUL_MACHINE)
    rc = cul_record_fail(&record, err);
  if (rc == 0 && record.end == CUL_EXITED && record.status == 0)
    cul_buf_add(said, record.out.data, record.out.len);
  else if (rc == 0) {
    struct cul_bytes words = cul_record_why(&record);
    *why = words.len ? cul_bytes_copy(words) : cul_xstrdup("nobody says why");
  }
  cul_record_release(&record);
  free(tmp);
  return rc;
}

static int find_tool(struct job *job, struct cul_err *err) {
  struct cul_buf said = {0};
  char *why = NULL;
  int rc = ask(job, "command -v docker", &said, &why, err);
  job->tool = said.len ? "docker" : "podman";
  cul_buf_release(&said);
  free(why);
  return rc;
}

/* Check that the container tool answers: without its daemon, every tag would
 * seem to be missing. */
static int check_tool(struct job *job, struct cul_err *err) {
  struct cul_buf said = {0};
  char *script = cul_xasprintf("%s version", job->tool), *why;
  int rc = ask(job, script, &said, &why, err);
  if (rc == 0 && why)
    rc = cul_fail(err, CUL_EENV,
                  "start its daemon, or name another tool: --container-tool "
                  "podman",
                  "cannot use %s: %s", job->tool, why);
  cul_buf_release(&said);
  free(script);
  free(why);
  return rc;
}

/* ---- tags ---- */

static void add_tag(struct cul_axis *axis, const char *text, size_t len) {
  while (len && isspace((unsigned char)*text))
    text++, len--;
  while (len && isspace((unsigned char)text[len - 1]))
    len--;
  if (!len || *text == '#' || *text == '-')
    return;
  for (uint32_t i = 0; i < axis->n; i++)
    if (strlen(axis->values[i]) == len &&
        memcmp(axis->values[i], text, len) == 0)
      return;
  axis->values = cul_xreallocarray(axis->values, (size_t)axis->n + 1,
                                   sizeof *axis->values);
  axis->values[axis->n++] = cul_xstrndup(text, len);
}

static void add_list(struct cul_axis *axis, const char *text,
                     const char *between) {
  while (*text) {
    size_t len = strcspn(text, between);
    add_tag(axis, text, len);
    text += len + (text[len] != '\0');
  }
}

/* Read the tags from --tags: the name of a file, or the list itself. */
static int read_tags(struct job *job, struct cul_err *err) {
  const char *tags = job->conf->tags;
  struct cul_buf text = {0};
  struct stat st;
  int rc = 0;
  if (stat(tags, &st) == 0 && S_ISREG(st.st_mode)) {
    rc = cul_file_read(tags, 1 << 20, &text, err);
    add_list(&job->axis, cul_buf_str(&text), "\n");
  } else {
    add_list(&job->axis, tags, ",\n");
  }
  cul_buf_release(&text);
  return rc;
}

/* {"Tags": [...]} */
static void add_json(struct cul_axis *axis, const struct cul_buf *said) {
  json_t *root = json_loadb(said->data ? said->data : "", said->len, 0, NULL);
  json_t *tags = json_object_get(root, "Tags"), *tag;
  size_t i;
  json_array_foreach(tags, i, tag) {
    if (json_is_string(tag))
      add_tag(axis, json_string_value(tag), json_string_length(tag));
  }
  json_decref(root);
}

static int by_version(const void *a, const void *b) {
  const char *one = *(char *const *)a, *other = *(char *const *)b;
  int diff = cul_debian_compare(one + (*one == 'v'), other + (*other == 'v'));
  return diff ? diff : strcmp(one, other);
}

/* List the tags of the registry by skopeo; without skopeo, those of the images
 * that the container tool has. */
static int list_tags(struct job *job, struct cul_err *err) {
  struct cul_buf script = {0}, said = {0};
  char *skopeo = cul_find_program("skopeo"), *why = NULL;
  int rc = 0;
  if (skopeo) {
    cul_buf_adds(&script, "skopeo list-tags ");
    char *name = cul_xasprintf("docker://%s", job->conf->image);
    cul_shell_quote(name, &script);
    free(name);
    rc = ask(job, cul_buf_str(&script), &said, &why, err);
    add_json(&job->axis, &said);
    free(why);
  }
  if (rc == 0 && job->axis.n == 0) {
    cul_buf_clear(&script);
    cul_buf_clear(&said);
    cul_buf_addf(&script, "%s image ls --format '{{.Tag}}' ", job->tool);
    cul_shell_quote(job->conf->image, &script);
    rc = ask(job, cul_buf_str(&script), &said, &why, err);
    add_list(&job->axis, cul_buf_str(&said), "\n");
    free(why);
  }
  if (job->axis.n)
    qsort(job->axis.values, job->axis.n, sizeof *job->axis.values, by_version);
  cul_buf_release(&said);
  cul_buf_release(&script);
  free(skopeo);
  return rc;
}

/* "3.2.0" and "10.20.3" have one form, "3.2.0-cuda" and "latest" others. */
static bool is_alike(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      a += strspn(a, "0123456789");
      b += strspn(b, "0123456789");
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return !*a && !*b;
}

static bool find_tag(const struct cul_axis *axis, const char *tag,
                     uint32_t *out) {
  for (uint32_t i = 0; i < axis->n; i++)
    if (strcmp(axis->values[i], tag) == 0) {
      *out = i;
      return true;
    }
  return false;
}

static int fail_unknown(const struct job *job, const char *tag,
                        struct cul_err *err) {
  const struct cul_axis *axis = &job->axis;
  return axis->n
             ? cul_fail(err, CUL_EUSAGE, "give the tags: --tags 1.0,1.1,1.2",
                        "%s has no tag %s among the %u from %s to %s",
                        job->conf->image, tag, axis->n, axis->values[0],
                        axis->values[axis->n - 1])
             : cul_fail(err, CUL_EUSAGE,
                        "give them: --tags 1.0,1.1,1.2, or install skopeo",
                        "no tags of %s are known: neither skopeo nor %s image "
                        "ls lists any",
                        job->conf->image, job->tool);
}

/* Keep the tags between the ends.  If the user did not list the tags, keep only
 * those that are written like one of the ends. */
static void cut(struct job *job, uint32_t first, uint32_t last) {
  struct cul_axis *axis = &job->axis;
  const char *ends[2] = {axis->values[first], axis->values[last]};
  uint32_t n = 0;
  for (uint32_t i = 0; i < axis->n; i++) {
    char *tag = axis->values[i];
    bool keep =
        i >= first && i <= last &&
        (job->conf->tags || is_alike(tag, ends[0]) || is_alike(tag, ends[1]));
    if (keep)
      axis->values[n++] = tag;
    else
      free(tag);
  }
  axis->n = n;
}

static int fill_axis(struct job *job, struct cul_err *err) {
  const struct cul_images_conf *conf = job->conf;
  struct cul_axis *axis = &job->axis;
  uint32_t good, bad;
  int rc;
  axis->name = cul_xstrdup(conf->image);
  axis->equals = ":";
  rc = conf->tags ? read_tags(job, err) : list_tags(job, err);
  if (rc < 0)
    return rc;
  if (!find_tag(axis, conf->good, &good))
    return fail_unknown(job, conf->good, err);
  for (bad = axis->n - 1; !conf->bad && bad > 0; bad--)
    if (is_alike(axis->values[bad], conf->good))
      break;
  if (conf->bad && !find_tag(axis, conf->bad, &bad))
    return fail_unknown(job, conf->bad, err);
  if (good == bad)
    return cul_fail(err, CUL_EUSAGE, "give two tags",
                    "%s is both the good and the bad tag", conf->good);
  cut(job, good < bad ? good : bad, good < bad ? bad : good);
  job->good = good < bad ? 0 : axis->n - 1;
  job->axes = (struct cul_axes){axis, 1};
  job->boxes = cul_xcalloc(axis->n, sizeof *job->boxes);
  return 0;
}

/* ---- containers ---- */

/* A command of --on may be a program that takes words or, as ssh, one that
 * hands them to a shell: one quotation is too much for the first or too little
 * for the second. */
static int check_word(const char *word, struct cul_err *err) {
  size_t plain = strspn(word, "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "_@%+=:,./-");
  return word[plain] == '\0'
             ? 0
             : cul_fail(err, CUL_EUSAGE,
                        "write a script on that machine that passes it on, and "
                        "name the script: --container-tool PROGRAM",
                        "\"%s\" holds \"%c\", which a shell on the way of --on "
                        "may change",
                        word, word[plain]);
}

static int check_words(const struct job *job, struct cul_err *err) {
  const struct cul_images_conf *conf = job->conf;
  int rc = 0;
  if (!job->hosts)
    return 0;
  rc = check_word(conf->image, err);
  if (rc == 0 && conf->tool)
    rc = check_word(conf->tool, err);
  for (size_t i = 0; rc == 0 && i < conf->n_options; i++)
    rc = check_word(conf->options[i], err);
  for (uint32_t i = 0; rc == 0 && i < job->axis.n; i++)
    rc = check_word(job->axis.values[i], err);
  return rc;
}

/* "docker run -i --rm IMAGE:TAG" */
static void add_run(const struct job *job, const char *tag, const char *more,
                    struct cul_buf *out) {
  char *name = cul_xasprintf("%s:%s", job->conf->image, tag);
  cul_buf_addf(out, "%s run -i --rm ", job->tool);
  for (size_t i = 0; i < job->conf->n_options; i++) {
    cul_shell_quote(job->conf->options[i], out);
    cul_buf_addc(out, ' ');
  }
  cul_buf_adds(out, more);
  cul_shell_quote(name, out);
  free(name);
}

static void close_idle(struct job *job, size_t most) {
  for (;;) {
    struct box *oldest = NULL;
    size_t idle = 0;
    for (uint32_t i = 0; i < job->axis.n; i++) {
      struct box *box = &job->boxes[i];
      if (!box->hosts || box->users)
        continue;
      idle++;
      if (!oldest || box->used < oldest->used)
        oldest = box;
    }
    if (idle <= most || !oldest)
      return;
    cul_hosts_free(oldest->hosts);
    oldest->hosts = NULL;
  }
}

/* "docker run -i --rm IMAGE:TAG", behind each command of --on: heap, and so is
 * each of them. */
static char **make_commands(const struct job *job, const char *tag, size_t *n) {
  const struct cul_environment_conf *through = &job->conf->target.environment;
  static const char *const here[] = {""};
  const char *const *on = through->n_on ? through->on : here;
  char **commands;
  *n = through->n_on ? through->n_on : 1;
  commands = cul_xcalloc(*n, sizeof *commands);
  for (size_t i = 0; i < *n; i++) {
    struct cul_buf text = {0};
    cul_buf_addf(&text, "%s%s", on[i], *on[i] ? " " : "");
    add_run(job, tag, "", &text);
    commands[i] = cul_xstrdup(cul_buf_str(&text));
    cul_buf_release(&text);
  }
  return commands;
}

static int open_box(struct job *job, uint32_t at, struct cul_err *err) {
  const struct cul_target_conf *target = &job->conf->target;
  const struct cul_patience patience = {cul_target_left, target};
  struct box *box = &job->boxes[at];
  struct cul_target_conf there = *target;
  size_t n;
  char **commands = make_commands(job, job->axis.values[at], &n);
  int rc;
  close_idle(job, MOST_IDLE);
  cul_status_note(UINT64_MAX, "starting %s:%s", job->axis.name,
                  job->axis.values[at]);
  there.environment.on = (const char *const *)commands;
  there.environment.n_on = n;
  rc = cul_target_hosts(&there, &box->hosts, err);
  if (rc == 0)
    rc = cul_hosts_wait(box->hosts, &patience, &box->why, err);
  if (rc < 0 || box->why) {
    cul_hosts_free(box->hosts);
    box->hosts = NULL;
  }
  for (size_t i = 0; i < n; i++)
    free(commands[i]);
  free(commands);
  return rc;
}

static int enter(void *self, const uint32_t *at, struct cul_installation *out,
                 struct cul_err *err) {
  struct job *job = self;
  struct box *box = &job->boxes[at[0]];
  int rc = 0;
  if (!box->hosts && !box->why)
    rc = open_box(job, at[0], err);
  if (rc == 0 && box->why)
    out->why = cul_xasprintf("cannot be started: %s", box->why);
  if (rc < 0 || out->why)
    return rc;
  box->users++;
  box->used = ++job->turn;
  out->hosts = box->hosts;
  out->env = cul_xcalloc(1, sizeof *out->env);
  return 0;
}

static void leave(void *self, const uint32_t *at) {
  struct job *job = self;
  struct box *box = &job->boxes[at[0]];
  if (box->users)
    box->users--;
}

/* The command's program becomes a script of its name that runs it in the
 * container, with the case where it is. */
static void script(void *self, const uint32_t *at, struct cul_buf *make,
                   struct cul_buf *enter_there) {
  const struct job *job = self;
  const struct cul_target_conf *target = &job->conf->target;
  const char *tag = job->axis.values[at[0]];
  const char *program = target->argv ? target->argv[0] : NULL;
  struct cul_buf run = {0};
  if (!program || strchr(program, '/')) {
    cul_buf_addf(make, "# in %s:%s\n", job->conf->image, tag);
    return;
  }
  add_run(job, tag, "-v \"$here:$here\" -w \"$here\" ", &run);
  cul_buf_addf(make, "mkdir -p \"$here/bin-%u\" &&\n  cat >\"$here/bin-%u/",
               at[0], at[0]);
  cul_buf_addf(make, "%s\" <<EOF &&\n#!/bin/sh\nexec %s %s \"\\$@\"\nEOF\n",
               program, cul_buf_str(&run), program);
  cul_buf_addf(make, "  chmod +x \"$here/bin-%u/%s\" || exit 2\n", at[0],
               program);
  cul_buf_addf(enter_there, "  PATH=$here/bin-%u:$PATH\n", at[0]);
  cul_buf_release(&run);
}

/* ---- from end to end ---- */

static int open_job(struct job *job, struct cul_err *err) {
  const struct cul_environment_conf *through = &job->conf->target.environment;
  struct cul_target_conf outside = {.environment = {.all = true,
                                                    .sandbox = CUL_SANDBOX_OFF,
                                                    .on = through->on,
                                                    .n_on = through->n_on}};
  int rc = cul_workplace_open(&job->place, err);
  if (rc == 0)
    rc = cul_environment_new(&outside.environment, &job->environment, err);
  if (rc == 0)
    rc = cul_target_hosts(&outside, &job->hosts, err);
  job->tool = job->conf->tool;
  if (rc == 0 && !job->tool)
    rc = find_tool(job, err);
  if (rc == 0)
    rc = check_tool(job, err);
  if (rc == 0)
    rc = fill_axis(job, err);
  return rc ? rc : check_words(job, err);
}

static int run(struct job *job, json_t **report, struct cul_err *err) {
  const struct cul_images_conf *conf = job->conf;
  const struct cul_installer installer = {
      .self = job, .enter = enter, .leave = leave, .script = script};
  struct cul_versions_conf versions = {.cells = {.target = conf->target,
                                                 .given = &job->axes,
                                                 .installer = &installer},
                                       .search = conf->search,
                                       .bundle = conf->bundle,
                                       .all = conf->all,
                                       .good = &job->good,
                                       .costly = true,
                                       .job = "images"};
  versions.cells.target.elsewhere = true;
  return cul_versions_run(&versions, report, err);
}

static void release(struct job *job) {
  if (job->boxes)
    close_idle(job, 0);
  for (uint32_t i = 0; job->boxes && i < job->axis.n; i++) {
    cul_hosts_free(job->boxes[i].hosts);
    free(job->boxes[i].why);
  }
  for (uint32_t i = 0; i < job->axis.n; i++)
    free(job->axis.values[i]);
  free(job->axis.values);
  free(job->axis.name);
  free(job->boxes);
  cul_hosts_free(job->hosts);
  cul_environment_free(job->environment);
  cul_workplace_close(&job->place);
}

int cul_images_run(const struct cul_images_conf *conf, json_t **report,
                   struct cul_err *err) {
  struct job job = {.conf = conf, .place.keeper = -1};
  int rc = open_job(&job, err);
  *report = NULL;
  if (rc == 0)
    rc = run(&job, report, err);
  release(&job);
  return rc;
}
